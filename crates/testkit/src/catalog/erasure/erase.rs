//! Carries out one erasure: deletes what the target selects and what was made from it, and returns the report.

use std::collections::BTreeMap;

use annals_core::ports::{Block, Document, ErasureReport, ItemKey, RequestKey, Target};
use annals_core::{Agent, FactOperation, Kind, Memory, MemoryId, Message, Period, Timestamp};

use super::selection::Selection;
use super::{content, item, key_digest, request};
use crate::catalog::agent_data::{AgentData, Pruned};

/// Everything that the target selects directly, as it was before the erasure.
pub(super) struct Erased {
    pub(super) memories: Vec<Memory>,
    /// The attachments of the selected turns.
    pub(super) attachments: Vec<String>,
    pub(super) pruned: BTreeMap<MemoryId, Pruned>,
    pub(super) operations: BTreeMap<String, FactOperation>,
    pub(super) blocks: BTreeMap<String, Block>,
    pub(super) documents: Vec<Document>,
    /// Former texts that name the subject, of memories that stay.
    pub(super) former_texts: Vec<String>,
}

/// An erasure in progress: the data, the selection, and the report so far.
pub(super) struct Erasing<'s> {
    pub(super) data: &'s mut AgentData,
    pub(super) agent: &'s Agent,
    pub(super) selection: Selection,
    pub(super) seq: &'s mut u64,
    pub(super) now: Timestamp,
    pub(super) report: ErasureReport,
}

impl AgentData {
    pub(super) fn erase(&mut self, agent: &Agent, target: &Target, seq: &mut u64, now: Timestamp) -> ErasureReport {
        self.erased = *seq;
        let selection = Selection::new(agent, self, target);
        let erasing = Erasing { data: self, agent, selection, seq, now, report: ErasureReport::default() };
        if *target == Target::Agent { erasing.everything() } else { erasing.part() }
    }
}

