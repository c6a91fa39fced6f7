//! Periods: one interval of a grain, as civil dates. The grains form a tree over the days.
//!
//! Weeks are ISO weeks. A week belongs to the month of its Thursday; quarters and years follow. So a day has exactly
//! one ancestor in each grain. A period has two extents: the *nominal* one that its label names, and the *cover*, the
//! whole weeks it is made of. Everything here is pure; time zones are in `zones.rs`.

use std::fmt;
use std::str::FromStr;

use jiff::ToSpan;
use jiff::civil::{Date, ISOWeekDate, Weekday};
use jiff::tz::TimeZone;

use crate::{Error, Grain, Result, Timestamp};

/// One day, ISO week, month, quarter or year. The periods of a grain sort by time, and so do their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Period {
    grain: Grain,
    /// The first day of the nominal interval: the day, the Monday, the first of the month, quarter or year.
    first: Date,
}

impl Period {
    /// The valid years, counted by whole weeks: 0001-12-31 is valid, because its week belongs to year 2. Years 1 and
    /// 9999 are excluded, so that no week, cover or zone offset of a valid day exceeds what the calendar can represent.
    pub const YEARS: std::ops::RangeInclusive<i16> = 2..=9998;

    /// Returns whether the year of an instant in UTC is one of [`Period::YEARS`]. Other instants are not stored.
    pub fn is_in_years(at: Timestamp) -> bool {
        Period::YEARS.contains(&at.to_zoned(TimeZone::UTC).year())
    }

    /// Returns the period of `grain` that `day` belongs to: the day itself, its ISO week, or for coarser grains the period of
    /// the Thursday of that week.
    ///
    /// Panics for [`Grain::Working`], which has no periods.
    pub fn of(grain: Grain, day: Date) -> Period {
        Period { grain, first: first_day(grain, if grain > Grain::Weekly { thursday(day) } else { day }) }
    }

    /// Returns the grain, which is never `Working`.
    pub fn grain(self) -> Grain {
        self.grain
    }

    /// Returns the first day of the nominal interval.
    pub fn first_day(self) -> Date {
        self.first
    }

    /// Returns the last day of the nominal interval.
    pub fn last_day(self) -> Date {
        minus_days(self.next_first(), 1)
    }

    /// Returns the first and last day of the cover: whole weeks for months and coarser, the nominal days otherwise.
    pub fn cover_days(self) -> (Date, Date) {
        match self.grain {
            Grain::Working | Grain::Daily | Grain::Weekly => (self.first, self.last_day()),
            _ => (first_monday_of(self.first), minus_days(first_monday_of(self.next_first()), 1)),
        }
    }

    /// Returns the period of the next coarser grain that this one is rolled up into; `None` for a year.
    pub fn parent(self) -> Option<Period> {
        self.grain.coarser().map(|coarser| Period::of(coarser, self.thursday_within()))
    }

    /// Returns the ancestor at a coarser grain, or the period itself at its own grain.
    pub fn ancestor(self, grain: Grain) -> Period {
        if grain == self.grain { self } else { Period::of(grain, self.thursday_within()) }
    }

    /// Returns the periods of the next finer grain that this one is made of, in order; empty for a day.
    pub fn children(self) -> Vec<Period> {
        let Some(finer) = self.grain.finer().filter(|finer| *finer != Grain::Working) else { return Vec::new() };
        let (first, last) = self.cover_days();
        let mut children = vec![Period::of(finer, first)];
        while let Some(child) = children.last().map(|child| child.next()).filter(|child| child.cover_days().0 <= last) {
            children.push(child);
        }
        children
    }

    /// Returns the next period of the same grain.
    pub fn next(self) -> Period {
        Period { grain: self.grain, first: self.next_first() }
    }

    /// Returns the period of the same grain before this one; `None` before the first valid year.
    pub fn previous(self) -> Option<Period> {
        let day = self.cover_days().0.yesterday().ok()?;
        Period::YEARS.contains(&day.year()).then(|| Period::of(self.grain, day))
    }

    /// Returns a day in the week that determines the coarser periods of this one.
    fn thursday_within(self) -> Date {
        match self.grain {
            Grain::Working | Grain::Daily | Grain::Weekly => thursday(self.first),
            // The fifteenth of a month always lies in a week of that month.
            _ => plus_days(self.first, 14),
        }
    }

