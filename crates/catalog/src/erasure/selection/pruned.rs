//! Selects pruned turns by the keyed hashes that pruning left, or by stored data that comes from the turns.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::Target;
use annals_core::{Agent, Base, Grain, Interval, MemoryId, Period, Sentence, Timestamp, Zones};

use super::ALL_STATEMENTS;
use crate::columns::bounds;
use crate::db::{Db, Result, params};
use crate::erasure::subject::Subject;
use crate::forgotten::KeyedHashes;
use crate::pruned::Pruned;
use crate::{bases, journal, pruned, statements};

const BY_ID: &str = "SELECT * FROM pruned WHERE agent_id = ?1 AND id = ?2";
const OF_CONVERSATION: &str =
    "SELECT * FROM pruned WHERE agent_id = ?1 AND (conversation = ?2 OR conversation IS NULL) ORDER BY id";
const WITHIN: &str = "SELECT * FROM pruned WHERE agent_id = ?1 AND ((at >= ?2 AND at < ?3) OR at IS NULL) ORDER BY id";

/// The outcome of matching an agent's pruned turns with a target.
#[derive(Default)]
pub(super) struct Resolved {
    /// The turns to forget.
    pub(super) gone: Vec<Pruned>,
    /// Number of turns that cannot be matched with the target, and that left data behind.
    pub(super) unresolved: u64,
    /// Sealed periods that may hold something of an unresolved turn, or of a turn to forget that has no known day.
    pub(super) unresolved_in: BTreeSet<Period>,
    /// Number of the turns that the target may select, and that stay, unresolved ones included. For a subject these may be all
    /// pruned turns.
    pub(super) kept: u64,
}

/// The stored data that comes from one pruned turn.
#[derive(Default)]
struct Remains {
    /// Sealed periods that quote the turn, or days that a model wrote from it.
    periods: BTreeSet<Period>,
    day: Option<Period>,
    /// Instant of the turn, according to the fact log.
    said_at: Option<Timestamp>,
    /// Whether a statement comes from the turn.
    stated: bool,
    /// Whether any of this data names the subject. Summaries that a model wrote and statements with several sources do not
    /// count, because the name may come from another source.
    names_subject: bool,
}

impl Remains {
    fn is_empty(&self) -> bool {
        self.periods.is_empty() && self.said_at.is_none() && !self.stated
    }
}

/// The stored data that comes from the pruned turns that the target may select.
#[derive(Default)]
struct Left {
    of: BTreeMap<MemoryId, Remains>,
    /// Sealed weeks and longer periods that a model wrote: nothing records which turns it used.
    reworded: BTreeSet<Period>,
}

impl Resolved {
    pub(super) fn new(
        db: &dyn Db,
        agent: &Agent,
        agent_id: i64,
        target: &Target,
        subject: &Subject,
        zones: &Zones,
    ) -> Result<Resolved> {
        let hashes = KeyedHashes::known(db, agent)?;
        let mut turns = candidates(db, agent_id, target, hashes.as_ref())?;
        if turns.is_empty() {
            return Ok(Resolved::default());
        }
        let left = Left::read(db, agent, agent_id, subject, &turns)?;
        for turn in &mut turns {
            let remains = &left.of[&turn.id];
            turn.day = turn.day.or(remains.day);
            turn.at = turn.at.or(remains.said_at);
        }
        Ok(Matcher { target, zones, subject, hashes: hashes.as_ref() }.resolve(turns, &left))
    }
}

/// Returns the pruned turns that a target may select: all of them for a subject or a whole agent. For other targets the query
/// narrows them down, because there may be far more of them than live turns.
fn candidates(db: &dyn Db, agent_id: i64, target: &Target, hashes: Option<&KeyedHashes>) -> Result<Vec<Pruned>> {
    match target {
        Target::Memories(ids) => {
            let mut turns = Vec::new();
            for id in ids.iter().collect::<BTreeSet<_>>() {
                turns.append(&mut pruned::find(db, BY_ID, params![agent_id, id.as_str()])?);
            }
            Ok(turns)
        }
        Target::Conversation(name) => {
            let hash = hashes.map(|hashes| hashes.conversation(name));
            pruned::find(db, OF_CONVERSATION, params![agent_id, hash])
        }
        Target::Range(range) => {
            let (start, end) = bounds(range);
            pruned::find(db, WITHIN, params![agent_id, start, end])
        }
        Target::Subject(_) | Target::Agent => pruned::all(db, agent_id),
    }
}

