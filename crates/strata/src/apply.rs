//! Operation `apply`: writes a batch in one commit, or in several if it is large.
//!
//! A commit of new memories appends their rows. Any other commit merges rows by key, and removes the other rows of the same
//! memories: parts that a shorter text no longer has, and deleted memories. Applying a batch twice has the same effect as once.

use std::collections::{BTreeMap, HashSet};

use annals_core::ports::{Batch, Part, Table};
use annals_core::{Error, MemoryId, Result};
use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, RecordBatchIterator};
use futures::TryStreamExt;
use lancedb::expr::{DfExpr, col, is_in, lit};
use lancedb::query::{ExecutableQuery, QueryBase, Select};
use lancedb::table::merge::MergeInsertBuilder;

use crate::damage::{self, explain};
use crate::maintenance::Versions;
use crate::rows;
use crate::tables::{Slot, Tables};

/// A commit takes whole memories until it has at least this many rows; larger batches, as in a rebuild, become several commits. A
/// row takes about 10 kB with its text, and a merge holds about three copies of its input.
const ROWS_AT_ONCE: usize = 1_000;

/// A memory and all its parts by number. A memory without parts is deleted.
type Change = (MemoryId, BTreeMap<u32, Part>);

/// Writes the batch durably, in one commit or several. Runs maintenance after a commit if it is due. Fails with
/// [`Error::Invalid`] if the dimension is 0, or if a vector has another length or a number that is not finite.
pub(crate) async fn apply(tables: &Tables, name: &Table, batch: Batch) -> Result<()> {
    check_vectors(&batch)?;
    let dimension = batch.dimension;
    let slot = tables.slot(name);
    let _guard = slot.write_lock.lock().await;
    for changes in commits(batch) {
        let (memories, parts) = split(changes);
        let rows = rows::batch(&parts, dimension).map_err(|error| explain(name, error.into()))?;
        let Some(table) = tables.writing(name, &slot, dimension).await? else {
            let table = tables.create(name, &slot, rows).await?;
            let version = table.version().await.map_err(|error| explain(name, error))?;
            tables.save_head(name, version).await?;
            continue;
        };
        let versions = commit_in_both(tables, name, &slot, &table, (memories, rows)).await?;
        tables.save_head(name, versions.after).await?;
        tables.maintenance.after(versions, name, &slot, &table).await?;
    }
    Ok(())
}

/// Commits the rows of these memories to disk, and makes the same change to the table in memory, if it is loaded.
async fn commit_in_both(
    tables: &Tables,
    name: &Table,
    slot: &Slot,
    table: &lancedb::Table,
    (memories, rows): (Vec<MemoryId>, RecordBatch),
) -> Result<Versions> {
    // Holds the lock, because a task that loads the table during the commit would miss the new rows.
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
    let committed = committed.map_err(|error| explain(name, error)).and_then(|(versions, _)| sole(name, versions));
    if committed.is_err() {
        // Whether the commit landed may be unknown; the next open reads it from the disk.
        tables.in_memory.remove(name);
        slot.close().await;
    }
    committed
}

/// Returns the versions if they are consecutive or equal. Fails with [`Error::Damaged`] otherwise: another process has
/// committed unknown rows in between, for example a node of a cluster that had not noticed that it was replaced.
fn sole(name: &Table, versions: Versions) -> Result<Versions> {
    let next = versions.before + 1;
    if versions.after <= next {
        return Ok(versions);
    }
    Err(Error::damaged(damage::name(name), format!("another process has written version {next}")))
}

fn split(changes: Vec<Change>) -> (Vec<MemoryId>, Vec<Part>) {
    let (memories, parts): (Vec<MemoryId>, Vec<BTreeMap<u32, Part>>) = changes.into_iter().unzip();
    (memories, parts.into_iter().flat_map(BTreeMap::into_values).collect())
}

fn check_vectors(batch: &Batch) -> Result<()> {
    let dimension = batch.dimension;
    if dimension == 0 {
        return Err(Error::invalid("dimension", "is 0; a table is created with the length of its vectors"));
    }
    let is_right = |part: &&Part| part.vector.len() == dimension && part.vector.iter().all(|number| number.is_finite());
    match batch.upserts.iter().find(|part| !is_right(part)) {
        Some(part) => {
            let (memory, found) = (&part.memory, part.vector.len());
            Err(Error::invalid(
                "vector",
                format!("of {memory} has {found} numbers; expected {dimension} finite numbers"),
            ))
        }
        None => Ok(()),
    }
}

/// Groups the batch by memory and splits it into commits. There is one at least, which creates the table if it is missing.
fn commits(batch: Batch) -> Vec<Vec<Change>> {
    let mut changes: BTreeMap<MemoryId, BTreeMap<u32, Part>> = BTreeMap::new();
    for memory in batch.deletes {
        changes.entry(memory).or_default();
    }
    for part in batch.upserts {
        changes.entry(part.memory.clone()).or_default().insert(part.part, part);
    }
    let (mut commits, mut rows) = (vec![Vec::new()], 0);
    for change in changes {
        if rows >= ROWS_AT_ONCE {
            commits.push(Vec::new());
            rows = 0;
        }
        rows += change.1.len().max(1);
        commits.last_mut().expect("there is one from the start").push(change);
    }
    commits
}

/// Replaces the rows of the memories by the given ones, in the cheapest way. Makes no commit if there is nothing to delete
/// or write. Returns the versions before and after, and whether any row of these memories existed.
///
/// Looking up the existing rows scans two short columns. A merge that also deletes reads all columns of the whole
/// table: with it an import of a diary of 3,413 days peaked at 670 MB, and every batch was slower than the one before.
/// Nothing can come between lookup and commit: one process owns the folder, and its writers hold the table's write
/// lock.
async fn commit(
    table: &lancedb::Table,
    memories: &[MemoryId],
    rows: &RecordBatch,
) -> lancedb::Result<(Versions, bool)> {
    let before = table.version().await?;
    if memories.is_empty() {
        return Ok((Versions { before, after: before }, false));
    }
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

/// Returns the keys of the rows that match a condition.
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
        // With an index on the key, LanceDB takes an older path that inserts one new key twice.
        .use_index(false);
    merge
}

fn one(rows: RecordBatch) -> Box<dyn arrow_array::RecordBatchReader + Send> {
    let schema = rows.schema();
    Box::new(RecordBatchIterator::new([Ok(rows)], schema))
}
