//! Plans an erasure: finds what it removes and rewrites, by queries alone.

use std::collections::BTreeSet;

use annals_core::ports::{Block, ErasureReport, ItemKey, Target};
use annals_core::{Agent, Digest, FactOperation, Kind, Memory, MemoryId, Period, TurnKey};

use super::selection::Selection;
use super::summaries::{Cut, Summaries, lineage};
use super::{Scanned, carry_out, erased_sentences};
use crate::db::{Db, Result};
use crate::forgotten::Hash;
use crate::pruned::Pruned;
use crate::turns::Stored;
use crate::{agents, blocks, dead_letters, documents, memories, versions};

/// What an erasure removes and rewrites.
pub(crate) struct ErasurePlan {
    pub(super) agent_id: i64,
    /// Whether the whole agent is erased.
    pub(super) is_whole: bool,
    /// Whether the target is [`Target::Memories`].
    pub(super) is_of_memories: bool,
    pub(super) hashed_turns: Vec<HashedTurn>,
    /// The keys of the removed items other than turns that could be imported again.
    pub(super) item_keys: Vec<ItemKey>,
    /// The turns and statements to remove, in order of time.
    pub(super) memories: Vec<Removed>,
    pub(super) pruned: Vec<Pruned>,
    pub(super) cuts: Vec<Cut>,
    /// Summaries that stay or are written again, and lose all their former texts.
    pub(super) reworded: BTreeSet<MemoryId>,
    /// Row numbers of the documents to remove.
    pub(super) documents: BTreeSet<i64>,
    /// Row numbers of the former texts to remove because they name the subject.
    pub(super) versions: Vec<i64>,
    /// The report. Its sentences still have to be compared with the remaining turns, statements, documents and former texts.
    pub(crate) report: ErasureReport,
}

/// Data that identifies a forgotten turn when it is sent again.
pub(super) struct HashedTurn {
    pub(super) key: TurnKey,
    /// Digest of the stored turn, with the instant that the client sent.
    pub(super) content: Digest,
    /// Hash of what the client sent last, if a person corrected the turn since.
    pub(super) sent: Option<Hash>,
}

impl HashedTurn {
    fn of(stored: &Stored) -> HashedTurn {
        HashedTurn { key: stored.turn.key.clone(), content: stored.as_sent().digest(), sent: stored.sent }
    }
}

/// A turn or statement to remove.
pub(super) struct Removed {
    pub(super) id: MemoryId,
    pub(super) kind: Kind,
    pub(super) day: Period,
}

/// The removed data except summaries: what the target selects, and the statements and operations made from selected turns.
pub(super) struct Erased {
    pub(super) memories: Vec<Memory>,
    /// The attachments of the turns in `memories`.
    pub(super) attachments: Vec<String>,
    pub(super) operations: Vec<FactOperation>,
    pub(super) blocks: Vec<Block>,
    pub(super) documents: Vec<documents::Stored>,
    /// Former texts that name the subject, of memories that stay.
    pub(super) former_texts: Vec<String>,
}

