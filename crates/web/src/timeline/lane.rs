//! One lane: the periods of a grain as bars over exactly the days that they cover. Bars that are too narrow to see are
//! combined.

use std::collections::BTreeMap;

use annals_core::{Date, Grain, Period};
use annals_service::wire::{PeriodState, PeriodView};

use super::axis::Axis;
use crate::labels;

/// Minimum width of a single bar, in percent of the width: some 2 pixels of a thousand. Narrower bars are combined.
const MIN_BAR_WIDTH: f64 = 0.22;
/// Minimum width of a combined bar, in percent of the width.
const MIN_GROUP_WIDTH: f64 = 0.6;
/// Number of days of a period of each grain, in the order of [`Grain::ALL`].
const DAYS: [f64; 6] = [1.0, 1.0, 7.0, 30.0, 91.0, 365.0];

pub(super) struct Bar {
    pub(super) from: Date,
    pub(super) to: Date,
    pub(super) state: PeriodState,
    /// The period that a click opens. If the bar is combined, a click zooms to that period.
    pub(super) period: Period,
    /// For a combined bar, the number of its periods by state.
    pub(super) group: Option<BTreeMap<PeriodState, usize>>,
    /// Why the last attempt to write the summary failed, or why the summary waits, if either is recorded. `None` for a combined
    /// bar.
    pub(super) why: Option<String>,
}

/// Returns whether the periods of a grain are wide enough to be drawn one by one.
pub(super) fn is_drawn(grain: Grain, axis: Axis) -> bool {
    width(grain, axis) >= MIN_BAR_WIDTH
}

fn width(grain: Grain, axis: Axis) -> f64 {
    DAYS[grain as usize] / axis.days() * 100.0
}

/// Returns the grain of the periods into which the bars of a grain are combined.
pub(super) fn drawn_by(grain: Grain, axis: Axis) -> Grain {
    let coarser = |coarser: &Grain| *coarser > grain && width(*coarser, axis) >= MIN_GROUP_WIDTH;
    Grain::SUMMARIES.into_iter().find(coarser).unwrap_or(Grain::Yearly)
}

/// Returns the bars of a grain, combined if single bars would be too narrow.
pub(super) fn bars(views: &[(Period, &PeriodView)], grain: Grain, axis: Axis) -> Vec<Bar> {
    let of_grain = views.iter().filter(|(period, _)| period.grain() == grain);
    if is_drawn(grain, axis) {
        let bar = |(period, view): &(Period, &PeriodView)| Bar {
            from: view.from,
            to: view.to,
            state: view.state,
            period: *period,
            group: None,
            why: view.error.clone(),
        };
        return of_grain.map(bar).collect();
    }
    let into = drawn_by(grain, axis);
    let mut groups: BTreeMap<Period, BTreeMap<PeriodState, usize>> = BTreeMap::new();
    for (period, view) in of_grain {
        *groups.entry(period.ancestor(into)).or_default().entry(view.state).or_default() += 1;
    }
    groups.into_iter().map(|(period, states)| group(period, states)).collect()
}

fn group(period: Period, states: BTreeMap<PeriodState, usize>) -> Bar {
    let (from, to) = period.cover_days();
    let worst = labels::STATES.into_iter().find(|state| states.contains_key(state)).unwrap_or(PeriodState::Closed);
    Bar { from, to, state: worst, period, group: Some(states), why: None }
}

impl Bar {
    /// Returns the tooltip of the bar. `turns` is the number of turns on its days.
    pub(super) fn title(&self, grain: Grain, turns: u64) -> String {
        let (days, turns) = (labels::days(self.from, self.to), labels::plural(turns, "turn"));
        match &self.group {
            None => {
                let name = labels::period(self.period);
                let days = if self.period.grain() == Grain::Daily { String::new() } else { format!(", {days}") };
                let why = self.why.as_ref().map(|why| format!(". Why: {why}")).unwrap_or_default();
                format!("{name}{days}: {}, {turns}{why}", labels::state(self.state))
            }
            Some(states) => {
                let states: Vec<String> =
                    states.iter().map(|(state, number)| format!("{number} {}", labels::state(*state))).collect();
                format!("{} of {}: {}; {turns}", labels::grain(grain), labels::period(self.period), states.join(", "))
            }
        }
    }

    /// Returns two labels for the bar: the name with the state (without the state if it is `Closed`), and the name alone. The
    /// first is drawn if it fits, otherwise the second. Both are empty for a combined bar.
    pub(super) fn labels(&self) -> [String; 2] {
        let name = self.name();
        let with_state = match self.state {
            _ if name.is_empty() => String::new(),
            PeriodState::Closed => name.clone(),
            state => format!("{name} · {}", labels::state(state)),
        };
        [with_state, name]
    }

    fn name(&self) -> String {
        let first = self.period.first_day();
        match self.period.grain() {
            _ if self.group.is_some() => String::new(),
            Grain::Yearly => first.year().to_string(),
            Grain::Quarterly => format!("Q{}", (first.month() + 2) / 3),
            Grain::Monthly => labels::month(first),
            Grain::Weekly => format!("W{}", first.iso_week_date().week()),
            Grain::Daily | Grain::Working => first.day().to_string(),
        }
    }
}
