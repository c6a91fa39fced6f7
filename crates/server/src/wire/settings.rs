//! What a person may set for one agent.

use std::collections::BTreeMap;

use annals_core::{Agent, EngineChoice, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{EngineWord, PastPlanView};

/// An agent's settings.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct SettingsView {
    /// Whose.
    pub agent: String,
    /// IANA name of the zone that holds now.
    #[schema(example = "Europe/Zurich")]
    pub time_zone: String,
    /// The zones so far, the first for all time before the others.
    pub time_zones: Vec<ZoneView>,
    /// Language for word stems in text search, as a two-letter code.
    #[schema(example = "en")]
    pub language: String,
    /// Name of the retention plan.
    #[schema(example = "keep")]
    pub plan: String,
    /// Who writes summaries and facts.
    #[schema(value_type = EngineWord)]
    #[schemars(with = "EngineWord")]
    pub engine: EngineChoice,
    /// Prompts of its own, by name; the others are those that come with Annals.
    pub prompts: BTreeMap<String, String>,
    /// The most tokens that models may be paid for it on one UTC day; none means the configured budget.
    pub daily_tokens: Option<u64>,
    /// Whether what looks like a credential is masked before storage.
    pub mask: bool,
    /// After a change of plan: what the new one no longer keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past_plan: Option<PastPlanView>,
}

/// A zone, and from when it holds.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct ZoneView {
    /// IANA name.
    pub time_zone: String,
    /// From when; none for the first.
    #[schema(format = DateTime)]
    pub from: Option<String>,
}

impl SettingsView {
    /// The view of an agent's settings.
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

/// A new agent.
#[derive(Clone, Debug, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAgent {
    /// Its name: 1 to 128 bytes without control characters.
    #[schema(example = "ann", min_length = 1, max_length = 128)]
    pub agent: String,
    /// The settings that it begins with.
    #[serde(default)]
    pub settings: SettingsChange,
}

/// What to change; what is not named stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsChange {
    /// IANA name of a zone. Where there are memories already it holds from the first midnight after today.
    #[serde(default)]
    #[schema(example = "Europe/Zurich")]
    pub time_zone: Option<String>,
    /// Language for word stems in text search, as a two-letter code.
    #[serde(default)]
    #[schema(example = "en")]
    pub language: Option<String>,
    /// Name of a retention plan.
    #[serde(default)]
    #[schema(example = "keep")]
    pub plan: Option<String>,
    /// Who writes summaries and facts.
    #[serde(default)]
    #[schema(value_type = Option<EngineWord>)]
    #[schemars(with = "Option<EngineWord>")]
    pub engine: Option<EngineChoice>,
    /// Prompts by name: a text takes the place of the one that comes with Annals, `null` brings that one back.
    #[serde(default)]
    pub prompts: BTreeMap<String, Option<String>>,
    /// The most tokens of one UTC day; 0 means the configured budget.
    #[serde(default)]
    #[schema(maximum = 1_000_000_000_000_u64)]
    pub daily_tokens: Option<u64>,
    /// Whether what looks like a credential is masked before storage.
    #[serde(default)]
    pub mask: Option<bool>,
}
