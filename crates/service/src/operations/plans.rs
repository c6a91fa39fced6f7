//! Retention plans, and the memories that are past an agent's plan.

use annals_core::{Agent, Result, Timestamp};

use crate::Service;
use crate::wire::{PastPlanView, PlanView, PlansAnswer};

impl Service {
    /// Returns all plans, ordered by name.
    pub fn plan_list(&self) -> PlansAnswer {
        PlansAnswer { plans: self.parts.plans.all().map(|(name, plan)| PlanView::new(name, plan)).collect() }
    }

    /// Returns how many memories are past the plan of an agent, and how many of these are kept for now.
    pub async fn past_plan(&self, agent: &Agent, now: Timestamp) -> Result<PastPlanView> {
        Ok(PastPlanView::from(&self.parts.retention.due(agent, now).await?))
    }
}
