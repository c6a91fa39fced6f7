//! Selects what a target names directly: turns, statements, operations, blocks, documents, and sentences of sealed texts.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::{Block, Document, Target};
use annals_core::{Agent, Base, FactOperation, Grain, Interval, Kind, Memory, MemoryId, Period, Sentence, Zones};

use super::pruned::Resolved;
use super::subject::Subject;
use crate::catalog::agent_data::AgentData;

/// A target with its names resolved.
pub(super) struct Selection {
    everything: bool,
    pub(super) has_subject: bool,
    pub(super) subject: Subject,
    /// The target, if it is a range of instants.
    range: Option<Interval>,
    /// The ids of the target, if it is a list of memories.
    given: BTreeSet<MemoryId>,
    pub(super) pruned: Resolved,
    /// Ids of selected turns, including pruned ones, and other ids that the target lists.
    pub(super) sources: BTreeSet<MemoryId>,
    /// Periods coarser than a day that contain selected turns. The value is the sequence number at which the first of these
    /// turns arrived, or `None` if it is unknown.
    above: BTreeMap<Period, Option<u64>>,
    zones: Zones,
}

impl Selection {
    pub(super) fn new(agent: &Agent, data: &AgentData, target: &Target) -> Selection {
        let zones =
            data.settings.clone().unwrap_or_default().zones().expect("settings are checked before they are saved");
        let subject = match target {
            Target::Subject(name) => Subject::new(name, data),
            _ => Subject::default(),
        };
        let range = if let Target::Range(range) = target { Some(*range) } else { None };
        let takes = |turn: &&Memory| match target {
            Target::Memories(ids) => ids.contains(&turn.id),
            Target::Conversation(conversation) => turn.conversation() == Some(conversation),
            Target::Subject(_) => {
                turn.speaker().is_some_and(|name| subject.is(name))
                    || subject.is_named_in(&turn.text)
                    || data.attachments.get(&turn.id).is_some_and(|json| subject.is_named_by_json(json))
                    || turn.conversation().into_iter().chain(turn.message()).any(|name| subject.is_named_by(name))
            }
            Target::Range(range) => range.contains(turn.at()),
            Target::Agent => true,
        };
        let live: Vec<&Memory> =
            data.memories.values().filter(|memory| memory.kind() == Kind::Turn).filter(takes).collect();
        let pruned = Resolved::new(agent, data, target, &subject, &zones);
        let given = if let Target::Memories(ids) = target { ids.as_slice() } else { &[] };
        let ids: BTreeSet<MemoryId> = given.iter().cloned().collect();
        // Summaries are derived, so their ids select nothing.
        let given = given.iter().filter(|id| !id.as_str().starts_with("s-")).cloned();
        let sources = live.iter().map(|turn| turn.id.clone()).chain(pruned.gone.keys().cloned()).chain(given).collect();
        let days = live.iter().map(|turn| (turn.period, data.arrived.get(&turn.id).copied()));
        let days = days.chain(pruned.gone.values().filter_map(|turn| Some((turn.day?, turn.arrived))));
        let above = above(days);
        let (everything, has_subject) = (*target == Target::Agent, matches!(target, Target::Subject(_)));
        Selection { everything, has_subject, subject, range, given: ids, pruned, sources, above, zones }
    }

    pub(super) fn takes_statement(&self, memory: &Memory, who: &[String], topic: &str) -> bool {
        self.everything
            || self.sources.contains(&memory.id)
            || self.takes_any(memory.sources())
            || (memory.sources().iter().any(MemoryId::is_entry)
                && self.range.is_some_and(|range| range.contains(memory.at())))
            || who.iter().map(String::as_str).chain([memory.text.as_str(), topic]).any(|text| self.is_named_in(text))
    }

    pub(super) fn takes_operation(&self, operation: &FactOperation) -> bool {
        self.everything
            || self.takes_any(&operation.sources())
            || self.range.is_some_and(|range| range.contains(operation.said_at))
            || self.subject.is_named_by_operation(operation)
    }

    pub(super) fn takes_block(&self, block: &Block) -> bool {
        self.everything || self.subject.is_named_by(&block.name) || self.subject.is_named_in(&block.text)
    }

    /// Returns whether the target takes any part of a document. The document is then removed as a whole.
    pub(super) fn takes_document(&self, agent: &Agent, document: &Document) -> bool {
        self.everything
            || self.range.is_some_and(|range| range.contains(document.updated_at))
            || [&document.collection, &document.key].into_iter().any(|name| self.subject.is_named_by(name))
            || self.subject.is_named_by_content(&document.content)
            || document.memories(agent).iter().any(|passage| self.given.contains(&passage.id))
    }

    pub(super) fn is_named_in(&self, text: &str) -> bool {
        self.subject.is_named_in(text)
    }

    /// Returns whether a sealed text has anything to remove. The text contains no turn that arrived after `seq`.
    pub(super) fn reaches(&self, period: Period, text: &Base, seq: Option<u64>) -> bool {
        text.sentences.iter().any(|sentence| self.takes_sentence(sentence))
            || self.is_named_in(&text.text)
            // A model may have used any source for any sentence.
            || (!text.verbatim && (self.takes_any(&text.sources) || self.takes_of(period, seq)))
    }

    /// Returns whether a selected turn may be among the turns of a period coarser than a day that arrived up to `seq`.
    fn takes_of(&self, period: Period, seq: Option<u64>) -> bool {
        self.above.get(&period).is_some_and(|first| first.zip(seq).is_none_or(|(first, last)| first <= last))
    }

    /// Returns the rest of a sealed text after the selected parts are removed. Returns `None` if nothing remains, or if a model
    /// wrote a text with something to remove.
    pub(super) fn without(&self, period: Period, text: Base, seq: Option<u64>) -> Option<Base> {
        if !self.reaches(period, &text, seq) {
            return Some(text);
        }
        let Base { mut sentences, mut sources, verbatim, .. } = text;
        sentences.retain(|sentence| !self.takes_sentence(sentence));
        sources.retain(|id| !self.sources.contains(id));
        let lines: Vec<&str> = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
        let text = lines.join("\n");
        (verbatim && !sentences.is_empty()).then_some(Base { text, sentences, sources, verbatim })
    }

    /// Returns whether a sentence is removed. A range also removes it if its whole day lies in the range.
    fn takes_sentence(&self, sentence: &Sentence) -> bool {
        let day = self.zones.day_interval(sentence.day);
        self.takes_any(&sentence.from)
            || self.range.is_some_and(|range| range.start <= day.start && day.end <= range.end)
            || sentence.speaker.iter().chain([&sentence.text]).any(|text| self.subject.is_named_in(text))
    }

    /// Returns whether one of the ids is selected.
    pub(super) fn takes_any(&self, sources: &[MemoryId]) -> bool {
        sources.iter().any(|id| self.sources.contains(id))
    }
}

fn above(days: impl Iterator<Item = (Period, Option<u64>)>) -> BTreeMap<Period, Option<u64>> {
    let mut above: BTreeMap<Period, Option<u64>> = BTreeMap::new();
    for (day, arrived) in days {
        for grain in Grain::SUMMARIES.into_iter().filter(|grain| *grain > Grain::Daily) {
            let first = above.entry(day.ancestor(grain)).or_insert(arrived);
            *first = first.zip(arrived).map(|(first, arrived)| first.min(arrived));
        }
    }
    above
}
