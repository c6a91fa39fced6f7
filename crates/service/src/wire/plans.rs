//! Retention plans, and what is past the plan of an agent.

use std::collections::BTreeMap;

use annals_core::Grain;
use annals_retention::{Due, Plan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A retention plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PlanView {
    /// Name of the plan, as the settings of an agent give it.
    #[schema(example = "free")]
    pub name: String,
    /// How long each grain is kept after the end of the time that it covers: `48h`, `30d`, `6w`, `6mo`, `4q`, `2y` or
    /// `forever`.
    pub keeps: BTreeMap<String, String>,
}

impl PlanView {
    pub fn new(name: &str, plan: &Plan) -> PlanView {
        let keeps = Grain::ALL.map(|grain| (grain.to_string(), plan.keep(grain).to_string()));
        PlanView { name: name.to_owned(), keeps: keeps.into() }
    }
}

/// All plans, ordered by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PlansAnswer {
    /// The built-in plans and the user's own.
    pub plans: Vec<PlanView>,
}

/// What the plan of an agent no longer keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PastPlanView {
    /// Number of memories that the next retention run prunes.
    pub memories: u64,
    /// Number of these memories per grain.
    pub grains: BTreeMap<String, u64>,
    /// Size of the text of these memories in bytes.
    pub bytes: u64,
    /// Number of memories that are past the plan but stay for now, for example because of a pin, or because no summary covers
    /// them yet.
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
