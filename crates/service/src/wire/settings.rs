//! Settings of an agent, and requests to create, rename and change agents.

use std::collections::BTreeMap;

use annals_core::{Agent, EngineChoice, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{EngineWord, PastPlanView};

/// Settings of an agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct SettingsView {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// IANA name of the current time zone.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: String,
    /// All time zones so far. The first one applies to all time before the second.
    pub time_zones: Vec<ZoneView>,
    /// Language of texts whose own language is unclear, for word stems in text search, as a two-letter code.
    #[schema(example = "en")]
    pub language: String,
    /// Name of the retention plan, which says how long memories of each grain are kept.
    #[schema(example = "keep")]
    pub plan: String,
    /// What writes summaries and extracts facts: a model, or the built-in engine.
    #[schema(value_type = EngineWord)]
    #[schemars(with = "EngineWord")]
    pub engine: EngineChoice,
    /// The agent's own prompts, by name. All others are the built-in ones.
    pub prompts: BTreeMap<String, String>,
    /// Maximum number of tokens that may be paid for models per UTC day. Null means the configured budget.
    pub daily_tokens: Option<u64>,
    /// Whether text that looks like a credential is masked before storage.
    pub mask: bool,
    /// After a change of plan: what the new plan no longer keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past_plan: Option<PastPlanView>,
}

/// A time zone, and when it starts to apply.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ZoneView {
    /// IANA name of the zone.
    pub time_zone: String,
    /// When the zone starts to apply. Null for the first zone.
    #[schema(format = DateTime)]
    pub from: Option<String>,
}

impl SettingsView {
    /// Builds the view of an agent's settings.
    pub fn new(agent: &Agent, settings: &Settings) -> SettingsView {
        let first = ZoneView { time_zone: settings.time_zone.clone(), from: None };
        let later = settings.later_zones.iter();
        let later = later.map(|(from, name)| ZoneView { time_zone: name.clone(), from: Some(from.to_string()) });
        SettingsView {
            agent: agent.name().to_owned(),
            time_zone: settings.present_zone().to_owned(),
            time_zones: std::iter::once(first).chain(later).collect(),
            language: settings.language.clone(),
            plan: settings.plan.clone(),
            engine: settings.engine,
            prompts: settings.prompts.clone(),
            daily_tokens: settings.daily_tokens,
            mask: settings.mask,
            past_plan: None,
        }
    }
}

/// A request to create an agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAgent {
    /// Name of the agent: 1 to 128 bytes without control characters.
    #[schema(example = "ann", min_length = 1, max_length = 128)]
    pub agent: String,
    /// Initial settings of the agent. Those that are not named have their defaults.
    #[serde(default)]
    pub settings: SettingsChange,
}

/// The new name of an agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewName {
    /// The name: 1 to 128 bytes without control characters. No other agent may have it or have had it.
    #[schema(example = "anna", min_length = 1, max_length = 128)]
    pub name: String,
}

/// Settings to change. Settings that are not named stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsChange {
    /// IANA name of a time zone. If the agent already has memories, the zone applies from the first midnight after today.
    #[serde(default)]
    #[schema(example = "Europe/Zurich")]
    pub time_zone: Option<String>,
    /// Language of texts whose own language is unclear, for word stems in text search, as a two-letter code.
    #[serde(default)]
    #[schema(example = "en")]
    pub language: Option<String>,
    /// Name of a retention plan, which says how long memories of each grain are kept.
    #[serde(default)]
    #[schema(example = "keep")]
    pub plan: Option<String>,
    /// What writes summaries and extracts facts: a model, or the built-in engine.
    #[serde(default)]
    #[schema(value_type = Option<EngineWord>)]
    #[schemars(with = "Option<EngineWord>")]
    pub engine: Option<EngineChoice>,
    /// Prompts by name: a text replaces the built-in prompt, `null` restores it.
    #[serde(default)]
    pub prompts: BTreeMap<String, Option<String>>,
    /// Maximum number of tokens per UTC day. 0 means the configured budget.
    #[serde(default)]
    #[schema(maximum = 1_000_000_000_u64)]
    pub daily_tokens: Option<u64>,
    /// Whether text that looks like a credential is masked before storage.
    #[serde(default)]
    pub mask: Option<bool>,
}
