//! Stores a batch of messages: recognises stored and moved ones, revises edited ones, and commits new ones.

use std::collections::HashSet;

use annals_core::ports::{Comparison, OnConflict};
use annals_core::{Error, IngestReceipt, Message, Result, TurnKey, identify};

use super::Import;
use crate::locks::History;
use crate::operations::import::BATCH;
use crate::wire::ImportCounts;

/// Messages that are stored together, each with its location in the source.
#[derive(Default)]
pub(super) struct Batch {
    messages: Vec<(Message, String)>,
    keys: HashSet<(String, String)>,
    /// A message with a key that is in the batch already. It begins the next batch, because a transaction must not contain two
    /// texts for one key.
    next: Option<(Message, String)>,
}

impl Batch {
    pub(super) fn push(&mut self, message: Message, location: &str) {
        let key = (message.conversation.clone(), message.client_id.clone().unwrap_or_default());
        let message = (message, location.to_owned());
        if self.keys.insert(key) {
            self.messages.push(message);
        } else {
            self.next = Some(message);
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.messages.len() >= BATCH || self.next.is_some()
    }

    /// Returns the messages, and begins the next batch.
    fn take(&mut self) -> Vec<(Message, String)> {
        self.keys.clear();
        let messages = std::mem::take(&mut self.messages);
        if let Some((message, location)) = self.next.take() {
            self.push(message, &location);
        }
        messages
    }
}

impl Import<'_> {
    /// Stores all waiting messages at the end of an import.
    pub(super) async fn store_all_messages(&mut self) -> Result<()> {
        while !self.messages.messages.is_empty() {
            self.store_messages().await?;
        }
        Ok(())
    }

    /// Stores the current batch of messages, and then the titles of conversations that begin in it.
    pub(super) async fn store_messages(&mut self) -> Result<()> {
        let batch = self.messages.take();
        self.stored.messages = self.store(batch, self.stored.messages).await?;
        self.attach_titles().await
    }

    /// Stores a batch. Returns `counts` plus the counts of the batch.
    async fn store(&mut self, batch: Vec<(Message, String)>, counts: ImportCounts) -> Result<ImportCounts> {
        self.check_disk()?;
        let mut counts = counts;
        let new = self.prepare(batch);
        let (keyed, compared) = self.compare(new).await?;
        if self.request.unforget {
            self.service.parts.eraser.unforget(self.agent, &keyed).await?;
        }
        let (mut changed, mut others) = (Vec::new(), Vec::new());
        for (message, comparison) in keyed.into_iter().zip(compared) {
            self.stored.replaced_corrections += u64::from(comparison == Comparison::DifferentFromCorrected);
            let is_changed = matches!(comparison, Comparison::Different | Comparison::DifferentFromCorrected);
            if is_changed { changed.push(message) } else { others.push(message) }
        }
        // Only what is stored is revised. A message that was pruned stays pruned, whatever its source says now.
        let receipt = self.service.parts.writer.ingest_keyed(self.agent, others, OnConflict::Refuse, self.now).await?;
        self.count(&receipt, &mut counts);
        if !changed.is_empty() {
            let history = self.service.locks.lock::<History>(self.agent).await;
            let receipt =
                self.service.parts.writer.ingest_keyed(self.agent, changed, OnConflict::Revise, self.now).await?;
            drop(history);
            self.count(&receipt, &mut counts);
        }
        Ok(counts)
    }

    /// Masks and checks messages, and computes their keys. Counts messages that cannot be stored as skipped.
    fn prepare(&mut self, batch: Vec<(Message, String)>) -> Keyed {
        let mut messages = Vec::with_capacity(batch.len());
        for (message, location) in batch {
            let content = self.masked(message.content);
            let message = Message { content, ..message };
            match annals_writer::check(&message, self.now).first() {
                Some(fault) => self.skips.add("message that cannot be stored", &fault.to_string(), &location),
                None => messages.push(message),
            }
        }
        identify(&messages).into_iter().zip(messages).collect()
    }

    /// Compares messages with the stored ones. If a message is stored in another conversation, its key becomes the one of that
    /// conversation.
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

    fn count(&mut self, receipt: &IngestReceipt, counts: &mut ImportCounts) {
        counts.new += receipt.accepted;
        counts.known += receipt.duplicate;
        counts.revised += receipt.revised;
        counts.forgotten += receipt.forgotten;
    }

    pub(super) fn check_disk(&self) -> Result<()> {
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
