//! Every way to ask for a time, at every day on which something happens.

use annals_core::{Date, DateRange, Grain, Query, Timestamp};

use super::almanac::{before, next};
use super::{Diary, label};

/// A question and the days it means.
#[derive(Clone, Debug)]
pub struct Question {
    /// The bounds of time, and nothing else.
    pub query: Query,
    /// When it is asked.
    pub now: Timestamp,
    /// What it means; nothing if it ends before it begins.
    pub range: Option<DateRange>,
}

/// How far apart the ends of ranges are, in days on which something happens.
const APART: [usize; 6] = [0, 1, 2, 5, 11, 23];
/// Least and most days ago.
const AGO: [(Option<u32>, Option<u32>); 9] = [
    (None, Some(0)),
    (Some(0), None),
    (Some(1), None),
    (None, Some(1)),
    (Some(1), Some(1)),
    (Some(1), Some(2)),
    (Some(2), Some(7)),
    (Some(6), Some(35)),
    (Some(3), Some(1)),
];

/// All questions of a diary, asked at `now` or, where days ago are counted, at the first and last moments of days.
pub fn questions(diary: &Diary, now: Timestamp) -> Vec<Question> {
    let mut questions = Vec::new();
    let mut ask = |query: Query, now: Timestamp| {
        let range = meant(diary, &query, now);
        questions.push(Question { query, now, range });
    };
    for (place, day) in diary.days.iter().enumerate() {
        let from = Some(*day);
        ask(Query { from, ..Query::default() }, now);
        ask(Query { to: from, ..Query::default() }, now);
        for to in APART.iter().filter_map(|apart| diary.days.get(place + apart)) {
            ask(Query { from, to: Some(*to), ..Query::default() }, now);
        }
        ask(Query { from: Some(next(*day)), to: from, ..Query::default() }, now);
        for now in moments(diary, *day) {
            for (min_days_ago, max_days_ago) in AGO {
                ask(Query { min_days_ago, max_days_ago, ..Query::default() }, now);
            }
            ask(Query { from: Some(before(*day)), max_days_ago: Some(2), ..Query::default() }, now);
            let month = label(Grain::Monthly, *day).parse().ok();
            ask(Query { period: month, max_days_ago: Some(2), ..Query::default() }, now);
            ask(Query { period: month, min_days_ago: Some(3), ..Query::default() }, now);
        }
    }
    for label in labels(diary) {
        ask(Query { period: label.parse().ok(), ..Query::default() }, now);
    }
    ask(Query::default(), now);
    questions
}

/// The first and the last moment of a day, if there are any.
fn moments(diary: &Diary, day: Date) -> Vec<Timestamp> {
    let all = diary.almanac.instants(day, day);
    if all.start == all.end { Vec::new() } else { vec![all.start, all.end - super::diary::MICROSECOND] }
}

/// The labels of all periods that the days belong to, by grain.
fn labels(diary: &Diary) -> Vec<String> {
    let of = |grain| {
        let mut labels: Vec<String> = diary.days.iter().map(|day| label(grain, *day)).collect();
        labels.dedup();
        labels
    };
    Grain::SUMMARIES.into_iter().flat_map(of).collect()
}

/// The days of a query: those that all of its bounds allow.
fn meant(diary: &Diary, query: &Query, now: Timestamp) -> Option<DateRange> {
    let ago = |number: u32| (0..number).fold(diary.almanac.day_of(now), |day, _| before(day));
    let cover = query.period.map(|period| diary.almanac.cover(&period.to_string()).unwrap());
    let first = [query.from, query.max_days_ago.map(ago), cover.map(|cover| cover.0)];
    let last = [query.to, query.min_days_ago.map(ago), cover.map(|cover| cover.1)];
    let from = first.into_iter().flatten().max();
    let to = last.into_iter().flatten().min();
    let is_possible = from.is_none_or(|from| to.is_none_or(|to| from <= to));
    is_possible.then_some(DateRange { from, to })
}
