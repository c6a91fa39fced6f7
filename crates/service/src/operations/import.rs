//! Import of checked messages and of exports. Unless the request revises messages, all are compared with the store first. Then
//! they are committed in batches, and then made searchable. Messages that are already stored are skipped, so an interrupted
//! import is completed by running it again.
//!
//! All messages are stored before any is embedded: storing takes seconds where embedding takes hours, and stored messages are
//! safe and become searchable later even if this process ends.
//!
//! Files are read once for each step and never held in memory. Memory holds a few batches, and a hash for each message
//! without an id.

mod batches;

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::{Comparison, OnConflict, Record};
use annals_core::{Agent, Error, Fault, Message, Result, Settings, Timestamp, TurnKey};
use annals_writer::Projected;
use async_trait::async_trait;
use batches::{Batch, Batches};

use crate::locks::{Facts, History};
use crate::wire::ImportAnswer;
use crate::{ProgressSink, Service, Stage};

/// Maximum number of messages per transaction, which takes one fsync. Larger batches gain nothing; smaller ones are slower on
/// SD cards.
pub(super) const BATCH: usize = 500;
/// Maximum number of records of an export per transaction.
const RECORDS: usize = 100;
/// Faults beyond this number are counted, not listed.
pub const MAX_FAULTS: usize = 100;

/// Messages to import, all of them checked.
#[derive(Default)]
pub struct ImportRequest {
    pub files: Vec<Box<dyn MessageSource>>,
    /// Unknown fields, with the number of lines that contain each. The answer repeats them.
    pub ignored: BTreeMap<String, u64>,
    /// IANA time zone for all agents; if absent, their zones stay as they are.
    pub time_zone: Option<String>,
    /// Whether to replace stored messages that have the same id but other content. Otherwise such messages are faults.
    pub revise: bool,
    /// Whether to import messages again that were forgotten.
    pub unforget: bool,
}

/// A message of a file, with the number of its line.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageLine {
    pub line: usize,
    pub agent: Agent,
    pub message: Message,
}

/// Messages with their agents, read one after another.
pub type MessageLines<'r> = Box<dyn Iterator<Item = Result<MessageLine>> + Send + 'r>;

/// A file of messages that was checked completely and can be read again.
pub trait MessageSource: Send {
    /// Returns the name of the file, if there are several.
    fn name(&self) -> Option<&str>;

    /// Returns the agents in the file, with the number of their messages.
    fn agents(&self) -> &BTreeMap<Agent, u64>;

    /// Returns the messages in the order of the file.
    fn messages(&mut self) -> Result<MessageLines<'_>>;
}

/// The records of an export that was checked completely.
#[async_trait]
pub trait RecordSource: Send {
    /// Returns the next record with its agent. Records come in the order of their ranks.
    async fn next(&mut self) -> Result<Option<(Agent, Record)>>;
}

impl Service {
    /// Imports messages: sets the time zone of the agents if the request names one, commits the messages to the catalog, and
    /// makes them searchable. Extracts facts if the extractor is local; with a model, the roll-up extracts them later. Unless
    /// the request revises messages, fails before anything is written if an id is stored with other content.
    pub async fn import(
        &self,
        request: ImportRequest,
        now: Timestamp,
        progress: &dyn ProgressSink,
    ) -> Result<ImportAnswer> {
        let ImportRequest { mut files, ignored, time_zone, revise, unforget } = request;
        if !revise {
            self.refuse_changed(&mut files).await?;
        }
        let agents: BTreeSet<Agent> = files.iter().flat_map(|file| file.agents().keys().cloned()).collect();
        if let Some(zone) = &time_zone {
            self.set_time_zones(&agents, zone, now).await?;
        }
        let total = files.iter().flat_map(|file| file.agents().values()).sum();
        let stage = progress.begin("storing", total);
        let answer = ImportAnswer { agents: agents.len() as u64, ignored_fields: ignored, ..ImportAnswer::default() };
        let mut import = Import { service: self, revise, unforget, now, stage: &*stage, answer };
        for file in &mut files {
            let name = file.name().map(str::to_owned);
            let mut batches = Batches::of(file.messages()?);
            while let Some(batch) = batches.next(self).await? {
                import.store(batch, name.as_deref()).await?;
            }
        }
        let mut answer = import.answer;
        drop(stage);
        for agent in agents {
            self.project_imported(&agent, progress, &mut answer).await?;
            self.bring_facts_up_to_date(&agent, progress).await?;
        }
        Ok(answer)
    }

