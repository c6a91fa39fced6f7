//! The strip below the lanes: columns with the number of turns. Each column is a day, or a week or month if days or weeks are
//! too narrow.

use std::collections::BTreeMap;

use annals_core::{Date, Grain, Period};
use annals_service::wire::DayView;

use super::axis::Axis;
use super::lane::is_drawn;

/// A column of the strip: a period with its number of turns.
pub(super) struct Column {
    pub(super) period: Period,
    pub(super) turns: u64,
}

/// Returns the grain of the columns, and the columns in order of time.
pub(super) fn columns(days: &[DayView], axis: Axis) -> (Grain, Vec<Column>) {
    let grain =
        [Grain::Daily, Grain::Weekly].into_iter().find(|grain| is_drawn(*grain, axis)).unwrap_or(Grain::Monthly);
    let mut columns: BTreeMap<Period, u64> = BTreeMap::new();
    for day in days {
        *columns.entry(Period::of(grain, day.day)).or_default() += day.turns;
    }
    (grain, columns.into_iter().map(|(period, turns)| Column { period, turns }).collect())
}

/// For each day with turns, the number of turns up to and including that day.
pub(super) struct Sums(Vec<(Date, u64)>);

impl Sums {
    /// Adds up the turns of these days, which must be in order.
    pub(super) fn of(days: &[DayView]) -> Sums {
        let mut sum = 0;
        let add = |day: &DayView| {
            sum += day.turns;
            (day.day, sum)
        };
        Sums(days.iter().map(add).collect())
    }

    /// Returns the number of turns on these days, both inclusive.
    pub(super) fn between(&self, from: Date, to: Date) -> u64 {
        let until = |end: usize| end.checked_sub(1).map_or(0, |last| self.0[last].1);
        let end = self.0.partition_point(|(day, _)| *day <= to);
        until(end) - until(self.0.partition_point(|(day, _)| *day < from))
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn turns_are_summed_between_days() {
        let days = [3, 5, 9].map(|day| DayView { day: date(2026, 3, day), turns: 10 });
        let sums = Sums::of(&days);
        for (from, to, expect) in [(1, 31, 30), (3, 5, 20), (4, 5, 10), (6, 8, 0), (9, 9, 10), (10, 31, 0)] {
            assert_eq!(sums.between(date(2026, 3, from), date(2026, 3, to)), expect, "{from} to {to}");
        }
    }
}
