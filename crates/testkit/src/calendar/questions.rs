//! Queries with every kind of time bound, around every day under test.

use annals_core::{Date, DateRange, Grain, Kind, Query, Timestamp};
use jiff::civil::{ISOWeekDate, Weekday};

use super::almanac::{before, next};
use super::diary::MICROSECOND;
use super::{Diary, label};

/// A query, with the days that its time bounds mean.
#[derive(Clone, Debug)]
pub struct Question {
    pub query: Query,
    /// The time at which the query is asked.
    pub now: Timestamp,
    /// The days that the time bounds mean for turns; `None` if the range ends before it begins.
    pub range: Option<DateRange>,
    /// The days that the time bounds mean for summaries: for a month, quarter or year, the days of the weeks that belong to it.
    pub summaries: DateRange,
}

/// Distances between the ends of ranges, in days under test.
const APART: [usize; 6] = [0, 1, 2, 5, 11, 23];
/// Pairs of minimum and maximum days ago.
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
/// A limit above the number of memories.
const ALL: usize = 1000;
/// A limit that truncates most answers.
const FEW: usize = 3;

/// Returns all time bounds to query a diary with. Bounds in days ago are queried at the first and last moment of each day, all
/// others at `now`.
pub fn bounds(diary: &Diary, now: Timestamp) -> Vec<Question> {
    let mut questions = Vec::new();
    let mut ask = |query: Query, now: Timestamp| {
        let range = meant(diary, &query, query.period.map(|period| calendar_days(&period.to_string())), now);
        let range = Some(range).filter(|range| range.from.is_none_or(|from| range.to.is_none_or(|to| from <= to)));
        let cover = query.period.map(|period| diary.almanac.cover(&period.to_string()).unwrap());
        let summaries = meant(diary, &query, cover, now);
        questions.push(Question { query, now, range, summaries });
    };
    for (place, day) in diary.days.iter().enumerate() {
        let day = Some(*day);
        ask(Query { from: day, ..Query::default() }, now);
        ask(Query { to: day, ..Query::default() }, now);
        for to in APART.iter().filter_map(|apart| diary.days.get(place + apart)) {
            ask(Query { from: day, to: Some(*to), ..Query::default() }, now);
        }
        ask(Query { from: day.map(next), to: day, ..Query::default() }, now);
    }
    for day in &diary.days {
        let month = label(Grain::Monthly, *day).parse().ok();
        for now in moments(diary, *day) {
            for (min_days_ago, max_days_ago) in AGO {
                ask(Query { min_days_ago, max_days_ago, ..Query::default() }, now);
            }
            ask(Query { from: Some(before(*day)), max_days_ago: Some(2), ..Query::default() }, now);
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

impl Question {
    /// Returns the queries for this time range: every grain, strict and not, and turns and statements alone, each with a large
    /// and a small limit; all grains at once; and no grains, so that the search chooses them. With `text`, some queries have a
    /// word that every memory contains.
    pub fn each(&self, text: bool) -> Vec<Question> {
        let text = text.then(|| "word".to_owned());
        let mut queries = Vec::new();
        for (grain, strict) in Grain::ALL.into_iter().flat_map(|grain| [(grain, false), (grain, true)]) {
            let query = Query { grains: vec![grain], strict, limit: ALL, ..self.query.clone() };
            queries.push(Query { limit: FEW, ..query.clone() });
            queries.extend(text.clone().map(|text| Query { text: Some(text), ..query.clone() }));
            queries.push(query);
        }
        for kind in [Kind::Turn, Kind::Statement] {
            let query = Query { grains: vec![Grain::Working], kinds: vec![kind], limit: ALL, ..self.query.clone() };
            queries.push(Query { limit: FEW, ..query.clone() });
            queries.push(Query { text: text.clone(), ..query });
        }
        for grains in [Grain::ALL.to_vec(), Vec::new()] {
            queries.push(Query { grains, text: text.clone(), limit: ALL, ..self.query.clone() });
        }
        queries.into_iter().map(|query| Question { query, ..self.clone() }).collect()
    }
}

/// Returns the first and last moment of a day, or nothing for a skipped day.
fn moments(diary: &Diary, day: Date) -> Vec<Timestamp> {
    let all = diary.almanac.instants(day, day);
    if all.start == all.end { Vec::new() } else { vec![all.start, all.end - MICROSECOND] }
}

/// Returns the labels of all periods that contain days under test, by grain.
fn labels(diary: &Diary) -> Vec<String> {
    let of = |grain| {
        let mut labels: Vec<String> = diary.days.iter().map(|day| label(grain, *day)).collect();
        labels.dedup();
        labels
    };
    Grain::SUMMARIES.into_iter().flat_map(of).collect()
}

/// Returns the days that all bounds of a query allow. `period` is the first and last day that the period of the query means.
fn meant(diary: &Diary, query: &Query, period: Option<(Date, Date)>, now: Timestamp) -> DateRange {
    let ago = |number: u32| (0..number).fold(diary.almanac.day_of(now), |day, _| before(day));
    let first = [query.from, query.max_days_ago.map(ago), period.map(|days| days.0)];
    let last = [query.to, query.min_days_ago.map(ago), period.map(|days| days.1)];
    DateRange { from: first.into_iter().flatten().max(), to: last.into_iter().flatten().min() }
}

/// Returns the first and last day that a label means in an ordinary calendar.
fn calendar_days(label: &str) -> (Date, Date) {
    let (year, rest) = label.split_once('-').unwrap_or((label, ""));
    let month = |number: i8| Date::new(year.parse().unwrap(), number, 1).unwrap();
    if let Some(quarter) = rest.strip_prefix('Q') {
        let last = 3 * quarter.parse::<i8>().unwrap();
        return (month(last - 2), month(last).last_of_month());
    }
    if let Some(week) = rest.strip_prefix('W') {
        let week = ISOWeekDate::new(year.parse().unwrap(), week.parse().unwrap(), Weekday::Monday).unwrap();
        let monday = week.date();
        return (monday, (0..6).fold(monday, |day, _| next(day)));
    }
    match rest.split_once('-') {
        Some(_) => (label.parse().unwrap(), label.parse().unwrap()),
        None if rest.is_empty() => (month(1), month(12).last_of_month()),
        None => (month(rest.parse().unwrap()), month(rest.parse().unwrap()).last_of_month()),
    }
}
