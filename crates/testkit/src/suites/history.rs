//! Builds a history for the suites of the store: turns, rolled up like the summarizer does and sealed like retention does.

use annals_core::ports::{Change, Children, Turn};
use annals_core::{
    Agent, Base, Draft, Extracted, Extraction, FactOperation, Grain, Kind, Memory, MemoryId, Result, Sentence,
    Statement, Summary,
};

use super::Store;
use super::catalog::{all_changes, later, me, now, row};
use crate::{period, summary};

/// The engine that writes summaries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// An engine that quotes: one sentence for each turn.
    Quoting,
    /// A model: one sentence of its own for all turns.
    Model,
}

/// Rolls up a period, even if it is not dirty.
pub(super) async fn roll_up(store: &dyn Store, label: &str, by: By) {
    let (row, inputs) = (row(store, label).await, store.inputs(&me(), period(label)).await.unwrap());
    let base = store.base(&me(), period(label)).await.unwrap();
    let mut sources = base.iter().flat_map(|base| base.sources.clone()).collect::<Vec<_>>();
    sources.extend(inputs.iter().map(|input| input.id.clone()).filter(|id| !sources.contains(id)).collect::<Vec<_>>());
    let sentences = base.into_iter().flat_map(|base| base.sentences).chain(inputs.iter().flat_map(quote)).collect();
    let draft = Some(draft(label, sentences, by)).filter(|_| !sources.is_empty());
    let replaces = row.rolled_up();
    let rolled_up = Summary { draft, replaces, ..summary(label, row.dirty_seq, &sources, "") };
    store.save_summaries(&me(), vec![rolled_up], later()).await.unwrap();
}

/// Rolls up all dirty periods, from days to years.
pub(super) async fn roll_up_all(store: &dyn Store, by: By) {
    for grain in Grain::SUMMARIES {
        let rows = store.ledger(&me()).await.unwrap();
        for row in rows.into_iter().filter(|row| row.period.grain() == grain && row.is_dirty()) {
            roll_up(store, &row.period.to_string(), by).await;
        }
    }
}

fn quote(memory: &Memory) -> Vec<Sentence> {
    let quoted = Sentence {
        day: memory.period.first_day(),
        speaker: memory.speaker().map(str::to_owned),
        text: memory.text.clone(),
        from: vec![memory.id.clone()],
        ungrounded: false,
    };
    if memory.kind() == Kind::Turn { vec![quoted] } else { memory.sentences().to_vec() }
}

fn draft(label: &str, sentences: Vec<Sentence>, by: By) -> Draft {
    let text = sentences.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join("\n");
    let (text, sentences) = match by {
        By::Quoting => (text, sentences),
        By::Model => {
            let text = format!("All in all: {}", text.replace('\n', "; "));
            let from = sentences.iter().flat_map(|sentence| sentence.from.clone()).collect();
            let day = period(label).first_day();
            (text.clone(), vec![Sentence { day, speaker: None, text, from, ungrounded: false }])
        }
    };
    Draft { text, sentences, tokens: 7, ungrounded: 0, verbatim: by == By::Quoting }
}

/// Saves statements and operations as extracted from turns.
pub(super) async fn extract(store: &dyn Store, turns: &[&Turn], statements: Vec<Statement>, log: Vec<FactOperation>) {
    let found = Extracted { statements, operations: log, rejected: Vec::new() };
    let turns = turns.iter().map(|turn| turn.id.clone()).collect();
    let after = store.extraction(&me()).await.unwrap().extracted;
    let extraction = Extraction { turns, found, after, extracted: newest(store).await, degraded: None };
    store.save_extraction(&me(), extraction, now()).await.unwrap();
}

/// Returns the sequence number of the last change in the working grain.
pub(super) async fn newest(store: &dyn Store) -> u64 {
    all_changes(store, Grain::Working).await.last().map(Change::seq).unwrap_or_default()
}

/// Returns the children of a period, as the port `Seals` lists them for retention; `None` if it has none.
pub(super) async fn children(store: &dyn Store, label: &str) -> Option<Children> {
    let all = store.children(&me()).await.unwrap();
    all.into_iter().find(|children| children.parent == period(label) && !children.yearly)
}

/// Seals a period in its present state.
pub(super) async fn seal(store: &dyn Store, label: &str) {
    let looked_at = children(store, label).await.unwrap_or_else(|| panic!("{label} has no children"));
    try_seal(store, &me(), &looked_at).await.unwrap();
}

/// Seals with the given children and the present `clean_seq`.
pub(super) async fn try_seal(store: &dyn Store, agent: &Agent, looked_at: &Children) -> Result<()> {
    let rows = store.ledger(agent).await.unwrap();
    let row = rows.into_iter().find(|row| row.period == looked_at.parent);
    store.seal(agent, looked_at, row.map_or(0, |row| row.clean_seq)).await
}

pub(super) async fn summary_of(store: &dyn Store, label: &str) -> Option<Memory> {
    store.get(&me(), &[MemoryId::summary(&me(), period(label))]).await.unwrap().pop()
}

/// Returns a verbatim summary in the form of a base.
pub(super) fn as_base(summary: &Memory) -> Base {
    Base {
        text: summary.text.clone(),
        sentences: summary.sentences().to_vec(),
        sources: summary.sources().to_vec(),
        verbatim: true,
    }
}

pub(super) async fn base_of(store: &dyn Store, label: &str) -> Option<Base> {
    store.base(&me(), period(label)).await.unwrap()
}

/// Returns the ids of the deleted memories among the changes of a grain, sorted.
pub(super) async fn deleted(store: &dyn Store, grain: Grain) -> Vec<MemoryId> {
    let changes = all_changes(store, grain).await.into_iter();
    let deleted = changes.filter_map(|change| match change {
        Change::Delete { id, .. } => Some(id),
        Change::Upsert(_) => None,
    });
    sorted(deleted.collect())
}

pub(super) fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort();
    items
}
