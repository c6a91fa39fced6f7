//! Operation `search`: the parts nearest to a vector, and those that hold the words, out of what passes the filter.
//!
//! Small tables are held in memory (`hot.rs`). Of large ones the vector leg compares every row that passes, so it is exact; the
//! text leg ranks by LanceDB's BM25 over its index and, row by row, over what is not indexed yet. Both see one version of the
//! table. Fusing them is not done here.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use annals_core::ports::{Hit, Probe, Table};
use annals_core::{Error, Filter, Interval, MemoryId, Result, Timestamp};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use futures::TryStreamExt;
use lancedb::DistanceType;
use lancedb::expr::{DfExpr, col, is_in, lit};
use lancedb::index::scalar::FullTextSearchQuery;
use lancedb::query::{ExecutableQuery, QueryBase, Select};

use crate::damage::explain;
use crate::hot::Hot;
use crate::lex;
use crate::rows::{CONVERSATION, END, KIND, LEX, MEMORY, PART, START, VECTOR};
use crate::tables::{Slot, Tables};

/// LanceDB's names for what it computes.
const DISTANCE: &str = "_distance";
const SCORE: &str = "_score";

/// The parts that fit the probe.
pub async fn search(tables: &Tables, name: &Table, probe: &Probe) -> Result<Vec<Hit>> {
    if probe.vector.as_ref().is_some_and(|vector| vector.len() != tables.dimension) {
        return Err(Error::invalid("vector", format!("has not {} numbers", tables.dimension)));
    }
    let slot = tables.slot(name);
    let Some(table) = tables.reading(name, &slot).await? else { return Ok(Vec::new()) };
    if probe.limit.max(probe.exact) == 0 || probe.filter.within.is_empty() {
        return Ok(Vec::new());
    }
    let look = async {
        let snapshot = table.query_snapshot().await?;
        let rows = snapshot.count_rows(None).await?;
        match rows <= tables.upkeep.hot_rows {
            true => Ok(Place::Memory(hot(tables, name, &slot, &snapshot).await?)),
            false => both_legs(&snapshot, probe, rows).await.map(Place::Disk),
        }
    };
    match look.await.map_err(|error| explain(name, error))? {
        Place::Disk(hits) => Ok(hits),
        Place::Memory(hot) => {
            let probe = probe.clone();
            let search = tokio::task::spawn_blocking(move || hot.search(&probe));
            search.await.map_err(|error| Error::storage("searching a table in memory", error))
        }
    }
}

/// Where a table is searched.
enum Place {
    Memory(Arc<Hot>),
    Disk(Vec<Hit>),
}

/// The table in memory, read if this version of it is not there yet. By one at a time: fifty searches after a write would
/// hold fifty copies.
async fn hot(tables: &Tables, name: &Table, slot: &Slot, snapshot: &lancedb::Table) -> lancedb::Result<Arc<Hot>> {
    let version = snapshot.version().await?;
    if let Some(hot) = tables.hot.get(name, version) {
        return Ok(hot);
    }
    let _one = slot.heating.lock().await;
    if let Some(hot) = tables.hot.get(name, version) {
        return Ok(hot);
    }
    let hot = Arc::new(Hot::read(snapshot, version, tables.dimension).await?);
    tables.hot.put(name, hot.clone());
    Ok(hot)
}

async fn both_legs(snapshot: &lancedb::Table, probe: &Probe, rows: usize) -> lancedb::Result<Vec<Hit>> {
    let limit = if rows <= probe.exact { rows } else { probe.limit.min(rows) };
    let mut hits = Hits::default();
    let filter = condition(&probe.filter);
    if let Some(vector) = &probe.vector {
        let similar = by_vector(snapshot, vector, filter.clone(), limit).await?;
        similar
            .iter()
            .for_each(|batch| hits.add(batch, DISTANCE, |hit, distance| hit.similarity = Some(1.0 - distance)));
    }
    let words = probe.text.as_deref().map(|text| lex::query(text, &probe.language)).unwrap_or_default();
    if !words.is_empty() {
        let worded = by_words(snapshot, words.clone(), filter, limit).await?;
        worded.iter().for_each(|batch| hits.add(batch, SCORE, |hit, score| hit.relevance = Some(score)));
        worded.iter().for_each(|batch| hits.mark(batch, &words));
    }
    Ok(hits.0.into_values().collect())
}

