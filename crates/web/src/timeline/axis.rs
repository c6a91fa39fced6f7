//! The axis: days as percentages of the width, and one or two rows with the names of the parts of the window. Each name is a
//! link to its part.

use annals_core::{Date, Grain};
use maud::{Markup, html};

use super::window::Window;
use crate::{labels, link};

/// Height of a row of names, in pixels.
pub(super) const ROW: u32 = 20;

/// Maps days to percentages of the width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    first: Date,
    days: f64,
}

impl Axis {
    pub(super) fn of(window: Window) -> Axis {
        let (first, last) = window.days();
        Axis { first, days: f64::from((last - first).get_days() + 1) }
    }

    pub(super) fn days(self) -> f64 {
        self.days
    }

    /// Returns the position of the beginning of a day in percent, clamped to 0 to 100.
    pub(super) fn start(self, day: Date) -> f64 {
        (f64::from((day - self.first).get_days()) / self.days * 100.0).clamp(0.0, 100.0)
    }

    /// Returns the position and the width of a range of days in percent, both cut to the window.
    pub(super) fn span(self, from: Date, to: Date) -> (f64, f64) {
        let start = self.start(from);
        let end = (f64::from((to - self.first).get_days() + 1) / self.days * 100.0).clamp(0.0, 100.0);
        (start, end - start)
    }
}

/// Formats a percentage with three decimals: `12.500%`.
pub(super) fn percent(value: f64) -> String {
    format!("{value:.3}%")
}

/// Draws the rows of names: one for a decade or a week, two for a year, quarter or month. For a day, draws the hours and no
/// names.
pub(super) fn names(agent: &str, window: Window, axis: Axis) -> Markup {
    let parts = window.parts();
    let small: Vec<Window> = match window.grain() {
        // A week has the names of its days in the first row, so it needs no second row.
        None | Some(Grain::Weekly | Grain::Daily | Grain::Working) => Vec::new(),
        Some(_) => parts.iter().flat_map(|part| part.parts()).collect(),
    };
    html! {
        @for part in &parts { (name(agent, *part, axis, 0, window.grain() == Some(Grain::Weekly))) }
        @for part in &small { (name(agent, *part, axis, ROW, false)) }
        @if window.grain() == Some(Grain::Daily) { (hours()) }
    }
}

fn name(agent: &str, part: Window, axis: Axis, y: u32, has_weekday: bool) -> Markup {
    let (first, last) = part.days();
    let (x, width) = axis.span(first, last);
    let text = if has_weekday { format!("{} {}", &labels::weekday(first)[..3], short(part)) } else { short(part) };
    let label = format!("{text}: zoom to {}", part.name());
    html! {
        a.axis href=(link::timeline(agent, &part.to_string(), None)) tabindex="-1" aria-label=(label) {
            svg x=(percent(x)) y=(y) width=(percent(width)) height=(ROW) {
                rect width="100%" height="100%" {}
                line x1="0" y1="0" x2="0" y2="100%" {}
                text x="4" y="14" { (text) }
            }
        }
    }
}

/// Returns the shortest usual name of a part of the window: `2026`, `Q2`, `Jun`, `W24` or `10`.
fn short(part: Window) -> String {
    let Window::Period(period) = part else { return part.name() };
    let first = period.first_day();
    match period.grain() {
        Grain::Yearly => first.year().to_string(),
        Grain::Quarterly => format!("Q{}", (first.month() + 2) / 3),
        Grain::Monthly => labels::short_month(first),
        Grain::Weekly => format!("W{}", first.iso_week_date().week()),
        Grain::Daily | Grain::Working => first.day().to_string(),
    }
}

fn hours() -> Markup {
    html! {
        g.hours {
            @for hour in (0..24).step_by(3) {
                @let x = percent(f64::from(hour) / 24.0 * 100.0);
                line x1=(x) y1="0" x2=(x) y2=(ROW) {}
                text x=(percent(f64::from(hour) / 24.0 * 100.0 + 0.4)) y="14" { (format!("{hour:02}")) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn stretches_are_cut_to_the_window() {
        let axis = Axis::of("2026-W10".parse().unwrap());
        assert_eq!(axis.span(date(2026, 3, 2), date(2026, 3, 8)), (0.0, 100.0));
        assert_eq!(axis.span(date(2026, 1, 1), date(2026, 12, 31)), (0.0, 100.0));
        let (x, width) = axis.span(date(2026, 3, 4), date(2026, 3, 4));
        assert_eq!((percent(x), percent(width)), ("28.571%".into(), "14.286%".into()));
        assert_eq!(axis.span(date(2026, 4, 1), date(2026, 4, 2)), (100.0, 0.0));
    }
}
