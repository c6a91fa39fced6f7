//! Bugs that the product once had, placed between it and the catalog. Histories must find each of them.

use std::sync::Arc;

use annals_catalog::SqliteCatalog;
use annals_core::ports::{
    Document, DocumentSelect, DocumentWrite, Documents, Erasure, ErasureReport, Expected, ItemKey, Journal, Seals,
    Select, Target,
};
use annals_core::prelude::*;
use annals_core::{
    Agent, Base, Digest, Draft, FactOperation, Grain, Memory, Result, Summary, Timestamp, TurnKey, Zones, entity_key,
};
use async_trait::async_trait;

use crate::history::History;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// Forgetting a conversation selects only its live turns: data made from its pruned turns stays.
    ConversationsWithoutPrunedTurns,
    /// The proof searches the memory of all agents.
    ProofOverAllAgents,
    /// Forgetting a subject deletes operations with its name as subject or object, but not with its name among other words.
    SubjectsByEqualNames,
    /// Forgetting a subject removes documents with its name in the key, but not those that name it in their content.
    DocumentsByKey,
    /// Summaries of sealed weeks, months, quarters and years that a model wrote stay, whatever they were made from.
    RewordedSummariesStay,
}

/// Port `Erasure` with a bug.
pub struct Planted {
    pub bug: Bug,
    pub catalog: Arc<SqliteCatalog>,
}

impl Planted {
    /// Returns the target as the bug changes it.
    async fn target(&self, agent: &Agent, target: &Target) -> Result<Target> {
        Ok(match (self.bug, target) {
            (Bug::ConversationsWithoutPrunedTurns, Target::Conversation(name)) => {
                let select = Select { conversation: Some(name.clone()), ..Select::all(Grain::Working) };
                let live = self.catalog.list(agent, &select).await?;
                Target::Memories(live.into_iter().map(|turn| turn.id).collect())
            }
            _ => target.clone(),
        })
    }

    /// Returns entered operations in which the name of a subject is neither the whole subject nor the whole object.
    async fn naming(&self, agent: &Agent, target: &Target) -> Result<Vec<FactOperation>> {
        let (Bug::SubjectsByEqualNames, Target::Subject(name)) = (self.bug, target) else { return Ok(Vec::new()) };
        let (_, mut log) = self.catalog.operations(agent).await?;
        let is_it = |text: &str| entity_key(text) == entity_key(name);
        log.retain(|operation| {
            let is_by_hand = operation.source.as_str().starts_with("u-");
            is_by_hand && !is_it(&operation.subject) && !is_it(&operation.object)
        });
        Ok(log)
    }

    /// Returns the documents that do not have the name of a subject in their key.
    async fn without_name(&self, agent: &Agent, target: &Target) -> Result<Vec<Document>> {
        let (Bug::DocumentsByKey, Target::Subject(name)) = (self.bug, target) else { return Ok(Vec::new()) };
        let select = DocumentSelect { limit: usize::MAX, ..DocumentSelect::default() };
        let mut documents = self.catalog.list_documents(agent, &select, Timestamp::MIN).await?;
        documents.retain(|document| !document.key.to_lowercase().contains(&name.to_lowercase()));
        Ok(documents)
    }

    /// Returns the sealed summaries that are coarser than a day and written by a model.
    async fn reworded(&self, agent: &Agent) -> Result<Vec<(Memory, Base)>> {
        let mut found = Vec::new();
        for grain in Grain::SUMMARIES.into_iter().filter(|grain| *grain > Grain::Daily) {
            for summary in self.catalog.list(agent, &Select::all(grain)).await? {
                let base = self.catalog.base(agent, summary.period).await?;
                found.extend(base.filter(|base| !base.verbatim).map(|base| (summary, base)));
            }
        }
        Ok(found)
    }

    async fn put_back(
        &self,
        agent: &Agent,
        kept: Vec<(Memory, Base)>,
        report: &mut ErasureReport,
        now: Timestamp,
    ) -> Result<()> {
        let zones = Zones::new("UTC")?;
        let lost = std::mem::take(&mut report.lost);
        for (memory, base) in kept.iter().filter(|(memory, _)| lost.contains(&memory.period)) {
            let ledger = self.catalog.ledger(agent).await?;
            let row = ledger.iter().find(|row| row.period == memory.period).unwrap();
            let draft = Draft {
                text: memory.text.clone(),
                sentences: memory.sentences().to_vec(),
                tokens: 0,
                ungrounded: 0,
                verbatim: base.verbatim,
            };
            let summary = Summary {
                period: memory.period,
                cover: zones.cover(memory.period),
                read_seq: row.dirty_seq,
                replaces: row.rolled_up(),
                input_digest: Digest::of(["kept"]),
                recipe: Digest::of(["kept"]),
                author: None,
                sources: memory.sources().to_vec(),
                degraded: false,
                draft: Some(draft),
            };
            self.catalog.save_summaries(agent, vec![summary], now).await?;
        }
        report.lost = lost;
        report.lost.retain(|period| !kept.iter().any(|(memory, _)| memory.period == *period));
        Ok(())
    }
}

