//! Memories in order of time, and the periods that are still open.

use std::collections::BTreeSet;

use annals_core::ports::Select;
use annals_core::{Agent, Date, DateRange, Error, Grain, Interval, Memory, Period, Query, Result, Timestamp, Zones};

use super::cursor::Cursor;
use super::search::Days;
use crate::Service;
use crate::wire::{MemoryView, TimelineAnswer, TimelineRequest};

/// Maximum number of entries on a page.
const MAX_PAGE_SIZE: usize = 1000;
const DEFAULT_PAGE_SIZE: usize = 100;

impl Service {
    /// Returns a page of memories, oldest first. Leaves out passages. If the request names no grains, returns summaries only.
    pub async fn timeline(&self, agent: &Agent, request: TimelineRequest, now: Timestamp) -> Result<TimelineAnswer> {
        let limit = limit(request.limit)?;
        let grains = grains(request.grains.as_deref())?;
        let after = request.cursor.as_deref().map(str::parse::<Cursor>).transpose()?;
        let zones = self.parts.store.settings(agent).await?.zones()?;
        let within = within(days_of(&request, &zones, now)?, &zones);
        let memories = self.page(agent, &grains, within, after, limit).await?;
        self.timeline_answer(agent, &zones, memories, limit, now).await
    }

    /// Returns at most 1,000 memories of a grain, without passages, oldest first: those after `after`, or the first ones. Empty
    /// after the last.
    pub(crate) async fn page_of_memories(
        &self,
        agent: &Agent,
        grain: Grain,
        after: Option<&Memory>,
    ) -> Result<Vec<Memory>> {
        let mut page = self.page(agent, &[grain], Interval::ALWAYS, after.map(Cursor::of), MAX_PAGE_SIZE).await?;
        page.truncate(MAX_PAGE_SIZE);
        Ok(page)
    }

    /// Returns memories after a position, in order. If there are more than `limit`, returns at least `limit` + 1, which shows
    /// that there is a next page.
    async fn page(
        &self,
        agent: &Agent,
        grains: &[Grain],
        within: Interval,
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<Vec<Memory>> {
        let Some(after) = after else { return self.in_order(agent, grains, within, limit + 1).await };
        let within = Interval { start: within.start.max(after.start), ..within };
        // Memories that start at the position, or cover it, are listed again. They are usually few, but in an old log many
        // memories may have the same time.
        let mut most = limit + 32;
        loop {
            let listed = self.in_order(agent, grains, within, most).await?;
            let is_all = listed.len() < most;
            let page: Vec<Memory> = listed.into_iter().filter(|memory| Cursor::of(memory) > after).collect();
            if is_all || page.len() > limit {
                return Ok(page);
            }
            most *= 2;
        }
    }

    /// Returns a page of memories that together cover a range of days once: summaries of a grain that suits the length of the
    /// range, and finer memories for the time after the last of these summaries.
    pub async fn overview(&self, agent: &Agent, request: TimelineRequest, now: Timestamp) -> Result<TimelineAnswer> {
        let limit = limit(request.limit)?;
        let after = request.cursor.as_deref().map(str::parse::<Cursor>).transpose()?;
        let zones = self.parts.store.settings(agent).await?.zones()?;
        let days = days_of(&request, &zones, now)?;
        let within = within(days, &zones);
        let ledger = self.parts.store.ledger(agent).await?;
        let first = ledger.iter().map(|row| row.period.first_day()).min();
        let (first, last) = (days.from.max(first), days.to.unwrap_or_else(|| zones.day_of(now)));
        let coarsest = first.map_or(Grain::Daily, |first| grain_for(first, last));
        let mut memories = Vec::new();
        let mut covered_until = Timestamp::MIN;
        for grain in Grain::ALL.into_iter().rev().skip_while(|grain| *grain > coarsest) {
            let begins_later = |memory: &Memory| memory.cover.start >= covered_until;
            let within = Interval { start: within.start.max(covered_until), ..within };
            let listed = match grain {
                // Without summaries there may be many turns, so they are read by page.
                Grain::Working => self.page(agent, &[grain], within, after.clone(), limit).await?,
                _ => self.in_order(agent, &[grain], within, usize::MAX).await?,
            };
            memories.extend(listed.into_iter().filter(begins_later));
            covered_until = memories.last().map_or(covered_until, |last| last.cover.end);
        }
        memories.retain(|memory| after.as_ref().is_none_or(|after| Cursor::of(memory) > *after));
        memories.truncate(limit + 1);
        self.timeline_answer(agent, &zones, memories, limit, now).await
    }

    async fn timeline_answer(
        &self,
        agent: &Agent,
        zones: &Zones,
        mut memories: Vec<Memory>,
        limit: usize,
        now: Timestamp,
    ) -> Result<TimelineAnswer> {
        let more = memories.len() > limit;
        memories.truncate(limit);
        let open = self.open_periods(agent, zones, now).await?;
        Ok(TimelineAnswer {
            agent: agent.name().to_owned(),
            time_zone: zones.name_at(now).to_owned(),
            next_cursor: memories.last().filter(|_| more).map(|last| Cursor::of(last).to_string()),
            memories: memories.iter().map(MemoryView::from).collect(),
            open: open.iter().map(Period::to_string).collect(),
        })
    }

    /// Returns the interval from the beginning of `from` to the end of `to`, which are local days. An absent day leaves that
    /// side open. Fails if `to` is before `from`.
    pub fn days(&self, zones: &Zones, from: Option<Date>, to: Option<Date>, now: Timestamp) -> Result<Interval> {
        let days = annals_search::resolve(&Query { from, to, ..Query::default() }, zones, now)?;
        Ok(within(days, zones))
    }

    /// Returns the first `limit` memories of several grains, without passages, sorted by start; memories with the same start
    /// are sorted from coarse to fine.
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
            all.extend(self.parts.store.list(agent, &select).await?);
        }
        all.sort_by_cached_key(Cursor::of);
        all.truncate(limit);
        Ok(all)
    }

    /// Returns the periods that have input and have not ended, from fine to coarse.
    pub async fn open_periods(&self, agent: &Agent, zones: &Zones, now: Timestamp) -> Result<Vec<Period>> {
        let ledger = self.parts.store.ledger(agent).await?;
        let days = ledger.iter().filter(|row| row.period.grain() == Grain::Daily).map(|row| row.period);
        let open: BTreeSet<Period> = days
            .flat_map(|day| Grain::SUMMARIES.map(|grain| day.ancestor(grain)))
            .filter(|period| zones.cover(*period).end > now)
            .collect();
        Ok(open.into_iter().collect())
    }
}

