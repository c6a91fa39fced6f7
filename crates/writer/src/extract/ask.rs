//! Calls an extractor with the turns to read and their context: the turns right before them, and known facts.

use std::collections::HashSet;

use annals_core::ports::{ExtractionTask, Select};
use annals_core::{
    Agent, Extracted, Extractor, Fact, FactQuery, Grain, Interval, Memory, Result, Settings, Timestamp, folded,
};

use super::section::{Task, names};
use super::{FactWriter, Inputs};
use crate::recalled::SeenSentences;

/// Maximum number of earlier turns given as context to a model. Each costs input tokens.
pub const MAX_CONTEXT_TURNS: usize = 6;
/// Maximum number of earlier turns given to a local extractor, which needs to see where a game or a role play began.
const LOCAL_CONTEXT: usize = 100;
/// Maximum number of known facts given to an extractor, per name and in all.
pub(super) const MAX_FACTS_PER_NAME: usize = 20;
pub(super) const MAX_FACTS: usize = 60;
/// Maximum number of known predicates given to an extractor, so that one relation keeps one name.
const PREDICATES: usize = 60;

impl FactWriter {
    /// Runs an extractor on a task with its context, and records that context in `inputs`.
    #[expect(clippy::too_many_arguments, reason = "each is a part of one question")]
    pub(crate) async fn ask(
        &self,
        extractor: &dyn Extractor,
        agent: &Agent,
        settings: &Settings,
        seen: &SeenSentences,
        task: &Task,
        now: Timestamp,
        inputs: &mut Inputs,
    ) -> Result<Extracted> {
        let Some(first) = task.spoken.first() else { return Ok(Extracted::default()) };
        let limit = if extractor.is_local(settings) { LOCAL_CONTEXT } else { MAX_CONTEXT_TURNS };
        let context = self.context(agent, first, seen, limit).await?;
        let known = self.known(agent, &task.spoken).await?;
        inputs.add_turns(&context);
        inputs.add_facts(&known);
        let predicates = self.facts.predicates(agent, PREDICATES).await?;
        let task = ExtractionTask {
            agent,
            settings,
            turns: &task.spoken,
            context: &context,
            known: &known,
            predicates: &predicates,
            now,
            access_key: self.access_key.as_deref(),
        };
        extractor.extract(task).await
    }

    /// Returns the last `limit` turns of the same conversation before `first`, in order of time, without recalled text. Leaves
    /// out turns of which nothing else is left.
    async fn context(&self, agent: &Agent, first: &Memory, seen: &SeenSentences, limit: usize) -> Result<Vec<Memory>> {
        let select = Select {
            within: Interval { start: Timestamp::MIN, end: first.at() },
            conversation: first.conversation().map(str::to_owned),
            newest_first: true,
            limit,
            ..Select::all(Grain::Working)
        };
        let earlier = self.store.list(agent, &select).await?;
        Ok(earlier.iter().rev().filter_map(|turn| seen.fresh(turn)).collect())
    }

    /// Returns the facts about the speakers and names of the turns, at most [`MAX_FACTS_PER_NAME`] for each name and
    /// [`MAX_FACTS`] in all. For each name, first come the facts with an object that the turns mention, then the others; the
    /// newest first.
    pub(crate) async fn known(&self, agent: &Agent, turns: &[Memory]) -> Result<Vec<Fact>> {
        let mut known: Vec<Fact> = Vec::new();
        for name in names(turns) {
            let query = FactQuery { about: Some(name), ..FactQuery::default() };
            for fact in relevant(self.find(agent, &query).await?, turns).into_iter().take(MAX_FACTS_PER_NAME) {
                if known.len() < MAX_FACTS && known.iter().all(|other| other.id != fact.id) {
                    known.push(fact);
                }
            }
        }
        Ok(known)
    }
}

/// Sorts facts: first those with an object that the turns mention, then the others; the newest first.
fn relevant(facts: Vec<Fact>, turns: &[Memory]) -> Vec<Fact> {
    let text: HashSet<String> = turns.iter().flat_map(|turn| words(&turn.text)).collect();
    let is_named = |fact: &Fact| words(&fact.object).iter().any(|word| word.chars().count() > 2 && text.contains(word));
    let (mut named, others): (Vec<Fact>, Vec<Fact>) = facts.into_iter().rev().partition(is_named);
    named.extend(others);
    named
}

fn words(text: &str) -> Vec<String> {
    annals_core::words(&folded(text)).map(str::to_owned).collect()
}
