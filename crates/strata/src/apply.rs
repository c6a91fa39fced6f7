//! Operation `apply`: a batch becomes one commit.
//!
//! A merge writes new and changed rows and, in the same commit, takes away the other rows of the same memories: parts that a
//! shorter text no longer has, and memories that are deleted. Being an upsert by key, twice is once.

use std::collections::BTreeMap;

use annals_core::ports::{Batch, Part, Table};
use annals_core::{Error, MemoryId, Result};
use arrow_array::{RecordBatch, RecordBatchIterator};
use lancedb::expr::{DfExpr, col, is_in, lit};

use crate::damage::explain;
use crate::rows;
use crate::tables::Tables;
use crate::upkeep;

/// Rows of one commit; larger batches, of a rebuild, become several, each whole memories. A row is some 10 kB with its text,
/// and a merge holds about three copies of its input.
const ROWS_AT_ONCE: usize = 1_000;

/// A memory and all its parts by number; none means that it goes.
type Change = (MemoryId, BTreeMap<u32, Part>);

/// Applies the batch durably, then tidies the table if it is time.
pub async fn apply(tables: &Tables, name: &Table, batch: Batch) -> Result<()> {
    check_vectors(&batch, tables.dimension)?;
    let slot = tables.slot(name);
    let _lane = slot.lane.lock().await;
    let nothing_there = batch.upserts.is_empty() && tables.reading(name, &slot).await?.is_none();
    if nothing_there {
        return Ok(());
    }
    for commit in commits(batch) {
        let table = tables.writing(name, &slot).await?;
        let merged = merge(&table, commit, tables.dimension).await.map_err(|error| explain(name, error));
        if merged.is_err() {
            // Whether the commit landed may be unknown; what is on the disk says so to whoever opens it next.
            slot.close().await;
        }
        upkeep::after(merged?, name, &slot, &table).await?;
    }
    Ok(())
}

fn check_vectors(batch: &Batch, dimension: usize) -> Result<()> {
    let is_right = |part: &&Part| part.vector.len() == dimension && part.vector.iter().all(|number| number.is_finite());
    match batch.upserts.iter().find(|part| !is_right(part)) {
        Some(part) => {
            let (memory, found) = (&part.memory, part.vector.len());
            Err(Error::invalid("vector", format!("of {memory} has {found} numbers, not {dimension} finite ones")))
        }
        None => Ok(()),
    }
}

/// The batch by memories, cut into commits.
fn commits(batch: Batch) -> Vec<Vec<Change>> {
    let mut changes: BTreeMap<MemoryId, BTreeMap<u32, Part>> = BTreeMap::new();
    for memory in batch.deletes {
        changes.entry(memory).or_default();
    }
    for part in batch.upserts {
        changes.entry(part.memory.clone()).or_default().insert(part.part, part);
    }
    let mut commits = Vec::new();
    let mut rows = ROWS_AT_ONCE;
    for change in changes {
        if rows >= ROWS_AT_ONCE {
            commits.push(Vec::new());
            rows = 0;
        }
        rows += change.1.len().max(1);
        commits.last_mut().expect("one was just begun").push(change);
    }
    commits
}

/// One commit. Says which versions lie before and after it.
async fn merge(table: &lancedb::Table, commit: Vec<Change>, dimension: usize) -> lancedb::Result<upkeep::Versions> {
    let memories: Vec<DfExpr> = commit.iter().map(|(memory, _)| lit(memory.as_str())).collect();
    let parts: Vec<Part> = commit.into_iter().flat_map(|(_, parts)| parts.into_values()).collect();
    let before = table.version().await?;
    let mut merge = table.merge_insert(&[rows::ID]);
    merge
        .when_matched_update_all(None)
        .when_not_matched_insert_all()
        .when_not_matched_by_source_delete_expr(is_in(col(rows::MEMORY), memories))
        // With an index on the key, LanceDB takes an older path that lets one new key in twice.
        .use_index(false);
    let rows = rows::batch(&parts, dimension)?;
    let merged = merge.execute(one(rows)).await?;
    Ok(upkeep::Versions { before, after: merged.version })
}

fn one(rows: RecordBatch) -> Box<dyn arrow_array::RecordBatchReader + Send> {
    let schema = rows.schema();
    Box::new(RecordBatchIterator::new([Ok(rows)], schema))
}
