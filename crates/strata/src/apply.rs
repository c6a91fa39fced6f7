//! Operation `apply`: a batch becomes one commit.
//!
//! New rows are appended, changed ones merged by key, and in the same commit the other rows of the same memories go: parts that
//! a shorter text no longer has, and memories that are deleted. Twice is once.

use std::collections::{BTreeMap, HashSet};

use annals_core::ports::{Batch, Part, Table};
use annals_core::{Error, MemoryId, Result};
use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, RecordBatchIterator};
use futures::TryStreamExt;
use lancedb::expr::{DfExpr, col, is_in, lit};
use lancedb::query::{ExecutableQuery, QueryBase, Select};
use lancedb::table::merge::MergeInsertBuilder;

use crate::damage::explain;
use crate::rows;
use crate::tables::{Slot, Tables};
use crate::upkeep::Versions;

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
    tables.writing(name, &slot).await?;
    for changes in commits(batch) {
        let (memories, parts) = split(changes);
        let rows = rows::batch(&parts, tables.dimension).map_err(|error| explain(name, error.into()))?;
        let table = tables.writing(name, &slot).await?;
        let merged = commit_in_both(tables, name, &slot, &table, (memories, rows)).await;
        let versions = merged?;
        tables.save_head(name, versions.after)?;
        tables.upkeep.after(versions, name, &slot, &table).await?;
    }
    Ok(())
}

/// One commit on the disk, and the same to the table in memory, if it is there: these memories have these rows from now on.
async fn commit_in_both(
    tables: &Tables,
    name: &Table,
    slot: &Slot,
    table: &lancedb::Table,
    (memories, rows): (Vec<MemoryId>, RecordBatch),
) -> Result<Versions> {
    // Whoever reads the table into memory meanwhile would miss the commit.
    let still = slot.load_lock.lock().await;
    let committed = commit(table, &memories, &rows).await;
    if let (Ok((_, replaces)), Some(loaded)) = (&committed, tables.in_memory.get(name)) {
        let replaces = *replaces;
        let change = tokio::task::spawn_blocking(move || {
            let mut loaded = annals_index::write(&loaded);
            (loaded.change(&memories, &rows, replaces), loaded.bytes())
        });
        match change.await {
            Ok((false, bytes)) => tables.in_memory.set_bytes(name, bytes),
            _ => tables.in_memory.remove(name),
        }
    }
    drop(still);
    if committed.is_err() {
        // Whether the commit landed may be unknown; what is on the disk says so to whoever opens it next.
        tables.in_memory.remove(name);
        slot.close().await;
    }
    committed.map(|(versions, _)| versions).map_err(|error| explain(name, error))
}

fn split(changes: Vec<Change>) -> (Vec<MemoryId>, Vec<Part>) {
    let (memories, parts): (Vec<MemoryId>, Vec<BTreeMap<u32, Part>>) = changes.into_iter().unzip();
    (memories, parts.into_iter().flat_map(BTreeMap::into_values).collect())
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

/// One commit of all rows of some memories, the cheapest that will do; none if it would change nothing. Says which versions lie
/// before and after it, and whether any row of these memories was there.
///
/// Looking first which rows are there costs a scan of two short columns. A merge that also deletes reads all columns of the
/// whole table, so that an import of a diary of 3,413 days peaked at 670 MB and every batch was slower than the one before.
/// Nothing can come between the look and the commit: one process owns the folder, and its writers are in this lane.
async fn commit(
    table: &lancedb::Table,
    memories: &[MemoryId],
    rows: &RecordBatch,
) -> lancedb::Result<(Versions, bool)> {
    let before = table.version().await?;
    let of_these = is_in(col(rows::MEMORY), memories.iter().map(|memory| lit(memory.as_str())).collect());
    let there = keys(table, of_these.clone()).await?;
    let coming: HashSet<&str> = rows[rows::ID].as_string::<i32>().iter().flatten().collect();
    let all_stay = there.iter().all(|key| coming.contains(key.as_str()));
    let after = match (there.is_empty(), all_stay) {
        (true, _) if rows.num_rows() == 0 => before,
        (true, _) => table.add(rows.clone()).execute().await?.version,
        (false, true) => upsert(table).execute(one(rows.clone())).await?.version,
        (false, false) => {
            let mut replace = upsert(table);
            replace.when_not_matched_by_source_delete_expr(of_these);
            replace.execute(one(rows.clone())).await?.version
        }
    };
    Ok((Versions { before, after }, !there.is_empty()))
}

/// The keys of the rows that fit a condition.
async fn keys(table: &lancedb::Table, condition: DfExpr) -> lancedb::Result<Vec<String>> {
    let query = table.query().only_if_expr(condition).select(Select::columns(&[rows::ID]));
    let batches: Vec<RecordBatch> = query.execute().await?.try_collect().await?;
    let keys = batches.iter().flat_map(|batch| batch[rows::ID].as_string::<i32>().iter().flatten());
    Ok(keys.map(str::to_owned).collect())
}

fn upsert(table: &lancedb::Table) -> MergeInsertBuilder {
    let mut merge = table.merge_insert(&[rows::ID]);
    merge
        .when_matched_update_all(None)
        .when_not_matched_insert_all()
        // With an index on the key, LanceDB takes an older path that lets one new key in twice.
        .use_index(false);
    merge
}

fn one(rows: RecordBatch) -> Box<dyn arrow_array::RecordBatchReader + Send> {
    let schema = rows.schema();
    Box::new(RecordBatchIterator::new([Ok(rows)], schema))
}
