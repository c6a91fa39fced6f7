//! Draws the lanes, the strip of turns and the mark of today as one SVG.

use std::collections::BTreeMap;

use annals_core::{Date, Grain, Period, Timestamp};
use annals_service::wire::{PeriodState, PeriodView, PeriodsAnswer};
use maud::{Markup, html};

use super::axis::{Axis, ROW, names, percent};
use super::density::{Sums, columns};
use super::lane::{Bar, bars, drawn_by, is_drawn};
use super::window::Window;
use crate::{labels, link};

/// Height of a lane with the space below it, and of its bars, in pixels. The style sheet repeats the pitch for the labels.
const PITCH: u32 = 32;
const BAR: u32 = 26;
/// Vertical positions of the first lane and of the strip, in pixels.
const LANES: u32 = 2 * ROW + 6;
const STRIP: u32 = LANES + 6 * PITCH + 4;
/// Height of the row with the label of the strip, above the columns.
const LABEL: u32 = 16;
const STRIP_HEIGHT: u32 = LABEL + 40;
const HEIGHT: u32 = STRIP + STRIP_HEIGHT + 2;

pub(crate) struct Picture<'a> {
    agent: &'a str,
    window: Window,
    answer: &'a PeriodsAnswer,
    views: Vec<(Period, &'a PeriodView)>,
    sums: Sums,
    axis: Axis,
    /// The label of the opened period, or the id of the opened turn.
    open: Option<&'a str>,
    /// The turns that are drawn one by one. If empty, the days, weeks or months that have turns are drawn.
    marks: Vec<Mark>,
}

/// A turn in the picture: its id, its position in percent of the width, and its tooltip.
pub(crate) struct Mark {
    id: String,
    x: f64,
    title: String,
}

impl Mark {
    /// Creates the mark of a turn at `at`. `start` and `end` are the instants of the window.
    pub(crate) fn new(id: String, title: String, at: Timestamp, start: Timestamp, end: Timestamp) -> Mark {
        let seconds = |from: Timestamp, to: Timestamp| to.duration_since(from).as_secs_f64();
        Mark { id, x: (seconds(start, at) / seconds(start, end).max(1.0) * 100.0).clamp(0.0, 100.0), title }
    }
}

