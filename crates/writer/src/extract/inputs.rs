//! Records the input of an extractor, to check that it is still the same when the result is saved.
//!
//! Text that is forgotten or revised while a model reads it must not come back in the result. This also applies to the earlier
//! turns and the facts that the model gets as context.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::{Agent, Fact, Memory, MemoryId, Result};

use super::FactWriter;
use super::section::Task;

/// The state of an extractor's whole input, when it was read.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// The watermark of extraction.
    extracted: u64,
    log_version: u64,
    /// The turns, earlier ones included, each with the sequence of the change that wrote it.
    turns: BTreeMap<MemoryId, u64>,
    /// Ids of the facts that the extractor got as context.
    facts: BTreeSet<String>,
}

impl Inputs {
    pub(crate) fn add_turns<'m>(&mut self, turns: impl IntoIterator<Item = &'m Memory>) {
        self.turns.extend(turns.into_iter().map(|turn| (turn.id.clone(), turn.seq)));
    }

    pub(crate) fn add_facts(&mut self, facts: &[Fact]) {
        self.facts.extend(facts.iter().map(|fact| fact.id.clone()));
    }

    /// Returns the number of facts that the extractor got as context.
    pub(crate) fn number_of_facts(&self) -> u64 {
        self.facts.len() as u64
    }
}

impl FactWriter {
    /// Records the state before these tasks are read.
    pub(crate) async fn inputs(&self, agent: &Agent, tasks: &[Task], extracted: u64) -> Result<Inputs> {
        let log_version = self.store.log_version(agent).await?;
        let mut inputs = Inputs { extracted, log_version, ..Inputs::default() };
        tasks.iter().for_each(|task| inputs.turns.extend(task.turns()));
        Ok(inputs)
    }

    /// Returns whether the input is unchanged and the watermark has not moved.
    pub(crate) async fn are_current(&self, agent: &Agent, tasks: &[Task], inputs: &Inputs) -> Result<bool> {
        if self.store.extraction(agent).await?.extracted != inputs.extracted {
            return Ok(false);
        }
        let ids: Vec<MemoryId> = inputs.turns.keys().cloned().collect();
        let live = self.store.get(agent, &ids).await?.into_iter().map(|turn| (turn.id, turn.seq));
        if live.collect::<BTreeMap<_, _>>() != inputs.turns {
            return Ok(false);
        }
        self.are_known(agent, tasks, inputs).await
    }

    /// Returns whether all facts that the extractor got are still known. New facts do not matter.
    async fn are_known(&self, agent: &Agent, tasks: &[Task], inputs: &Inputs) -> Result<bool> {
        if inputs.facts.is_empty() || self.store.log_version(agent).await? == inputs.log_version {
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
