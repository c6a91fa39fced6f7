//! Keeping a table small and quick: joining fragments, indexing new rows, dropping old versions. Part of the lane, after a
//! commit, so that it never conflicts with one.
//!
//! Every commit adds a version, a manifest and a fragment, and LanceDB never takes one away by itself: a week of an agent's
//! writes is thousands of files and seconds per search. When it is time follows from the version number alone, so a restart
//! forgets nothing.

use annals_core::ports::Table;
use annals_core::{Error, Result};
use lancedb::table::{CompactionOptions, Duration, NativeTableExt, OptimizeAction, OptimizeOptions};

use crate::damage::explain;
use crate::tables::{Slot, TEXT_INDEX};

/// Once for so many versions. Twenty is LanceDB's own advice; unattended, an upsert of 20 rows rose from 24 to 39 ms in 100.
pub const EVERY: u64 = 20;
/// Versions that may pile up while searches keep the old ones in use; then pruning waits for its turn instead of passing.
const OVERDUE: usize = 100;
/// Fragments below this are joined each time. It is also when new rows are indexed, so that what is joined is not indexed yet:
/// joining indexed rows rewrites the index.
const SMALL_ROWS: usize = 1_024;
/// Joined fragments are joined again, into large ones, when there are so many. So a row is rewritten about twice in its life,
/// where one target of 65,536 would rewrite up to all of them each time.
const MANY_FRAGMENTS: usize = 32;
const LARGE_ROWS: usize = 65_536;
/// Pieces of the text index, each searched on its own; then they are merged.
const MANY_INDEX_PIECES: u32 = 8;

/// The versions of a table before and after a commit.
pub struct Versions {
    /// The one that was read.
    pub before: u64,
    /// The one that was made.
    pub after: u64,
}

/// Tidies the table if it is time. The rows are safe already: that the disk is full now is only worth a warning.
pub async fn after(versions: Versions, name: &Table, slot: &Slot, table: &lancedb::Table) -> Result<()> {
    if versions.before / EVERY == versions.after / EVERY {
        return Ok(());
    }
    match tidy(slot, table).await.map_err(|error| explain(name, error)) {
        Err(Error::Storage { what, source }) => {
            tracing::warn!(table = what, error = source.to_string(), "could not be compacted; it will be tried again");
            Ok(())
        }
        result => result,
    }
}

async fn tidy(slot: &Slot, table: &lancedb::Table) -> lancedb::Result<()> {
    join_fragments(table).await?;
    index_new_rows(table).await?;
    prune(slot, table).await
}

async fn join_fragments(table: &lancedb::Table) -> lancedb::Result<()> {
    let fragments = match table.base_table().as_native() {
        Some(native) => native.count_fragments().await?,
        None => 0,
    };
    let target_rows_per_fragment = if fragments > MANY_FRAGMENTS { LARGE_ROWS } else { SMALL_ROWS };
    let options = CompactionOptions { target_rows_per_fragment, num_threads: Some(1), ..CompactionOptions::default() };
    table.optimize(OptimizeAction::Compact { options, remap_options: None }).await?;
    Ok(())
}

async fn index_new_rows(table: &lancedb::Table) -> lancedb::Result<()> {
    let Some(index) = table.index_stats(TEXT_INDEX).await? else { return Ok(()) };
    if index.num_unindexed_rows < SMALL_ROWS {
        return Ok(());
    }
    let pieces = index.num_indices.unwrap_or(1);
    let options = match pieces {
        0..MANY_INDEX_PIECES => OptimizeOptions::append(),
        _ => OptimizeOptions::merge(pieces as usize),
    };
    table.optimize(OptimizeAction::Index(options)).await?;
    Ok(())
}

/// Drops all versions but the newest, with files that no version names. Safe without a period of grace, since one process owns
/// the folder, writers are in this lane, and readers are waited for.
async fn prune(slot: &Slot, table: &lancedb::Table) -> lancedb::Result<()> {
    let alone = match slot.handle.try_write() {
        Ok(alone) => alone,
        Err(_) if table.list_versions().await?.len() < OVERDUE => return Ok(()),
        Err(_) => slot.handle.write().await,
    };
    let prune = OptimizeAction::Prune {
        older_than: Some(Duration::zero()),
        delete_unverified: Some(true),
        error_if_tagged_old_versions: None,
    };
    table.optimize(prune).await?;
    drop(alone);
    Ok(())
}