/// Returns the days that a request asks for. Fails if no day is in all its bounds.
fn days_of(request: &TimelineRequest, zones: &Zones, now: Timestamp) -> Result<DateRange> {
    let days = Days {
        from: request.from,
        to: request.to,
        min_days_ago: request.min_days_ago,
        max_days_ago: request.max_days_ago,
        period: request.period.clone(),
    };
    annals_search::resolve(&days.query()?, zones, now)
}

/// Returns the interval from the beginning of the first day to the end of the last one. An absent day leaves that side open.
fn within(days: DateRange, zones: &Zones) -> Interval {
    Interval {
        start: days.from.map_or(Timestamp::MIN, |from| zones.day_interval(from).start),
        end: days.to.map_or(Timestamp::MAX, |to| zones.day_interval(to).end),
    }
}

/// Returns the grain that divides a range of days into periods that are few enough to read at a glance: at most about 11 days
/// or weeks, 18 months or 21 quarters. A longer range is divided into years.
fn grain_for(first: Date, last: Date) -> Grain {
    match (last - first).get_days() {
        ..11 => Grain::Daily,
        11..71 => Grain::Weekly,
        71..551 => Grain::Monthly,
        551..1901 => Grain::Quarterly,
        1901.. => Grain::Yearly,
    }
}

/// Returns the size of a page: `limit`, or 100 by default. Fails if it is not 1 to 1,000.
pub(crate) fn limit(limit: Option<usize>) -> Result<usize> {
    match limit.unwrap_or(DEFAULT_PAGE_SIZE) {
        limit @ 1..=MAX_PAGE_SIZE => Ok(limit),
        other => Err(Error::invalid("limit", format!("is {other}; 1 to {MAX_PAGE_SIZE} are allowed"))),
    }
}

fn grains(list: Option<&str>) -> Result<Vec<Grain>> {
    match list {
        None => Ok(Grain::SUMMARIES.to_vec()),
        Some(list) => list.split(',').map(|grain| grain.trim().parse()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::{agent, at};
    use jiff::civil::date;
    use serde_json::json;

    use super::*;
    use crate::fixture::{NOW, service_with_memories};

    #[tokio::test]
    async fn timeline_takes_the_same_bounds_as_a_search() {
        let me = agent("a");
        let service = service_with_memories(&me).await;
        // Two turns of 4 March and one of 6 March; now is 10 March.
        for (bounds, expect) in [
            (json!({}), 3),
            (json!({ "period": "2026-03-06" }), 1),
            (json!({ "period": "2026-W10", "min_days_ago": 5 }), 2),
            (json!({ "max_days_ago": 4 }), 1),
        ] {
            let mut request: TimelineRequest = serde_json::from_value(bounds.clone()).unwrap();
            request.grains = Some("working".to_owned());
            assert_eq!(service.timeline(&me, request, at(NOW)).await.unwrap().memories.len(), expect, "{bounds}");
        }
        let wrong = json!({ "period": "2026-13", "max_days_ago": 2_000_000 });
        let error = service.timeline(&me, serde_json::from_value(wrong).unwrap(), at(NOW)).await.unwrap_err();
        assert!(matches!(&error, Error::Faults(faults) if faults.len() == 2), "{error}");
    }

    #[test]
    fn range_is_divided_into_some_ten_periods() {
        #[track_caller]
        fn check(last: Date, expect: Grain) {
            assert_eq!(grain_for(date(2026, 1, 1), last), expect);
        }
        check(date(2026, 1, 1), Grain::Daily);
        check(date(2026, 1, 31), Grain::Weekly);
        check(date(2026, 12, 31), Grain::Monthly);
        check(date(2028, 12, 31), Grain::Quarterly);
        check(date(2036, 12, 31), Grain::Yearly);
    }
}
