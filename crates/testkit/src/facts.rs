//! In-memory tables of facts. Every query scans all facts.

mod graph;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use annals_core::{Agent, Error, Fact, FactQuery, Facts, Reached, Result, Route, Walk, entity_key, predicate_name};
use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;

/// Port `Facts` over plain maps. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct MemoryFacts {
    tables: Arc<Mutex<BTreeMap<Agent, Table>>>,
}

#[derive(Debug, Default)]
struct Table {
    version: u64,
    facts: Vec<Fact>,
}

impl MemoryFacts {
    pub fn new() -> MemoryFacts {
        MemoryFacts::default()
    }

    fn tables(&self) -> MutexGuard<'_, BTreeMap<Agent, Table>> {
        self.tables.lock()
    }

    fn facts(&self, agent: &Agent) -> Vec<Fact> {
        self.tables().get(agent).map(|table| table.facts.clone()).unwrap_or_default()
    }
}

#[async_trait]
impl Facts for MemoryFacts {
    async fn version(&self, agent: &Agent) -> Result<u64> {
        Ok(self.tables().get(agent).map_or(0, |table| table.version))
    }

    async fn replace(&self, agent: &Agent, mut facts: Vec<Fact>, version: u64) -> Result<()> {
        if self.version(agent).await? > version {
            return Err(Error::Stale { what: format!("the table of facts of {agent}") });
        }
        facts.sort_by(|a, b| (a.valid_from, &a.id).cmp(&(b.valid_from, &b.id)));
        self.tables().insert(agent.clone(), Table { version, facts });
        Ok(())
    }

    async fn find(&self, agent: &Agent, query: &FactQuery) -> Result<Vec<Fact>> {
        let facts = self.facts(agent);
        let names = query.about.as_deref().map(|about| names(&facts, about));
        let fitting = facts.iter().filter(|fact| names.as_ref().is_none_or(|names| is_about(fact, names)));
        let fitting = fitting.filter(|fact| fits(fact, query));
        Ok(fitting.take(query.limit.unwrap_or(usize::MAX)).cloned().collect())
    }

    async fn walk(&self, agent: &Agent, walk: &Walk) -> Result<Vec<Reached>> {
        Ok(graph::walk(&self.facts(agent), walk))
    }

    async fn path(&self, agent: &Agent, route: &Route) -> Result<Option<Vec<Fact>>> {
        Ok(graph::path(&self.facts(agent), route))
    }

    async fn known(&self, agent: &Agent, names: &[String]) -> Result<Vec<String>> {
        let facts = self.facts(agent);
        let keys: BTreeSet<String> = facts.iter().flat_map(keys).filter(|key| !key.is_empty()).collect();
        Ok(names.iter().filter(|name| keys.contains(&entity_key(name))).cloned().collect())
    }

    async fn predicates(&self, agent: &Agent, limit: usize) -> Result<Vec<String>> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for fact in self.facts(agent) {
            *counts.entry(fact.predicate).or_default() += 1;
        }
        let mut predicates: Vec<(String, usize)> = counts.into_iter().collect();
        // The sort is stable: predicates with equal counts stay in alphabetical order.
        predicates.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(predicates.into_iter().map(|(predicate, _)| predicate).take(limit).collect())
    }

    /// Writes one fact per line as JSON; there is no Parquet here.
    async fn export(&self, agent: &Agent, target: &Path) -> Result<()> {
        let lines =
            self.facts(agent).iter().map(|fact| serde_json::to_string(fact).unwrap() + "\n").collect::<String>();
        std::fs::write(target, lines).map_err(|error| Error::storage("exporting facts", error))
    }

    async fn remove(&self, agent: &Agent) -> Result<()> {
        self.tables().remove(agent);
        Ok(())
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        let mut texts = self.facts(agent).into_iter().flat_map(texts);
        let found = texts.any(|text| words.iter().any(|word| text.contains(word.as_str())));
        Ok(if found { vec![format!("the facts of {agent}")] } else { Vec::new() })
    }
}

/// Returns the keys of an entity: its own and, transitively, those of its aliases. An empty key names nobody.
fn names(facts: &[Fact], about: &str) -> BTreeSet<String> {
    let pairs = facts.iter().filter(|fact| fact.joins_names()).map(keys);
    let pairs: Vec<[String; 2]> = pairs.filter(|[subject, object]| !subject.is_empty() && !object.is_empty()).collect();
    let mut names: BTreeSet<String> = [entity_key(about)].into_iter().filter(|key| !key.is_empty()).collect();
    loop {
        let joined = pairs.iter().filter(|pair| pair.iter().any(|key| names.contains(key)));
        let more: BTreeSet<String> = joined.flatten().cloned().collect();
        if more.is_subset(&names) {
            return names;
        }
        names.extend(more);
    }
}

fn keys(fact: &Fact) -> [String; 2] {
    [entity_key(&fact.subject), entity_key(&fact.object)]
}

fn is_about(fact: &Fact, names: &BTreeSet<String>) -> bool {
    keys(fact).iter().any(|key| names.contains(key))
}

fn fits(fact: &Fact, query: &FactQuery) -> bool {
    let now = query.history || query.as_of.map_or(fact.valid_to.is_none(), |at| fact.holds_at(at));
    let predicate = query.predicate.as_deref().map(predicate_name);
    let in_time = query.said_within.is_none_or(|within| fact.mentioned.overlaps(&within));
    now && in_time && predicate.is_none_or(|predicate| predicate == fact.predicate)
}

fn texts(fact: Fact) -> Vec<String> {
    let sources = fact.sources.iter().map(|source| source.as_str().to_owned());
    let mut texts: Vec<String> = sources.chain(fact.superseded_by).collect();
    texts.extend([fact.id, fact.subject, fact.predicate, fact.object]);
    texts.extend(strings(Value::Object(fact.properties)));
    texts
}

fn strings(value: Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.into_iter().flat_map(strings).collect(),
        Value::Object(fields) => {
            fields.into_iter().flat_map(|(name, value)| [vec![name], strings(value)].concat()).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keeps_the_promises_of_the_port() {
        crate::facts_suite(async || MemoryFacts::new()).await;
    }
}