impl Erasing<'_> {
    fn part(mut self) -> ErasureReport {
        let mut erased = self.take();
        let mut touched = self.cut_sealed();
        touched.extend(erased.memories.iter().filter(|memory| memory.kind() == Kind::Turn).map(|turn| turn.period));
        self.remove_made_of(touched);
        self.drop_versions(&mut erased);
        self.data.replies.clear();
        // Records of uploads count no messages, and stay.
        self.data
            .requests
            .retain(|_, receipt| receipt.accepted + receipt.duplicate + receipt.revised + receipt.forgotten == 0);
        self.remember_requests();
        self.data.keyed.clear();
        self.finish(&erased)
    }

    fn everything(mut self) -> ErasureReport {
        let erased = self.take();
        let summaries = self.data.memories.values();
        let sentences = summaries.clone().flat_map(Memory::sentences);
        let sentences = sentences.chain(self.data.bases.values().flat_map(|base| &base.sentences));
        self.report.sealed_sentences = sentences.map(|sentence| sentence.text.clone()).collect();
        self.report.lost = summaries.map(|summary| summary.period).collect();
        self.report.letters += self.data.letters.len() as u64;
        self.remember_requests();
        let (forgotten, last_erasure) = (std::mem::take(&mut self.data.forgotten), self.data.erased);
        *self.data = AgentData { forgotten, erased: last_erasure, ..AgentData::default() };
        self.finish(&erased)
    }

    fn remember_requests(&mut self) {
        let requests = self.data.keyed.iter().map(|(key, (body, ..))| request(&RequestKey { key: *key, body: *body }));
        self.data.forgotten.extend(requests);
    }

    /// Removes everything that the target selects directly, with its dead letters. Stores hashes of the messages and of the
    /// items that an import could add again.
    fn take(&mut self) -> Erased {
        let memories = self.data.select(|memory| match memory.kind() {
            Kind::Turn => self.selection.sources.contains(&memory.id),
            Kind::Statement => {
                let statement = &self.data.statements[&memory.id];
                self.selection.takes_statement(memory, &statement.who, &statement.topic)
            }
            Kind::Summary | Kind::Passage => false,
        });
        let attachments = memories.iter().filter_map(|memory| self.data.attachments.get(&memory.id).cloned()).collect();
        for memory in &memories {
            self.forget(memory);
        }
        let pruned = std::mem::take(&mut self.selection.pruned.gone);
        for (id, turn) in &pruned {
            self.data.pruned.remove(id);
            self.data.forgotten.insert(key_digest(id));
            let contents = turn.conversation.as_ref().zip(turn.content.as_ref());
            self.data.forgotten.extend(contents.map(|(conversation, digest)| content(conversation, digest)));
            self.report.pruned.push(id.clone());
        }
        let takes = |operation: &FactOperation| self.selection.takes_operation(operation);
        let (erased, log): (BTreeMap<_, _>, _) = self.data.log.clone().into_iter().partition(|(_, it)| takes(it));
        self.data.replace_log(log, self.seq);
        self.report.operations = erased.keys().cloned().collect();
        let takes = |block: &Block| self.selection.takes_block(block);
        let (blocks, kept): (BTreeMap<_, _>, _) =
            std::mem::take(&mut self.data.blocks).into_iter().partition(|(_, block)| takes(block));
        self.data.blocks = kept;
        self.report.blocks = blocks.keys().cloned().collect();
        let documents = self.take_documents();
        let entered = erased.values().filter(|operation| operation.source.is_entry());
        let operations = entered.map(|operation| ItemKey::Operation(operation.id.clone()));
        let of_blocks = blocks.keys().map(|name| ItemKey::Block(name.clone()));
        let of_documents = documents.iter().map(|document| ItemKey::Document(document.document_key()));
        let items = operations.chain(of_blocks).chain(of_documents);
        self.data.forgotten.extend(items.map(|item_key| item(&item_key)));
        Erased { memories, attachments, pruned, operations: erased, blocks, documents, former_texts: Vec::new() }
    }

    fn take_documents(&mut self) -> Vec<Document> {
        let takes = |document: &&Document| self.selection.takes_document(self.agent, document);
        let removed: Vec<_> = self.data.documents.values().filter(takes).map(Document::document_key).collect();
        let remove = |key| self.data.remove_document(self.agent, key, 0, self.seq);
        let documents = removed.iter().filter_map(remove).collect();
        self.report.documents = removed;
        documents
    }

    fn forget(&mut self, memory: &Memory) {
        if let Some(message) = self.data.messages.get(&memory.id) {
            let sent = self.data.as_sent(&memory.id).expect("it is live");
            let corrected_to = Message { content: message.content.clone(), ..sent.clone() };
            let contents = [sent, corrected_to].map(|message| content(&message.conversation, &message.digest()));
            self.data.forgotten.extend(contents.into_iter().chain([key_digest(&memory.id)]));
            self.report.turns.push(memory.id.clone());
        } else {
            if memory.sources().iter().any(MemoryId::is_entry) {
                self.data.forgotten.insert(item(&ItemKey::Statement(memory.id.clone())));
            }
            self.report.statements.push(memory.id.clone());
        }
        self.data.delete(&memory.id, self.seq);
        if memory.kind() == Kind::Turn {
            self.mark_dirty(memory.period);
        }
        let kept = self.data.letters.len();
        self.data.letters.retain(|(id, _), _| *id != memory.id);
        self.report.letters += (kept - self.data.letters.len()) as u64;
    }

    pub(super) fn mark_dirty(&mut self, period: Period) {
        self.data.mark_dirty(period, *self.seq, self.now);
    }

    fn finish(mut self, erased: &Erased) -> ErasureReport {
        self.report.words = self.data.erased_words(erased);
        self.report.unresolved = self.selection.pruned.unresolved;
        let in_periods = std::mem::take(&mut self.selection.pruned.unresolved_in);
        let lost = &self.report.lost;
        self.report.unresolved_in = in_periods.into_iter().filter(|period| !lost.contains(period)).collect();
        if self.selection.has_subject {
            self.report.unread = self.selection.pruned.kept;
            self.report.unfollowed = self.selection.subject.unfollowed.iter().cloned().collect();
            let prompts = self.data.settings.iter().flat_map(|settings| &settings.prompts);
            let naming = prompts.filter(|(_, text)| self.selection.is_named_in(text));
            self.report.prompts = naming.map(|(name, _)| name.clone()).collect();
        }
        for periods in [&mut self.report.rebuilt, &mut self.report.cut, &mut self.report.lost] {
            periods.sort();
        }
        self.report.sealed_sentences = self.data.not_in_rest(std::mem::take(&mut self.report.sealed_sentences));
        self.report.sealed_sentences.sort();
        self.report.sealed_sentences.dedup();
        self.report
    }
}
