//! A memory: a row of a grain, as the catalog stores it and every reader receives it.

use serde::{Deserialize, Serialize};

use crate::ports::{DocumentKey, Passage};
use crate::{Date, Grain, Interval, MemoryId, Period, Role, Sentence, Timestamp};

/// What kind of record a memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A message in working memory.
    Turn,
    /// A statement in working memory: a sentence extracted from turns or imported.
    Statement,
    /// The summary of a period.
    Summary,
    /// A passage of a document, in working memory.
    Passage,
}

impl Kind {
    /// Returns the word used in files, tables and responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Turn => "turn",
            Kind::Statement => "fact",
            Kind::Summary => "summary",
            Kind::Passage => "passage",
        }
    }
}

impl std::str::FromStr for Kind {
    type Err = crate::Error;

    fn from_str(text: &str) -> crate::Result<Kind> {
        [Kind::Turn, Kind::Statement, Kind::Summary, Kind::Passage]
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| {
                crate::Error::invalid("kind", format!("is {text:?}; expected one of turn, fact, summary, passage"))
            })
    }
}

/// A turn, statement, summary or passage of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// The id. It stays the same when the memory is written again.
    pub id: MemoryId,
    /// The grain of its period; working for turns, statements and passages.
    pub grain: Grain,
    /// The period it covers; in working memory, its day.
    pub period: Period,
    /// The instants it covers. A turn covers the microsecond in which it was said.
    pub cover: Interval,
    /// The first and last local day it covers.
    pub days: (Date, Date),
    /// The text that is searched and shown.
    pub text: String,
    /// Whether retention keeps it because it is pinned.
    pub pinned: bool,
    /// The sequence number of its last change.
    pub seq: u64,
    /// The fields that depend on the kind.
    pub body: Body,
}

/// The fields of a memory that depend on its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A message in working memory.
    Turn {
        /// The name of the speaker, or the role if no name is known.
        speaker: String,
        /// The role of the speaker, as in chat APIs.
        role: Role,
        /// Name of the conversation that the message belongs to.
        conversation: String,
        /// The message's id from its client, or the generated one.
        message: String,
    },
    /// A statement in working memory.
    Statement {
        /// The first of the people that the statement is about.
        speaker: Option<String>,
        /// The turns that state it, or its entry, as in [`crate::Statement::sources`].
        sources: Vec<MemoryId>,
        /// How much it will matter later, from 0 to 1.
        importance: f64,
        /// How certain the speaker was, from 0 to 1, if given.
        confidence: Option<f64>,
    },
    /// The summary of a period.
    Summary {
        /// The sentences with their sources.
        sentences: Vec<Sentence>,
        /// The memories that it was made from: turns for a day, summaries of the next finer grain otherwise.
        sources: Vec<MemoryId>,
    },
    /// A passage of a document.
    Passage {
        /// The document that the passage is a part of.
        document: DocumentKey,
        /// The number of the passage within the document, counted from 0.
        ordinal: u32,
        /// The range of the passage in [`crate::ports::Document::searched_text`].
        passage: Passage,
        /// When the document expires; `None` if it does not.
        expires_at: Option<Timestamp>,
    },
}

impl Memory {
    /// Returns when it was said, or when the time it covers began.
    pub fn at(&self) -> Timestamp {
        self.cover.start
    }

    /// Returns the kind, which `body` determines.
    pub fn kind(&self) -> Kind {
        match self.body {
            Body::Turn { .. } => Kind::Turn,
            Body::Statement { .. } => Kind::Statement,
            Body::Summary { .. } => Kind::Summary,
            Body::Passage { .. } => Kind::Passage,
        }
    }

    /// Returns the speaker of a turn, or the first of the people that a statement is about. `None` for other kinds.
    pub fn speaker(&self) -> Option<&str> {
        match &self.body {
            Body::Turn { speaker, .. } => Some(speaker),
            Body::Statement { speaker, .. } => speaker.as_deref(),
            Body::Summary { .. } | Body::Passage { .. } => None,
        }
    }

    /// Returns the document of a passage; `None` for other kinds.
    pub fn document(&self) -> Option<&DocumentKey> {
        if let Body::Passage { document, .. } = &self.body { Some(document) } else { None }
    }

    /// Returns whether it is a passage of a document that has expired.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        matches!(self.body, Body::Passage { expires_at: Some(end), .. } if end <= now)
    }

    /// Returns the role of a turn; `None` for other kinds.
    pub fn role(&self) -> Option<Role> {
        if let Body::Turn { role, .. } = self.body { Some(role) } else { None }
    }

    /// Returns the conversation of a turn; `None` for other kinds.
    pub fn conversation(&self) -> Option<&str> {
        if let Body::Turn { conversation, .. } = &self.body { Some(conversation) } else { None }
    }

    /// Returns the message id of a turn; `None` for other kinds.
    pub fn message(&self) -> Option<&str> {
        if let Body::Turn { message, .. } = &self.body { Some(message) } else { None }
    }

    /// Returns the sentences of a summary; none for other kinds.
    pub fn sentences(&self) -> &[Sentence] {
        if let Body::Summary { sentences, .. } = &self.body { sentences } else { &[] }
    }

    /// Returns the ids of the sources of a statement or summary; empty for a turn or a passage.
    pub fn sources(&self) -> &[MemoryId] {
        match &self.body {
            Body::Turn { .. } | Body::Passage { .. } => &[],
            Body::Statement { sources, .. } | Body::Summary { sources, .. } => sources,
        }
    }
}
