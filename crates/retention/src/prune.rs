//! Prunes an agent: seals the due sets one by one, each in its own transaction that checks it again.

use std::collections::HashSet;

use annals_core::ports::RetentionLimits;
use annals_core::{Agent, Error, Grain, MemoryId, Period, Result, Timestamp};

use crate::due::{above, is_past, sort_key, totals};
use crate::{ClockReading, Due, Held, Plan, Retention, State, Totals, due};

/// What was pruned of an agent, and what stays although it is past the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// What was pruned, by grain in the order of [`annals_core::Grain::ALL`].
    pub pruned: [Totals; 6],
    /// What was due but stays, because the clock is not confirmed.
    pub postponed: [Totals; 6],
    /// Periods that changed meanwhile. The next pass checks them again.
    pub stale: Vec<Period>,
    /// Sets that are past the plan but stay, and why.
    pub held: Vec<Held>,
}

impl Retention {
    /// Reads the clock and stores the reading. Must be called each time the jobs run, so that a jump is noticed.
    /// `synchronised` is what the system reports about the clock, if anything.
    pub async fn read_clock(&self, now: Timestamp, synchronised: Option<bool>) -> Result<ClockReading> {
        let (note, reading) = ClockReading::at(self.store.clock().await?, now, synchronised);
        self.store.save_clock(note).await?;
        Ok(reading)
    }

    /// Returns the limits for the query that finds agents with something past their plan. Replies of models saved before
    /// `replies_before` count too.
    pub fn limits(&self, now: Timestamp, replies_before: Option<Timestamp>) -> RetentionLimits {
        let last_days = |plan: &Plan| Grain::ALL.map(|grain| plan.keep(grain).last_day_past(now));
        let last_days = self.plans.all().map(|(name, plan)| (name.to_owned(), last_days(plan))).collect();
        RetentionLimits { last_days, replies_before }
    }

    /// Returns what [`Retention::prune`] would do at `now` under a confirmed clock.
    pub async fn due(&self, agent: &Agent, now: Timestamp) -> Result<Due> {
        let plan = self.store.settings(agent).await?.plan;
        self.compare(agent, self.plans.get(&plan)?, now).await
    }

    /// Returns what would be due and what would be held at `now` if `plan` were the agent's.
    pub async fn compare(&self, agent: &Agent, plan: &Plan, now: Timestamp) -> Result<Due> {
        if plan.is_forever() {
            return Ok(Due::default());
        }
        let zones = self.store.settings(agent).await?.zones()?;
        let children = self.store.children(agent).await?;
        let past = children.iter().filter(|set| is_past(set, plan, &zones, now));
        let parents: HashSet<Period> = past.map(|set| set.parent).collect();
        let ids: Vec<MemoryId> = parents.iter().map(|parent| MemoryId::summary(agent, *parent)).collect();
        let summarized = self.store.get(agent, &ids).await?.iter().map(|summary| summary.period).collect();
        let ledger = self.store.ledger(agent).await?;
        let extracted = self.store.extraction(agent).await?.extracted;
        let state = State {
            plan,
            zones: &zones,
            children: &children,
            ledger: &ledger,
            summarized: &summarized,
            extracted,
            now,
        };
        Ok(due(&state))
    }

    /// Prunes what is due at `now`, if the clock is `confirmed`. A set that changes meanwhile stays, with everything above it.
    pub async fn prune(&self, agent: &Agent, now: Timestamp, confirmed: bool) -> Result<Pruned> {
        self.prune_until(agent, now, confirmed, &|| false).await
    }

    /// Prunes like [`Retention::prune`], but begins no further set once `should_stop` returns true, except the first. The next
    /// pass prunes the rest.
    pub async fn prune_until(
        &self,
        agent: &Agent,
        now: Timestamp,
        confirmed: bool,
        should_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Pruned> {
        let due = self.due(agent, now).await?;
        if !confirmed {
            return Ok(Pruned { postponed: due.totals(), held: due.held, ..Pruned::default() });
        }
        self.prune_due(agent, due, should_stop).await
    }

    /// Seals what was found due, until `should_stop` returns true; the first set is sealed in any case. A set that has changed
    /// since stays, with everything above it.
    async fn prune_due(&self, agent: &Agent, due: Due, should_stop: &(dyn Fn() -> bool + Sync)) -> Result<Pruned> {
        let (mut gone, mut stale, mut over_stale) = (Vec::new(), Vec::new(), HashSet::new());
        for (number, pruning) in due.prunings.iter().enumerate() {
            if number > 0 && should_stop() {
                break;
            }
            let set = &pruning.children;
            if over_stale.contains(&sort_key(set)) {
                continue;
            }
            match self.store.seal(agent, set, pruning.clean_seq).await {
                Ok(()) => gone.push(set),
                Err(Error::Stale { .. }) => {
                    stale.push(set.parent);
                    over_stale.extend(above(set));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Pruned { pruned: totals(gone.into_iter()), stale, held: due.held, ..Pruned::default() })
    }
}

#[cfg(test)]
mod tests;