impl<'a> Picture<'a> {
    /// Prepares the picture of an answer for the days of a window.
    pub(crate) fn new(
        window: Window,
        answer: &'a PeriodsAnswer,
        open: Option<&'a str>,
        marks: Vec<Mark>,
    ) -> Picture<'a> {
        let views = answer.periods.iter().filter_map(|view| Some((view.period.parse().ok()?, view))).collect();
        let (axis, sums) = (Axis::of(window), Sums::of(&answer.days));
        Picture { agent: &answer.agent, window, answer, views, sums, axis, open, marks }
    }

    /// Returns the view of a period, or `None` if the answer does not contain it.
    pub(crate) fn view(&self, period: Period) -> Option<&'a PeriodView> {
        self.views.iter().find(|(known, _)| *known == period).map(|(_, view)| *view)
    }

    /// Returns the number of turns on these days, both inclusive.
    pub(crate) fn turns(&self, from: Date, to: Date) -> u64 {
        self.sums.between(from, to)
    }

    /// Returns the number of periods in the answer by state.
    pub(crate) fn states(&self) -> BTreeMap<PeriodState, u64> {
        let mut states = BTreeMap::new();
        for (_, view) in &self.views {
            *states.entry(view.state).or_default() += 1;
        }
        states
    }

    /// Returns the grain of the columns below the lanes.
    pub(crate) fn column(&self) -> Grain {
        columns(&self.answer.days, self.axis).0
    }

    /// Returns the grain of the combined bars of a lane, or `None` if its bars are drawn one by one. For the lane of turns,
    /// returns the grain of its columns if these are weeks or months.
    pub(crate) fn drawn_by(&self, grain: Grain) -> Option<Grain> {
        match grain {
            Grain::Working => Some(self.column()).filter(|column| self.marks.is_empty() && *column != Grain::Daily),
            grain => (!is_drawn(grain, self.axis)).then(|| drawn_by(grain, self.axis)),
        }
    }

    pub(crate) fn draw(&self) -> Markup {
        let (first, last) = self.window.days();
        let label =
            format!("Strata of {}: lanes of years, quarters, months, weeks, days and turns", labels::days(first, last));
        html! {
            svg.strata width="100%" height=(HEIGHT) role="group" aria-label=(label) {
                (patterns())
                (names(self.agent, self.window, self.axis))
                @for (row, grain) in Grain::ALL.into_iter().rev().enumerate() {
                    @let y = LANES + PITCH * u32::try_from(row).unwrap_or_default();
                    rect.lane x="0" y=(y) width="100%" height=(BAR) {}
                    @if grain == Grain::Working { (self.turns_lane(y)) }
                    @else { @for bar in bars(&self.views, grain, self.axis) { (self.bar(&bar, grain, y)) } }
                }
                (self.strip())
                @if self.window.contains(self.answer.today) { (self.today()) }
            }
        }
    }

    fn bar(&self, bar: &Bar, grain: Grain, y: u32) -> Markup {
        let (x, width) = self.axis.span(bar.from, bar.to);
        let period = bar.period.to_string();
        let state = labels::state(bar.state);
        let turns = self.sums.between(bar.from, bar.to);
        let title = bar.title(grain, turns);
        let href = match bar.group {
            None => link::timeline(self.agent, &self.window.to_string(), Some(&period)),
            Some(_) => link::timeline(self.agent, &period, None),
        };
        let is_open = bar.group.is_none() && self.open == Some(period.as_str());
        let [with_state, name] = bar.labels();
        let label = if size(&with_state, width).is_some() { with_state } else { name };
        let size = size(&label, width);
        // The text for screen readers contains the label that is written on the bar.
        let name = if label.is_empty() { title.clone() } else { format!("{label}: {title}") };
        html! {
            a.bar href=(href) tabindex="-1" aria-current=[is_open.then_some("true")] aria-label=(name) {
                svg x=(percent(x)) y=(y) width=(percent(width)) height=(BAR) class=(state) {
                    title { (title) }
                    rect.fill.thin[width < 1.2] width="100%" height="100%" {}
                    @if let Some(pattern) = pattern(bar.state) {
                        rect.pattern width="100%" height="100%" fill=(format!("url(#s-{pattern})")) {}
                    }
                    @if let Some(size) = size { text class=(size) x="6" y="17" { (label) } }
                }
            }
        }
    }

    /// Draws the lane of turns: single turns if there are marks, otherwise the days, weeks or months that have turns. Also
    /// marks the time up to which turns were pruned.
    fn turns_lane(&self, y: u32) -> Markup {
        let (_, columns) = columns(&self.answer.days, self.axis);
        html! {
            @if let Some(until) = self.answer.turns_pruned_until {
                @let (x, width) = self.axis.span(self.window.days().0, until);
                @if width > 0.0 {
                    rect x=(percent(x)) y=(y) width=(percent(width)) height=(BAR) fill="url(#s-pruned)" {
                        title { "Turns until " (labels::day(until)) " were pruned" }
                    }
                }
            }
            @if self.marks.is_empty() {
                @for column in &columns {
                    @let (from, to) = column.period.cover_days();
                    @let (x, width) = self.axis.span(from, to);
                    @let title = format!("{}: {}", labels::days(from, to), labels::plural(column.turns, "turn"));
                    @let to_day = link::timeline(self.agent, &self.window.to_string(), Some(&column.period.to_string()));
                    a.bar href=(to_day) tabindex="-1" aria-label=(title) {
                        rect.turns x=(percent(x)) y=(y) width=(percent(width)) height=(BAR) { title { (title) } }
                    }
                }
            } @else {
                @for mark in &self.marks { (self.mark(mark, y)) }
            }
        }
    }

    fn mark(&self, mark: &Mark, y: u32) -> Markup {
        let href = link::timeline(self.agent, &self.window.to_string(), Some(&mark.id));
        let is_open = self.open == Some(mark.id.as_str());
        html! {
            a.bar href=(href) tabindex="-1" aria-current=[is_open.then_some("true")] aria-label=(mark.title) {
                rect.turn x=(percent(mark.x)) y=(y) width="3" height=(BAR) { title { (mark.title) } }
            }
        }
    }

    fn strip(&self) -> Markup {
        let (grain, columns) = columns(&self.answer.days, self.axis);
        let most = columns.iter().map(|column| column.turns).max().unwrap_or_default();
        html! {
            line.base x1="0" y1=(STRIP + STRIP_HEIGHT) x2="100%" y2=(STRIP + STRIP_HEIGHT) {}
            @for column in &columns {
                @let (from, to) = column.period.cover_days();
                @let (x, width) = self.axis.span(from, to);
                @let height = (column.turns as f64 / most.max(1) as f64 * f64::from(STRIP_HEIGHT - LABEL)).max(1.0);
                rect.density x=(percent(x)) y=(format!("{:.1}", f64::from(STRIP + STRIP_HEIGHT) - height)) width=(percent(width)) height=(format!("{height:.1}")) {}
            }
            @let (x, anchor) = if self.today_is_left() { ("100%", "end") } else { ("0", "start") };
            @if most > 0 { text.most x=(x) y=(STRIP + 11) text-anchor=(anchor) { "at most " (labels::count(most)) " a " (labels::one(grain)) } }
        }
    }

    /// Returns the position of the middle of today, in percent of the width.
    fn today_at(&self) -> f64 {
        self.axis.start(self.answer.today) + 50.0 / self.axis.days()
    }

    /// Returns whether today's mark is in the left half. The label of the strip then moves to the right, so that it does not
    /// cover the label of the mark.
    fn today_is_left(&self) -> bool {
        self.window.contains(self.answer.today) && self.today_at() < 50.0
    }

    fn today(&self) -> Markup {
        let x = self.today_at();
        let (anchor, shift) = if x > 80.0 { ("end", -0.4) } else { ("start", 0.4) };
        html! {
            g.today {
                line x1=(percent(x)) y1=(ROW) x2=(percent(x)) y2=(HEIGHT) {}
                text x=(percent(x + shift)) y=(STRIP + 11) text-anchor=(anchor) { "today" }
            }
        }
    }
}

