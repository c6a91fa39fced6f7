//! The periods of an agent and their states, for a chart of its memory. Reads the ledger and counts, but no text of memories.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::Outline;
use annals_core::{
    Agent, Date, DateRange, Digest, Error, Grain, LedgerRow, MemoryId, Period, Result, Timestamp, Zones,
};
use jiff::ToSpan;

use crate::Service;
use crate::locks::Lock;
use crate::wire::{DayView, PeriodState, PeriodView, PeriodsAnswer, PeriodsRequest};

impl Service {
    /// Returns the periods and the days with turns within a range of days. Includes periods that lie only partly in the range.
    /// Fails if `to` is before `from`.
    pub async fn periods(&self, agent: &Agent, request: PeriodsRequest, now: Timestamp) -> Result<PeriodsAnswer> {
        let (from, to) = (request.from.unwrap_or(Date::MIN), request.to.unwrap_or(Date::MAX));
        if from > to {
            return Err(Error::invalid("to", "is before from"));
        }
        let settings = self.parts.store.settings(agent).await?;
        let zones = settings.zones()?;
        let outline = self.outline(agent).await?;
        let ledger = self.parts.store.ledger(agent).await?;
        let map = Map {
            agent,
            zones: &zones,
            now,
            is_rolling_up: self.locks.is_held(agent, Lock::RollUp),
            pruned_until: self.pruned_until(agent).await?,
            recipes: Grain::ALL.map(|grain| self.parts.summarizer.recipe(&settings, grain)),
            rows: ledger.iter().map(|row| (row.period, row)).collect(),
            outline: &outline,
        };
        let days = with_input(&ledger);
        let overlaps = |period: &Period| {
            let (first, last) = period.cover_days();
            first <= to && from <= last
        };
        // If a period overlaps the range, all its days are at most a year away from the range.
        let near = days.range(from.saturating_sub(400.days())..=to.saturating_add(400.days()));
        let periods: BTreeSet<Period> = map.rows.keys().copied().chain(ancestors(near)).filter(overlaps).collect();
        let turns = outline.turns.range(from..=to);
        Ok(PeriodsAnswer {
            agent: agent.name().to_owned(),
            time_zone: zones.name_at(now).to_owned(),
            today: zones.day_of(now),
            first: days.first().copied(),
            last: days.last().copied(),
            turns_pruned_until: map.pruned_until[Grain::Working as usize],
            days: turns.map(|(day, turns)| DayView { day: *day, turns: *turns }).collect(),
            periods: periods.into_iter().map(|period| map.view(period)).collect(),
        })
    }

    /// Returns the first and last day that the first time expression in a text means, such as "last week" or "March 2025";
    /// `None` if the text contains none. A range without an end ends today. A range without a beginning, such as "before May",
    /// becomes its last day alone.
    pub async fn days_named(&self, agent: &Agent, text: &str, now: Timestamp) -> Result<Option<(Date, Date)>> {
        let settings = self.parts.store.settings(agent).await?;
        let zones = settings.zones()?;
        let today = zones.day_of(now);
        let times = annals_search::find_times(text, &settings.language, zones.name_at(now), today);
        let ends = |DateRange { from, to }: DateRange| (from.or(to).unwrap_or(today), to.unwrap_or(today));
        Ok(times.first().map(|time| ends(time.days)))
    }

    async fn pruned_until(&self, agent: &Agent) -> Result<[Option<Date>; 6]> {
        let mut until = [None; 6];
        for grain in Grain::ALL {
            until[grain as usize] = self.parts.store.pruned_until(agent, grain).await?;
        }
        Ok(until)
    }
}

fn with_input(ledger: &[LedgerRow]) -> BTreeSet<Date> {
    let days = ledger.iter().filter(|row| row.period.grain() == Grain::Daily);
    days.map(|row| row.period.first_day()).collect()
}

fn ancestors<'a>(days: impl Iterator<Item = &'a Date>) -> impl Iterator<Item = Period> {
    days.flat_map(|day| Grain::SUMMARIES.map(|grain| Period::of(grain, *day)))
}

/// What the views of periods are made from.
struct Map<'a> {
    agent: &'a Agent,
    zones: &'a Zones,
    now: Timestamp,
    is_rolling_up: bool,
    /// By grain: the last day with pruned memories; `None` if none were.
    pruned_until: [Option<Date>; 6],
    /// By grain: the recipe of the present prompt, model and engine.
    recipes: [Digest; 6],
    rows: BTreeMap<Period, &'a LedgerRow>,
    outline: &'a Outline,
}

