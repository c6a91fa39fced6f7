//! Candidates that need no search: facts about the named entities, the last turns, and the newest summaries. Facts about the
//! speaker are in `speaker.rs`.

use std::cmp::Reverse;

use annals_core::ports::Select;
use annals_core::{
    Agent, Along, ContextQuery, DateRange, Fact, Grain, Memory, Result, Timestamp, Walk, Zones, entity_key,
};
use futures::future::try_join_all;

use super::entities::candidates;
use super::items::{self, Candidate, Pool};
use super::prompt_terms::{shared, words};
use super::speaker::SpeakerFact;
use crate::Search;
use crate::placeholders::is_placeholder;
use crate::range::within_until;

/// Maximum number of names of a prompt; the longest are kept.
const NAMES: usize = 8;
/// Maximum number of facts of one entity that compete for a place in the context.
pub(super) const MAX_FACTS: usize = 12;
/// Maximum number of turns at the end of the current conversation that compete for a place in the context.
const LAST: usize = 6;

/// Score of a fact about a named entity if the fact is certain and shares no words with the prompt: as high as that of a good
/// search result.
const NAMED: f64 = 3.0;
/// Score per word of a fact's predicate and object that occurs in the prompt, up to `MAX_SHARED` words.
const SHARED: f64 = 1.0;
const MAX_SHARED: usize = 2;
/// Score of the last turn; high, so that it is seldom left out. Each turn before it scores 0.5 less.
const LAST_TURN_SCORE: f64 = 4.0;

/// The facts found for a prompt.
#[derive(Default)]
pub(super) struct Known {
    /// Facts about the entities that the prompt names.
    pub(super) named: Vec<Candidate>,
    /// Facts about the speaker.
    pub(super) speaker: Vec<SpeakerFact>,
    /// The names in the prompt that are subjects of facts. If one of them is no namesake, the prompt fits memory strongly,
    /// unless it is small talk. Names that are only objects are left out, because many of them are ordinary words.
    pub(super) subjects: Vec<String>,
}

impl Search {
    /// Returns the facts about the entities of the prompt and about the speaker that hold now and have a source said in the
    /// range.
    pub(super) async fn known(
        &self,
        agent: &Agent,
        request: &ContextQuery,
        range: DateRange,
        zones: &Zones,
        now: Timestamp,
    ) -> Result<Known> {
        let mut names = self.facts.known(agent, &candidates(&request.prompt)).await?;
        names.sort_by_key(|name| Reverse(name.len()));
        names.truncate(NAMES);
        let query_words = words(&request.prompt);
        // Plans may be dated in the future, so only facts that hold now are read.
        let along = Along { said_within: Some(within_until(range, zones, now)), as_of: Some(now), ..Along::default() };
        let speaker = self.facts_about_speaker(agent, request, &along, zones).await?;
        let mut known = Known { speaker, ..Known::default() };
        for name in names {
            let facts = self.facts_of(agent, &name, &along, &query_words, MAX_FACTS).await?;
            known.named.extend(facts.iter().map(|(shared, fact)| item(fact, *shared, zones)));
            if facts.iter().any(|(_, fact)| entity_key(&fact.object) != name) {
                known.subjects.push(name);
            }
        }
        Ok(known)
    }

    /// Returns at most `most` facts of one entity, each with the number of words of its predicate and object that occur in
    /// the prompt. Facts with the most such words come first; among equals, the facts that began to hold last.
    pub(super) async fn facts_of(
        &self,
        agent: &Agent,
        name: &str,
        along: &Along,
        query_words: &[String],
        most: usize,
    ) -> Result<Vec<(usize, Fact)>> {
        let walk = Walk { from: name.to_owned(), depth: 1, along: along.clone(), limit: None };
        let reached = self.facts.walk(agent, &walk).await?;
        let shared = |fact: &Fact| shared(query_words, &format!("{} {}", fact.predicate, fact.object));
        let mut facts: Vec<(usize, Fact)> =
            reached.into_iter().map(|reached| (shared(&reached.fact), reached.fact)).collect();
        facts.sort_by_key(|(shared, fact)| Reverse((*shared, fact.valid_from)));
        facts.truncate(most);
        Ok(facts)
    }

    /// Returns up to [`LAST`] last turns of the current conversation that were said in the range, the newest first. Returns
    /// none if the request names no conversation.
    pub(super) async fn last_turns(
        &self,
        agent: &Agent,
        request: &ContextQuery,
        range: DateRange,
        zones: &Zones,
        now: Timestamp,
    ) -> Result<Vec<Candidate>> {
        let Some(conversation) = &request.conversation else { return Ok(Vec::new()) };
        let select = Select {
            within: within_until(range, zones, now),
            conversation: Some(conversation.clone()),
            newest_first: true,
            limit: LAST,
            ..Select::all(Grain::Working)
        };
        let turns: Vec<Memory> = self.store.list(agent, &select).await?;
        // The newest turn scores highest.
        let ranked = turns.iter().zip(0_u32..);
        Ok(ranked
            .map(|(turn, index)| items::of_memory(turn, Pool::LastTurn, LAST_TURN_SCORE - f64::from(index) * 0.5))
            .collect())
    }
}

impl Search {
    /// Returns the newest summary of each grain above daily, the coarsest grain first. Leaves out summaries outside the range,
    /// of periods that are not over, and placeholders.
    pub(super) async fn newest_summaries(
        &self,
        agent: &Agent,
        range: DateRange,
        zones: &Zones,
        now: Timestamp,
    ) -> Result<Vec<Candidate>> {
        // At most one period of a grain is not over. A few more are read, because some may say nothing.
        let within = within_until(range, zones, now);
        let select = Select { within, newest_first: true, limit: 4, ..Select::all(Grain::Yearly) };
        let grains = Grain::SUMMARIES.into_iter().rev().filter(|grain| *grain > Grain::Daily);
        let listed = grains.map(|grain| {
            let select = Select { grain, ..select.clone() };
            async move { self.store.list(agent, &select).await }
        });
        let listed = try_join_all(listed).await?;
        let newest = listed.iter().zip(0_u32..).filter_map(|(summaries, rank)| {
            let over = summaries.iter().find(|summary| summary.cover.end <= now && !is_placeholder(summary))?;
            Some(items::of_memory(over, Pool::Newest, -f64::from(rank)))
        });
        Ok(newest.collect())
    }
}

fn item(fact: &Fact, shared: usize, zones: &Zones) -> Candidate {
    items::of_fact(fact, NAMED * worth(fact) + shared_score(shared), zones)
}

/// Returns the part of a fact's score for the number of words that it shares with the prompt.
pub(super) fn shared_score(shared: usize) -> f64 {
    SHARED * shared.min(MAX_SHARED) as f64
}

/// Returns the factor for a fact's confidence, from 0.5 to 1. It scales the fact's score without the part for shared words.
pub(super) fn worth(fact: &Fact) -> f64 {
    0.5 + 0.5 * fact.confidence.clamp(0.0, 1.0)
}
