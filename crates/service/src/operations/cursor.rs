//! The position of a memory in a timeline, and the cursor that encodes it for clients. The next page begins after the position,
//! also if memories were added or removed meanwhile.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use annals_core::{Error, Grain, Memory, Period, Timestamp};
use data_encoding::BASE64URL_NOPAD;

/// A position in a timeline. Positions are ordered by start, then by grain with the coarsest first, then as in the catalog.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cursor {
    pub(super) start: Timestamp,
    grain: Reverse<Grain>,
    period: Period,
    conversation: Option<String>,
    message: Option<String>,
    id: String,
}

impl Cursor {
    pub(super) fn of(memory: &Memory) -> Cursor {
        Cursor {
            start: memory.cover.start,
            grain: Reverse(memory.grain),
            period: memory.period,
            conversation: memory.conversation().map(str::to_owned),
            message: memory.message().map(str::to_owned),
            id: memory.id.to_string(),
        }
    }
}

type Fields = (Timestamp, String, String, Option<String>, Option<String>, String);

/// Formats the position as a cursor, in base64url without padding.
impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grain = self.grain.0.as_str();
        let fields =
            serde_json::json!([self.start, grain, self.period.to_string(), self.conversation, self.message, self.id]);
        f.write_str(&BASE64URL_NOPAD.encode(fields.to_string().as_bytes()))
    }
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(cursor: &str) -> Result<Cursor, Error> {
        let read = || -> Option<Cursor> {
            let bytes = BASE64URL_NOPAD.decode(cursor.as_bytes()).ok()?;
            let (start, grain, period, conversation, message, id): Fields = serde_json::from_slice(&bytes).ok()?;
            Some(Cursor {
                start,
                grain: Reverse(grain.parse().ok()?),
                period: period.parse().ok()?,
                conversation,
                message,
                id,
            })
        };
        read().ok_or_else(|| Error::invalid("cursor", "is not valid; use the next_cursor of an answer"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_round_trips_and_invalid_cursor_is_refused() {
        let expected = Cursor {
            start: "2026-03-04T18:30:00.000001Z".parse().unwrap(),
            grain: Reverse(Grain::Working),
            period: "2026-03-04".parse().unwrap(),
            conversation: Some("a b/c?&名".into()),
            message: None,
            id: "t-1".into(),
        };
        assert_eq!(expected.to_string().parse::<Cursor>().unwrap(), expected);
        for wrong in ["", "x", "W10", "2026-03-04"] {
            let error = wrong.parse::<Cursor>().unwrap_err().to_string();
            assert!(error.starts_with("cursor is not valid"), "{wrong}: {error}");
        }
    }
}
