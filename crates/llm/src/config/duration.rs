//! A duration as written in the configuration.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whole seconds, or a text such as `2m 30s`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DurationSetting {
    /// Whole seconds.
    Seconds(u64),
    /// A duration in words, such as `2m 30s`.
    Words(String),
}

impl DurationSetting {
    /// Returns the duration; fails if the text is not a duration or is negative.
    pub(super) fn duration(&self) -> Result<Duration, ()> {
        match self {
            DurationSetting::Seconds(seconds) => Ok(Duration::from_secs(*seconds)),
            DurationSetting::Words(words) => {
                let duration: jiff::SignedDuration = words.parse().map_err(|_| ())?;
                Duration::try_from(duration).map_err(|_| ())
            }
        }
    }
}
