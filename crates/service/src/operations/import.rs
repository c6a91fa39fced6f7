//! Import of checked messages and of exports. Checks everything against the store first, then commits in batches. Skips messages
//! that are already stored, so an interrupted import is completed by running it again.

use std::collections::BTreeMap;

use annals_core::ports::{Comparison, Record};
use annals_core::{Agent, Error, Fault, Message, Result, Timestamp, TurnKey, identify};
use async_trait::async_trait;

use crate::locks::{Facts, History};
use crate::wire::ImportAnswer;
use crate::{ProgressSink, Service, Stage};

/// Messages per transaction, each with one fsync. Larger batches gain nothing; smaller ones are noticeably slower on SD cards.
pub(super) const BATCH: usize = 500;
/// Records of an export per transaction.
const RECORDS: usize = 100;
/// Back-pressure: after this many messages that are stored but not searchable, the import waits until the tables are up to date.
pub(super) const MOST_WAITING: u64 = 2000;

/// Messages to import, all of them checked.
#[derive(Default)]
pub struct ImportRequest {
    /// The messages by agent.
    pub agents: Vec<ImportedMessages>,
    /// Names of unknown fields, with the number of lines that contain each.
    pub ignored: BTreeMap<String, u64>,
    /// Time zone for the agents.
    pub time_zone: Option<String>,
    /// Replaces stored messages that have the same id but other content. Otherwise such messages are faults.
    pub revise: bool,
    /// Imports messages again that were forgotten.
    pub unforget: bool,
}

/// The messages of one agent in one file.
pub struct ImportedMessages {
    /// The agent.
    pub agent: Agent,
    /// The file, if there are several.
    pub file: Option<String>,
    /// The messages with their keys, in the order of the file.
    pub messages: Vec<(TurnKey, Message)>,
    /// The line number of each message.
    pub lines: Vec<usize>,
}

/// The records of an export that was checked completely.
#[async_trait]
pub trait RecordSource: Send {
    /// Returns the next record with its agent. Records come in the order of their ranks.
    async fn next(&mut self) -> Result<Option<(Agent, Record)>>;
}

impl Service {
    /// Imports messages: sets time zones, commits to the catalog, makes them searchable and reads them for facts.
    pub async fn import(
        &self,
        mut request: ImportRequest,
        now: Timestamp,
        progress: &dyn ProgressSink,
    ) -> Result<ImportAnswer> {
        let masked = self.mask(&mut request).await?;
        let changed = self.changed(&request).await?;
        if !request.revise && !changed.is_empty() {
            return Err(Error::Faults(changed.into_iter().map(|changed| changed.fault).collect()));
        }
        if let Some(zone) = &request.time_zone {
            for of_agent in &request.agents {
                self.set_time_zone(&of_agent.agent, zone, now).await?;
            }
        }
        let total = request.agents.iter().map(|of_agent| of_agent.messages.len() as u64).sum();
        let stage = progress.begin("importing", total);
        let replaced = changed.into_iter().filter(|changed| changed.corrected).map(|changed| changed.place());
        let mut answer = ImportAnswer {
            replaced_corrections: replaced.collect(),
            ignored_fields: request.ignored,
            masked,
            ..ImportAnswer::default()
        };
        for ImportedMessages { agent, messages, .. } in request.agents {
            answer.agents += 1;
            if request.unforget {
                self.parts.eraser.unforget(&agent, &messages).await?;
            }
            self.import_agent(&agent, messages, request.revise, now, &*stage, &mut answer).await?;
            self.bring_facts_up_to_date(&agent, progress).await?;
        }
        Ok(answer)
    }

