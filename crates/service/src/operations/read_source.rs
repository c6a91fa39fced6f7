//! Reads a source of another program on a thread of its own, and passes its items on through a bounded channel: the reader
//! waits while the channel is full.

use annals_core::{Error, Result};
use annals_importers::{Imported, Item, Kind, Options, Source, Summary, import};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{JoinHandle, spawn_blocking};

use crate::wire::{FoundItems, ImportItem, ImportReport, ItemIn, SkippedView, StoredItems};

/// Maximum number of items that wait to be stored.
const WAITING: usize = 64;

/// A source that is being read.
pub struct SourceReader {
    /// The items, in order. Dropping this receiver ends the reading.
    pub items: Receiver<ImportItem>,
    summary: JoinHandle<Result<Summary>>,
}

/// Starts to read a source in the background.
pub fn read_source(kind: Kind, source: Source, options: Options) -> SourceReader {
    let (items, received) = channel(WAITING);
    let summary = spawn_blocking(move || read(kind, source, &options, &items));
    SourceReader { items: received, summary }
}

impl SourceReader {
    /// Splits the reader into the items and the task that returns the summary of the source, for callers that store the items
    /// elsewhere.
    pub fn into_parts(self) -> (Receiver<ImportItem>, JoinHandle<Result<Summary>>) {
        (self.items, self.summary)
    }

    /// Reads to the end of the source, and drops all items that were not received. Returns the counts of the items in the
    /// source and of the skipped ones. Fails if the source cannot be read.
    pub async fn finish(mut self) -> Result<Summary> {
        while self.items.recv().await.is_some() {}
        self.summary.await.map_err(|cause| Error::storage("reading the source", cause))?
    }
}

fn read(kind: Kind, mut source: Source, options: &Options, items: &Sender<ImportItem>) -> Result<Summary> {
    let ended = |_| Error::storage("reading the source", "the import ended early");
    import(kind, &mut source, options, &mut |imported| items.blocking_send(to_wire(imported)).map_err(ended))
}

fn to_wire(Imported { location, item }: Imported) -> ImportItem {
    let item = match item {
        Item::Conversation { id, title, summary } => ItemIn::Conversation { id, title, summary },
        Item::Message(message) => message.into(),
        Item::Statement { id, about, text, at } => ItemIn::Statement { id, about, text, at },
        Item::Fact { id, subject, predicate, object, is_relation, at } => {
            ItemIn::Fact { id, subject, predicate, object, is_relation, at }
        }
        Item::Block { name, text, at } => ItemIn::Block { name, text, at },
        Item::Document { id, title, text, at } => ItemIn::Document { id, title, text, at },
    };
    ImportItem { location: location.to_string(), item }
}

impl ImportReport {
    /// Joins the counts of found and of stored items. Moves the items that could not be stored to `skipped`. `stored` is `None`
    /// for a dry run.
    pub fn new(agent: &str, from: &str, summary: &Summary, mut stored: Option<StoredItems>) -> ImportReport {
        let mut skipped: Vec<SkippedView> = summary
            .skipped
            .iter()
            .map(|(_, kind, counted)| SkippedView {
                kind: kind.to_owned(),
                count: counted.count,
                example: counted.example.clone(),
                location: counted.location.to_string(),
            })
            .collect();
        skipped.extend(stored.iter_mut().flat_map(|stored| std::mem::take(&mut stored.skipped)));
        ImportReport { agent: agent.to_owned(), from: from.to_owned(), found: found(summary), stored, skipped }
    }
}

fn found(summary: &Summary) -> FoundItems {
    FoundItems {
        conversations: summary.conversations() as u64,
        messages: summary.total_messages(),
        roles: summary.messages.iter().map(|(role, count)| ((*role).to_owned(), *count)).collect(),
        people: summary.people.clone(),
        days: summary.days.len() as u64,
        first_day: summary.days.first().map(ToString::to_string),
        last_day: summary.days.last().map(ToString::to_string),
        statements: summary.statements,
        facts: summary.facts,
        blocks: summary.blocks,
        documents: summary.documents,
    }
}
