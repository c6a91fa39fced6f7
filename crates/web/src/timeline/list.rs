//! The picture as a nested list: the same periods with state and number of turns, for screen readers and people who prefer
//! text.

use annals_core::{Grain, Period};
use maud::{Markup, html};

use super::picture::Picture;
use super::window::Window;
use crate::{labels, link};

/// Maximum length, in days, of a window for which days are listed. A quarter is shorter than this. For a year, which is longer,
/// the list would be too long.
const MAX_DAYS: i32 = 100;

/// Draws the list of the periods of the window, down to days, to weeks if the window is longer than [`MAX_DAYS`], or to months
/// for a decade.
pub(crate) fn outline(agent: &str, window: Window, picture: &Picture<'_>) -> Markup {
    let (first, last) = window.days();
    let finest = if (last - first).get_days() > MAX_DAYS { Grain::Weekly } else { Grain::Daily };
    let finest = if window.grain().is_none() { Grain::Monthly } else { finest };
    let top: Vec<Period> = match window {
        Window::Period(period) => vec![period],
        Window::Decade(_) => window.parts().into_iter().filter_map(Window::period).collect(),
    };
    level(agent, window, &top, finest, picture)
}

fn level(agent: &str, window: Window, periods: &[Period], finest: Grain, picture: &Picture<'_>) -> Markup {
    let there: Vec<_> = periods.iter().filter_map(|period| Some((*period, picture.view(*period)?))).collect();
    html! {
        @if !there.is_empty() {
            ol.outline {
                @for (period, view) in there {
                    li {
                        a href=(link::timeline(agent, &window.to_string(), Some(&view.period))) {
                            time datetime=(view.from) { (labels::period(period)) }
                        }
                        ", " (labels::state(view.state)) ", " (labels::plural(picture.turns(view.from, view.to), "turn"))
                        @if period.grain() > finest { (level(agent, window, &period.children(), finest, picture)) }
                    }
                }
            }
        }
    }
}
