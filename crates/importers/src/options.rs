//! What a caller chooses about an import.

use std::collections::BTreeMap;
use std::str::FromStr;

use annals_core::{Error, Result, Timestamp};
use jiff::tz::TimeZone;

/// The options of an import. A kind ignores the options that do not concern it.
#[derive(Clone)]
pub struct Options {
    /// The time of the import. Times in the source that are more than five minutes later are rejected, and memories that have
    /// expired by then are skipped. Never used as the time of an item.
    pub now: Timestamp,
    /// The name of the person: of the speaker of messages with the role `user`, or, in a chat of several people, of the owner
    /// of the export.
    pub me: Option<String>,
    /// Names of speakers in a chat of several people. Their messages get the role `assistant`.
    pub assistants: Vec<String>,
    /// The zone of times that the source writes without an offset, and of the days of a summary.
    pub zone: TimeZone,
    /// Which branches of a conversation with regenerated or edited messages are read.
    pub branches: Branches,
    /// Whether calls and results of tools are imported, as messages of the role `tool`.
    pub tools: bool,
    /// Whether the thinking of a model is imported, as messages of the assistant.
    pub thinking: bool,
    /// The order of day and month in dates such as 03/04/2026, if the source does not show it.
    pub date_order: Option<DateOrder>,
    /// The column of each field of a message in a CSV file: `content` → `Text`.
    pub columns: BTreeMap<String, String>,
}

impl Options {
    /// Creates the default options for an import at `now`: active branches in UTC, without tools and thinking.
    pub fn new(now: Timestamp) -> Options {
        Options {
            now,
            me: None,
            assistants: Vec::new(),
            zone: TimeZone::UTC,
            branches: Branches::Active,
            tools: false,
            thinking: false,
            date_order: None,
            columns: BTreeMap::new(),
        }
    }
}

/// Which branches of a conversation are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branches {
    /// The branch that the source shows; if it does not name one, the branch with the most messages.
    Active,
    /// All branches. Each other branch becomes a separate conversation, with the messages that no earlier branch has.
    All,
}

impl FromStr for Branches {
    type Err = Error;

    fn from_str(text: &str) -> Result<Branches> {
        match text {
            "active" => Ok(Branches::Active),
            "all" => Ok(Branches::All),
            _ => Err(Error::invalid("branches", format!("is {text:?}; expected active or all"))),
        }
    }
}

/// The order of day, month and year in a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// 31/12/2026.
    DayMonthYear,
    /// 12/31/2026.
    MonthDayYear,
    /// 2026/12/31.
    YearMonthDay,
}

impl FromStr for DateOrder {
    type Err = Error;

    fn from_str(text: &str) -> Result<DateOrder> {
        match text {
            "dmy" => Ok(DateOrder::DayMonthYear),
            "mdy" => Ok(DateOrder::MonthDayYear),
            "ymd" => Ok(DateOrder::YearMonthDay),
            _ => Err(Error::invalid("date_order", format!("is {text:?}; expected dmy, mdy or ymd"))),
        }
    }
}
