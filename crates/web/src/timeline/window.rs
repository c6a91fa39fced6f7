//! The part of time that the picture shows: a decade, or one period from a year to a day. Moving and zooming are links to other
//! windows, so each view has an address.

use std::fmt;
use std::str::FromStr;

use annals_core::{Date, Error, Grain, Period, Result};
use jiff::ToSpan;

use crate::labels;

/// The time that the picture shows: the days that the summary of its period covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    /// Ten years, given by the first year.
    Decade(i16),
    Period(Period),
}

impl Window {
    /// Returns the window of a grain that contains a day. Without a grain, returns a decade.
    pub(crate) fn containing(grain: Option<Grain>, day: Date) -> Window {
        match grain {
            Some(grain) => Window::Period(Period::of(grain, day)),
            None => Window::Decade(Period::of(Grain::Yearly, day).first_day().year() / 10 * 10),
        }
    }

    /// Returns the grain of the window's period, or `None` for a decade.
    pub(crate) fn grain(self) -> Option<Grain> {
        match self {
            Window::Decade(_) => None,
            Window::Period(period) => Some(period.grain()),
        }
    }

    /// Returns the window's period, or `None` for a decade.
    pub(crate) fn period(self) -> Option<Period> {
        if let Window::Period(period) = self { Some(period) } else { None }
    }

    pub(crate) fn days(self) -> (Date, Date) {
        match self {
            Window::Decade(year) => {
                (self::year(year).cover_days().0, self::year(year.saturating_add(9)).cover_days().1)
            }
            Window::Period(period) => period.cover_days(),
        }
    }

    pub(crate) fn contains(self, day: Date) -> bool {
        let (first, last) = self.days();
        first <= day && day <= last
    }

    /// Returns the window of the next coarser level; `None` for a decade.
    pub(crate) fn wider(self) -> Option<Window> {
        let Window::Period(period) = self else { return None };
        Some(match period.parent() {
            Some(parent) => Window::Period(parent),
            None => Window::containing(None, middle(period)),
        })
    }

    /// Returns the window of the next finer level that contains `day` or, if `day` is outside of this window, the middle of
    /// this window. Returns `None` if this window is a day.
    pub(crate) fn narrower(self, day: Date) -> Option<Window> {
        let finer = match self {
            Window::Decade(_) => Grain::Yearly,
            Window::Period(period) => period.grain().finer().filter(|finer| *finer != Grain::Working)?,
        };
        let (first, last) = self.days();
        let day = if self.contains(day) {
            day
        } else {
            first.saturating_add((last - first).get_days().saturating_div(2).days())
        };
        Some(Window::containing(Some(finer), day))
    }

    /// Returns the window of the same grain before this one.
    pub(crate) fn previous(self) -> Window {
        Window::containing(self.grain(), self.days().0.saturating_sub(1.day()))
    }

    /// Returns the window of the same grain after this one.
    pub(crate) fn next(self) -> Window {
        Window::containing(self.grain(), self.days().1.saturating_add(1.day()))
    }

    /// Returns the windows of the next finer level within this window, in order. A day has none.
    pub(crate) fn parts(self) -> Vec<Window> {
        match self {
            Window::Decade(first) => (0..10).map(|offset| Window::Period(year(first.saturating_add(offset)))).collect(),
            Window::Period(period) => period.children().into_iter().map(Window::Period).collect(),
        }
    }

    /// Returns the name that pages show: `2020–2029` for a decade, otherwise the name of the period.
    pub(crate) fn name(self) -> String {
        match self {
            Window::Decade(year) => format!("{year}–{}", year.saturating_add(9)),
            Window::Period(period) => labels::period(period),
        }
    }
}

fn year(year: i16) -> Period {
    Period::of(Grain::Yearly, Date::new(year, 6, 1).unwrap_or(Date::MAX))
}

fn middle(period: Period) -> Date {
    period.first_day().saturating_add(14.days())
}

/// Formats the label: `2020s`, or the label of the period.
impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Window::Decade(year) => write!(f, "{year:04}s"),
            Window::Period(period) => period.fmt(f),
        }
    }
}

impl FromStr for Window {
    type Err = Error;

    fn from_str(label: &str) -> Result<Window> {
        let decade = label.strip_suffix('s').filter(|year| year.len() == 4).and_then(|year| year.parse::<i16>().ok());
        match decade.filter(|year| (10..=9980).contains(year) && year % 10 == 0) {
            Some(year) => Ok(Window::Decade(year)),
            None => Ok(Window::Period(label.parse()?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn window(label: &str) -> Window {
        label.parse().unwrap()
    }

    #[test]
    fn windows_lead_from_a_decade_to_a_day_and_back() {
        let day = date(2026, 6, 10);
        let labels = ["2020s", "2026", "2026-Q2", "2026-06", "2026-W24", "2026-06-10"];
        for pair in labels.windows(2) {
            assert_eq!(window(pair[0]).narrower(day).unwrap().to_string(), pair[1]);
            assert_eq!(window(pair[1]).wider().unwrap().to_string(), pair[0]);
        }
        assert_eq!((window("2026-06-10").narrower(day), window("2020s").wider()), (None, None));
        assert!(window("2025").contains(window("2025").narrower(day).unwrap().days().0), "another day than today");
    }

    #[test]
    fn neighbours_follow_without_a_gap() {
        for label in ["2020s", "2026", "2026-Q1", "2026-01", "2026-W01", "2026-01-01"] {
            let (before, after) = (window(label).previous(), window(label).next());
            assert_eq!((before.next(), after.previous()), (window(label), window(label)), "{label}");
        }
    }

    #[test]
    fn parts_cover_the_window() {
        for label in ["2020s", "2026", "2026-Q1", "2026-03", "2026-W10"] {
            let parts = window(label).parts();
            assert_eq!((parts[0].days().0, parts[parts.len() - 1].days().1), window(label).days(), "{label}");
        }
        for wrong in ["2025s", "s", "0000s", "2026-13", ""] {
            assert!(wrong.parse::<Window>().is_err(), "{wrong}");
        }
    }
}
