//! Retention plans, and what is past the plan of an agent.

use std::collections::BTreeMap;

use annals_core::Grain;
use annals_retention::{Due, Plan};
use schemars::JsonSchema;
use serde::Serialize;
use utoipa::ToSchema;

/// What a plan keeps.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct PlanView {
    /// Its name.
    #[schema(example = "free")]
    pub name: String,
    /// How long each grain is kept after the end of what it covers: `48h`, `30d`, `6w`, `6mo`, `4q`, `2y` or `forever`.
    pub keeps: BTreeMap<String, String>,
}

impl PlanView {
    /// The view of a plan.
    pub fn new(name: &str, plan: &Plan) -> PlanView {
        let keeps = Grain::ALL.map(|grain| (grain.to_string(), plan.keep(grain).to_string()));
        PlanView { name: name.to_owned(), keeps: keeps.into() }
    }
}

/// All plans by name.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct PlansAnswer {
    /// The plans.
    pub plans: Vec<PlanView>,
}

/// What the plan of an agent no longer keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema, ToSchema)]
pub struct PastPlanView {
    /// Memories that the next retention prunes.
    pub memories: u64,
    /// The same by grain.
    pub grains: BTreeMap<String, u64>,
    /// Bytes of their text.
    pub bytes: u64,
    /// Memories that are past the plan as well and stay for now: pinned, or not told of by a summary yet.
    pub held: u64,
}

impl From<&Due> for PastPlanView {
    fn from(due: &Due) -> PastPlanView {
        let totals = due.totals();
        let grains = Grain::ALL.iter().zip(&totals).filter(|(_, totals)| totals.rows > 0);
        PastPlanView {
            memories: totals.iter().map(|totals| totals.rows).sum(),
            grains: grains.map(|(grain, totals)| (grain.to_string(), totals.rows)).collect(),
            bytes: totals.iter().map(|totals| totals.bytes).sum(),
            held: due.held.iter().map(|held| held.children.rows).sum(),
        }
    }
}
