//! Port `Journal`: statements, the log of fact operations, and the extraction watermark.

use std::collections::BTreeMap;

use annals_core::ports::Journal;
use annals_core::{
    Agent, DeadLetter, Error, Extraction, ExtractionWatermark, FactOperation, Grain, MemoryId, Result, Stage,
    Statement, Timestamp,
};
use async_trait::async_trait;

use super::MemoryCatalog;
use super::agent_data::{AgentData, state};

#[async_trait]
impl Journal for MemoryCatalog {
    async fn extraction(&self, agent: &Agent) -> Result<ExtractionWatermark> {
        self.read(agent, |data| data.extraction.clone())
    }

    async fn save_extraction(&self, agent: &Agent, extraction: Extraction, now: Timestamp) -> Result<()> {
        self.write(agent, |data, seq| {
            if !extraction.may_follow(data.extraction.extracted) {
                return Err(Error::Stale { what: "the watermark of extraction".to_owned() });
            }
            let Extraction { turns, found, extracted, degraded, .. } = extraction;
            data.restate(&turns, found.statements, seq);
            data.relog(&turns, found.operations, seq);
            data.mark_degraded(agent, &turns, degraded.as_deref(), now);
            data.extraction = ExtractionWatermark { extracted, ..ExtractionWatermark::default() };
            Ok(())
        })?
    }

    async fn note_extraction_failure(
        &self,
        agent: &Agent,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        self.write(agent, |data, _| {
            let watermark = &mut data.extraction;
            watermark.attempts += 1;
            watermark.failing_since = Some(watermark.failing_since.map_or(now, |since| since.min(now)));
            watermark.not_before = Some(not_before);
            watermark.last_error = Some(error.to_owned());
        })
    }

    async fn log_version(&self, agent: &Agent) -> Result<u64> {
        self.read(agent, |data| data.log_version)
    }

    async fn operations(&self, agent: &Agent) -> Result<(u64, Vec<FactOperation>)> {
        self.read(agent, |data| (data.log_version, data.log.values().cloned().collect()))
    }

    async fn add_statements(&self, agent: &Agent, statements: Vec<Statement>) -> Result<()> {
        self.write(agent, |data, seq| {
            for statement in statements {
                *seq += 1;
                data.put(state(&statement, *seq));
                data.statements.insert(statement.id.clone(), statement);
            }
        })
    }

    async fn add_operations(&self, agent: &Agent, operations: Vec<FactOperation>) -> Result<()> {
        self.write(agent, |data, seq| {
            let mut log = data.log.clone();
            for operation in operations {
                log.entry(operation.id.clone()).or_insert(operation);
            }
            data.replace_log(log, seq);
        })
    }
}

impl AgentData {
    /// Replaces the statements that have one of the turns as their first source.
    fn restate(&mut self, turns: &[MemoryId], found: Vec<Statement>, seq: &mut u64) {
        let found = found.into_iter().filter(|statement| statement.sources.iter().all(|id| self.has_turn(id)));
        let found: BTreeMap<_, _> = found.map(|statement| (statement.id.clone(), statement)).collect();
        let former = self
            .statements
            .values()
            .filter(|statement| statement.sources.first().is_some_and(|first| turns.contains(first)));
        let dropped: Vec<_> = former.map(|former| former.id.clone()).filter(|id| !found.contains_key(id)).collect();
        for id in dropped {
            self.delete(&id, seq);
        }
        for (id, statement) in found {
            if self.statements.get(&id) != Some(&statement) {
                *seq += 1;
                self.put(state(&statement, *seq));
                self.statements.insert(id, statement);
            }
        }
    }

    /// Replaces the operations that have one of the turns as their source.
    fn relog(&mut self, turns: &[MemoryId], found: Vec<FactOperation>, seq: &mut u64) {
        let mut log = self.log.clone();
        log.retain(|_, operation| !turns.contains(&operation.source));
        let found = found.into_iter().filter(|operation| self.has_turn(&operation.source));
        log.extend(found.map(|operation| (operation.id.clone(), operation)));
        self.replace_log(log, seq);
    }

    /// Replaces the log. Raises its version if the log changed.
    pub(super) fn replace_log(&mut self, log: BTreeMap<String, FactOperation>, seq: &mut u64) {
        if log != self.log {
            *seq += 1;
            self.log = log;
            self.log_version = *seq;
        }
    }

    /// Replaces the dead letters of these turns: one for each live turn that the model could not read. Without `degraded`, only
    /// removes them.
    fn mark_degraded(&mut self, agent: &Agent, turns: &[MemoryId], degraded: Option<&str>, now: Timestamp) {
        self.letters.retain(|(id, stage), _| *stage != Stage::Extraction || !turns.contains(id));
        let Some(error) = degraded else { return };
        for memory in turns.iter().filter(|id| self.messages.contains_key(id)).cloned().collect::<Vec<_>>() {
            let (agent, error) = (agent.clone(), error.to_owned());
            self.add_dead_letter(DeadLetter {
                agent,
                grain: Grain::Working,
                memory,
                stage: Stage::Extraction,
                error,
                at: now,
            });
        }
    }
}
