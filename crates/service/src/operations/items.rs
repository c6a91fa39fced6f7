//! Import of items from other programs: messages, statements, facts, blocks and documents, for one agent.
//!
//! Items are stored in batches as they arrive, so an import of any size needs the memory of a few batches. Ids are those of the
//! source: what is stored already is recognised, what was edited since is revised, and an interrupted import is completed by
//! running it again. Whatever is not stored is counted.
//!
//! Statements and sections of documents become messages, so that all promises about messages hold for them: they are summarized,
//! forgotten for good, pruned and recognised. Decision 45 says why.

mod documents;
mod facts;
mod moved;
mod skipped;
mod turns;

use annals_core::{Agent, Message, Result, Role, Timestamp};
use annals_importers::{Kind, storable_id, storable_name};
use tokio::sync::mpsc::Receiver;

use super::read_source::SourceReader;
use crate::wire::{BlockView, BlocksRequest, ImportItem, ImportReport, ItemIn, ItemsRequest, StoredItems};
use crate::{NoProgress, Service};
use documents::Section;
use facts::Operations;
use moved::MovedMessages;
use skipped::Skips;
use turns::{Batch, Dated};

/// An import of one agent.
struct Import<'a> {
    service: &'a Service,
    agent: &'a Agent,
    request: &'a ItemsRequest,
    now: Timestamp,
    masks: bool,
    messages: Batch,
    statements: Batch,
    sections: Batch,
    operations: Operations,
    moved: MovedMessages,
    skips: Skips,
    /// Messages that are stored but not searchable yet.
    waiting: u64,
    stored: StoredItems,
}

impl Service {
    /// Stores items as they arrive, and makes them searchable. Returns when `items` has ended.
    pub async fn import_items(
        &self,
        agent: &Agent,
        request: &ItemsRequest,
        items: &mut Receiver<ImportItem>,
        now: Timestamp,
    ) -> Result<StoredItems> {
        if let Some(zone) = &request.time_zone {
            self.set_time_zone(agent, zone, now).await?;
        }
        let mut import = Import::begin(self, agent, request, now).await?;
        while let Some(ImportItem { place, item }) = items.recv().await {
            import.take(item, &place).await?;
        }
        import.finish().await
    }

    /// Imports a source that is being read. After an error of the source, what came before it is stored.
    pub async fn import_source(
        &self,
        agent: &Agent,
        kind: Kind,
        mut source: SourceReader,
        request: &ItemsRequest,
        now: Timestamp,
    ) -> Result<ImportReport> {
        let stored = self.import_items(agent, request, &mut source.items, now).await?;
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
        let masks = service.parts.store.settings(agent).await?.mask;
        Ok(Import {
            service,
            agent,
            request,
            now,
            masks,
            messages: Batch::default(),
            statements: Batch::default(),
            sections: Batch::default(),
            operations: Operations::default(),
            moved: MovedMessages::new(&*service.parts.store, agent, &request.from).await?,
            skips: Skips::default(),
            waiting: 0,
            stored: StoredItems::default(),
        })
    }

    async fn take(&mut self, item: ItemIn, place: &str) -> Result<()> {
        match item {
            ItemIn::Conversation { title, summary } => {
                self.skips.add_if(title.is_some(), "title of a conversation", "conversations have no titles", place);
                let why = "summaries are written from the messages";
                self.skips.add_if(summary.is_some(), "summary of a conversation", why, place);
                Ok(())
            }
            ItemIn::Message { conversation, id, role, name, content, at } => {
                let message = Message { conversation, client_id: Some(id), role, name, content, at };
                self.messages.push(message, Dated::Yes, place);
                self.store_full_batches().await
            }
            ItemIn::Statement { id, about, text, at } => {
                self.take_statement(&id, about.as_deref(), text, at, place).await
            }
            ItemIn::Fact { id, subject, predicate, object, at } => {
                self.take_fact(&id, [&subject, &predicate, &object], at, place).await
            }
            ItemIn::Block { name, text } => self.take_block(name, text, place).await,
            ItemIn::Document { id, title, text, at } => self.take_document(&id, &title, &text, at, place).await,
        }
    }

    /// Takes a statement as what the person it is about is known for, or else as a note of the assistant.
    async fn take_statement(
        &mut self,
        id: &str,
        about: Option<&str>,
        text: String,
        at: Option<Timestamp>,
        place: &str,
    ) -> Result<()> {
        let name = about.and_then(storable_name);
        let message = Message {
            conversation: format!("{}:memories", self.request.from),
            client_id: Some(storable_id(id)),
            role: if name.is_some() { Role::User } else { Role::Assistant },
            name,
            content: text,
            at: at.unwrap_or(self.now),
        };
        self.statements.push(message, Dated::of(at), place);
        self.store_full_batches().await
    }

    /// Takes a document as its sections.
    async fn take_document(
        &mut self,
        id: &str,
        title: &str,
        text: &str,
        at: Option<Timestamp>,
        place: &str,
    ) -> Result<()> {
        for (section, index) in documents::sections(title, text).into_iter().zip(0..) {
            let Section { id: section, text } = section;
            let message = Message {
                conversation: storable_id(id),
                client_id: Some(section),
                role: Role::Assistant,
                name: None,
                content: text,
                at: documents::microseconds_after(at.unwrap_or(self.now), index),
            };
            self.sections.push(message, Dated::of(at), place);
            self.store_full_batches().await?;
        }
        Ok(())
    }

    /// Writes a block, or takes it as a document if it is too large for one, or if there are too many.
    async fn take_block(&mut self, name: String, text: String, place: &str) -> Result<()> {
        let text = self.masked(text);
        let stored = self.service.blocks(self.agent).await?.blocks.into_iter().find(|block| block.name == name);
        if stored.as_ref().is_some_and(|stored| stored.text == text) {
            self.stored.blocks.known += 1;
            return Ok(());
        }
        let block = BlockView { name: name.clone(), text: text.clone(), updated_at: None };
        match self.service.write_blocks(self.agent, BlocksRequest { blocks: vec![block] }, self.now).await {
            Ok(_) if stored.is_some() => self.stored.blocks.revised += 1,
            Ok(_) => self.stored.blocks.new += 1,
            Err(error) if error.is_of_input() => {
                let id = format!("{}:block {name}", self.request.from);
                return self.take_document(&id, &name, &text, None, place).await;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    async fn finish(mut self) -> Result<StoredItems> {
        self.store_batches().await?;
        self.store_operations().await?;
        self.make_searchable().await?;
        self.service.bring_facts_up_to_date(self.agent, &NoProgress).await?;
        Ok(StoredItems { skipped: self.skips.into_views(), ..self.stored })
    }

    /// Returns a text without credentials, if the agent's settings say so.
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