impl Left {
    fn read(db: &dyn Db, agent: &Agent, agent_id: i64, subject: &Subject, turns: &[Pruned]) -> Result<Left> {
        let of = turns.iter().map(|turn| (turn.id.clone(), Remains::default())).collect();
        let mut left = Left { of, reworded: BTreeSet::new() };
        for period in bases::periods(db, agent_id)? {
            let present = bases::present(db, agent_id, &MemoryId::summary(agent, period))?;
            for text in bases::of(db, agent_id, period)?.into_iter().chain(present) {
                left.look_at(period, &text, subject);
            }
        }
        for operation in journal::all(db, agent_id)? {
            if let Some(remains) = left.of.get_mut(&operation.source) {
                remains.said_at = Some(operation.said_at);
                remains.names_subject |= subject.is_named_by_operation(&operation);
            }
        }
        for stored in statements::find(db, ALL_STATEMENTS, params![agent_id])? {
            let statement = &stored.statement;
            let named = statement.who.iter().chain([&statement.text]).any(|text| subject.is_named_in(text));
            for id in &statement.sources {
                if let Some(remains) = left.of.get_mut(id) {
                    remains.stated = true;
                    // If a statement has several sources, it is unknown which of them names the subject.
                    remains.names_subject |= named && statement.sources.len() == 1;
                }
            }
        }
        Ok(left)
    }

    fn look_at(&mut self, period: Period, text: &Base, subject: &Subject) {
        let is_day = period.grain() == Grain::Daily;
        for sentence in &text.sentences {
            self.quote(period, text.verbatim, sentence, subject);
        }
        if is_day {
            for id in &text.sources {
                if let Some(remains) = self.of.get_mut(id) {
                    remains.day = Some(period);
                    if !text.verbatim {
                        remains.periods.insert(period);
                    }
                }
            }
        } else if !text.verbatim {
            self.reworded.insert(period);
        }
    }

    fn quote(&mut self, period: Period, verbatim: bool, sentence: &Sentence, subject: &Subject) {
        let named = verbatim && sentence.speaker.iter().chain([&sentence.text]).any(|text| subject.is_named_in(text));
        for (position, id) in sentence.from.iter().enumerate() {
            if let Some(remains) = self.of.get_mut(id) {
                remains.periods.insert(period);
                remains.names_subject |= named;
                // The other sources may be turns of earlier days, from which only a name was taken.
                if verbatim && position == 0 {
                    remains.day.get_or_insert(Period::of(Grain::Daily, sentence.day));
                }
            }
        }
    }

    /// Returns the sealed weeks and longer periods in which a model may have used the turn.
    fn reworded_of(&self, turn: &Pruned) -> impl Iterator<Item = Period> {
        let day = turn.day;
        let may_cover = move |period: &&Period| day.is_none_or(|day| day.ancestor(period.grain()) == **period);
        self.reworded.iter().filter(may_cover).copied()
    }
}

/// Matches pruned turns with a target.
struct Matcher<'a> {
    target: &'a Target,
    zones: &'a Zones,
    subject: &'a Subject,
    hashes: Option<&'a KeyedHashes<'a>>,
}

impl Matcher<'_> {
    fn resolve(&self, turns: Vec<Pruned>, left: &Left) -> Resolved {
        let mut resolved = Resolved::default();
        for turn in turns {
            let remains = &left.of[&turn.id];
            if self.takes(&turn, remains) {
                if turn.day.is_none() {
                    resolved.unresolved_in.extend(left.reworded_of(&turn));
                }
                resolved.gone.push(turn);
                continue;
            }
            resolved.kept += 1;
            let mut in_periods = remains.periods.iter().copied().chain(left.reworded_of(&turn)).peekable();
            if self.cannot_tell(&turn) && (in_periods.peek().is_some() || !remains.is_empty()) {
                resolved.unresolved += 1;
                resolved.unresolved_in.extend(in_periods);
            }
        }
        resolved
    }

    fn takes(&self, turn: &Pruned, remains: &Remains) -> bool {
        match self.target {
            Target::Memories(ids) => ids.contains(&turn.id),
            Target::Conversation(name) => {
                self.hashes.is_some_and(|hashes| turn.conversation == Some(hashes.conversation(name)))
            }
            Target::Subject(_) => remains.names_subject || self.is_said_by_subject(turn),
            Target::Range(range) => match (turn.at, turn.day) {
                (Some(at), _) => range.contains(at),
                (None, Some(day)) => contains(range, &self.day(day)),
                (None, None) => false,
            },
            Target::Agent => true,
        }
    }

    fn is_said_by_subject(&self, turn: &Pruned) -> bool {
        let Some((hashes, speaker)) = self.hashes.zip(turn.speaker) else { return false };
        self.subject.names().any(|name| hashes.speaker(name) == speaker)
    }

    /// Returns whether too little is known of a turn to rule out that it belongs to the target.
    fn cannot_tell(&self, turn: &Pruned) -> bool {
        match self.target {
            Target::Conversation(_) => turn.conversation.is_none(),
            Target::Range(range) => turn.at.is_none() && turn.day.is_none_or(|day| self.day(day).overlaps(range)),
            _ => false,
        }
    }

    fn day(&self, day: Period) -> Interval {
        self.zones.day_interval(day.first_day())
    }
}

fn contains(outer: &Interval, inner: &Interval) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
