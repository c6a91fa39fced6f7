//! A moment, or a day: `2026-03-04T18:30:00Z` or `2026-03-04`.

use std::fmt;
use std::str::FromStr;

use annals_core::{Date, Error, Timestamp, Zones};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment or a local day. A day means its beginning in the agent's time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// An instant.
    Moment(Timestamp),
    /// A local day.
    Day(Date),
}

impl When {
    /// Returns the instant. A day is resolved to its beginning in these zones.
    pub fn instant(self, zones: &Zones) -> Timestamp {
        match self {
            When::Moment(moment) => moment,
            When::Day(day) => zones.day_interval(day).start,
        }
    }
}

impl From<Timestamp> for When {
    fn from(moment: Timestamp) -> When {
        When::Moment(moment)
    }
}

impl FromStr for When {
    type Err = Error;

    fn from_str(text: &str) -> Result<When, Error> {
        let moment = text.parse().ok().map(When::Moment);
        // `Date` also parses a date with a time of day and no offset. That is neither a moment nor a day.
        let day = || text.parse::<Date>().ok().filter(|day| day.to_string() == text).map(When::Day);
        moment.or_else(day).ok_or_else(|| Error::invalid("the time", wrong_words(text)))
    }
}

fn wrong_words(text: &str) -> String {
    format!("is {text:?}; expected a time such as 2026-03-04T18:30:00Z or a date such as 2026-03-04")
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::Moment(moment) => moment.fmt(f),
            When::Day(day) => day.fmt(f),
        }
    }
}

impl Serialize for When {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<When, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| serde::de::Error::custom(wrong_words(&text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_means_its_local_midnight_and_other_texts_are_refused() {
        fn check(text: &str, expect: &str) {
            let zones = Zones::new("Asia/Tokyo").unwrap();
            let instant = text.parse::<When>().map(|when| when.instant(&zones).to_string());
            assert_eq!(instant.unwrap_or_else(|error| error.to_string()), expect, "{text}");
        }
        check("2026-03-04", "2026-03-03T15:00:00Z");
        check("2026-03-04T18:30:00+01:00", "2026-03-04T17:30:00Z");
        let wrong = |text: &str| format!("the time {}", wrong_words(text));
        for text in ["2026-02-30", "soon", "2026-03", "2026-03-04T18:30"] {
            check(text, &wrong(text));
        }
    }
}
