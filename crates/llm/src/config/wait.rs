//! A length of time as people write it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Seconds, or words such as `2m 30s`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Wait {
    /// Whole seconds.
    Seconds(u64),
    /// Anything that jiff reads as a duration.
    Words(String),
}

impl Wait {
    /// How long it is.
    pub(super) fn duration(&self) -> Result<Duration, ()> {
        match self {
            Wait::Seconds(seconds) => Ok(Duration::from_secs(*seconds)),
            Wait::Words(words) => {
                let duration: jiff::SignedDuration = words.parse().map_err(|_| ())?;
                Duration::try_from(duration).map_err(|_| ())
            }
        }
    }
}
