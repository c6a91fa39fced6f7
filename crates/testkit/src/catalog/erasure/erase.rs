//! Carries out one erasure.

use std::collections::BTreeMap;

use annals_core::ports::{Block, Reach, Target};
use annals_core::{Agent, FactOperation, Kind, Memory, MemoryId, Message, Period, Timestamp};

use super::aim::Aim;
use super::{content, place};
use crate::catalog::shelf::{Pruned, Shelf};

/// Everything that the target selects directly, as it was before the erasure.
pub(super) struct Gone {
    pub(super) memories: Vec<Memory>,
    pub(super) pruned: BTreeMap<MemoryId, Pruned>,
    pub(super) operations: BTreeMap<String, FactOperation>,
    pub(super) blocks: BTreeMap<String, Block>,
}

/// An erasure in progress.
pub(super) struct Erasing<'s> {
    pub(super) shelf: &'s mut Shelf,
    pub(super) agent: &'s Agent,
    pub(super) aim: Aim,
    pub(super) seq: &'s mut u64,
    pub(super) now: Timestamp,
    pub(super) reach: Reach,
}

impl Shelf {
    pub(super) fn erase(&mut self, agent: &Agent, target: &Target, seq: &mut u64, now: Timestamp) -> Reach {
        self.erased = *seq;
        let aim = Aim::new(agent, self, target);
        let erasing = Erasing { shelf: self, agent, aim, seq, now, reach: Reach::default() };
        if *target == Target::Agent { erasing.everything() } else { erasing.part() }
    }
}

impl Erasing<'_> {
    fn part(mut self) -> Reach {
        let gone = self.take();
        let mut touched = self.cut_sealed();
        touched.extend(gone.memories.iter().filter(|memory| memory.kind == Kind::Turn).map(|turn| turn.period));
        self.remove_made_of(touched);
        self.drop_versions(&gone);
        self.shelf.replies.clear();
        self.shelf.requests.clear();
        self.shelf.keyed.clear();
        self.finish(&gone)
    }

    fn everything(mut self) -> Reach {
        let gone = self.take();
        let summaries = self.shelf.memories.values();
        let sentences = summaries.clone().flat_map(|summary| &summary.sentences);
        let sentences = sentences.chain(self.shelf.bases.values().flat_map(|base| &base.sentences));
        self.reach.sealed_sentences = sentences.map(|sentence| sentence.text.clone()).collect();
        self.reach.lost = summaries.map(|summary| summary.period).collect();
        self.reach.letters += self.shelf.letters.len() as u64;
        let (forgotten, erased) = (std::mem::take(&mut self.shelf.forgotten), self.shelf.erased);
        *self.shelf = Shelf { forgotten, erased, ..Shelf::default() };
        self.finish(&gone)
    }

    /// Removes the selected turns, statements, operations and blocks with their dead letters, and stores the hashes of the
    /// messages.
    fn take(&mut self) -> Gone {
        let memories = self.shelf.select(|memory| match memory.kind {
            Kind::Turn => self.aim.sources.contains(&memory.id),
            Kind::Fact => {
                let statement = &self.shelf.statements[&memory.id];
                self.aim.takes_statement(memory, &statement.who, &statement.topic)
            }
            Kind::Summary => false,
        });
        for memory in &memories {
            self.forget(memory);
        }
        let pruned = std::mem::take(&mut self.aim.pruned.gone);
        for (id, turn) in &pruned {
            self.shelf.pruned.remove(id);
            self.shelf.forgotten.insert(place(id));
            let said = turn.conversation.as_ref().zip(turn.content.as_ref());
            self.shelf.forgotten.extend(said.map(|(conversation, digest)| content(conversation, digest)));
            self.reach.pruned.push(id.clone());
        }
        let takes = |operation: &FactOperation| self.aim.takes_operation(operation);
        let (gone, log): (BTreeMap<_, _>, _) = self.shelf.log.clone().into_iter().partition(|(_, it)| takes(it));
        self.shelf.replace_log(log, self.seq);
        self.reach.operations = gone.keys().cloned().collect();
        let takes = |block: &Block| self.aim.takes_block(block);
        let (blocks, kept): (BTreeMap<_, _>, _) =
            std::mem::take(&mut self.shelf.blocks).into_iter().partition(|(_, block)| takes(block));
        self.shelf.blocks = kept;
        self.reach.blocks = blocks.keys().cloned().collect();
        Gone { memories, pruned, operations: gone, blocks }
    }

    fn forget(&mut self, memory: &Memory) {
        if let Some(message) = self.shelf.messages.get(&memory.id) {
            let sent = self.shelf.as_sent(&memory.id).expect("it is live");
            let corrected_to = Message { content: message.content.clone(), ..sent.clone() };
            let said = [sent, corrected_to].map(|message| content(&message.conversation, &message.digest()));
            self.shelf.forgotten.extend(said.into_iter().chain([place(&memory.id)]));
            self.reach.turns.push(memory.id.clone());
        } else {
            self.reach.statements.push(memory.id.clone());
        }
        self.shelf.delete(&memory.id, self.seq);
        if memory.kind == Kind::Turn {
            self.soil(memory.period);
        }
        let kept = self.shelf.letters.len();
        self.shelf.letters.retain(|(id, _), _| *id != memory.id);
        self.reach.letters += (kept - self.shelf.letters.len()) as u64;
    }

    /// Marks a period as dirty.
    pub(super) fn soil(&mut self, period: Period) {
        self.shelf.soil(period, *self.seq, self.now);
    }

    fn finish(mut self, gone: &Gone) -> Reach {
        self.reach.words = self.shelf.words_gone(gone);
        self.reach.unresolved = self.aim.pruned.unresolved;
        let in_periods = std::mem::take(&mut self.aim.pruned.unresolved_in);
        let done: Vec<_> = self.reach.cut.iter().chain(&self.reach.lost).copied().collect();
        self.reach.unresolved_in = in_periods.into_iter().filter(|period| !done.contains(period)).collect();
        if self.aim.has_subject {
            self.reach.unread = self.aim.pruned.kept;
            self.reach.unfollowed = self.aim.subject.unfollowed.iter().cloned().collect();
        }
        for periods in [&mut self.reach.rebuilt, &mut self.reach.cut, &mut self.reach.lost] {
            periods.sort();
        }
        self.reach.sealed_sentences.retain(|sentence| !self.shelf.former_texts().any(|text| text.contains(sentence)));
        self.reach.sealed_sentences.sort();
        self.reach.sealed_sentences.dedup();
        self.reach
    }
}
