//! Answering a query: filters, legs, fusion, folding, and reading back from the catalog.

use std::collections::HashMap;

use annals_core::ports::{Probe, Select, Table};
use annals_core::{
    Agent, Answer, DateRange, Error, Filter, Found, Grain, Interval, MemoryId, Query, Result, Settings, Timestamp,
};
use futures::future::try_join_all;

use crate::fuse::{Scored, fuse};
use crate::range::within;
use crate::{Search, fold::fold, resolve};

/// Candidates per leg and grain: enough that what only one leg knows well can still win, and folding leaves enough.
const CANDIDATES: usize = 200;
/// The most results of one answer.
const MOST_RESULTS: usize = 1000;

impl Search {
    /// The memories of one agent that fit a query at `now`, best first; without a text the newest first.
    pub async fn answer(&self, agent: &Agent, query: &Query, now: Timestamp) -> Result<Answer> {
        if query.limit == 0 || query.limit > MOST_RESULTS {
            return Err(Error::invalid("limit", format!("is {}; 1 to {MOST_RESULTS} are allowed", query.limit)));
        }
        let settings = self.catalog.settings(agent).await?;
        let zones = settings.zones()?;
        let range = resolve(query, &zones, now)?;
        let asked = Asked { agent, query, settings, within: within(range, &zones), range };
        let found = match query.text.as_deref().map(str::trim) {
            Some(text) if !text.is_empty() => self.ranked(&asked, text).await?,
            _ => self.newest(&asked).await?,
        };
        let range_is_empty = found.is_empty() && self.is_empty(&asked).await?;
        Ok(Answer {
            range,
            results: found,
            range_is_empty,
            grains: asked.grains(),
            said: Vec::new(),
            conversations: Vec::new(),
        })
    }

    async fn ranked(&self, asked: &Asked<'_>, text: &str) -> Result<Vec<Found>> {
        let vector = self.embedder.embed(vec![text.to_owned()]).await?.pop();
        let probe = Probe {
            vector,
            text: Some(text.to_owned()),
            language: asked.settings.language.clone(),
            filter: asked.filter(),
            limit: CANDIDATES.max(asked.query.limit * 2),
            exact: 0,
        };
        let hits = try_join_all(asked.grains().into_iter().map(|grain| self.probe(asked.agent, grain, &probe))).await?;
        let ranked = self.read_back(asked, fuse(&hits.concat())).await?;
        let mut folded = fold(ranked);
        folded.truncate(asked.query.limit);
        Ok(folded)
    }

    async fn probe(&self, agent: &Agent, grain: Grain, probe: &Probe) -> Result<Vec<annals_core::ports::Hit>> {
        let generation = self.catalog.lane(agent, grain).await?.generation;
        self.strata.search(&Table { agent: agent.clone(), grain, generation }, probe).await
    }

    /// The catalog has the last word: what it no longer holds, or holds elsewhere in time by now, is no answer.
    async fn read_back(&self, asked: &Asked<'_>, scored: Vec<Scored>) -> Result<Vec<Found>> {
        let ids: Vec<MemoryId> = scored.iter().map(|scored| scored.memory.clone()).collect();
        let scores: HashMap<MemoryId, f64> = scored.into_iter().map(|scored| (scored.memory, scored.score)).collect();
        let memories = self.catalog.get(asked.agent, &ids).await?;
        let found = memories.into_iter().map(|memory| {
            let score = scores[&memory.id];
            asked.found(memory, score)
        });
        Ok(found.filter(|found| asked.admits(found)).collect())
    }

    async fn newest(&self, asked: &Asked<'_>) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        for grain in asked.grains() {
            // Over-fetch what `admits` may still drop: coarser rows at the edges of a strict range, at most one at each end.
            let memories = self.catalog.list(asked.agent, &asked.select(grain, asked.query.limit + 2)).await?;
            found.extend(
                memories.into_iter().map(|memory| asked.found(memory, 0.0)).filter(|found| asked.admits(found)),
            );
        }
        found.sort_by_key(|found| (std::cmp::Reverse(found.memory.cover.end), found.memory.grain));
        found.truncate(asked.query.limit);
        Ok(found)
    }

    async fn is_empty(&self, asked: &Asked<'_>) -> Result<bool> {
        for grain in asked.grains() {
            if !self.catalog.list(asked.agent, &asked.select(grain, 1)).await?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A query with what was worked out from it.
struct Asked<'a> {
    agent: &'a Agent,
    query: &'a Query,
    settings: Settings,
    range: DateRange,
    within: Interval,
}

impl Asked<'_> {
    fn grains(&self) -> Vec<Grain> {
        let asked = |grain: &Grain| self.query.grains.is_empty() || self.query.grains.contains(grain);
        Grain::ALL.into_iter().filter(asked).collect()
    }

    fn filter(&self) -> Filter {
        Filter { within: self.within, kinds: self.query.kinds.clone(), conversation: self.query.conversation.clone() }
    }

    fn select(&self, grain: Grain, limit: usize) -> Select {
        let conversation = self.query.conversation.clone();
        Select { grain, within: self.within, conversation, newest_first: true, limit }
    }

    fn found(&self, memory: annals_core::Memory, score: f64) -> Found {
        let days_outside = self.range.days_outside(memory.days.0, memory.days.1);
        Found { memory, score, days_outside, parts: Vec::new() }
    }

    fn admits(&self, found: &Found) -> bool {
        let memory = &found.memory;
        self.filter().admits(&memory.cover, memory.kind, memory.conversation.as_deref())
            && !(self.query.strict && found.days_outside > 0)
    }
}

#[cfg(test)]
mod tests;