    fn next_first(self) -> Date {
        match self.grain {
            Grain::Working | Grain::Daily => plus_days(self.first, 1),
            Grain::Weekly => plus_days(self.first, 7),
            Grain::Monthly => plus_months(self.first, 1),
            Grain::Quarterly => plus_months(self.first, 3),
            Grain::Yearly => plus_months(self.first, 12),
        }
    }
}

fn first_day(grain: Grain, day: Date) -> Date {
    let month = match grain {
        Grain::Working => unreachable!("working memory has no periods"),
        Grain::Daily => return day,
        Grain::Weekly => return monday(day),
        Grain::Monthly => day.month(),
        Grain::Quarterly => (day.month() - 1) / 3 * 3 + 1,
        Grain::Yearly => 1,
    };
    Date::constant(day.year(), month, 1)
}

fn monday(day: Date) -> Date {
    minus_days(day, i64::from(day.weekday().to_monday_zero_offset()))
}

fn thursday(day: Date) -> Date {
    plus_days(monday(day), 3)
}

/// Returns the Monday of the first week with a Thursday on or after `first`.
fn first_monday_of(first: Date) -> Date {
    let monday = monday(first);
    if thursday(first) >= first { monday } else { plus_days(monday, 7) }
}

fn plus_days(day: Date, days: i64) -> Date {
    day.saturating_add(days.days())
}

fn minus_days(day: Date, days: i64) -> Date {
    day.saturating_sub(days.days())
}

fn plus_months(day: Date, months: i64) -> Date {
    day.saturating_add(months.months())
}

/// Writes the label: `2026-03-04`, `2026-W10`, `2026-03`, `2026-Q1`, `2026`.
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month) = (self.first.year(), self.first.month());
        let label = match self.grain {
            Grain::Working | Grain::Daily => format!("{year:04}-{month:02}-{:02}", self.first.day()),
            Grain::Weekly => {
                let week = self.first.iso_week_date();
                format!("{:04}-W{:02}", week.year(), week.week())
            }
            Grain::Monthly => format!("{year:04}-{month:02}"),
            Grain::Quarterly => format!("{year:04}-Q{}", (month + 2) / 3),
            Grain::Yearly => format!("{year:04}"),
        };
        f.pad(&label)
    }
}

/// Parses a label of any grain; the form of the label determines the grain.
impl FromStr for Period {
    type Err = Error;

    fn from_str(label: &str) -> Result<Period> {
        let exists = |period: &Period| Period::YEARS.contains(&period.ancestor(Grain::Yearly).first.year());
        parse(label).filter(exists).ok_or_else(|| {
            Error::invalid(
                "period",
                format!(
                    "is {label:?}; expected an existing period such as 2026-03-04, 2026-W10, 2026-03, 2026-Q1 or 2026"
                ),
            )
        })
    }
}

fn parse(label: &str) -> Option<Period> {
    let mut parts = label.split('-');
    let year: i16 = number(parts.next()?, 4)?;
    let (second, third) = (parts.next(), parts.next());
    if parts.next().is_some() {
        return None;
    }
    let (grain, first) = match (second, third) {
        (None, _) => (Grain::Yearly, Date::new(year, 1, 1).ok()?),
        (Some(month), Some(day)) => (Grain::Daily, Date::new(year, number(month, 2)?, number(day, 2)?).ok()?),
        (Some(part), None) => parse_part(year, part)?,
    };
    Some(Period { grain, first })
}

fn parse_part(year: i16, part: &str) -> Option<(Grain, Date)> {
    if let Some(week) = part.strip_prefix('W') {
        let week = ISOWeekDate::new(year, number(week, 2)?, Weekday::Monday).ok()?;
        return Some((Grain::Weekly, week.date()));
    }
    if let Some(quarter) = part.strip_prefix('Q') {
        let quarter: i8 = number(quarter, 1).filter(|quarter| (1..=4).contains(quarter))?;
        return Some((Grain::Quarterly, Date::new(year, quarter * 3 - 2, 1).ok()?));
    }
    Some((Grain::Monthly, Date::new(year, number(part, 2)?, 1).ok()?))
}

/// Parses a number of exactly this many digits, so that each period has only one label.
fn number<N: FromStr>(text: &str, digits: usize) -> Option<N> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

impl serde::Serialize for Period {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Period {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Period, D::Error> {
        let label = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        label.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
