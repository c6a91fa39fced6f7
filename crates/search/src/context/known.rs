//! What is known without searching: facts about whom the prompt names and who speaks, and what was said last.

use std::cmp::Reverse;

use annals_core::ports::Select;
use annals_core::{
    Agent, Along, ContextItem, ContextRequest, DateRange, Fact, Grain, Memory, Result, Timestamp, Walk, entity_key,
    folded,
};

use super::{entities::candidates, items};
use crate::Search;
use crate::range::within_until;

/// More names than this no prompt is about.
const NAMES: usize = 8;
/// Facts of one entity.
const EACH: usize = 12;
/// Turns of the conversation that goes on.
const LAST: usize = 6;

/// A fact about somebody named in the prompt weighs as a good result of the search; those of the speaker less, for they
/// come with every prompt.
const NAMED: f64 = 3.0;
const SPEAKER: f64 = 1.0;
/// Each word of the prompt that a fact has, up to so many.
const SHARED: f64 = 1.0;
const MOST_SHARED: usize = 2;
/// Shorter words are in too many facts, or say too little.
const SHORTEST: usize = 4;
/// What is said right before is seldom left out.
const JUST_SAID: f64 = 4.0;

impl Search {
    /// Facts that hold now, about the entities of the prompt and the speaker, of which a source was said in the range.
    pub(super) async fn known(
        &self,
        agent: &Agent,
        request: &ContextRequest,
        range: DateRange,
        now: Timestamp,
    ) -> Result<Vec<ContextItem>> {
        let zones = self.catalog.settings(agent).await?.zones()?;
        let said_within = Some(within_until(range, &zones, now));
        let mut named = self.facts.known(agent, &candidates(&request.prompt)).await?;
        named.sort_by_key(|name| Reverse(name.len()));
        named.truncate(NAMES);
        let speaker = request.speaker.as_deref().map(entity_key).filter(|key| !key.is_empty());
        let named = named.into_iter().map(|name| (name, NAMED));
        let (mut items, asked) = (Vec::new(), words(&request.prompt));
        for (from, weight) in named.chain(speaker.map(|key| (key, SPEAKER))) {
            // What holds now, not what will: a plan may be dated ahead.
            let along = Along { said_within, as_of: Some(now), ..Along::default() };
            let reached = self.facts.walk(agent, &Walk { from, depth: 1, along, limit: None }).await?;
            let mut facts: Vec<(usize, &Fact)> =
                reached.iter().map(|reached| (shared(&asked, &reached.fact), &reached.fact)).collect();
            // What the prompt asks for, then what was learnt last.
            facts.sort_by_key(|(shared, fact)| Reverse((*shared, fact.valid_from)));
            let score = |shared: usize, fact: &Fact| weight * worth(fact) + SHARED * shared.min(MOST_SHARED) as f64;
            let best = facts.into_iter().take(EACH);
            items.extend(best.map(|(shared, fact)| items::of_fact(fact, score(shared, fact), &zones)));
        }
        Ok(items)
    }

    /// The end of the conversation that goes on, as far as it was said in the range; the last first.
    pub(super) async fn last_said(
        &self,
        agent: &Agent,
        request: &ContextRequest,
        range: DateRange,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        let Some(conversation) = &request.conversation else { return Ok(Vec::new()) };
        let select = Select {
            within: within_until(range, &self.catalog.settings(agent).await?.zones()?, now),
            conversation: Some(conversation.clone()),
            newest_first: true,
            limit: LAST,
            ..Select::all(Grain::Working)
        };
        self.catalog.list(agent, &select).await
    }
}

/// Turns as lines; the first weighs most.
pub(super) fn just_said(turns: &[Memory]) -> impl Iterator<Item = ContextItem> {
    let ranked = turns.iter().zip(0_u32..);
    ranked.map(|(turn, place)| items::of_memory(turn, JUST_SAID - f64::from(place) * 0.5))
}

/// The words of a text that may say which fact is asked for.
fn words(text: &str) -> Vec<String> {
    let folded = folded(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= SHORTEST);
    words.map(str::to_owned).collect()
}

/// How many words of a fact's predicate and object are asked for; "work" and "works" are the same.
fn shared(asked: &[String], fact: &Fact) -> usize {
    let of_fact = words(&format!("{} {}", fact.predicate, fact.object));
    let is_asked =
        |word: &&String| asked.iter().any(|asked| asked.starts_with(*word) || word.starts_with(asked.as_str()));
    of_fact.iter().filter(is_asked).count()
}

/// Between a half and one.
fn worth(fact: &Fact) -> f64 {
    0.5 + 0.5 * fact.confidence.clamp(0.0, 1.0)
}