#[async_trait]
impl Erasure for Planted {
    async fn preview(&self, agent: &Agent, target: &Target) -> Result<ErasureReport> {
        let target = self.target(agent, target).await?;
        let kept = if self.bug == Bug::RewordedSummariesStay { self.reworded(agent).await? } else { Vec::new() };
        let named = self.naming(agent, &target).await?;
        let mut report = self.catalog.preview(agent, &target).await?;
        report.operations.retain(|id| !named.iter().any(|operation| operation.id == *id));
        let others = self.without_name(agent, &target).await?;
        report.documents.retain(|place| others.iter().all(|document| document.document_key() != *place));
        report.lost.retain(|period| !kept.iter().any(|(memory, _)| memory.period == *period));
        Ok(report)
    }

    async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<ErasureReport> {
        let is_kept = self.bug == Bug::RewordedSummariesStay && *target != Target::Agent;
        let kept = if is_kept { self.reworded(agent).await? } else { Vec::new() };
        let target = self.target(agent, target).await?;
        let mut named = self.naming(agent, &target).await?;
        let mut others = self.without_name(agent, &target).await?;
        let mut report = self.catalog.erase(agent, &target, now).await?;
        others.retain(|document| report.documents.contains(&document.document_key()));
        report.documents.retain(|place| others.iter().all(|document| document.document_key() != *place));
        let put_back = others.into_iter().map(|document| DocumentWrite::Save(Box::new(document), Expected::Any));
        self.catalog.write_documents(agent, put_back.collect(), now).await?;
        named.retain(|operation| report.operations.contains(&operation.id));
        report.operations.retain(|id| !named.iter().any(|operation| operation.id == *id));
        if !named.is_empty() {
            self.catalog.add_operations(agent, named).await?;
        }
        self.put_back(agent, kept, &mut report, now).await?;
        Ok(report)
    }

    async fn forgotten(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<Vec<bool>> {
        self.catalog.forgotten(agent, messages).await
    }

    async fn unforget(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<()> {
        self.catalog.unforget(agent, messages).await
    }

    async fn forgotten_items(&self, agent: &Agent, places: &[ItemKey]) -> Result<Vec<bool>> {
        self.catalog.forgotten_items(agent, places).await
    }

    async fn unforget_items(&self, agent: &Agent, places: &[ItemKey]) -> Result<()> {
        self.catalog.unforget_items(agent, places).await
    }

    async fn pending_cleanings(&self) -> Result<Vec<(Agent, u64)>> {
        self.catalog.pending_cleanings().await
    }

    async fn cleaned(&self, agent: &Agent, erasure: u64) -> Result<()> {
        self.catalog.cleaned(agent, erasure).await
    }

    async fn scrub(&self) -> Result<()> {
        self.catalog.scrub().await
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        if self.bug != Bug::ProofOverAllAgents {
            return self.catalog.find_leftovers(agent, words).await;
        }
        let mut places = Vec::new();
        for agent in self.catalog.all_agents().await? {
            places.extend(self.catalog.find_leftovers(&agent, words).await?);
        }
        Ok(places)
    }

    async fn unused_space_contains(&self, words: &[String]) -> Result<bool> {
        self.catalog.unused_space_contains(words).await
    }
}

/// Runs histories with the bug until one fails. Returns whether one failed.
async fn is_found(bug: Bug, histories: u64) -> bool {
    for seed in 1..=histories {
        let history = tokio::spawn(async move { History::begin(seed, Some(bug)).await.run().await });
        if history.await.is_err_and(|error| error.is_panic()) {
            println!("{bug:?}: found by history {seed}");
            return true;
        }
    }
    false
}

/// Number of histories within which a bug must be found. A run ends with the history that finds it.
const HISTORIES: u64 = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversation_without_its_pruned_turns_is_detected() {
    assert!(is_found(Bug::ConversationsWithoutPrunedTurns, HISTORIES).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn proof_over_other_agents_is_detected() {
    assert!(is_found(Bug::ProofOverAllAgents, HISTORIES).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn facts_left_that_name_the_subject_are_detected() {
    assert!(is_found(Bug::SubjectsByEqualNames, HISTORIES).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_left_that_name_the_subject_are_detected() {
    assert!(is_found(Bug::DocumentsByKey, HISTORIES).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reworded_summaries_left_are_detected() {
    assert!(is_found(Bug::RewordedSummariesStay, HISTORIES).await);
}
