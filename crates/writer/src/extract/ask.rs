//! What an extractor is told besides the turns it is to read: what was said right before, and what is known already.

use std::collections::HashSet;

use annals_core::ports::{ExtractionTask, Select};
use annals_core::{
    Agent, Extracted, Extractor, Fact, FactQuery, Grain, Interval, Memory, Result, Settings, Timestamp, folded,
};

use super::section::{Task, names};
use super::{FactWriter, Inputs};
use crate::recalled::Told;

/// Earlier turns that are given along.
const CONTEXT: usize = 6;
/// Facts that are given along, for each name and in all.
const KNOWN: (usize, usize) = (20, 60);
/// Predicates that are given along, so that one thing keeps one name.
const PREDICATES: usize = 60;
/// Memories before a turn, and summaries of each grain, in which its sentences are looked for.
const TOLD: (usize, usize) = (500, 50);

impl FactWriter {
    /// Lets an extractor read a task, with what it needs to understand it, and notes what that was.
    #[expect(clippy::too_many_arguments, reason = "each is a part of one question")]
    pub(crate) async fn ask(
        &self,
        extractor: &dyn Extractor,
        agent: &Agent,
        settings: &Settings,
        told: &Told,
        task: &Task,
        now: Timestamp,
        inputs: &mut Inputs,
    ) -> Result<Extracted> {
        let Some(first) = task.spoken.first() else { return Ok(Extracted::default()) };
        let context = self.context(agent, first, told).await?;
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
        };
        extractor.extract(task).await
    }

    /// The turns of the same conversation right before, in order of time.
    async fn context(&self, agent: &Agent, first: &Memory, told: &Told) -> Result<Vec<Memory>> {
        let select = Select {
            within: Interval { start: Timestamp::MIN, end: first.at() },
            conversation: first.conversation.clone(),
            newest_first: true,
            limit: CONTEXT,
            ..Select::all(Grain::Working)
        };
        let earlier = self.catalog.list(agent, &select).await?;
        Ok(earlier.iter().rev().filter_map(|turn| told.fresh(turn)).collect())
    }

    /// What is known about those who speak or are named: first what the turns concern, then what changed last.
    pub(crate) async fn known(&self, agent: &Agent, turns: &[Memory]) -> Result<Vec<Fact>> {
        let mut known: Vec<Fact> = Vec::new();
        for name in names(turns) {
            let query = FactQuery { about: Some(name), ..FactQuery::default() };
            for fact in relevant(self.find(agent, &query).await?, turns).into_iter().take(KNOWN.0) {
                if known.len() < KNOWN.1 && known.iter().all(|other| other.id != fact.id) {
                    known.push(fact);
                }
            }
        }
        Ok(known)
    }

    /// What was said before or beside these turns, as far as it is looked at.
    pub(crate) async fn told(&self, agent: &Agent, turns: &[Memory]) -> Result<Told> {
        let Some(latest) = turns.iter().map(|turn| turn.cover.end).max() else { return Ok(Told::default()) };
        let within = Interval { start: Timestamp::MIN, end: latest };
        let mut earlier = Vec::new();
        for grain in Grain::ALL {
            let limit = if grain == Grain::Working { TOLD.0 } else { TOLD.1 };
            let select = Select { within, newest_first: true, limit, ..Select::all(grain) };
            earlier.extend(self.catalog.list(agent, &select).await?);
        }
        Ok(Told::new(earlier.iter().chain(turns)))
    }
}

/// The facts whose object the turns name, then the others; the newest first.
fn relevant(facts: Vec<Fact>, turns: &[Memory]) -> Vec<Fact> {
    let text: HashSet<String> = turns.iter().flat_map(|turn| words(&turn.text)).collect();
    let is_named = |fact: &Fact| words(&fact.object).iter().any(|word| word.chars().count() > 2 && text.contains(word));
    let (mut named, others): (Vec<Fact>, Vec<Fact>) = facts.into_iter().rev().partition(is_named);
    named.extend(others);
    named
}

fn words(text: &str) -> Vec<String> {
    folded(text).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