/// Plans what an erasure would do now. For a subject, `scanned` holds the turns that name it, so that the plan need not read
/// all turns.
pub(crate) fn plan(db: &dyn Db, agent: &Agent, target: &Target, scanned: Option<&Scanned>) -> Result<ErasurePlan> {
    let agent_id = agents::known(db, agent)?;
    let mut selection = Selection::new(db, agent, agent_id, target, scanned)?;
    let (turns, statements) = (std::mem::take(&mut selection.turns), selection.statements(db)?);
    let hashed_turns = turns.iter().map(HashedTurn::of).collect();
    let attachments = turns.iter().filter_map(|stored| stored.turn.attachment.clone()).collect();
    let mut memories: Vec<Memory> = turns.into_iter().map(Stored::remember).chain(statements).collect();
    memories.sort_by(memories::in_order);
    let mut blocks = blocks::of(db, agent_id)?;
    blocks.retain(|block| selection.takes_block(block));
    let documents = documents::matching(db, agent_id, |document| selection.takes_document(agent, document))?;
    let operations = selection.operations(db)?;
    let mut erased = Erased { memories, attachments, operations, blocks, documents, former_texts: Vec::new() };
    let item_keys = item_keys(&erased);
    let is_whole = *target == Target::Agent;
    let mut plan = ErasurePlan {
        agent_id,
        is_whole,
        is_of_memories: matches!(target, Target::Memories(_)),
        hashed_turns,
        item_keys,
        memories: erased.memories.iter().map(removed).collect(),
        pruned: std::mem::take(&mut selection.pruned),
        cuts: Vec::new(),
        reworded: BTreeSet::new(),
        documents: erased.documents.iter().map(|stored| stored.document_id).collect(),
        versions: Vec::new(),
        report: ErasureReport::default(),
    };
    plan.report(&erased);
    if is_whole {
        plan.report.sealed_sentences = carry_out::sentences(db, agent_id)?;
        plan.report.lost = carry_out::periods(db, agent_id)?;
        plan.report.letters = carry_out::count_letters(db, agent_id)?;
        plan.report.words = erased_sentences::of(&erased).into_iter().collect();
    } else {
        plan.report.letters = letters(db, agent_id, &plan.memories)?;
        plan.find_summaries(db, agent, &selection)?;
        erased.former_texts = plan.find_versions(db, agent, &selection)?;
        let mut sentences = erased_sentences::of(&erased);
        let searched = sentences.iter().chain(&plan.report.sealed_sentences);
        let held = erased_sentences::held_in_rest(db, agent_id, &erased, &plan.cuts, searched)?;
        sentences.retain(|sentence| !held.contains(sentence));
        plan.report.words = sentences.into_iter().collect();
        plan.report.sealed_sentences.retain(|sentence| !held.contains(sentence));
    }
    plan.report.prompts = selection.prompts(db, agent)?;
    plan.finish(&mut selection);
    Ok(plan)
}

fn removed(memory: &Memory) -> Removed {
    Removed { id: memory.id.clone(), kind: memory.kind(), day: memory.period }
}

/// Returns the keys of the removed items that could be imported again, except messages. Extracted statements and operations are
/// left out, because they are derived from messages.
fn item_keys(erased: &Erased) -> Vec<ItemKey> {
    let is_entered =
        |memory: &&Memory| memory.kind() == Kind::Statement && memory.sources().iter().any(MemoryId::is_entry);
    let statements = erased.memories.iter().filter(is_entered).map(|memory| ItemKey::Statement(memory.id.clone()));
    let entered = erased.operations.iter().filter(|operation| operation.source.is_entry());
    let operations = entered.map(|operation| ItemKey::Operation(operation.id.clone()));
    let blocks = erased.blocks.iter().map(|block| ItemKey::Block(block.name.clone()));
    let documents = erased.documents.iter().map(|stored| ItemKey::Document(stored.document.document_key()));
    statements.chain(operations).chain(blocks).chain(documents).collect()
}

/// Returns the number of dead letters of these memories.
fn letters(db: &dyn Db, agent_id: i64, memories: &[Removed]) -> Result<u64> {
    memories.iter().map(|memory| dead_letters::count(db, agent_id, &memory.id)).sum()
}

impl ErasurePlan {
    fn report(&mut self, erased: &Erased) {
        let of_kind = |is_turn: bool| {
            let memories = erased.memories.iter().filter(move |memory| (memory.kind() == Kind::Turn) == is_turn);
            memories.map(|memory| memory.id.clone()).collect()
        };
        self.report.turns = of_kind(true);
        self.report.statements = of_kind(false);
        self.report.pruned = self.pruned.iter().map(|turn| turn.id.clone()).collect();
        self.report.operations = erased.operations.iter().map(|operation| operation.id.clone()).collect();
        self.report.blocks = erased.blocks.iter().map(|block| block.name.clone()).collect();
        self.report.documents = erased.documents.iter().map(|stored| stored.document.document_key()).collect();
    }

    fn find_summaries(&mut self, db: &dyn Db, agent: &Agent, selection: &Selection) -> Result<()> {
        let summaries = Summaries { db, agent, agent_id: self.agent_id, selection };
        self.cuts = summaries.cuts(&mut self.report)?;
        let mut touched: BTreeSet<Period> = self.cuts.iter().map(|cut| cut.period).collect();
        touched.extend(self.memories.iter().filter(|memory| memory.kind == Kind::Turn).map(|turn| turn.day));
        self.report.rebuilt.extend(summaries.made_of(touched)?);
        Ok(())
    }

