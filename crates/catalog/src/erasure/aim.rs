//! What a target reaches by itself: turns, statements, operations, and sentences that were made of pruned turns.

use std::collections::BTreeSet;

use annals_core::ports::{Block, Target};
use annals_core::{Agent, Base, FactOperation, Interval, Memory, MemoryId, Message, Sentence, Zones};
use rusqlite::{Connection, params};

use super::subject::Subject;
use crate::columns::bounds;
use crate::failure::Result;
use crate::turns::Stored;
use crate::{agents, get, log, statements, turns};

const ALL_TURNS: &str = concat!(include_str!("../sql/turn.sql"), "WHERE agent_id = ?1");
const ALL_STATEMENTS: &str = concat!(include_str!("../sql/statement.sql"), "WHERE agent_id = ?1");
pub(crate) const OF_CONVERSATION: &str = concat!(
    include_str!("../sql/turn.sql"),
    "INDEXED BY turn_by_conversation WHERE agent_id = ?1 AND conversation = ?2"
);
pub(crate) const WITHIN: &str =
    concat!(include_str!("../sql/turn.sql"), "WHERE agent_id = ?1 AND at >= ?2 AND at < ?3");

/// A target with its names resolved.
pub(super) struct Aim {
    agent_id: i64,
    target: Target,
    subject: Subject,
    /// The turns that go.
    pub(super) turns: Vec<Stored>,
    /// Their ids, those of pruned ones too where they were given by id, and other ids that were given.
    sources: BTreeSet<MemoryId>,
    zones: Zones,
}

impl Aim {
    pub(super) fn new(connection: &Connection, agent: &Agent, agent_id: i64, target: &Target) -> Result<Aim> {
        let subject = match target {
            Target::Subject(name) => Subject::new(name, &log::all(connection, agent_id)?),
            _ => Subject::default(),
        };
        let turns = turns_of(connection, agent_id, target, &subject)?;
        let given = if let Target::Memories(ids) = target { ids.as_slice() } else { &[] };
        // Summaries are made of others: they do not go by their ids.
        let given = given.iter().filter(|id| !id.as_str().starts_with("s-"));
        let sources = turns.iter().map(|stored| &stored.turn.id).chain(given).cloned().collect();
        let zones = agents::settings(connection, agent)?.zones()?;
        Ok(Aim { agent_id, target: target.clone(), subject, turns, sources, zones })
    }

    /// The statements that go.
    pub(super) fn statements(&self, connection: &Connection) -> Result<Vec<Memory>> {
        let mut all = statements::find(connection, ALL_STATEMENTS, [self.agent_id])?;
        all.retain(|stored| {
            let statement = &stored.statement;
            self.target == Target::Agent
                || self.sources.contains(&statement.id)
                || self.takes_any(&statement.sources)
                || statement.who.iter().chain([&statement.text]).any(|text| self.is_named_in(text))
        });
        Ok(all.into_iter().map(statements::Stored::remember).collect())
    }

    /// The operations that go, by id.
    pub(super) fn operations(&self, connection: &Connection) -> Result<Vec<FactOperation>> {
        let mut all = log::all(connection, self.agent_id)?;
        all.retain(|operation| {
            let names = [Some(&operation.subject), Some(&operation.object), operation.replaces.as_ref()];
            self.target == Target::Agent
                || self.sources.contains(&operation.source)
                || self.range().is_some_and(|range| range.contains(operation.said_at))
                || names.into_iter().flatten().any(|name| self.subject.is(name))
        });
        Ok(all)
    }

    /// Whether a block goes.
    pub(super) fn takes_block(&self, block: &Block) -> bool {
        self.target == Target::Agent || [&block.name, &block.text].into_iter().any(|text| self.is_named_in(text))
    }

    /// Whether a text names the subject.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        self.subject.is_named_in(text)
    }

    /// Whether there is a subject that texts may name.
    pub(super) fn has_subject(&self) -> bool {
        matches!(self.target, Target::Subject(_))
    }

    /// Whether a sealed text comes from what goes.
    pub(super) fn reaches(&self, text: &Base) -> bool {
        text.sentences.iter().any(|sentence| self.takes_sentence(sentence))
            || self.is_named_in(&text.text)
            // A model may have used any source for any sentence.
            || (!text.verbatim && self.takes_any(&text.sources))
    }

    /// What is left of a sealed text.
    pub(super) fn without(&self, text: Base) -> Option<Base> {
        if !self.reaches(&text) {
            return Some(text);
        }
        let Base { mut sentences, mut sources, verbatim, .. } = text;
        sentences.retain(|sentence| !self.takes_sentence(sentence));
        sources.retain(|id| !self.sources.contains(id));
        let lines: Vec<&str> = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
        let text = lines.join("\n");
        (verbatim && !sentences.is_empty()).then_some(Base { text, sentences, sources, verbatim })
    }

    /// Of a pruned turn only the day is known: its sentences go when all of that day lies in the range.
    fn takes_sentence(&self, sentence: &Sentence) -> bool {
        let day = self.zones.day_interval(sentence.day);
        self.takes_any(&sentence.from)
            || self.range().is_some_and(|range| range.start <= day.start && day.end <= range.end)
            || sentence.speaker.iter().chain([&sentence.text]).any(|text| self.is_named_in(text))
    }

    fn takes_any(&self, sources: &[MemoryId]) -> bool {
        sources.iter().any(|id| self.sources.contains(id))
    }

    fn range(&self) -> Option<&Interval> {
        if let Target::Range(range) = &self.target { Some(range) } else { None }
    }
}

fn turns_of(connection: &Connection, agent_id: i64, target: &Target, subject: &Subject) -> Result<Vec<Stored>> {
    match target {
        Target::Memories(ids) => {
            let mut found = Vec::new();
            for id in ids.iter().collect::<BTreeSet<_>>() {
                found.append(&mut turns::find(connection, get::TURN, params![agent_id, id.as_str()])?);
            }
            Ok(found)
        }
        Target::Conversation(name) => turns::find(connection, OF_CONVERSATION, params![agent_id, name]),
        Target::Subject(_) => {
            let takes = |said: &Message| subject.is(said.speaker()) || subject.is_named_in(&said.content);
            turns::find_where(connection, ALL_TURNS, [agent_id], takes)
        }
        Target::Range(range) => {
            let (start, end) = bounds(range);
            turns::find_where(connection, WITHIN, params![agent_id, start, end], |said| range.contains(said.at))
        }
        Target::Agent => turns::find(connection, ALL_TURNS, [agent_id]),
    }
}
