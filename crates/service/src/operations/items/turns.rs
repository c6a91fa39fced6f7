//! Stores a batch of messages: recognises stored, moved and edited ones, and commits the others.

use std::collections::HashSet;

use annals_core::ports::Comparison;
use annals_core::{Error, IngestReceipt, MemoryId, Message, Result, Timestamp, TurnKey, identify};

use super::Import;
use crate::locks::History;
use crate::operations::import::{BATCH, MOST_WAITING};
use crate::wire::ImportCounts;

/// Whether the source has a date for a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dated {
    Yes,
    /// Its instant is that of the import. A stored message keeps the one of its first import.
    No,
}

impl Dated {
    pub(super) fn of(at: Option<Timestamp>) -> Dated {
        if at.is_some() { Dated::Yes } else { Dated::No }
    }
}

/// Messages that are stored together.
#[derive(Default)]
pub(super) struct Batch {
    messages: Vec<(Message, Dated, String)>,
    keys: HashSet<(String, String)>,
    /// A message with a key that is in the batch. It is stored with the next one, or one transaction would have two contents for
    /// the key.
    next: Option<(Message, Dated, String)>,
}

impl Batch {
    pub(super) fn push(&mut self, message: Message, dated: Dated, place: &str) {
        let key = (message.conversation.clone(), message.client_id.clone().unwrap_or_default());
        let message = (message, dated, place.to_owned());
        if self.keys.insert(key) {
            self.messages.push(message);
        } else {
            self.next = Some(message);
        }
    }

    fn is_full(&self) -> bool {
        self.messages.len() >= BATCH || self.next.is_some()
    }

    /// Takes the messages out, and begins the next batch.
    fn take(&mut self) -> Vec<(Message, Dated, String)> {
        self.keys.clear();
        let messages = std::mem::take(&mut self.messages);
        if let Some((message, dated, place)) = self.next.take() {
            self.push(message, dated, &place);
        }
        messages
    }
}

