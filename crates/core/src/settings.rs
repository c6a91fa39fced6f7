//! What a person may set for one agent.

use serde::{Deserialize, Serialize};

use crate::{Error, Result, Timestamp, Zones};

/// The settings of an agent. The first zone holds for all time before the later ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// IANA name of the zone in which the agent's first days are counted.
    pub time_zone: String,
    /// Later zones, each with the instant from which it holds.
    #[serde(default)]
    pub later_zones: Vec<(Timestamp, String)>,
    /// Language for word stems in text search, as a two-letter code.
    pub language: String,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { time_zone: "UTC".into(), later_zones: Vec::new(), language: "en".into() }
    }
}

impl Settings {
    /// The zones for the calendar.
    pub fn zones(&self) -> Result<Zones> {
        Zones::from_history(&self.time_zone, &self.later_zones)
    }

    /// The zone set last.
    pub fn present_zone(&self) -> &str {
        self.later_zones.last().map_or(&self.time_zone, |(_, name)| name)
    }

    /// Sets the zone. Where there are no memories yet it holds for all time; else from the first midnight after today.
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
        // A change that has not begun yet is replaced, not stacked upon.
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
            return Err(Error::invalid("language", format!("is {code:?}; it is one of {known}")));
        }
        self.language = code.to_owned();
        Ok(())
    }

    /// Languages with a Snowball stemmer.
    pub const LANGUAGES: [&str; 18] =
        ["ar", "da", "nl", "en", "fi", "fr", "de", "el", "hu", "it", "no", "pt", "ro", "ru", "es", "sv", "ta", "tr"];
}