/// Returns the style class for a text on a bar with this width in percent, by which smaller screens hide texts that do not fit;
/// `None` if the text does not fit at all. A letter has about 7 pixels, and the picture about 1,000 on a common screen.
fn size(text: &str, width: f64) -> Option<&'static str> {
    let needed = (text.chars().count() * 7 + 10) as f64 / 10.0;
    match width / needed {
        _ if text.is_empty() => None,
        4.2.. => Some("wide"),
        1.9.. => Some("middle"),
        1.0.. => Some("narrow"),
        _ => None,
    }
}

/// Returns the fill pattern of a state, so that states are not distinguished by colour alone; `None` for a plain fill.
fn pattern(state: PeriodState) -> Option<&'static str> {
    match state {
        PeriodState::Closed | PeriodState::Open => None,
        PeriodState::Forgotten => Some("pruned"),
        other => Some(labels::state(other)),
    }
}

fn patterns() -> Markup {
    let shapes = [
        ("stale", "M0 8 L8 0"),
        ("waiting", "M1 4 h2"),
        ("writing", "M0 4 H8"),
        ("degraded", "M4 0 V8"),
        ("failed", "M0 0 L8 8 M0 8 L8 0"),
        ("pruned", "M0 0 L8 8"),
        ("sealed", "M0 2.5 H8"),
    ];
    html! {
        defs {
            @for (name, shape) in shapes {
                pattern id=(format!("s-{name}")) width="8" height=(if name == "sealed" { BAR } else { 8 }) patternUnits="userSpaceOnUse" {
                    path.stroke d=(shape) {}
                }
            }
        }
    }
}

/// Draws the legend: the states that occur, with the number of periods of each.
pub(crate) fn legend(states: &BTreeMap<PeriodState, u64>) -> Markup {
    html! {
        dl.legend {
            @for state in labels::STATES.into_iter().rev().filter(|state| states.contains_key(state)) {
                div {
                    dt {
                        svg.swatch width="28" height="16" aria-hidden="true" {
                            g class=(labels::state(state)) {
                                rect.fill width="100%" height="100%" {}
                                @if let Some(pattern) = pattern(state) {
                                    rect.pattern width="100%" height="100%" fill=(format!("url(#s-{pattern})")) {}
                                }
                            }
                        }
                        (labels::state(state)) " " span.number { (labels::count(states[&state])) }
                    }
                    dd { (labels::meaning(state)) }
                }
            }
        }
    }
}
