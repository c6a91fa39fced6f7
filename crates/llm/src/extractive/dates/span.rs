//! Days, weeks, months and years relative to a day.

use annals_core::{Date, Grain, Period};
use jiff::ToSpan;
use jiff::civil::Weekday;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Fortnight,
    Month,
    Year,
}

/// The time that a phrase means, relative to the day of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Span {
    /// From the first day to the last, both included.
    Days(Date, Date),
    /// A month, quarter or year by its label.
    Label(String),
    /// Some time before the day of the message.
    Before,
    /// Some time after the day of the message.
    After,
    /// A while that ends on the day of the message.
    Until,
    /// A while that begins on the day of the message.
    From,
    /// A time that gets no date, because it may mean several.
    Unclear,
}

impl Span {
    pub(super) fn day(day: Date, offset: i32) -> Option<Span> {
        let day = day.checked_add(offset.days()).ok()?;
        Some(Span::Days(day, day))
    }

    pub(super) fn week(day: Date, offset: i32) -> Option<Span> {
        let monday = monday(day).checked_add((7 * offset).days()).ok()?;
        Some(Span::Days(monday, monday.checked_add(6.days()).ok()?))
    }

    /// Returns Saturday and Sunday of the week that is `offset` weeks after that of the day.
    pub(super) fn weekend(day: Date, offset: i32) -> Option<Span> {
        let saturday = monday(day).checked_add((7 * offset + 5).days()).ok()?;
        Some(Span::Days(saturday, saturday.checked_add(1.days()).ok()?))
    }

    pub(super) fn month(day: Date, offset: i32) -> Option<Span> {
        let first = day.first_of_month().checked_add(offset.months()).ok()?;
        Some(Span::Label(format!("{:04}-{:02}", first.year(), first.month())))
    }

    pub(super) fn quarter(day: Date, offset: i32) -> Option<Span> {
        let first = day.first_of_month().checked_add((3 * offset).months()).ok()?;
        Some(Span::Label(format!("{:04}-Q{}", first.year(), (first.month() + 2) / 3)))
    }

    pub(super) fn year(day: Date, offset: i32) -> Option<Span> {
        let first = day.first_of_month().checked_add(offset.years()).ok()?;
        Some(Span::Label(format!("{:04}", first.year())))
    }

    /// Returns the time `count` units after the day, or before it if `count` is negative: a day, or for months and years the
    /// whole month or year.
    pub(super) fn away(day: Date, unit: Unit, count: i32) -> Option<Span> {
        match unit {
            Unit::Day => Span::day(day, count),
            Unit::Week => Span::day(day, count.checked_mul(7)?),
            Unit::Fortnight => Span::day(day, count.checked_mul(14)?),
            Unit::Month => Span::month(day, count),
            Unit::Year => Span::year(day, count),
        }
    }

    /// Returns the last day with this weekday up to `day`, which is included.
    pub(super) fn weekday_before(day: Date, weekday: Weekday) -> Option<Span> {
        Span::day(day, -i32::from(day.weekday().since(weekday)))
    }

    /// Returns the next day with this weekday after `day`.
    pub(super) fn weekday_after(day: Date, weekday: Weekday) -> Option<Span> {
        let ahead = i32::from(weekday.since(day.weekday()));
        Span::day(day, if ahead == 0 { 7 } else { ahead })
    }

    /// Returns the weekday that a phrase means: "last Friday" (`side` -1) is the last one before the day, "this Friday" (0)
    /// that of the week, "next Friday" (1) that of the next week.
    pub(super) fn weekday_beside(day: Date, weekday: Weekday, side: i32) -> Option<Span> {
        let back = i32::from(day.weekday().since(weekday));
        let in_week = i32::from(weekday.to_monday_zero_offset()) - i32::from(day.weekday().to_monday_zero_offset());
        Span::day(day, if side < 0 { -(if back == 0 { 7 } else { back }) } else { in_week + 7 * side })
    }

    /// Returns the weekday that is `weeks` weeks after its next occurrence, which may be the day itself: "Friday week",
    /// "Saturday in three weeks".
    pub(super) fn weekday_in_weeks(day: Date, weekday: Weekday, weeks: i32) -> Option<Span> {
        Span::day(day, i32::from(weekday.since(day.weekday())) + 7 * weeks)
    }

    /// Returns the weekday in the week that is `weeks` weeks ago; [`Span::Unclear`] if the weekday is later in the week than
    /// the day. Said on a Thursday, "Friday two weeks ago" may also mean the Friday of the week before.
    pub(super) fn weekday_weeks_ago(day: Date, weekday: Weekday, weeks: i32) -> Option<Span> {
        if weekday.to_monday_zero_offset() > day.weekday().to_monday_zero_offset() {
            return Some(Span::Unclear);
        }
        Span::day(day, -i32::from(day.weekday().since(weekday)) - 7 * weeks)
    }

    /// Returns the days moved by an amount of time. A month later is the same day of the next month, or its last day if it is
    /// shorter. Returns [`Span::Unclear`] if the span is not days, and `None` beyond the end of the calendar.
    pub(super) fn moved(&self, unit: Unit, count: i32) -> Option<Span> {
        let by = match unit {
            Unit::Day => count.days(),
            Unit::Week => count.weeks(),
            Unit::Fortnight => count.checked_mul(2)?.weeks(),
            Unit::Month => count.months(),
            Unit::Year => count.years(),
        };
        match self {
            Span::Days(first, last) => Some(Span::Days(first.checked_add(by).ok()?, last.checked_add(by).ok()?)),
            _ => Some(Span::Unclear),
        }
    }

    /// Returns the text that stands in brackets after the time: `2026-03-03`, `2026-03-09 to 2026-03-15`, `before 2026-03-04`.
    /// Empty for [`Span::Unclear`].
    pub(super) fn label(&self, day: Date) -> String {
        match self {
            Span::Days(first, last) if first == last => first.to_string(),
            Span::Days(first, last) => format!("{first} to {last}"),
            Span::Label(label) => label.clone(),
            Span::Before => format!("before {day}"),
            Span::After => format!("after {day}"),
            Span::Until => format!("until {day}"),
            Span::From => format!("from {day}"),
            Span::Unclear => String::new(),
        }
    }
}

fn monday(day: Date) -> Date {
    Period::of(Grain::Weekly, day).first_day()
}