    /// Restores an export, for agents without any data. `agents` are the agents of the export with the number of their records.
    /// Adds the counts to `answer`. After an error, discards the records of agents that are not restored completely.
    pub(crate) async fn restore_export(
        &self,
        export: &mut dyn RecordSource,
        agents: BTreeMap<Agent, u64>,
        now: Timestamp,
        progress: &dyn ProgressSink,
        answer: &mut ImportAnswer,
    ) -> Result<()> {
        if let Err(error) = self.restore_records(export, &agents, now, answer).await {
            for agent in agents.keys() {
                self.parts.store.drop_restore(agent).await?;
            }
            return Err(error);
        }
        for (agent, records) in agents {
            answer.agents += 1;
            answer.restored += records;
            self.project_imported(&agent, progress, answer).await?;
            let _facts = self.locks.lock::<Facts>(&agent).await;
            self.parts.fact_writer.bring_facts(&agent).await?;
        }
        Ok(())
    }

    /// Stores the records in pieces. No record is visible before all are stored.
    async fn restore_records(
        &self,
        export: &mut dyn RecordSource,
        agents: &BTreeMap<Agent, u64>,
        now: Timestamp,
        answer: &mut ImportAnswer,
    ) -> Result<()> {
        for agent in agents.keys() {
            self.parts.store.begin_restore(agent).await?;
        }
        let mut pieces: BTreeMap<Agent, Vec<Record>> = BTreeMap::new();
        let mut rank = 0;
        while let Some((agent, record)) = export.next().await? {
            // Records depend on records of lower ranks, so these are stored first.
            if record.rank() != rank {
                rank = record.rank();
                self.restore_pieces(&mut pieces).await?;
            }
            count_restored(answer, &record);
            let piece = pieces.entry(agent.clone()).or_default();
            piece.push(record);
            if piece.len() == RECORDS {
                self.parts.store.restore_some(&agent, std::mem::take(piece)).await?;
            }
        }
        self.restore_pieces(&mut pieces).await?;
        for agent in agents.keys() {
            self.parts.store.finish_restore(agent, now).await?;
        }
        Ok(())
    }

    async fn restore_pieces(&self, pieces: &mut BTreeMap<Agent, Vec<Record>>) -> Result<()> {
        for (agent, piece) in std::mem::take(pieces) {
            self.parts.store.restore_some(&agent, piece).await?;
        }
        Ok(())
    }

    async fn project_imported(
        &self,
        agent: &Agent,
        progress: &dyn ProgressSink,
        answer: &mut ImportAnswer,
    ) -> Result<()> {
        let projected = self.make_searchable_shown(agent, progress).await?;
        answer.searchable += projected.applied - projected.dead;
        answer.dead += projected.dead;
        Ok(())
    }

    /// Makes all waiting changes searchable, and reports the progress as the stage `embedding`.
    pub(super) async fn make_searchable_shown(&self, agent: &Agent, progress: &dyn ProgressSink) -> Result<Projected> {
        let stage = progress.begin("embedding", self.parts.writer.backlog(agent).await?);
        self.make_searchable(agent, &|changes| stage.advance(changes)).await
    }

    /// Sets the time zone of all these agents, or of none if one of them cannot have it.
    async fn set_time_zones(&self, agents: &BTreeSet<Agent>, zone: &str, now: Timestamp) -> Result<()> {
        for agent in agents {
            self.settings_in_zone(agent, zone, now).await?;
        }
        for agent in agents {
            self.set_time_zone(agent, zone, now).await?;
        }
        Ok(())
    }

    pub(super) async fn set_time_zone(&self, agent: &Agent, zone: &str, now: Timestamp) -> Result<()> {
        let _history = self.locks.lock::<History>(agent).await;
        let settings = self.settings_in_zone(agent, zone, now).await?;
        self.parts.store.save_settings(agent, &settings).await
    }

    /// Returns the settings of an agent with another time zone. Fails if it cannot have this zone.
    async fn settings_in_zone(&self, agent: &Agent, zone: &str, now: Timestamp) -> Result<Settings> {
        let mut settings = self.parts.store.settings(agent).await?;
        let has_memories = self.parts.store.counts(agent).await?.has_memories();
        settings.set_time_zone(zone, has_memories, now)?;
        Ok(settings)
    }

