//! Settings that a person can change for one agent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Error, Result, Timestamp, Zones};

/// The settings of an agent. The first zone applies to all time before the later zones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// IANA name of the agent's first time zone.
    pub time_zone: String,
    /// Later zones, each with the instant from which it applies.
    #[serde(default)]
    pub later_zones: Vec<(Timestamp, String)>,
    /// Two-letter code of the language of texts and questions whose own language is unclear: text search uses its word stems.
    pub language: String,
    /// Name of the retention plan.
    #[serde(default = "keep")]
    pub plan: String,
    /// The engine that writes summaries and facts.
    #[serde(default)]
    pub engine: EngineChoice,
    /// The agent's own prompts, by name. Other prompts are those that come with Annals.
    #[serde(default)]
    pub prompts: BTreeMap<String, String>,
    /// Maximum tokens that models may use for the agent on one UTC day; `None` means the configured budget.
    #[serde(default)]
    pub daily_tokens: Option<u64>,
    /// Whether text that looks like a credential is masked before storage.
    #[serde(default = "yes")]
    pub mask: bool,
}

/// The engine that writes an agent's summaries and facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineChoice {
    /// The configured model if there is one, or else the built-in engine.
    #[default]
    Auto,
    /// The built-in engine: no model reads the agent's text to summarise it, extract facts or rerank results. Vectors are made by
    /// the configured embedder all the same.
    Extractive,
}

fn keep() -> String {
    "keep".into()
}

fn yes() -> bool {
    true
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            time_zone: "UTC".into(),
            later_zones: Vec::new(),
            language: "en".into(),
            plan: keep(),
            engine: EngineChoice::Auto,
            prompts: BTreeMap::new(),
            daily_tokens: None,
            mask: true,
        }
    }
}

impl Settings {
    /// Returns the history of time zones, which maps instants to local days.
    pub fn zones(&self) -> Result<Zones> {
        Zones::from_history(&self.time_zone, &self.later_zones)
    }

    /// Returns the zone that was set last.
    pub fn present_zone(&self) -> &str {
        self.later_zones.last().map_or(&self.time_zone, |(_, name)| name)
    }

    /// Sets the zone. For an agent without memories it applies to all time; otherwise it applies from its first
    /// midnight after today. `has_memories` is the result of [`crate::ports::Counts::has_memories`].
    pub fn set_time_zone(&mut self, name: &str, has_memories: bool, now: Timestamp) -> Result<()> {
        if self.present_zone() == name {
            return Ok(());
        }
        if !has_memories {
            Zones::new(name)?;
            self.time_zone = name.to_owned();
            self.later_zones.clear();
            return Ok(());
        }
        // A change that has not taken effect yet is replaced.
        self.later_zones.retain(|(from, _)| *from <= now);
        if self.present_zone() != name {
            let from = self.zones()?.starts_at(name, now)?;
            self.later_zones.push((from, name.to_owned()));
        }
        Ok(())
    }

    /// Sets the language, one of [`Settings::LANGUAGES`].
    pub fn set_language(&mut self, code: &str) -> Result<()> {
        if !Settings::LANGUAGES.contains(&code) {
            let known = Settings::LANGUAGES.join(", ");
            return Err(Error::invalid("language", format!("is {code:?}; expected one of {known}")));
        }
        self.language = code.to_owned();
        Ok(())
    }

    /// Languages with a Snowball stemmer.
    pub const LANGUAGES: [&str; 18] =
        ["ar", "da", "nl", "en", "fi", "fr", "de", "el", "hu", "it", "no", "pt", "ro", "ru", "es", "sv", "ta", "tr"];
}
