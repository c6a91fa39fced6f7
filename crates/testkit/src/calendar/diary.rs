//! The memories of an agent, and which of them lie in a range.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::Turn;
use annals_core::{
    Agent, Date, DateRange, Grain, Interval, Kind, MemoryId, Message, SignedDuration, Statement, Summary, Timestamp,
};

use super::almanac::next;
use super::{Almanac, Place, label};
use crate::{message, period, statement, summary, turn_of};

pub(super) const MICROSECOND: SignedDuration = SignedDuration::from_micros(1);

/// A memory with the fields that an answer must contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    pub grain: Grain,
    pub kind: Kind,
    pub label: String,
    /// The first and last day that the memory covers.
    pub days: (Date, Date),
    /// The instants that the memory covers.
    pub cover: Interval,
}

/// An agent's memories: turns at the edges of days and around clock changes, one statement for the first turn of each day,
/// and the summaries of all periods that contain them.
#[derive(Clone, Debug)]
pub struct Diary {
    pub place: Place,
    pub almanac: Almanac,
    /// The days under test, see [`Place::days`].
    pub days: Vec<Date>,
    /// All memories by text. Each text is unique.
    pub memories: BTreeMap<String, Remembered>,
}

impl Diary {
    /// Builds the complete diary of a place.
    pub fn new(place: Place) -> Diary {
        let almanac = place.almanac();
        let days = place.days(&almanac);
        let mut diary = Diary { place, memories: BTreeMap::new(), almanac, days };
        diary.remember_turns();
        diary.remember_summaries();
        diary
    }

    /// Returns the diary as of `now`: the memories that end by then. Open periods have no summary.
    pub fn as_of(&self, now: Timestamp) -> Diary {
        let mut diary = self.clone();
        diary.memories.retain(|_, memory| memory.cover.end <= now);
        diary
    }

    /// Returns the messages of the turns.
    pub fn messages(&self) -> Vec<Message> {
        self.of(Kind::Turn).map(|(text, memory)| message(&memory.cover.start.to_string(), text)).collect()
    }

    /// Returns the turns, as turns of this agent.
    pub fn turns(&self, agent: &Agent) -> Vec<Turn> {
        let turn = |(text, memory): (&String, &Remembered)| {
            let message = message(&memory.cover.start.to_string(), text);
            Turn { day: period(&memory.label), ..turn_of(agent, message) }
        };
        self.of(Kind::Turn).map(turn).collect()
    }

    /// Returns the statements, as extracted from the turns of this agent.
    pub fn statements(&self, agent: &Agent) -> Vec<Statement> {
        let turns = self.turns(agent);
        let drawn = |(text, memory): (&String, &Remembered)| {
            let source = turns.iter().find(|turn| turn.message.at == memory.cover.start).unwrap();
            statement(agent, source, text)
        };
        self.of(Kind::Statement).map(drawn).collect()
    }

    /// Returns the summaries, each with `source` as its only source.
    pub fn summaries(&self, source: &MemoryId) -> Vec<Summary> {
        let written = |(text, memory): (&String, &Remembered)| Summary {
            cover: memory.cover,
            ..summary(&memory.label, 1, std::slice::from_ref(source), text)
        };
        self.of(Kind::Summary).map(written).collect()
    }

    /// Returns the memories of one grain and some kinds that cover at least one existing day of the range; without kinds, of
    /// all kinds. The keys are texts. The values are the numbers of days outside of the range. With `strict`, leaves out
    /// memories with days outside.
    pub fn within(&self, range: DateRange, grain: Grain, kinds: &[Kind], strict: bool) -> BTreeMap<String, i64> {
        let of_grain = self.memories.iter().filter(|(_, memory)| memory.grain == grain);
        let of_kind = of_grain.filter(|(_, memory)| kinds.is_empty() || kinds.contains(&memory.kind));
        let found = of_kind.filter_map(|(text, memory)| {
            let (inside, outside) = self.split(memory, range);
            (inside && !(strict && outside > 0)).then(|| (text.clone(), outside))
        });
        found.collect()
    }

    /// Returns whether an existing day of the memory is in the range, and how many of its calendar days are not.
    fn split(&self, memory: &Remembered, range: DateRange) -> (bool, i64) {
        let (mut day, last) = memory.days;
        let (mut inside, mut outside) = (false, 0);
        while day <= last {
            if range.from.is_none_or(|from| from <= day) && range.to.is_none_or(|to| day <= to) {
                inside |= self.almanac.is_lived(day);
            } else {
                outside += 1;
            }
            day = next(day);
        }
        (inside, outside)
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = (&String, &Remembered)> {
        self.memories.iter().filter(move |(_, memory)| memory.kind == kind)
    }

    fn remember_turns(&mut self) {
        let mut days_with_statement: BTreeSet<Date> = BTreeSet::new();
        for at in self.moments() {
            let day = self.almanac.day_of(at);
            let cover = Interval { start: at, end: at + MICROSECOND };
            let label = label(Grain::Daily, day);
            let remembered =
                |kind| Remembered { grain: Grain::Working, kind, label: label.clone(), days: (day, day), cover };
            self.memories.insert(format!("word {at}"), remembered(Kind::Turn));
            if days_with_statement.insert(day) {
                self.memories.insert(format!("word of {day}"), remembered(Kind::Statement));
            }
        }
    }

    /// Returns the first and last moment of each day. For each clock change, also returns the last moment of the old offset,
    /// the first of the new one, and the moments 30 minutes before and after the change. If the change repeats an hour, the
    /// clock shows the same time at these two.
    fn moments(&self) -> BTreeSet<Timestamp> {
        let days = self.days.iter().map(|day| self.almanac.instants(*day, *day)).filter(|day| day.start < day.end);
        let edges = days.flat_map(|day| [day.start, day.end - MICROSECOND]);
        let half = SignedDuration::from_mins(30);
        let turned = self.almanac.turned().iter().filter(|at| self.days.contains(&self.almanac.day_of(**at)));
        let turned = turned.flat_map(|at| [*at - half, *at - MICROSECOND, *at, *at + half]);
        edges.chain(turned).collect()
    }

    fn remember_summaries(&mut self) {
        let days: BTreeSet<Date> = self.memories.values().map(|memory| memory.days.0).collect();
        for (grain, day) in Grain::SUMMARIES.into_iter().flat_map(|grain| days.iter().map(move |day| (grain, *day))) {
            let label = label(grain, day);
            let days = self.almanac.cover(&label).expect("the almanac reaches further than the diary");
            let cover = self.almanac.instants(days.0, days.1);
            let memory = Remembered { grain, kind: Kind::Summary, label: label.clone(), days, cover };
            self.memories.insert(format!("word in {label}"), memory);
        }
    }
}
