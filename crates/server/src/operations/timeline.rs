//! Memories in order of time, and the periods that are still open.

use std::collections::BTreeSet;

use annals_core::ports::Select;
use annals_core::{Agent, Error, Grain, Interval, Memory, Period, Query, Result, Timestamp, Zones};

use crate::Service;
use crate::wire::{MemoryView, TimelineAnswer, TimelineWish};

/// The most memories of one answer.
const MOST: usize = 1000;
const USUAL: usize = 100;

impl Service {
    /// Memories in order of time, oldest first.
    pub async fn timeline(&self, agent: &Agent, wish: TimelineWish, now: Timestamp) -> Result<TimelineAnswer> {
        let limit = limit(wish.limit)?;
        let grains = grains(wish.grains.as_deref())?;
        let zones = self.catalog.settings(agent).await?.zones()?;
        let within = self.days(&zones, wish.from, wish.to, now)?;
        let memories = self.in_order(agent, &grains, within, limit).await?;
        let open = self.open_periods(agent, &zones, now).await?;
        Ok(TimelineAnswer {
            agent: agent.name().to_owned(),
            memories: memories.iter().map(MemoryView::from).collect(),
            open: open.iter().map(Period::to_string).collect(),
        })
    }

    /// The instants of a range of local days, both inclusive; an error if it ends before it begins.
    pub fn days(
        &self,
        zones: &Zones,
        from: Option<annals_core::Date>,
        to: Option<annals_core::Date>,
        now: Timestamp,
    ) -> Result<Interval> {
        annals_search::resolve(&Query { from, to, ..Query::default() }, zones, now)?;
        Ok(Interval {
            start: from.map_or(Timestamp::MIN, |from| zones.day_interval(from).start),
            end: to.map_or(Timestamp::MAX, |to| zones.day_interval(to).end),
        })
    }

    /// Memories of several grains in one order of time; of those that begin together the coarsest first.
    pub async fn in_order(
        &self,
        agent: &Agent,
        grains: &[Grain],
        within: Interval,
        limit: usize,
    ) -> Result<Vec<Memory>> {
        let mut all = Vec::new();
        for grain in BTreeSet::from_iter(grains.iter().copied()) {
            let select = Select { within, limit, ..Select::all(grain) };
            all.extend(self.catalog.list(agent, &select).await?);
        }
        all.sort_by_key(|memory| (memory.cover.start, std::cmp::Reverse(memory.grain)));
        all.truncate(limit);
        Ok(all)
    }

    /// Periods that have input and are not over yet, from fine to coarse.
    pub async fn open_periods(&self, agent: &Agent, zones: &Zones, now: Timestamp) -> Result<Vec<Period>> {
        let ledger = self.catalog.ledger(agent).await?;
        let days = ledger.iter().filter(|row| row.period.grain() == Grain::Daily).map(|row| row.period);
        let open: BTreeSet<Period> = days
            .flat_map(|day| Grain::SUMMARIES.map(|grain| day.ancestor(grain)))
            .filter(|period| zones.cover(*period).end > now)
            .collect();
        Ok(open.into_iter().collect())
    }
}

/// How many are asked for.
pub(crate) fn limit(limit: Option<usize>) -> Result<usize> {
    match limit.unwrap_or(USUAL) {
        limit @ 1..=MOST => Ok(limit),
        other => Err(Error::invalid("limit", format!("is {other}; 1 to {MOST} are allowed"))),
    }
}

fn grains(list: Option<&str>) -> Result<Vec<Grain>> {
    match list {
        None => Ok(Grain::SUMMARIES.to_vec()),
        Some(list) => list.split(',').map(|grain| grain.trim().parse()).collect(),
    }
}