    /// Finds the former texts to remove, and adds them to the plan. Returns the texts that name the subject, except those of
    /// removed memories and of summaries in `reworded`.
    fn find_versions(&mut self, db: &dyn Db, agent: &Agent, selection: &Selection) -> Result<Vec<String>> {
        let days = self.memories.iter().map(|memory| memory.day);
        let days = days.chain(self.pruned.iter().filter_map(|turn| turn.day));
        let rewritten = self.report.rebuilt.iter().chain(&self.report.cut).chain(&self.report.lost).copied();
        let periods = days.flat_map(lineage).chain(rewritten);
        self.reworded = periods.map(|period| MemoryId::summary(agent, period)).collect();
        if !selection.has_subject() {
            return Ok(Vec::new());
        }
        let mut naming = versions::of_which(db, self.agent_id, |text| selection.is_named_in(text))?;
        self.versions = naming.iter().map(|former| former.version_id).collect();
        let erased: BTreeSet<&MemoryId> = self.memories.iter().map(|memory| &memory.id).collect();
        naming.retain(|former| !erased.contains(&former.id) && !self.reworded.contains(&former.id));
        self.report.former_texts = naming.iter().map(|former| former.id.clone()).collect();
        Ok(naming.into_iter().map(|former| former.text).collect())
    }

    /// Returns the periods of everything that is erased. They are known for certain only if the target is a list of memories
    /// and none of them is a pruned turn; otherwise returns `None`.
    pub(super) fn touched(&self) -> Option<BTreeSet<Period>> {
        if !self.is_of_memories || !self.pruned.is_empty() {
            return None;
        }
        let memories = self.memories.iter().map(|memory| memory.day);
        let cuts = self.cuts.iter().map(|cut| cut.period);
        let summaries = self.report.rebuilt.iter().chain(&self.report.lost).copied();
        Some(memories.chain(cuts).chain(summaries).collect())
    }

    fn finish(&mut self, selection: &mut Selection) {
        let report = &mut self.report;
        let (unresolved, periods) = std::mem::take(&mut selection.unresolved);
        report.unresolved = unresolved;
        // A lost summary holds nothing any more. One that is cut may still hold sentences of an unresolved turn.
        let lost: BTreeSet<_> = report.lost.iter().copied().collect();
        report.unresolved_in = periods.difference(&lost).copied().collect();
        if selection.has_subject() {
            report.unread = selection.kept;
            report.unfollowed = selection.subject.unfollowed.iter().cloned().collect();
        }
        for periods in [&mut report.rebuilt, &mut report.cut, &mut report.lost] {
            periods.sort();
        }
        report.former_texts.sort();
        report.former_texts.dedup();
        report.sealed_sentences.sort();
        report.sealed_sentences.dedup();
    }
}

#[cfg(test)]
mod tests {
    use annals_core::Interval;
    use annals_core::ports::{Erasure, Journal, OnConflict, Target};
    use annals_core::prelude::*;
    use annals_testkit::{agent, at, entry, summary};

    use crate::fixture::{Folder, user_turn};
    use crate::sqlite::Sqlite;

    #[tokio::test]
    async fn dry_run_writes_nothing() {
        let folder = Folder::new();
        let (catalog, me, now) = (folder.open(), agent("me"), at("2026-06-01T00:00:00Z"));
        let turns =
            vec![user_turn(&me, "1", "Ann told me of the green tea."), user_turn(&me, "2", "The cake was for Bob.")];
        let seq = catalog.ingest(&me, turns.clone(), OnConflict::Refuse, now).await.unwrap().seq;
        let day = summary(&turns[0].day.to_string(), seq, &[turns[0].id.clone()], "Ann told of tea.");
        catalog.save_summaries(&me, vec![day], now).await.unwrap();
        catalog.add_operations(&me, vec![entry(&me, "Ann likes tea", "2026-03-04T10:00:00Z")]).await.unwrap();
        let read_only = async |on: bool| {
            let set = move |db: &Sqlite| Ok(db.batch(&format!("PRAGMA query_only = {on}"))?);
            catalog.thread.alone("testing", set).await.unwrap();
        };
        for target in [
            Target::Memories(vec![turns[1].id.clone()]),
            Target::Conversation(turns[0].key.conversation.clone()),
            Target::Subject("Ann".into()),
            Target::Range(Interval::ALWAYS),
            Target::Agent,
        ] {
            read_only(true).await;
            let report = catalog.preview(&me, &target).await.unwrap();
            assert!(!report.turns.is_empty() && !report.words.is_empty(), "{target:?}: {report:?}");
            read_only(false).await;
        }
    }
}
