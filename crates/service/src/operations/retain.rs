//! Retention of one agent, on request: shows what is past a plan, or prunes it.

use annals_core::{Agent, Result, Timestamp};
use annals_retention::Look;

use crate::Service;
use crate::locks::History;
use crate::wire::{PlanView, RetainAnswer};

impl Service {
    /// Compares the present time with the times that retention has seen before. `synchronised` is what the system reports.
    pub async fn look_at_clock(&self, now: Timestamp, synchronised: Option<bool>) -> Result<Look> {
        self.parts.retention.look_at_clock(now, synchronised).await
    }

    /// Returns what a plan keeps.
    pub fn plan(&self, name: &str) -> Result<PlanView> {
        Ok(PlanView::new(name, self.parts.plans.get(name)?))
    }

    /// Returns what would be pruned under a plan; without one, under the plan of the agent. Changes nothing.
    pub async fn plan_retention(&self, agent: &Agent, plan: Option<&str>, now: Timestamp) -> Result<RetainAnswer> {
        let plan = match plan {
            Some(plan) => plan.to_owned(),
            None => self.parts.store.settings(agent).await?.plan,
        };
        let due = self.parts.retention.compare(agent, self.parts.plans.get(&plan)?, now).await?;
        Ok(RetainAnswer::new(agent, plan, false, &due.totals(), &due.held))
    }

    /// Prunes what is past the plan of an agent. If the clock is not `confirmed`, prunes nothing and returns what waits.
    pub async fn retain(&self, agent: &Agent, confirmed: bool, now: Timestamp) -> Result<RetainAnswer> {
        let history = self.locks.lock::<History>(agent).await;
        let plan = self.parts.store.settings(agent).await?.plan;
        let done = self.parts.retention.prune(agent, now, confirmed).await?;
        drop(history);
        self.make_searchable(agent, &|_| ()).await?;
        let totals = if confirmed { done.pruned } else { done.postponed };
        Ok(RetainAnswer::new(agent, plan, confirmed, &totals, &done.held))
    }
}