impl Map<'_> {
    fn view(&self, period: Period) -> PeriodView {
        let (from, to) = period.cover_days();
        let row = self.rows.get(&period).copied();
        let present = self.recipes[period.grain() as usize];
        let has_summary = self.outline.summaries.contains(&period);
        let is_outdated = |row: &LedgerRow| {
            !row.is_corrected() && !row.degraded && row.recipe.is_some_and(|recipe| recipe != present)
        };
        PeriodView {
            period: period.to_string(),
            grain: period.grain(),
            from,
            to,
            state: self.state(period, row),
            summary: has_summary.then(|| MemoryId::summary(self.agent, period).to_string()),
            author: row.and_then(|row| row.author.clone()).filter(|_| has_summary).map(Into::into),
            corrected: row.is_some_and(LedgerRow::is_corrected),
            outdated: has_summary && row.is_some_and(is_outdated),
            ungrounded: row.filter(|row| !row.is_corrected()).map_or(0, |row| row.ungrounded),
            tokens: row.map_or(0, |row| row.tokens),
            attempts: row.map_or(0, |row| row.attempts),
            error: row.and_then(|row| row.last_error.clone()),
            not_before: row.and_then(|row| row.not_before).map(|at| at.to_string()),
        }
    }

    fn state(&self, period: Period, row: Option<&LedgerRow>) -> PeriodState {
        if self.zones.cover(period).end > self.now {
            return PeriodState::Open;
        }
        let Some(row) = row else { return PeriodState::Waiting };
        let has_summary = self.outline.summaries.contains(&period);
        match (row.is_dirty(), has_summary) {
            (true, _) if row.attempts > 0 => PeriodState::Failed,
            (true, _) if self.is_rolling_up => PeriodState::Writing,
            (true, true) => PeriodState::Stale,
            (true, false) => PeriodState::Waiting,
            (false, true) if row.degraded => PeriodState::Degraded,
            (false, true) if row.sealed => PeriodState::Sealed,
            (false, true) => PeriodState::Closed,
            (false, false) if self.is_pruned(period, row) => PeriodState::Pruned,
            (false, false) => PeriodState::Forgotten,
        }
    }

    /// Returns whether retention has pruned the summary of a period that has none now: the period is sealed, or the summaries
    /// of its grain are pruned at least up to its last day.
    fn is_pruned(&self, period: Period, row: &LedgerRow) -> bool {
        let until = self.pruned_until[period.grain() as usize];
        row.sealed || until.is_some_and(|until| period.cover_days().1 <= until)
    }
}

#[cfg(test)]
mod tests {
    use annals_core::ports::OnConflict;
    use annals_testkit::{agent, at, period};

    use super::*;
    use crate::fixture::{NOW, service_with_memories};

    #[track_caller]
    fn check(answer: &PeriodsAnswer, label: &str, expect: PeriodState) {
        let found = answer.periods.iter().find(|view| view.period == label).unwrap();
        assert_eq!(found.state, expect, "{label}");
    }

    #[tokio::test]
    async fn periods_have_the_state_of_their_summary() {
        let me = agent("ann");
        let service = service_with_memories(&me).await;
        let answer = service.periods(&me, PeriodsRequest::default(), at(NOW)).await.unwrap();
        let days: Vec<_> = answer.days.iter().map(|day| (day.day.to_string(), day.turns)).collect();
        assert_eq!(days, [("2026-03-04".to_owned(), 2), ("2026-03-06".to_owned(), 1)]);
        for label in ["2026-03-04", "2026-03-06", "2026-W10"] {
            check(&answer, label, PeriodState::Closed);
        }
        for label in ["2026-03", "2026-Q1", "2026"] {
            check(&answer, label, PeriodState::Open);
        }
        let store = &service.parts.store;
        store.note_failure(&me, period("2026-03-04"), "no model", at(NOW), at(NOW)).await.unwrap();
        let late = vec![annals_testkit::message("2026-03-04T08:00:00Z", "late")];
        service.parts.writer.ingest(&me, late, OnConflict::Refuse, at(NOW)).await.unwrap();
        let answer = service.periods(&me, PeriodsRequest::default(), at(NOW)).await.unwrap();
        check(&answer, "2026-03-04", PeriodState::Failed);
        assert_eq!(answer.periods[0].error.as_deref(), Some("no model"));
    }

    #[tokio::test]
    async fn range_leaves_out_other_periods_and_keeps_those_across_its_edge() {
        let me = agent("ann");
        let service = service_with_memories(&me).await;
        let day = "2026-03-06".parse().ok();
        let request = PeriodsRequest { from: day, to: day };
        let answer = service.periods(&me, request, at(NOW)).await.unwrap();
        let labels: Vec<&str> = answer.periods.iter().map(|view| view.period.as_str()).collect();
        assert_eq!(labels, ["2026-03-06", "2026-W10", "2026-03", "2026-Q1", "2026"]);
        let backwards = PeriodsRequest { from: day, to: "2026-03-05".parse().ok() };
        assert!(service.periods(&me, backwards, at(NOW)).await.is_err());
    }
}
