//! What an extractor was given, remembered to see whether it is still the same when its answer is to be saved.
//!
//! A turn that was forgotten or revised while a model read it must not come back in what the model found, nor what it was shown
//! of turns before and of facts.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::{Agent, Fact, Memory, MemoryId, Result};

use super::FactWriter;
use super::section::Task;

/// The state of all that was read.
#[derive(Debug, Default)]
pub struct Inputs {
    /// How far the lane had come.
    extracted: u64,
    log_version: u64,
    /// Turns, those before them included, with the change that wrote each.
    turns: BTreeMap<MemoryId, u64>,
    /// Ids of facts that were shown.
    facts: BTreeSet<String>,
}

impl Inputs {
    pub(crate) fn add_turns<'m>(&mut self, turns: impl IntoIterator<Item = &'m Memory>) {
        self.turns.extend(turns.into_iter().map(|turn| (turn.id.clone(), turn.seq)));
    }

    pub(crate) fn add_facts(&mut self, facts: &[Fact]) {
        self.facts.extend(facts.iter().map(|fact| fact.id.clone()));
    }
}

impl FactWriter {
    /// The state before these tasks are read.
    pub(crate) async fn inputs(&self, agent: &Agent, tasks: &[Task], extracted: u64) -> Result<Inputs> {
        let log_version = self.journal.log_version(agent).await?;
        let mut inputs = Inputs { extracted, log_version, ..Inputs::default() };
        tasks.iter().for_each(|task| inputs.turns.extend(task.turns()));
        Ok(inputs)
    }

    /// Whether what was read is still the same, and the lane where it was.
    pub(crate) async fn are_current(&self, agent: &Agent, tasks: &[Task], inputs: &Inputs) -> Result<bool> {
        if self.journal.extraction(agent).await?.extracted != inputs.extracted {
            return Ok(false);
        }
        let ids: Vec<MemoryId> = inputs.turns.keys().cloned().collect();
        let live = self.catalog.get(agent, &ids).await?.into_iter().map(|turn| (turn.id, turn.seq));
        if live.collect::<BTreeMap<_, _>>() != inputs.turns {
            return Ok(false);
        }
        self.are_known(agent, tasks, inputs).await
    }

    /// Whether the facts that were shown are all still known. More may be.
    async fn are_known(&self, agent: &Agent, tasks: &[Task], inputs: &Inputs) -> Result<bool> {
        if inputs.facts.is_empty() || self.journal.log_version(agent).await? == inputs.log_version {
            return Ok(true);
        }
        self.bring_facts(agent).await?;
        let mut known = BTreeSet::new();
        for task in tasks {
            known.extend(self.known(agent, &task.spoken).await?.into_iter().map(|fact| fact.id));
        }
        Ok(inputs.facts.is_subset(&known))
    }
}
