//! The searchable tables in memory: cosine similarity and BM25 over all rows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use annals_core::ports::{Batch, Hit, Part, Probe, Stored, Strata, Table, Wear};
use annals_core::{Agent, Digest, MemoryId, Result};
use async_trait::async_trait;

use crate::words::words;

type Rows = BTreeMap<(MemoryId, u32), Part>;

/// Port `Strata` over plain maps. Clones share what they hold.
#[derive(Clone, Debug, Default)]
pub struct MemoryStrata {
    tables: Arc<Mutex<BTreeMap<Table, Rows>>>,
}

impl MemoryStrata {
    /// No tables.
    pub fn new() -> MemoryStrata {
        MemoryStrata::default()
    }

    fn tables(&self) -> MutexGuard<'_, BTreeMap<Table, Rows>> {
        self.tables.lock().expect("no holder of the lock panics")
    }
}

#[async_trait]
impl Strata for MemoryStrata {
    async fn apply(&self, table: &Table, batch: Batch) -> Result<()> {
        let mut tables = self.tables();
        let rows = tables.entry(table.clone()).or_default();
        let replaced = batch.upserts.iter().map(|part| part.memory.clone());
        let stale: BTreeSet<_> = replaced.chain(batch.deletes).collect();
        rows.retain(|(memory, _), _| !stale.contains(memory));
        rows.extend(batch.upserts.into_iter().map(|part| ((part.memory.clone(), part.part), part)));
        Ok(())
    }

    async fn search(&self, table: &Table, probe: &Probe) -> Result<Vec<Hit>> {
        let tables = self.tables();
        let rows: Vec<&Part> = tables.get(table).into_iter().flat_map(BTreeMap::values).collect();
        // Rare and common is told by all rows, as an index would; what passes the filter is ranked.
        let relevance = probe.text.as_deref().map(|text| relevances(&rows, text)).unwrap_or_default();
        let passing = || rows.iter().copied().filter(|part| admits(probe, part));
        let similar = probe.vector.iter().flat_map(|vector| passing().map(|part| (part, dot(vector, &part.vector))));
        let worded = passing().filter_map(|part| Some((part, *relevance.get(&key(part))?)));
        let limit = if rows.len() <= probe.exact { usize::MAX } else { probe.limit };
        let mut hits: BTreeMap<(MemoryId, u32), Hit> = BTreeMap::new();
        for (part, similarity) in best(similar.collect(), limit) {
            hits.entry(key(part)).or_insert_with(|| unscored(part)).similarity = Some(similarity);
        }
        for (part, relevance) in best(worded.collect(), limit) {
            let hit = hits.entry(key(part)).or_insert_with(|| unscored(part));
            hit.relevance = Some(relevance);
            hit.matched = matched(part, probe.text.as_deref().unwrap_or_default());
        }
        Ok(hits.into_values().collect())
    }

    async fn scan(&self, table: &Table) -> Result<Vec<Stored>> {
        let tables = self.tables();
        Ok(tables.get(table).into_iter().flat_map(BTreeMap::values).map(stored).collect())
    }

    async fn remove(&self, table: &Table) -> Result<()> {
        self.tables().remove(table);
        Ok(())
    }

    async fn rewrite(&self, from: &Table, generation: u32) -> Result<()> {
        let mut tables = self.tables();
        let rows = tables.get(from).cloned().unwrap_or_default();
        tables.insert(Table { generation, ..from.clone() }, rows);
        Ok(())
    }

    async fn purge(&self, agent: &Agent, keep: &[Table]) -> Result<()> {
        self.tables().retain(|table, _| table.agent != *agent || keep.contains(table));
        Ok(())
    }

    async fn holds(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        let tables = self.tables();
        let holds = |rows: &Rows| rows.values().any(|part| words.iter().any(|word| part.text.contains(word.as_str())));
        let holders = tables.iter().filter(|(table, rows)| table.agent == *agent && holds(rows));
        Ok(holders.map(|(table, _)| format!("{} generation {}", table.grain, table.generation)).collect())
    }

    async fn tidy(&self, _: &Table) -> Result<()> {
        Ok(())
    }

    async fn wear(&self, _: &Table) -> Result<Wear> {
        Ok(Wear::default())
    }

    async fn quarantine(&self, table: &Table) -> Result<Option<String>> {
        let aside = format!("{} {} generation {}", table.agent, table.grain, table.generation);
        Ok(self.tables().remove(table).map(|_| aside))
    }
}

fn admits(probe: &Probe, part: &Part) -> bool {
    probe.filter.admits(&part.cover, part.kind, part.conversation.as_deref())
}

fn key(part: &Part) -> (MemoryId, u32) {
    (part.memory.clone(), part.part)
}

fn unscored(part: &Part) -> Hit {
    Hit {
        memory: part.memory.clone(),
        part: part.part,
        conversation: part.conversation.clone(),
        at: part.cover.start,
        similarity: None,
        relevance: None,
        matched: 0,
    }
}

fn matched(part: &Part, text: &str) -> u64 {
    let held = words(&part.text);
    let mut asked = words(text);
    let mut seen = BTreeSet::new();
    asked.retain(|word| seen.insert(word.clone()));
    let bits = asked.iter().take(64).zip(0..).filter(|(word, _)| held.contains(word));
    bits.map(|(_, place)| 1_u64 << place).sum()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn best(mut scored: Vec<(&Part, f32)>, limit: usize) -> Vec<(&Part, f32)> {
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored.truncate(limit);
    scored
}

/// BM25 of the parts that hold a word of the text.
fn relevances(rows: &[&Part], text: &str) -> HashMap<(MemoryId, u32), f32> {
    let documents: Vec<_> = rows.iter().map(|part| (key(part), words(&part.text))).collect();
    let mean = documents.iter().map(|(_, words)| words.len()).sum::<usize>() as f32 / documents.len() as f32;
    let mut scores = HashMap::new();
    for word in words(text).into_iter().collect::<BTreeSet<_>>() {
        let holders: Vec<_> = documents.iter().filter(|(_, words)| words.contains(&word)).collect();
        let rarity = (1.0 + (documents.len() as f32 - holders.len() as f32 + 0.5) / (holders.len() as f32 + 0.5)).ln();
        for (key, words) in holders {
            let times = words.iter().filter(|other| **other == word).count() as f32;
            let length = 1.2 * (0.25 + 0.75 * words.len() as f32 / mean);
            *scores.entry(key.clone()).or_insert(0.0) += rarity * times * 2.2 / (times + length);
        }
    }
    scores
}

fn stored(part: &Part) -> Stored {
    let content = Part { seq: 0, ..part.clone() };
    let digest = Digest::of([format!("{content:?}")]);
    Stored { memory: part.memory.clone(), part: part.part, seq: part.seq, digest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keeps_the_promises_of_the_port() {
        crate::strata_suite(async || MemoryStrata::new()).await;
    }
}
