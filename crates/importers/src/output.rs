//! Receives the items that an importer finds: cleans them, counts them, and passes them on.

use std::collections::HashSet;

use annals_core::{Digest, Message, Result, Role, Timestamp};

use crate::clean;
use crate::dates;
use crate::dating::Dating;
use crate::item::{Imported, Item, Location};
use crate::options::{Branches, Options};
use crate::skipped::{Skip, SkipReason};
use crate::source::Entry;
use crate::summary::Summary;

/// Receives the items and skips of an importer.
pub struct Output<'a> {
    options: &'a Options,
    sink: &'a mut dyn FnMut(Imported) -> Result<()>,
    summary: Summary,
    /// Hashes of the ids that [`Output::is_new`] has seen.
    seen: HashSet<u128>,
    dating: Dating,
}

impl<'a> Output<'a> {
    /// Creates an output that passes items to `sink`.
    pub fn new(options: &'a Options, sink: &'a mut dyn FnMut(Imported) -> Result<()>) -> Output<'a> {
        Output { options, sink, summary: Summary::default(), seen: HashSet::new(), dating: Dating::default() }
    }

    pub fn options(&self) -> &'a Options {
        self.options
    }

    /// Returns the name of the speaker with this role: the name of the person for `user`, `None` for other roles.
    pub fn name_of(&self, role: Role) -> Option<String> {
        if role == Role::User { self.options.me.clone() } else { None }
    }

    /// Begins a file. Items without a time get the time of their file, if the file is a note or in an archive.
    pub fn begin_file(&mut self, entry: &Entry, is_note: bool) {
        let modified = self.past(entry.modified);
        self.dating.begin_file(modified, is_note || entry.is_archived());
    }

    /// Returns an instant if it is at most five minutes in the future, because clocks differ, and otherwise `None`. Importers
    /// apply it to every time of the source before they derive other times from it.
    pub fn past(&self, at: Option<Timestamp>) -> Option<Timestamp> {
        at.filter(|at| !dates::is_ahead(*at, self.options.now))
    }

    /// Records an id, and returns whether this import has not seen it before. An id that is unique only within its conversation
    /// must be prefixed with the id of the conversation. Stores 16 bytes per id.
    pub fn is_new(&mut self, id: &str) -> bool {
        let digest = Digest::of([id]).0;
        let mut half = [0; 16];
        half.copy_from_slice(&digest[..16]);
        self.seen.insert(u128::from_le_bytes(half))
    }

    /// Passes on the title and the summary of a conversation. A blank one becomes `None`.
    pub fn conversation(
        &mut self,
        id: &str,
        title: Option<&str>,
        summary: Option<&str>,
        location: &Location,
    ) -> Result<()> {
        let filled =
            |text: Option<&str>| text.filter(|text| !text.trim().is_empty()).map(|text| clean::text(text.to_owned()));
        let item = Item::Conversation { id: clean::id(id), title: filled(title), summary: filled(summary) };
        self.pass(item, location)
    }

    /// Passes on a message. A text that is longer than a message may be is split into messages with the ids `ID`, `ID#2`,
    /// `ID#3` …
    ///
    /// Skips a message with a blank text, and one with a time that is in the future or cannot be stored. Skips a message
    /// without an id or a conversation, and counts it as damaged. Returns only errors of the sink.
    pub fn message(&mut self, message: Message, location: &Location) -> Result<()> {
        let Some(id) = message.client_id.as_deref().filter(|id| !id.is_empty()) else {
            self.skip(Skip::damaged("message without an id", "", location));
            return Ok(());
        };
        if message.conversation.is_empty() {
            self.skip(Skip::damaged("message without a conversation", "", location));
            return Ok(());
        }
        if dates::is_ahead(message.at, self.options.now) || dates::storable(message.at).is_none() {
            self.skip(Skip::new(
                SkipReason::Undated,
                "message with an impossible time",
                message.at.to_string(),
                location,
            ));
            return Ok(());
        }
        let content = clean::text(message.content);
        let parts = clean::parts(&content);
        if parts.is_empty() {
            self.skip(Skip::no_message("empty message", location));
        }
        for (part, number) in parts.into_iter().zip(1..) {
            let id = if number == 1 { clean::id(id) } else { clean::id(&format!("{id}#{number}")) };
            let message = Message {
                conversation: clean::id(&message.conversation),
                client_id: Some(id),
                role: message.role,
                name: message.name.as_deref().and_then(clean::name),
                content: part.to_owned(),
                at: message.at,
            };
            self.dating.saw(Some(message.at));
            self.pass(Item::Message(message), location)?;
        }
        Ok(())
    }

    /// Passes on a fact, statement, block or document. Skips an item without text. Removes a time that is in the future or
    /// cannot be stored. An item without a time gets the time of its file, if the file is a note or in an archive. If its file
    /// gives no time, the item waits until the end of the source, or until too many items wait. Passes a message or a
    /// conversation on unchanged.
    pub fn item(&mut self, mut item: Item, location: &Location) -> Result<()> {
        let now = self.options.now;
        let Some((text, at)) = item.parts() else { return self.pass(item, location) };
        *text = clean::text(std::mem::take(text));
        *at = at.and_then(dates::storable).filter(|at| !dates::is_ahead(*at, now));
        if text.trim().is_empty() {
            self.skip(Skip::no_message("empty text", location));
            return Ok(());
        }
        self.dating.saw(*at);
        *at = at.or(self.dating.of_file());
        if at.is_some() {
            return self.pass(item, location);
        }
        let is_full = self.dating.wait(Imported { location: location.clone(), item });
        if is_full { self.pass_waiting() } else { Ok(()) }
    }

    /// Passes on the items that waited for a time, with the best time that is known now.
    fn pass_waiting(&mut self) -> Result<()> {
        self.dating.take().into_iter().try_for_each(|Imported { location, item }| self.pass(item, &location))
    }

    /// Counts a message that is in none of the branches that are read.
    pub fn skip_branch(&mut self, location: &Location) {
        let skip = match self.options.branches {
            Branches::Active => Skip::option("message of another branch (--branches all)", location),
            // Messages in a cycle of parents belong to no branch.
            Branches::All => Skip::damaged("message outside all branches", "its parents form a cycle", location),
        };
        self.skip(skip);
    }

    /// Counts something that is not imported.
    pub fn skip(&mut self, skip: Skip<'_>) {
        self.summary.skipped.add(&skip);
    }

    /// Passes on the items that still wait for a time. Returns the counts of items and of skipped parts.
    pub fn finish(mut self) -> Result<Summary> {
        self.pass_waiting()?;
        Ok(self.summary)
    }

    fn pass(&mut self, item: Item, location: &Location) -> Result<()> {
        let imported = Imported { location: location.clone(), item };
        self.summary.add(&imported, &self.options.zone);
        (self.sink)(imported)
    }
}
