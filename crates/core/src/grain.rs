//! The six grains of memory, from single turns to yearly summaries.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The resolution of a memory. Ordered from fine to coarse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grain {
    /// Turns, statements and passages of documents.
    Working,
    /// Summaries of days.
    Daily,
    /// Summaries of ISO weeks.
    Weekly,
    /// Summaries of months, made of whole weeks.
    Monthly,
    /// Summaries of quarters.
    Quarterly,
    /// Summaries of years.
    Yearly,
}

impl Grain {
    /// All grains, from fine to coarse.
    pub const ALL: [Grain; 6] =
        [Grain::Working, Grain::Daily, Grain::Weekly, Grain::Monthly, Grain::Quarterly, Grain::Yearly];

    /// The grains that have periods and summaries, from fine to coarse.
    pub const SUMMARIES: [Grain; 5] = [Grain::Daily, Grain::Weekly, Grain::Monthly, Grain::Quarterly, Grain::Yearly];

    /// Returns the grain that this one is rolled up into; `None` for years.
    pub fn coarser(self) -> Option<Grain> {
        Grain::ALL.get(self as usize + 1).copied()
    }

    /// Returns the grain that this one is made of; `None` for working memory.
    pub fn finer(self) -> Option<Grain> {
        (self as usize).checked_sub(1).map(|index| Grain::ALL[index])
    }

    /// Returns the word used everywhere: code, API, command, tables.
    pub fn as_str(self) -> &'static str {
        ["working", "daily", "weekly", "monthly", "quarterly", "yearly"][self as usize]
    }
}

impl fmt::Display for Grain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Grain {
    type Err = Error;

    fn from_str(text: &str) -> Result<Grain> {
        Grain::ALL.into_iter().find(|grain| grain.as_str() == text).ok_or_else(|| {
            Error::invalid(
                "grain",
                format!("is {text:?}; expected one of working, daily, weekly, monthly, quarterly, yearly"),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grain_words_round_trip() {
        for grain in Grain::ALL {
            assert_eq!(grain.as_str().parse::<Grain>().unwrap(), grain);
            assert_eq!(serde_json::to_value(grain).unwrap(), grain.as_str());
        }
        assert!("hourly".parse::<Grain>().unwrap_err().to_string().starts_with("grain is \"hourly\""));
    }

    #[test]
    fn coarser_and_finer_form_a_chain() {
        for pair in Grain::ALL.windows(2) {
            assert_eq!(pair[0].coarser(), Some(pair[1]));
            assert_eq!(pair[1].finer(), Some(pair[0]));
        }
        assert_eq!((Grain::Working.finer(), Grain::Yearly.coarser()), (None, None));
    }
}