impl Import<'_> {
    /// Stores the batches that are full. Called after each message.
    pub(super) async fn store_full_batches(&mut self) -> Result<()> {
        if self.messages.is_full() {
            self.store_messages().await?;
        }
        if self.statements.is_full() {
            self.store_statements().await?;
        }
        if self.sections.is_full() {
            self.store_sections().await?;
        }
        Ok(())
    }

    /// Stores everything that waits.
    pub(super) async fn store_batches(&mut self) -> Result<()> {
        while !self.messages.messages.is_empty() {
            self.store_messages().await?;
        }
        while !self.statements.messages.is_empty() {
            self.store_statements().await?;
        }
        while !self.sections.messages.is_empty() {
            self.store_sections().await?;
        }
        Ok(())
    }

    async fn store_messages(&mut self) -> Result<()> {
        let batch = self.messages.take();
        self.stored.messages = self.store(batch, self.stored.messages).await?;
        Ok(())
    }

    async fn store_statements(&mut self) -> Result<()> {
        let batch = self.statements.take();
        self.stored.statements = self.store(batch, self.stored.statements).await?;
        Ok(())
    }

    async fn store_sections(&mut self) -> Result<()> {
        let batch = self.sections.take();
        self.stored.sections = self.store(batch, self.stored.sections).await?;
        Ok(())
    }

    /// Stores a batch. Returns the counts with those of the batch added.
    async fn store(&mut self, batch: Vec<(Message, Dated, String)>, counts: ImportCounts) -> Result<ImportCounts> {
        self.check_disk()?;
        let mut counts = counts;
        let (new, undated) = self.prepare(batch).await?;
        let (mut keyed, compared) = self.compare(new).await?;
        let undated = self.date(undated, &mut counts).await?;
        let compared_undated = self.service.parts.writer.compare_messages(self.agent, &undated).await?;
        keyed.extend(undated);
        let compared = compared.into_iter().chain(compared_undated);
        if self.request.unforget {
            self.service.parts.eraser.unforget(self.agent, &keyed).await?;
        }
        let (mut changed, mut others) = (Vec::new(), Vec::new());
        for (message, comparison) in keyed.into_iter().zip(compared) {
            self.stored.replaced_corrections += u64::from(comparison == Comparison::DifferentFromCorrected);
            let is_changed = matches!(comparison, Comparison::Different | Comparison::DifferentFromCorrected);
            if is_changed { changed.push(message) } else { others.push(message) }
        }
        // Revising is for changed messages only: it would store pruned ones again.
        let receipt = self.service.parts.writer.ingest_keyed(self.agent, others, false, self.now).await?;
        self.count(&receipt, &mut counts);
        if !changed.is_empty() {
            let history = self.service.locks.lock::<History>(self.agent).await;
            let receipt = self.service.parts.writer.ingest_keyed(self.agent, changed, true, self.now).await?;
            drop(history);
            self.count(&receipt, &mut counts);
        }
        if self.waiting >= MOST_WAITING {
            self.make_searchable().await?;
        }
        Ok(counts)
    }

    /// Masks and checks messages, and gives them their keys. Returns those with a date and those without.
    async fn prepare(&mut self, batch: Vec<(Message, Dated, String)>) -> Result<(Keyed, Keyed)> {
        let mut groups = (Vec::new(), Vec::new());
        for (message, dated, place) in batch {
            let content = self.masked(message.content);
            let message = Message { content, ..message };
            match annals_writer::check(&message, self.now).first() {
                Some(fault) => self.skips.add("message that cannot be stored", &fault.to_string(), &place),
                None if dated == Dated::Yes => groups.0.push(message),
                None => groups.1.push(message),
            }
        }
        let keyed = |messages: Vec<Message>| identify(&messages).into_iter().zip(messages).collect();
        Ok((keyed(groups.0), keyed(groups.1)))
    }

    /// Compares messages with the stored ones. One that is stored in another conversation moves there.
    async fn compare(&mut self, mut keyed: Keyed) -> Result<(Keyed, Vec<Comparison>)> {
        let (store, writer) = (&*self.service.parts.store, &self.service.parts.writer);
        let mut compared = writer.compare_messages(self.agent, &keyed).await?;
        for (message, comparison) in keyed.iter_mut().zip(&mut compared) {
            if *comparison != Comparison::New {
                continue;
            }
            let Some(conversation) = self.moved.conversation_of(store, self.agent, &message.0).await? else { continue };
            message.0.conversation.clone_from(&conversation);
            message.1.conversation = conversation;
            *comparison = writer.compare_messages(self.agent, std::slice::from_ref(message)).await?.remove(0);
        }
        Ok((keyed, compared))
    }

    /// Gives messages without a date the instant of their first import. Counts and leaves out those that are stored with the same
    /// text: their instant may have been moved behind that of another message.
    async fn date(&self, undated: Keyed, counts: &mut ImportCounts) -> Result<Keyed> {
        let mut dated = Vec::with_capacity(undated.len());
        for (key, mut message) in undated {
            let id = MemoryId::turn(self.agent, &key);
            if let Some(stored) = self.service.parts.store.get(self.agent, &[id]).await?.pop() {
                if stored.text == message.content && !self.request.unforget {
                    counts.known += 1;
                    continue;
                }
                message.at = stored.at();
            }
            dated.push((key, message));
        }
        Ok(dated)
    }

    fn count(&mut self, receipt: &IngestReceipt, counts: &mut ImportCounts) {
        counts.new += receipt.accepted;
        counts.known += receipt.duplicate;
        counts.revised += receipt.revised;
        counts.forgotten += receipt.forgotten;
        self.waiting += receipt.accepted + receipt.revised;
    }

    /// Makes everything that is stored searchable, so that the import is never far ahead of the tables.
    pub(super) async fn make_searchable(&mut self) -> Result<()> {
        let projected = self.service.make_searchable(self.agent, &|_| ()).await?;
        self.stored.searchable += projected.applied - projected.dead;
        self.stored.dead += projected.dead;
        self.waiting = 0;
        Ok(())
    }

    fn check_disk(&self) -> Result<()> {
        if self.service.disk_free().is_some_and(|free| free < self.service.disk_low()) {
            let least = self.service.limits().disk_low_mib;
            let reason = format!("less than {least} MiB of disk space are free; free some, and import again");
            return Err(Error::storage("importing", reason));
        }
        Ok(())
    }
}

/// Messages with their keys.
type Keyed = Vec<(TurnKey, Message)>;