    /// Restores an export, for agents that hold nothing yet. `agents` are its agents with the number of their records. Restores
    /// all of them or none. Adds what was done to `answer`.
    pub async fn restore_export(
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
            let stage = progress.begin("embedding", self.parts.writer.backlog(&agent).await?);
            self.project_imported(&agent, &*stage, answer).await?;
            drop(stage);
            let _facts = self.locks.lock::<Facts>(&agent).await;
            self.parts.fact_writer.bring_facts(&agent).await?;
        }
        Ok(())
    }

    /// Masks credentials, if the agent's settings say so. Returns the number of masked ones.
    async fn mask(&self, request: &mut ImportRequest) -> Result<u64> {
        let mut masked = 0;
        for ImportedMessages { agent, messages, .. } in &mut request.agents {
            let plain = std::mem::take(messages).into_iter().map(|(_, message)| message).collect();
            let (safe, count) = self.parts.writer.prepare(agent, plain).await?;
            // Keys are computed from the masked text that is stored, as for a request.
            *messages = identify(&safe).into_iter().zip(safe).collect();
            masked += count;
        }
        Ok(masked)
    }

    /// Stores the records in pieces. None of them is visible before all are stored.
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
            // Records of a rank follow those that they depend on.
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

    async fn import_agent(
        &self,
        agent: &Agent,
        mut messages: Vec<(TurnKey, Message)>,
        revise: bool,
        now: Timestamp,
        stage: &dyn Stage,
        answer: &mut ImportAnswer,
    ) -> Result<()> {
        let mut waiting = 0;
        while !messages.is_empty() {
            let rest = messages.split_off(messages.len().min(BATCH));
            let batch = std::mem::replace(&mut messages, rest);
            // Replacing a message changes the agent's history.
            let history = if revise { Some(self.locks.lock::<History>(agent).await) } else { None };
            let receipt = self.parts.writer.ingest_keyed(agent, batch, revise, now).await?;
            drop(history);
            answer.accepted += receipt.accepted;
            answer.duplicate += receipt.duplicate;
            answer.revised += receipt.revised;
            answer.forgotten += receipt.forgotten;
            waiting += receipt.accepted + receipt.revised;
            stage.advance(receipt.duplicate + receipt.forgotten);
            tracing::info!(
                agent.folder = agent.folder(),
                messages.new = receipt.accepted,
                messages.total = answer.accepted + answer.duplicate,
                "committed"
            );
            if waiting >= MOST_WAITING {
                self.project_imported(agent, stage, answer).await?;
                waiting = 0;
            }
        }
        self.project_imported(agent, stage, answer).await
    }

    async fn project_imported(&self, agent: &Agent, stage: &dyn Stage, answer: &mut ImportAnswer) -> Result<()> {
        let projected = self.make_searchable(agent, &|changes| stage.advance(changes)).await?;
        answer.searchable += projected.applied - projected.dead;
        answer.dead += projected.dead;
        Ok(())
    }

    pub(super) async fn set_time_zone(&self, agent: &Agent, zone: &str, now: Timestamp) -> Result<()> {
        let _history = self.locks.lock::<History>(agent).await;
        let mut settings = self.parts.store.settings(agent).await?;
        let has_memories = self.parts.store.counts(agent).await?.has_memories();
        settings.set_time_zone(zone, has_memories, now)?;
        self.parts.store.save_settings(agent, &settings).await
    }

    /// Returns all messages whose ids are stored with different content. Runs before anything is stored.
    async fn changed(&self, request: &ImportRequest) -> Result<Vec<Changed>> {
        let mut changed = Vec::new();
        for of_agent in &request.agents {
            let compared = self.parts.writer.compare_messages(&of_agent.agent, &of_agent.messages).await?;
            changed.extend(compared.into_iter().enumerate().filter_map(|(index, comparison)| match comparison {
                Comparison::New | Comparison::Same => None,
                Comparison::Different => Some(Changed::new(of_agent, index, false)),
                Comparison::DifferentFromCorrected => Some(Changed::new(of_agent, index, true)),
            }));
        }
        Ok(changed)
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

/// A message whose id is stored with different content.
struct Changed {
    fault: Fault,
    /// Whether the stored message was corrected by hand.
    corrected: bool,
}

impl Changed {
    fn new(of_agent: &ImportedMessages, index: usize, corrected: bool) -> Changed {
        let TurnKey { conversation, id } = &of_agent.messages[index].0;
        let stored = if corrected {
            "was corrected by hand, and its source has changed since; --revise replaces the correction"
        } else {
            "is stored with other content; --revise replaces it"
        };
        let reason = format!("{id:?} of conversation {conversation:?} {stored}");
        let fault = Fault { file: of_agent.file.clone(), ..Fault::new("id", reason) };
        Changed { fault: fault.at_line(of_agent.lines[index]), corrected }
    }

    fn place(&self) -> String {
        let Fault { file, line, reason, .. } = &self.fault;
        let file = file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
        let id = reason.split(" was corrected").next().unwrap_or_default();
        format!("{file}line {}: id {id}", line.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_testkit::{agent, at, message};

    use super::*;
    use crate::NoProgress;
    use crate::fixture::{NOW, service};

    fn request(texts: &[&str]) -> ImportRequest {
        let named = |(index, text): (usize, &&str)| Message {
            client_id: Some(index.to_string()),
            ..message("2026-03-04T18:30:00Z", text)
        };
        let messages: Vec<Message> = texts.iter().enumerate().map(named).collect();
        let lines = (1..=messages.len()).collect();
        let messages = identify(&messages).into_iter().zip(messages).collect();
        let agents = vec![ImportedMessages { agent: agent("a"), file: None, messages, lines }];
        ImportRequest { agents, ..ImportRequest::default() }
    }

    #[tokio::test]
    async fn second_import_skips_stored_messages() {
        let service = service(Arc::new(|| at(NOW)));
        let first = service.import(request(&["one", "two"]), at(NOW), &NoProgress).await.unwrap();
        assert_eq!((first.accepted, first.duplicate, first.searchable), (2, 0, 2));
        let second = service.import(request(&["one", "two", "three"]), at(NOW), &NoProgress).await.unwrap();
        assert_eq!((second.accepted, second.duplicate, second.searchable), (1, 2, 1));
    }

    #[tokio::test]
    async fn changed_message_is_a_fault_of_its_line_unless_revised() {
        let service = service(Arc::new(|| at(NOW)));
        service.import(request(&["one", "two"]), at(NOW), &NoProgress).await.unwrap();
        let changed = || request(&["one", "other", "three"]);
        let error = service.import(changed(), at(NOW), &NoProgress).await.unwrap_err();
        let Error::Faults(faults) = error else { panic!("{error}") };
        assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [Some(2)]);
        assert_eq!(service.memories_of(&agent("a"), annals_core::Grain::Working).await.unwrap().len(), 2);
        let revised = ImportRequest { revise: true, ..changed() };
        let answer = service.import(revised, at(NOW), &NoProgress).await.unwrap();
        assert_eq!((answer.accepted, answer.revised, answer.duplicate), (1, 1, 1));
    }
}
