//! Determines whether a context holds evidence: the turn word for word, or a sentence or fact that was made from it.

use std::collections::{BTreeMap, HashMap, HashSet};

use annals_core::{Agent, Context, ContextKind, Grain, MemoryId, Result, one_line};

use crate::stores::Stores;

/// A source of evidence in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// Any of the sources below, each piece of evidence counted once.
    All,
    /// A whole turn.
    Turn,
    /// A part of a turn that was too long. It may lack the answer.
    Excerpt,
    /// A fact or statement.
    Fact,
    /// A sentence of a summary of this grain.
    Summary(Grain),
}

/// A sentence as a context shows it, and the turns that it comes from.
type Traced = (String, Vec<MemoryId>);

/// The turns that facts, statements and summaries were made from.
#[derive(Default)]
pub(crate) struct Lineage {
    /// By id of a fact or statement: the turns that it was made from.
    facts: HashMap<String, Vec<MemoryId>>,
    /// By summary id: the grain, and the sentences with their turns.
    summaries: HashMap<String, (Grain, Vec<Traced>)>,
}

impl Lineage {
    /// Loads the lineage of all facts, statements and summaries of an agent.
    pub(crate) async fn of(stores: &Stores, agent: &Agent) -> Result<Lineage> {
        let mut lineage = Lineage::default();
        for fact in stores.facts(agent).await? {
            lineage.facts.insert(fact.id, fact.sources);
        }
        for statement in stores.statements(agent).await? {
            lineage.facts.insert(statement.id.to_string(), statement.sources().to_vec());
        }
        for summary in stores.summaries(agent).await? {
            let sentences =
                summary.sentences().iter().map(|sentence| (one_line(&sentence.text), sentence.from.clone()));
            lineage.summaries.insert(summary.id.to_string(), (summary.grain, sentences.collect()));
        }
        Ok(lineage)
    }

    /// Counts the pieces of evidence in each source. A sentence counts only if its text is in the context.
    pub(crate) fn find(&self, context: &Context, evidence: &HashSet<MemoryId>) -> BTreeMap<Source, usize> {
        let mut found: BTreeMap<Source, HashSet<&MemoryId>> = BTreeMap::new();
        let mut add = |source: Source, from: &[MemoryId]| {
            for id in from.iter().filter_map(|id| evidence.get(id)) {
                found.entry(source).or_default().insert(id);
                found.entry(Source::All).or_default().insert(id);
            }
        };
        for item in &context.items {
            match item.kind {
                ContextKind::Turn => {
                    let source = if is_excerpt(&item.text) { Source::Excerpt } else { Source::Turn };
                    add(source, &[MemoryId::from_text(&item.id)]);
                }
                ContextKind::Fact | ContextKind::Statement => {
                    add(Source::Fact, self.facts.get(&item.id).map_or(&[], Vec::as_slice));
                }
                ContextKind::Summary => {
                    let Some((grain, sentences)) = self.summaries.get(&item.id) else { continue };
                    let shown = sentences.iter().filter(|(text, _)| context.text.contains(text.as_str()));
                    shown.for_each(|(_, from)| add(Source::Summary(*grain), from));
                }
                ContextKind::Block | ContextKind::Document => {}
            }
        }
        found.into_iter().map(|(source, ids)| (source, ids.len())).collect()
    }
}

/// Returns whether a context leaves out something of a turn. A turn that has such marks itself counts as one, too.
fn is_excerpt(text: &str) -> bool {
    text.contains("… ") || text.ends_with(" …")
}

#[cfg(test)]
mod tests {
    use annals_core::{ContextItem, DateRange, Reranked};

    use super::*;

    fn context(items: &[(&str, ContextKind)], text: &str) -> Context {
        let item = |(id, kind): &(&str, ContextKind)| ContextItem {
            id: (*id).to_owned(),
            short: String::new(),
            kind: *kind,
            days: None,
            text: String::new(),
            score: 0.0,
            tokens: 0,
        };
        Context {
            items: items.iter().map(item).collect(),
            text: text.into(),
            tokens: 0,
            omitted: 0,
            is_known: true,
            range: DateRange::default(),
            reranked: Reranked::NotRequested,
            words_alone: None,
        }
    }

    #[test]
    fn evidence_counts_by_lineage_if_its_sentence_is_shown() {
        let ids = |all: &[&str]| all.iter().map(|id| MemoryId::from_text(*id)).collect::<Vec<_>>();
        let lineage = Lineage {
            facts: HashMap::from([("f".into(), ids(&["t-1"]))]),
            summaries: HashMap::from([(
                "s".into(),
                (Grain::Weekly, vec![("one".into(), ids(&["t-1"])), ("two".into(), ids(&["t-2", "t-9"]))]),
            )]),
        };
        let check = |items: &[(&str, ContextKind)], text: &str, expect: &[(Source, usize)]| {
            let found = lineage.find(&context(items, text), &ids(&["t-1", "t-2", "t-3"]).into_iter().collect());
            assert_eq!(found.into_iter().collect::<Vec<_>>(), expect, "{items:?}");
        };
        check(&[("t-3", ContextKind::Turn), ("t-4", ContextKind::Turn)], "", &[(Source::All, 1), (Source::Turn, 1)]);
        check(&[("f", ContextKind::Fact)], "", &[(Source::All, 1), (Source::Fact, 1)]);
        check(&[("f", ContextKind::Statement)], "", &[(Source::All, 1), (Source::Fact, 1)]);
        let summary = Source::Summary(Grain::Weekly);
        check(&[("s", ContextKind::Summary)], "two", &[(Source::All, 1), (summary, 1)]);
        check(&[("s", ContextKind::Summary)], "one two", &[(Source::All, 2), (summary, 2)]);
        check(&[("s", ContextKind::Summary)], "three", &[]);
        check(&[("unknown", ContextKind::Fact)], "one", &[]);
    }
}
