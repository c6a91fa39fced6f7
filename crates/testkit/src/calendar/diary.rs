//! What an agent has in memory, and which of it lies in a range.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::Turn;
use annals_core::{Agent, Date, DateRange, Grain, Interval, Kind, SignedDuration, Statement, Summary, Timestamp};

use super::{Almanac, Place, label};
use crate::{message, period, statement, summary, turn_of};

/// A memory as it is to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// Its grain.
    pub grain: Grain,
    /// What it is.
    pub kind: Kind,
    /// Its words: no two have the same.
    pub text: String,
    /// The label of its period.
    pub label: String,
    /// The first and last day that it covers.
    pub days: (Date, Date),
    /// The instants that it covers.
    pub cover: Interval,
}

/// A memory that is found, by its words, and how many of its days lie outside the range that was asked for.
pub type Entry = (String, i64);

/// Turns at the edges of days and wherever the clocks are turned, a statement for each first turn of a day, and the summaries of
/// all periods that they belong to and that were over at a certain time.
#[derive(Debug)]
pub struct Diary {
    /// What days there are.
    pub almanac: Almanac,
    /// What happens when.
    pub days: Vec<Date>,
    /// All of it, by grain and time.
    pub memories: Vec<Remembered>,
}

pub(super) const MICROSECOND: SignedDuration = SignedDuration::from_micros(1);

impl Diary {
    /// The diary of a place, as of `now`.
    pub fn new(place: &Place, now: Timestamp) -> Diary {
        let almanac = place.almanac();
        let days = place.days(&almanac);
        let mut diary = Diary { memories: Vec::new(), almanac, days };
        diary.remember_turns();
        diary.remember_summaries(now);
        diary
    }

    /// Its turns, as an agent's.
    pub fn turns(&self, agent: &Agent) -> Vec<Turn> {
        self.of(Kind::Turn).map(|memory| turn(agent, memory)).collect()
    }

    /// The statements drawn out of them.
    pub fn statements(&self, agent: &Agent) -> Vec<Statement> {
        let source = |cover| turn(agent, self.of(Kind::Turn).find(|turn| turn.cover == cover).unwrap());
        let drawn = |memory: &Remembered| statement(agent, &source(memory.cover), &memory.text);
        self.of(Kind::Fact).map(|memory| Statement { day: period(&memory.label), ..drawn(memory) }).collect()
    }

    /// The summaries.
    pub fn summaries(&self, agent: &Agent) -> Vec<Summary> {
        let source = [turn(agent, &self.memories[0]).id];
        let written = |memory: &Remembered| summary(&memory.label, 1, &source, &memory.text);
        self.of(Kind::Summary).map(|memory| Summary { cover: memory.cover, ..written(memory) }).collect()
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = &Remembered> {
        self.memories.iter().filter(move |memory| memory.kind == kind)
    }

    /// What lies in a range of days, of one grain and some kinds (all, if none are named): what covers a day of it that there was.
    /// With `strict` nothing that covers a day outside as well.
    pub fn within(&self, range: DateRange, grain: Grain, kinds: &[Kind], strict: bool) -> BTreeSet<Entry> {
        let of_grain = self.memories.iter().filter(|memory| memory.grain == grain);
        let of_kind = of_grain.filter(|memory| kinds.is_empty() || kinds.contains(&memory.kind));
        let entries = of_kind.filter_map(|memory| {
            let (inside, outside) = self.split(memory, range);
            (inside && !(strict && outside > 0)).then(|| (memory.text.clone(), outside))
        });
        entries.collect()
    }

    /// Whether a day of the memory that there was is in the range; and how many days by the calendar are not.
    fn split(&self, memory: &Remembered, range: DateRange) -> (bool, i64) {
        let (first, last) = memory.days;
        let mut day = first;
        let (mut inside, mut outside) = (false, 0);
        while day <= last {
            if range.from.is_none_or(|from| from <= day) && range.to.is_none_or(|to| day <= to) {
                inside |= self.almanac.is_lived(day);
            } else {
                outside += 1;
            }
            day = super::almanac::next(day);
        }
        (inside, outside)
    }

    fn remember_turns(&mut self) {
        let mut moments: BTreeSet<Timestamp> = BTreeSet::new();
        for day in &self.days {
            let Interval { start, end } = self.almanac.instants(*day, *day);
            if start < end {
                moments.extend([start, end - MICROSECOND]);
            }
        }
        // The last moment of the old time, the first of the new, and two that the clock shows as the same where an hour came twice.
        for turned in self.almanac.turned().iter().filter(|at| self.days.contains(&self.almanac.day_of(**at))) {
            let half = SignedDuration::from_mins(30);
            moments.extend([*turned - half, *turned - MICROSECOND, *turned, *turned + half]);
        }
        let mut told: BTreeSet<Date> = BTreeSet::new();
        for at in moments {
            let day = self.almanac.day_of(at);
            let cover = Interval { start: at, end: at + MICROSECOND };
            let label = label(Grain::Daily, day);
            let said = |kind, text| Remembered {
                grain: Grain::Working,
                kind,
                text,
                label: label.clone(),
                days: (day, day),
                cover,
            };
            self.memories.push(said(Kind::Turn, format!("word {at}")));
            if told.insert(day) {
                self.memories.push(said(Kind::Fact, format!("word of {day}")));
            }
        }
    }

    fn remember_summaries(&mut self, now: Timestamp) {
        let told: BTreeSet<Date> = self.memories.iter().map(|memory| memory.days.0).collect();
        for grain in Grain::SUMMARIES {
            let labels: BTreeMap<String, ()> = told.iter().map(|day| (label(grain, *day), ())).collect();
            for label in labels.into_keys() {
                let days = self.almanac.cover(&label).expect("the almanac reaches further than the diary");
                let cover = self.almanac.instants(days.0, days.1);
                if cover.end <= now {
                    let text = format!("word in {label}");
                    self.memories.push(Remembered { grain, kind: Kind::Summary, text, label, days, cover });
                }
            }
        }
    }
}

fn turn(agent: &Agent, memory: &Remembered) -> Turn {
    let said_at = memory.cover.start.to_string();
    Turn { day: period(&memory.label), ..turn_of(agent, message(&said_at, &memory.text)) }
}