    /// Fails if ids are stored with different content, and names up to 100 of them. Runs before anything is stored.
    async fn refuse_changed(&self, files: &mut [Box<dyn MessageSource>]) -> Result<()> {
        let (mut faults, mut more) = (Vec::new(), 0);
        for file in files {
            let name = file.name().map(str::to_owned);
            let mut batches = Batches::of(file.messages()?);
            while let Some(batch) = batches.next(self).await? {
                for changed in self.changed(&batch, name.as_deref()).await? {
                    if faults.len() < MAX_FAULTS { faults.push(changed.fault) } else { more += 1 }
                }
            }
        }
        if more > 0 {
            faults.push(Fault::new("…", format!("and {more} more faults")));
        }
        if faults.is_empty() { Ok(()) } else { Err(Error::Faults(faults)) }
    }

    /// Returns the messages of a batch that have an id which is stored with different content.
    async fn changed(&self, batch: &Batch, file: Option<&str>) -> Result<Vec<Changed>> {
        let compared = self.parts.writer.compare_messages(&batch.agent, &batch.messages).await?;
        let messages = batch.messages.iter().zip(&batch.lines).zip(compared);
        let changed = messages.filter_map(|(((key, _), line), comparison)| match comparison {
            Comparison::New | Comparison::Same => None,
            Comparison::Different => Some(Changed::new(file, *line, key, false)),
            Comparison::DifferentFromCorrected => Some(Changed::new(file, *line, key, true)),
        });
        Ok(changed.collect())
    }
}

/// An import of messages under way.
struct Import<'a> {
    service: &'a Service,
    revise: bool,
    unforget: bool,
    now: Timestamp,
    stage: &'a dyn Stage,
    answer: ImportAnswer,
}

impl Import<'_> {
    /// Commits a batch, and adds its counts to the answer.
    async fn store(&mut self, batch: Batch, file: Option<&str>) -> Result<()> {
        let (service, answer) = (self.service, &mut self.answer);
        let size = batch.messages.len() as u64;
        answer.masked += batch.masked;
        if self.revise {
            let changed = service.changed(&batch, file).await?;
            let replaced = changed.iter().filter(|changed| changed.corrected).map(Changed::address);
            answer.replaced_corrections.extend(replaced);
        }
        let Batch { agent, messages, .. } = batch;
        if self.unforget {
            service.parts.eraser.unforget(&agent, &messages).await?;
        }
        // Replacing a message changes the agent's history.
        let history = if self.revise { Some(service.locks.lock::<History>(&agent).await) } else { None };
        let receipt =
            service.parts.writer.ingest_keyed(&agent, messages, OnConflict::revise_if(self.revise), self.now).await?;
        drop(history);
        answer.accepted += receipt.accepted;
        answer.duplicate += receipt.duplicate;
        answer.revised += receipt.revised;
        answer.forgotten += receipt.forgotten;
        self.stage.advance(size);
        tracing::info!(
            agent.folder = agent.folder(),
            messages.new = receipt.accepted,
            messages.total = answer.accepted + answer.duplicate,
            "committed"
        );
        Ok(())
    }
}

fn count_restored(answer: &mut ImportAnswer, record: &Record) {
    match record {
        Record::Turn { .. } => answer.restored_messages += 1,
        Record::Period { text: Some(_), .. } => answer.restored_summaries += 1,
        Record::Operation(_) => answer.restored_facts += 1,
        _ => {}
    }
}

/// A message with an id that is stored with different content.
struct Changed {
    fault: Fault,
    /// The id with its conversation, for people.
    name: String,
    /// Whether the stored message was corrected by hand.
    corrected: bool,
}

impl Changed {
    fn new(file: Option<&str>, line: usize, key: &TurnKey, corrected: bool) -> Changed {
        let TurnKey { conversation, id } = key;
        let name = format!("{id:?} of conversation {conversation:?}");
        let stored = if corrected {
            "was corrected by hand, and its source has changed since; --revise replaces the correction"
        } else {
            "is stored with other content; --revise replaces it"
        };
        let fault = Fault { file: file.map(str::to_owned), ..Fault::new("id", format!("{name} {stored}")) };
        Changed { fault: fault.at_line(line), name, corrected }
    }

    fn address(&self) -> String {
        let Fault { file, line, .. } = &self.fault;
        let file = file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
        format!("{file}line {}: id {}", line.unwrap_or_default(), self.name)
    }
}

#[cfg(test)]
mod tests;
