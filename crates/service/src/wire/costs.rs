//! What models cost: tokens by day, purpose, model and agent, and the prices that people entered.

use annals_core::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The price of a model per million tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceView {
    /// Name of the model, as in the usage.
    #[schema(example = "gpt-5-mini", min_length = 1, max_length = 200)]
    pub model: String,
    /// Price of a million tokens of requests.
    #[schema(example = 0.15, minimum = 0, maximum = 1_000_000)]
    pub input: f64,
    /// Price of a million tokens of requests that the provider reads from its prompt cache. Null: the same as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 0.015, minimum = 0, maximum = 1_000_000)]
    pub cached_input: Option<f64>,
    /// Price of a million tokens of requests that the provider writes to its prompt cache. Null: the same as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub cache_write: Option<f64>,
    /// Price of a million tokens of answers.
    #[schema(example = 0.6, minimum = 0, maximum = 1_000_000)]
    pub output: f64,
}

/// The prices of models. They are entered by people and belong to the whole service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PricesView {
    /// The currency of all prices, in the form in which it is shown.
    #[schema(example = "USD", min_length = 1, max_length = 8)]
    pub currency: String,
    /// At most one price for each model. The cost of a model without a price is unknown.
    pub prices: Vec<PriceView>,
}

/// Which costs to return.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CostsRequest {
    /// Returns only the costs of this agent.
    #[serde(default)]
    pub agent: Option<String>,
    /// First UTC day, inclusive. Default: 29 days before `to`.
    #[serde(default)]
    #[param(value_type = Option<String>, format = Date)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub from: Option<Date>,
    /// Last UTC day, inclusive. Default: today.
    #[serde(default)]
    #[param(value_type = Option<String>, format = Date)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub to: Option<Date>,
}

/// Tokens that one agent used on one UTC day for one purpose and model. Single calls and batches are counted apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct CostView {
    /// Current name of the agent. Empty for the costs of agents that have been deleted since.
    pub agent: String,
    /// UTC day on which the tokens were used.
    #[schema(value_type = String, format = Date)]
    #[schemars(with = "String", extend("format" = "date"))]
    pub day: Date,
    /// What the tokens were used for: `extraction`, `rerank`, or the grain of a summary.
    pub purpose: String,
    /// Name of the model, as in the prices.
    pub model: String,
    /// Whether the answers came in batches, at half the price.
    #[serde(default)]
    pub batch: bool,
    /// Number of calls that were answered.
    pub calls: u64,
    /// Tokens of the requests.
    pub tokens_in: u64,
    /// Of `tokens_in`, those that the provider read from its prompt cache.
    #[serde(default)]
    pub cache_read: u64,
    /// Of `tokens_in`, those that the provider wrote to its prompt cache, if it counts them.
    #[serde(default)]
    pub cache_written: u64,
    /// Tokens of the answers.
    pub tokens_out: u64,
    /// Cost of these tokens. Null if the model has no price.
    pub cost: Option<f64>,
}

/// The configured token budgets per UTC day. Reranking has a budget of its own of the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct BudgetView {
    /// Tokens that an agent may use if its settings have no budget.
    pub agent: u64,
    /// Tokens that all agents of a workspace may use together.
    pub workspace: u64,
    /// Tokens that all agents may use together.
    pub process: u64,
}

/// Costs of a range of days.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct CostsAnswer {
    /// First UTC day of the costs, inclusive.
    #[schema(value_type = String, format = Date)]
    #[schemars(with = "String", extend("format" = "date"))]
    pub from: Date,
    /// Last UTC day of the costs, inclusive.
    #[schema(value_type = String, format = Date)]
    #[schemars(with = "String", extend("format" = "date"))]
    pub to: Date,
    /// Tokens of all requests in `costs`.
    pub tokens_in: u64,
    /// Tokens of all answers in `costs`.
    pub tokens_out: u64,
    /// Currency of the prices; empty if there are none.
    pub currency: String,
    /// Total cost of the models that have a price.
    pub cost: f64,
    /// Models with tokens in `costs` and without a price. `cost` does not include them.
    pub unpriced: Vec<String>,
    /// The budget per UTC day. Null if no model is configured.
    pub budget: Option<BudgetView>,
    /// Number of stored summaries that the built-in engine wrote and nobody corrected. They cost nothing. Null if there are
    /// more than twenty agents, because counting takes too long.
    pub built_in: Option<u64>,
    /// The costs by agent, day, purpose and model.
    pub costs: Vec<CostView>,
}
