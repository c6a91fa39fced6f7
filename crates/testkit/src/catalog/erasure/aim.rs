//! What a target reaches by itself: turns, statements, operations, and pieces of what was made of pruned turns.

use std::collections::BTreeSet;

use annals_core::ports::{Block, Target};
use annals_core::{Base, FactOperation, Interval, Kind, Memory, MemoryId, Sentence, Zones};

use super::subject::Subject;
use crate::catalog::shelf::Shelf;

/// A target with its names resolved.
pub(super) struct Aim {
    everything: bool,
    subject: Subject,
    /// When what is reached was said, if the target is a range.
    range: Option<Interval>,
    /// Turns that go, pruned ones too where they were given by id, and other ids that were given.
    pub(super) sources: BTreeSet<MemoryId>,
    zones: Zones,
}

impl Aim {
    pub(super) fn new(shelf: &Shelf, target: &Target) -> Aim {
        let zones =
            shelf.settings.clone().unwrap_or_default().zones().expect("settings are checked before they are saved");
        let subject = match target {
            Target::Subject(name) => Subject::new(name, shelf.log.values()),
            _ => Subject::default(),
        };
        let range = if let Target::Range(range) = target { Some(*range) } else { None };
        let takes = |turn: &&Memory| match target {
            Target::Memories(ids) => ids.contains(&turn.id),
            Target::Conversation(conversation) => turn.conversation.as_ref() == Some(conversation),
            Target::Subject(_) => turn.speaker.iter().any(|name| subject.is(name)) || subject.is_named_in(&turn.text),
            Target::Range(range) => range.contains(turn.at()),
            Target::Agent => true,
        };
        let turns = shelf.memories.values().filter(|memory| memory.kind == Kind::Turn).filter(takes);
        let given = if let Target::Memories(ids) = target { ids.as_slice() } else { &[] };
        // Summaries are made of others: they do not go by their ids.
        let given = given.iter().filter(|id| !id.as_str().starts_with("s-")).cloned();
        let sources = turns.map(|turn| turn.id.clone()).chain(given).collect();
        Aim { everything: *target == Target::Agent, subject, range, sources, zones }
    }

    pub(super) fn takes_statement(&self, memory: &Memory, who: &[String]) -> bool {
        self.everything
            || self.sources.contains(&memory.id)
            || self.takes_any(&memory.sources)
            || who.iter().chain([&memory.text]).any(|text| self.subject.is_named_in(text))
    }

    pub(super) fn takes_operation(&self, operation: &FactOperation) -> bool {
        let names = [Some(&operation.subject), Some(&operation.object), operation.replaces.as_ref()];
        self.everything
            || self.sources.contains(&operation.source)
            || self.range.is_some_and(|range| range.contains(operation.said_at))
            || names.into_iter().flatten().any(|name| self.subject.is(name))
    }

    pub(super) fn takes_block(&self, block: &Block) -> bool {
        self.everything || self.subject.is_named_in(&block.name) || self.subject.is_named_in(&block.text)
    }

    /// Whether a text names the subject.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        self.subject.is_named_in(text)
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
            || self.range.is_some_and(|range| range.start <= day.start && day.end <= range.end)
            || sentence.speaker.iter().chain([&sentence.text]).any(|text| self.subject.is_named_in(text))
    }

    fn takes_any(&self, sources: &[MemoryId]) -> bool {
        sources.iter().any(|id| self.sources.contains(id))
    }
}
