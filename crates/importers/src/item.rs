//! The items that an importer yields, each with its place in the source.

use std::fmt;
use std::sync::Arc;

use annals_core::{Message, Timestamp};

/// One item of a source, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    pub location: Location,
    pub item: Item,
}

/// A piece of what another program keeps.
///
/// The id of an item stays the same in every later export of the source. If an item with this id and other content is already
/// stored, the source was edited, and the caller revises the stored item.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// The title and summary of a conversation. Comes before or after its messages.
    Conversation {
        /// Id of the conversation, as in its messages.
        id: String,
        /// Title; `None` if the source has none.
        title: Option<String>,
        /// A summary that the source made. Nobody said it, so it is not a message.
        summary: Option<String>,
    },
    /// A message. Its `client_id` is always set, and its fields pass the checks of a stored message.
    Message(Message),
    /// A statement without subject and predicate, as extracted by another memory.
    Statement {
        /// Id that begins with the name of the kind, such as `mem0:7f3c`.
        id: String,
        /// The person or thing that the statement is about; `None` if the source names none.
        about: Option<String>,
        text: String,
        /// From when the statement holds; `None` if the source has no date.
        at: Option<Timestamp>,
    },
    Fact {
        /// Id that begins with the name of the kind, and continues with the id in the source or with a hash of the fact's
        /// words.
        id: String,
        subject: String,
        /// The predicate as the source writes it.
        predicate: String,
        /// The value or name that the predicate leads to.
        object: String,
        /// Whether the source lists the fact as a relation between two things. If not, the predicate `is_a` gives the type of
        /// the subject, and `observation` gives a text about it.
        is_relation: bool,
        /// From when the fact holds; `None` if the source has no date.
        at: Option<Timestamp>,
    },
    /// A block of core memory: a text that is always in the agent's prompt.
    Block {
        /// Name of the block: persona, human, project …
        name: String,
        text: String,
        /// When the block was written; `None` if the source has no date.
        at: Option<Timestamp>,
    },
    /// A note or document that is not part of a conversation.
    Document {
        /// Id that begins with the name of the kind, such as `markdown:Projects/Trip.md`.
        id: String,
        /// Heading of the document; empty if it has none.
        title: String,
        text: String,
        /// When the document was written; `None` if the source has no date.
        at: Option<Timestamp>,
    },
}

impl Item {
    /// Returns the text and the time of a statement, block or document, or the object and the time of a fact; `None` for a
    /// message or a conversation.
    pub(crate) fn parts(&mut self) -> Option<(&mut String, &mut Option<Timestamp>)> {
        match self {
            Item::Message(_) | Item::Conversation { .. } => None,
            Item::Statement { text, at, .. } | Item::Block { text, at, .. } | Item::Document { text, at, .. } => {
                Some((text, at))
            }
            Item::Fact { object, at, .. } => Some((object, at)),
        }
    }
}

/// A place in a source, shown as `conversations.json: line 12: conversation 6f1c…`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file: its path within the folder or archive.
    pub file: Arc<str>,
    /// The line, counted from 1, if the file has lines.
    pub line: Option<u64>,
    /// The part of the file, in words: a conversation, node, entry or heading.
    pub entry: Option<String>,
}

impl Location {
    /// Creates the place of a whole file.
    pub fn of(file: impl Into<Arc<str>>) -> Location {
        Location { file: file.into(), line: None, entry: None }
    }

    /// Returns the same place with a line number.
    pub fn at_line(&self, line: u64) -> Location {
        Location { line: Some(line), ..self.clone() }
    }

    /// Returns the same place with an entry.
    pub fn at_entry(&self, entry: impl Into<String>) -> Location {
        Location { entry: Some(entry.into()), ..self.clone() }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ": line {line}")?;
        }
        if let Some(entry) = &self.entry {
            write!(f, ": {entry}")?;
        }
        Ok(())
    }
}
