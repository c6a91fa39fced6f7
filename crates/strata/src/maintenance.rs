//! Maintenance: joins fragments, indexes new rows and drops old versions. Runs after a commit or on request, under the write
//! lock, so that it never conflicts with a commit.
//!
//! Every commit adds a version, a manifest and a fragment, and LanceDB never removes one by itself: a week of an agent's writes
//! would be thousands of files and seconds per search. The version number alone decides when maintenance is due after a commit,
//! so a restart delays nothing.

use annals_core::ports::Table;
use annals_core::{Error, Result};
use lancedb::index::Index;
use lancedb::index::scalar::BTreeIndexBuilder;
use lancedb::table::{CompactionOptions, Duration, NativeTableExt, OptimizeAction, OptimizeOptions};

use crate::CacheLimits;
use crate::damage::explain;
use crate::rows::{END, START};
use crate::tables::Slot;
use crate::text_index::{self, TEXT_INDEX};

/// The thresholds of maintenance, and the limits of caches. Tests use smaller numbers to reach them sooner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maintenance {
    /// Number of versions from one run to the next. Twenty is LanceDB's own advice. Without maintenance the time of an
    /// upsert rose from 24 to 39 ms within 100 versions.
    pub every: u64,
    /// Number of versions that may accumulate while searches use old ones. From then on, pruning waits for its lock
    /// instead of being skipped.
    pub overdue: usize,
    /// Fragments with fewer rows than this are joined in each run. New rows, also those of a table without an index, are indexed
    /// once there are this many of them, so that rows are usually joined before they are indexed: joining indexed rows
    /// rewrites the index.
    pub small_rows: usize,
    /// With more fragments than this, all are joined into large ones. A row is thus rewritten about three times in its
    /// life; one large target would rewrite the whole table each time.
    pub many_fragments: usize,
    /// Target number of rows of a large fragment.
    pub large_rows: usize,
    /// Number of rows from which start and end times are indexed. If a filter by time leaves a tenth of 100,000 rows, a
    /// search takes 29 ms with the indexes. It takes 141 ms without, because LanceDB then reads all vectors before it
    /// filters. A small table gains nothing.
    pub timed_rows: usize,
    /// Number of pieces of the text index at which they are merged. Each piece is searched on its own.
    pub many_pieces: u32,
    pub limits: CacheLimits,
    /// Size of the cache of LanceDB's indexes, shared by all tables. LanceDB's default is 6 GiB, for servers with few
    /// tables.
    pub index_cache_bytes: usize,
}

impl Default for Maintenance {
    fn default() -> Maintenance {
        Maintenance {
            every: 20,
            overdue: 100,
            small_rows: 1_024,
            many_fragments: 32,
            large_rows: 65_536,
            timed_rows: 16_384,
            many_pieces: 8,
            limits: CacheLimits::of(256 << 20),
            index_cache_bytes: 16 << 20,
        }
    }
}

/// The versions of a table before and after a commit.
pub(crate) struct Versions {
    pub before: u64,
    /// Equal to `before` if nothing was committed.
    pub after: u64,
}

impl Maintenance {
    /// Runs maintenance if it is due: if the commit crossed a multiple of `every`. A storage error, such as a full disk, is
    /// logged as a warning and not returned, because the committed rows are durable already. Damage is returned.
    pub(crate) async fn after(
        &self,
        commit: Versions,
        name: &Table,
        slot: &Slot,
        table: &lancedb::Table,
    ) -> Result<()> {
        if commit.before / self.every == commit.after / self.every {
            return Ok(());
        }
        match self.compact(slot, table).await.map_err(|error| explain(name, error)) {
            Err(Error::Storage { what, source }) => {
                tracing::warn!(table = what, error = source.to_string(), "compacting the table failed; it is retried");
                Ok(())
            }
            result => result,
        }
    }

    /// Runs maintenance, whether it is due or not.
    pub(crate) async fn compact(&self, slot: &Slot, table: &lancedb::Table) -> lancedb::Result<()> {
        self.join_fragments(table).await?;
        self.index_times(table).await?;
        self.index_new_rows(table).await?;
        self.prune(slot, table).await
    }

    async fn join_fragments(&self, table: &lancedb::Table) -> lancedb::Result<()> {
        let fragments = match table.base_table().as_native() {
            Some(native) => native.count_fragments().await?,
            None => 0,
        };
        let target_rows_per_fragment = if fragments > self.many_fragments { self.large_rows } else { self.small_rows };
        let options =
            CompactionOptions { target_rows_per_fragment, num_threads: Some(1), ..CompactionOptions::default() };
        table.optimize(OptimizeAction::Compact { options, remap_options: None }).await?;
        Ok(())
    }

    async fn index_times(&self, table: &lancedb::Table) -> lancedb::Result<()> {
        if table.count_rows(None).await? < self.timed_rows {
            return Ok(());
        }
        for column in [START, END] {
            if table.index_stats(column).await?.is_none() {
                let index = Index::BTree(BTreeIndexBuilder::default());
                table.create_index(&[column], index).name(column.to_owned()).execute().await?;
            }
        }
        Ok(())
    }

    async fn index_new_rows(&self, table: &lancedb::Table) -> lancedb::Result<()> {
        let Some(index) = table.index_stats(TEXT_INDEX).await? else {
            let are_enough = table.count_rows(None).await? >= self.small_rows;
            return if are_enough { text_index::create(table).await } else { Ok(()) };
        };
        if index.num_unindexed_rows < self.small_rows {
            return Ok(());
        }
        let pieces = index.num_indices.unwrap_or(1);
        let options = match pieces < self.many_pieces {
            true => OptimizeOptions::append(),
            false => OptimizeOptions::merge(pieces as usize),
        };
        table.optimize(OptimizeAction::Index(options)).await?;
        Ok(())
    }

    /// Drops all versions but the newest, and files that no version names. If searches use the table, does nothing until
    /// `overdue` versions have accumulated; from then on it waits for the searches. No grace period is needed: one process owns
    /// the folder, writers hold the write lock, and nothing is dropped while there are readers.
    async fn prune(&self, slot: &Slot, table: &lancedb::Table) -> lancedb::Result<()> {
        let alone = match slot.handle.try_write() {
            Ok(alone) => alone,
            Err(_) if table.list_versions().await?.len() < self.overdue => return Ok(()),
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
}