async fn by_vector(
    table: &lancedb::Table,
    vector: &[f32],
    filter: Option<DfExpr>,
    limit: usize,
) -> lancedb::Result<Vec<RecordBatch>> {
    let query = table.query().nearest_to(vector)?.column(VECTOR).distance_type(DistanceType::Cosine);
    run(query.bypass_vector_index(), DISTANCE, filter, limit).await
}

async fn by_words(
    table: &lancedb::Table,
    words: String,
    filter: Option<DfExpr>,
    limit: usize,
) -> lancedb::Result<Vec<RecordBatch>> {
    let words = FullTextSearchQuery::new(words).with_column(LEX.to_owned())?;
    run(table.query().full_text_search(words), SCORE, filter, limit).await
}

/// The best of what passes the filter, with their scores. LanceDB filters before it ranks unless told otherwise.
async fn run(
    query: impl QueryBase + ExecutableQuery,
    score: &str,
    filter: Option<DfExpr>,
    limit: usize,
) -> lancedb::Result<Vec<RecordBatch>> {
    let query = query.select(Select::columns(&[MEMORY, PART, CONVERSATION, START, END, LEX, score])).limit(limit);
    let query = match filter {
        Some(filter) => query.only_if_expr(filter),
        None => query,
    };
    query.execute().await?.try_collect().await
}

/// The filter as an expression, none if all pass. Text of users enters it as a value only, never as SQL.
fn condition(filter: &Filter) -> Option<DfExpr> {
    let mut conditions = Vec::new();
    // Comparing all rows with the ends of time would cost a third of a search of 100,000 rows.
    if filter.within != Interval::ALWAYS {
        conditions.push(col(START).lt(lit(filter.within.end.as_microsecond())));
        conditions.push(col(END).gt(lit(filter.within.start.as_microsecond())));
    }
    if !filter.kinds.is_empty() {
        conditions.push(is_in(col(KIND), filter.kinds.iter().map(|kind| lit(kind.as_str())).collect()));
    }
    if let Some(conversation) = &filter.conversation {
        conditions.push(col(CONVERSATION).eq(lit(conversation.as_str())));
    }
    conditions.into_iter().reduce(DfExpr::and)
}

/// What was found, by part.
#[derive(Default)]
struct Hits(BTreeMap<(MemoryId, u32), Hit>);

impl Hits {
    fn add(&mut self, batch: &RecordBatch, score: &str, set: impl Fn(&mut Hit, f32)) {
        let memories = batch[MEMORY].as_string::<i32>();
        let parts = batch[PART].as_primitive::<UInt32Type>();
        let scores = batch[score].as_primitive::<Float32Type>();
        let conversations = batch[CONVERSATION].as_string::<i32>();
        let (starts, ends) = (batch[START].as_primitive::<Int64Type>(), batch[END].as_primitive::<Int64Type>());
        // What covers no instant is in no range, not even in all of time.
        for row in (0..batch.num_rows()).filter(|row| starts.value(*row) < ends.value(*row)) {
            let (memory, part) = (MemoryId::from_text(memories.value(row)), parts.value(row));
            let hit = || Hit {
                memory: memory.clone(),
                part,
                conversation: conversations.is_valid(row).then(|| conversations.value(row).to_owned()),
                at: Timestamp::from_microsecond(starts.value(row)).unwrap_or(Timestamp::MIN),
                similarity: None,
                relevance: None,
                matched: 0,
            };
            set(self.0.entry((memory.clone(), part)).or_insert_with(hit), scores.value(row));
        }
    }
    /// Notes which words each of the rows holds.
    fn mark(&mut self, batch: &RecordBatch, words: &str) {
        let (memories, lex) = (batch[MEMORY].as_string::<i32>(), batch[LEX].as_string::<i32>());
        let parts = batch[PART].as_primitive::<UInt32Type>();
        for row in 0..batch.num_rows() {
            let key = (MemoryId::from_text(memories.value(row)), parts.value(row));
            let Some(hit) = self.0.get_mut(&key) else { continue };
            let held: HashSet<&str> = lex.value(row).split(' ').collect();
            let asked = words.split(' ').take(64).zip(0_u32..).filter(|(word, _)| held.contains(word));
            hit.matched = asked.map(|(_, place)| 1_u64 << place).sum();
        }
    }
}
