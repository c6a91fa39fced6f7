//! Retention on request: reports what is past a plan, or prunes it if the clock is confirmed.

use annals_core::{Agent, Result, Timestamp};
use annals_retention::{ClockReading, Doubt};

use crate::Service;
use crate::locks::History;
use crate::wire::{RetainAnswer, RetainRequest, RetentionAnswer};

impl Service {
    /// Prunes memories that are past the plans of these agents. Only reports them for a dry run, or if the request names a
    /// plan. If the clock is not confirmed, prunes only if the request trusts it. `synchronised` is whether the system reports
    /// its clock as synchronised; `None` if it does not report it.
    pub(crate) async fn retain_agents(
        &self,
        agents: &[Agent],
        request: &RetainRequest,
        synchronised: Option<bool>,
        now: Timestamp,
    ) -> Result<RetentionAnswer> {
        let dry = request.dry_run || request.plan.is_some();
        let clock = self.parts.retention.read_clock(now, synchronised).await?;
        let confirmed = request.trust_clock || clock.trust(None).prunes();
        let mut answers = Vec::new();
        for agent in agents {
            answers.push(match dry {
                true => self.plan_retention(agent, request.plan.as_deref(), now).await?,
                false => self.retain(agent, confirmed, now).await?,
            });
        }
        let clock_doubt = (!confirmed).then(|| doubt(&clock));
        Ok(RetentionAnswer { clock_confirmed: confirmed, clock_doubt, agents: answers })
    }

    /// Returns what would be pruned under a plan; without one, under the plan of the agent. Changes nothing.
    pub(crate) async fn plan_retention(
        &self,
        agent: &Agent,
        plan: Option<&str>,
        now: Timestamp,
    ) -> Result<RetainAnswer> {
        let plan = match plan {
            Some(plan) => plan.to_owned(),
            None => self.parts.store.settings(agent).await?.plan,
        };
        let due = self.parts.retention.compare(agent, self.parts.plans.get(&plan)?, now).await?;
        Ok(RetainAnswer::new(agent, plan, false, &due.totals(), &due.held))
    }

    /// Prunes memories that are past the plan of an agent. If the clock is not `confirmed`, prunes nothing and returns what
    /// would be pruned.
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

/// Says why nothing is pruned under this reading of the clock, and from when on it is.
fn doubt(clock: &ClockReading) -> String {
    let steady_from = clock.steady_from;
    match clock.trust(None).doubt() {
        Some(Doubt::Unsynchronised) => "Nothing is pruned until the clock is synchronised.".into(),
        Some(Doubt::Behind) => format!("The clock went back: nothing is pruned until {steady_from:.0}."),
        None => format!("The clock jumped or was not watched before: nothing is pruned until {steady_from:.0}."),
    }
}
