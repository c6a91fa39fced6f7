//! Import of items from other programs: messages, titles of conversations, statements, facts, blocks and documents, for one
//! agent.
//!
//! Items are stored in batches as they arrive, so an import of any size needs the memory of a few batches. All are stored
//! before the first is embedded, as in an import of messages. Items have the ids of the source, so items that are already
//! stored are recognised, items that were edited since are revised, and an interrupted import is completed by running it
//! again. Forgotten items are not stored again. Items that are not stored are counted.
//!
//! Each item is stored as its own type, or, if it cannot be, as a more general one: a block as a document, a fact as a
//! statement, a long statement as a document. No item is dated by the clock of the import: the importers ([`annals_importers`])
//! date the items where they can, and items without a date get [`UNDATED`]. Decision 45 gives the reasons.

mod blocks;
mod documents;
mod facts;
mod moved;
mod skipped;
mod statements;
mod titles;
mod turns;

use annals_core::ports::ItemKey;
use annals_core::{Agent, Message, Period, Result, Timestamp, Zones};
use annals_importers::Kind;
use tokio::sync::mpsc::Receiver;

use super::read_source::SourceReader;
use crate::wire::{ImportItem, ImportReport, ItemIn, ItemsRequest, StoredItems};
use crate::{NoProgress, ProgressSink, Service};
use facts::Operations;
use moved::MovedMessages;
use skipped::Skips;
use statements::Statements;
use titles::Titles;
use turns::Batch;

/// Time of items that the importer could not date: noon UTC of 1970-01-01, which is on the same day in almost every zone.
const UNDATED: Timestamp = Timestamp::constant(12 * 3600, 0);

/// An import of items for one agent.
struct Import<'a> {
    service: &'a Service,
    agent: &'a Agent,
    request: &'a ItemsRequest,
    now: Timestamp,
    zones: Zones,
    masks: bool,
    messages: Batch,
    titles: Titles,
    statements: Statements,
    operations: Operations,
    moved: MovedMessages,
    skips: Skips,
    stored: StoredItems,
}

impl Service {
    /// Sets the agent's time zone if the request names one, and stores items as they arrive. At the end of `items`, makes them
    /// searchable, extracts facts from the messages if the extractor is local, and returns the counts.
    pub(crate) async fn import_items(
        &self,
        agent: &Agent,
        request: &ItemsRequest,
        items: &mut Receiver<ImportItem>,
        now: Timestamp,
        progress: &dyn ProgressSink,
    ) -> Result<StoredItems> {
        if let Some(zone) = &request.time_zone {
            self.set_time_zone(agent, zone, now).await?;
        }
        let mut import = Import::begin(self, agent, request, now).await?;
        while let Some(ImportItem { location, item }) = items.recv().await {
            import.take(item, &location).await?;
        }
        import.finish(progress).await
    }

    /// Imports a source while it is read. If the source has an error, stores the items before the error and then fails.
    pub(crate) async fn import_source(
        &self,
        agent: &Agent,
        kind: Kind,
        mut source: SourceReader,
        request: &ItemsRequest,
        now: Timestamp,
    ) -> Result<ImportReport> {
        let stored = self.import_items(agent, request, &mut source.items, now, &NoProgress).await?;
        Ok(ImportReport::new(agent.name(), kind.as_str(), &source.finish().await?, Some(stored)))
    }
}

impl<'a> Import<'a> {
    async fn begin(
        service: &'a Service,
        agent: &'a Agent,
        request: &'a ItemsRequest,
        now: Timestamp,
    ) -> Result<Import<'a>> {
        let settings = service.parts.store.settings(agent).await?;
        Ok(Import {
            service,
            agent,
            request,
            now,
            zones: settings.zones()?,
            masks: settings.mask,
            messages: Batch::default(),
            titles: Titles::default(),
            statements: Statements::default(),
            operations: Operations::default(),
            moved: MovedMessages::new(&*service.parts.store, agent, &request.from).await?,
            skips: Skips::default(),
            stored: StoredItems::default(),
        })
    }

    async fn take(&mut self, item: ItemIn, location: &str) -> Result<()> {
        match item {
            ItemIn::Conversation { id, title, summary } => {
                let why = "summaries are written from the messages";
                self.skips.add_if(summary.is_some(), "summary of a conversation", why, location);
                if let Some(title) = title {
                    self.take_title(id, title);
                }
                Ok(())
            }
            ItemIn::Message { conversation, id, role, name, content, at } => {
                self.titles.begin(&conversation, &id);
                let message = Message { conversation, client_id: Some(id), role, name, content, at };
                self.messages.push(message, location);
                if self.messages.is_full() { self.store_messages().await } else { Ok(()) }
            }
            ItemIn::Statement { id, about, text, at } => {
                self.take_statement(&id, about.as_deref(), text, at, location).await
            }
            ItemIn::Fact { id, subject, predicate, object, is_relation, at } => {
                let words = [subject.as_str(), predicate.as_str(), object.as_str()];
                self.take_fact(&id, words, is_relation, at, location).await
            }
            ItemIn::Block { name, text, at } => self.take_block(name, text, at, location).await,
            ItemIn::Document { id, title, text, at } => self.take_document(&id, &title, text, at, location).await,
        }
    }

    async fn finish(mut self, progress: &dyn ProgressSink) -> Result<StoredItems> {
        self.store_all_messages().await?;
        self.store_statements().await?;
        self.store_operations().await?;
        let projected = self.service.make_searchable_shown(self.agent, progress).await?;
        self.stored.searchable += projected.applied - projected.dead;
        self.stored.dead += projected.dead;
        self.service.bring_facts_up_to_date(self.agent, progress).await?;
        Ok(StoredItems { skipped: self.skips.into_views(), ..self.stored })
    }

    /// Returns the local day of a time in the agent's time zone.
    fn day_of(&self, at: Timestamp) -> Period {
        Period::of(annals_core::Grain::Daily, self.zones.day_of(at))
    }

    /// Returns for each key whether its item was forgotten. If the request has `unforget` set, first marks all these items as
    /// not forgotten.
    async fn forgotten(&self, items: &[ItemKey]) -> Result<Vec<bool>> {
        if self.request.unforget {
            self.service.parts.store.unforget_items(self.agent, items).await?;
        }
        self.service.parts.store.forgotten_items(self.agent, items).await
    }

    /// Masks and counts the credentials in a text, if the agent's settings say so.
    fn masked(&mut self, text: String) -> String {
        if !self.masks {
            return text;
        }
        let (text, masked) = annals_writer::mask(&text);
        self.stored.masked += masked;
        text
    }
}

#[cfg(test)]
mod tests;
