//! Port `Strata` for a process beside the one that writes the tables, such as a standby node of a cluster. It searches copies in
//! memory, brings a copy up to date when a search requires it, and never writes.
//!
//! Relies on three properties of the tables. A row has the sequence number of the change that wrote it, so the rows above the
//! last number that a copy is complete to are those that have changed since. Rows that were removed show in the number of rows,
//! and then in the ids of all rows. A table that is written anew has another generation. What cannot be searched now, such as a
//! table that is not in memory yet, is an error, and the caller asks the writer itself.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use annals_core::ports::{Batch, Findings, Probe, Stored, Table, TableStats};
use annals_core::{Agent, Error, Result, Strata};
use annals_index::InMemoryTable;
use annals_index::columns::{CONVERSATION, END, KIND, LEX, MEMORY, PART, SEQ, START, VECTOR};
use annals_objects::Objects;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use async_trait::async_trait;
use futures::TryStreamExt;
use lru::LruCache;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::CacheLimits;
use crate::background;
use crate::damage::{contain, explain, name};
use crate::load::{Location, load};
use crate::maintenance::Maintenance;
use crate::search::{is_empty, search_in_memory};
use crate::tables::{Slot, Tables};

/// Number of tables whose state is remembered, some 150 bytes each.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(1 << 16).expect("it is not zero");

/// Number of tables that are read whole at the same time. Others wait, so that many searches after a start do not hold as many
/// half-read tables.
const READ_AT_ONCE: usize = 2;
/// How often a table is read before it counts as unreadable: the writer may remove the files of a version meanwhile.
const READS: usize = 2;
/// Maximum number of changed rows that are added to a copy. More are read with the whole table, in bounded batches.
const MAX_CHANGED: usize = 5_000;
/// Time limit for adding changed rows, which take a few requests to a bucket.
const REFRESHING: Duration = Duration::from_secs(1);

/// Copies of the tables of all agents. Clones share them.
#[derive(Clone)]
pub struct ReplicaStrata(Arc<Copies>);

struct Copies {
    tables: Tables,
    states: Mutex<LruCache<Table, State>>,
    reading: Arc<Semaphore>,
}

/// What is known of a table.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// A copy, if one is in memory, has at least the changes up to this sequence number.
    CompleteTo(u64),
    /// The table is being read.
    Reading,
    /// The table does not fit into memory, or could not be read.
    Unreadable,
}

impl ReplicaStrata {
    /// Opens tables that another process writes.
    pub async fn over(objects: Objects, limits: CacheLimits) -> Result<ReplicaStrata> {
        let tables = Tables::open(objects, Maintenance { limits, ..Maintenance::default() }).await?;
        let (states, reading) = (Mutex::new(LruCache::new(REMEMBERED)), Arc::new(Semaphore::new(READ_AT_ONCE)));
        Ok(ReplicaStrata(Arc::new(Copies { tables, states, reading })))
    }

    /// Returns the tables with a copy in memory.
    pub fn copies(&self) -> Vec<Table> {
        self.tables().in_memory.names()
    }

    /// Drops the copy of a table, for example after a forgetting, which writes tables anew.
    pub fn drop_copy(&self, table: &Table) {
        self.tables().in_memory.remove(table);
    }

    /// Lets the next searches try again to read the tables that were unreadable.
    pub fn retry_unreadable(&self) {
        let mut states = self.0.states();
        let unreadable = states.iter_mut().filter(|(_, state)| **state == State::Unreadable);
        unreadable.for_each(|(_, state)| *state = State::CompleteTo(0));
    }

    pub(crate) fn tables(&self) -> &Tables {
        &self.0.tables
    }
}

impl Copies {
    /// Brings the copy of a table up to the change `applied`. Without a copy, or if much has changed, fails, and begins to read the
    /// table for the next search.
    async fn follow(self: Arc<Self>, table: &Table, applied: u64) -> Result<()> {
        let slot = self.tables.slot(table);
        // One search brings the copy up to date; others wait for it.
        let _guard = slot.write_lock.lock().await;
        let (state, copy) = (self.states().get(table).copied(), self.tables.in_memory.get(table));
        match (state, copy) {
            (Some(State::Unreadable), _) => return Err(Error::storage(name(table), "it cannot be held in memory")),
            (Some(State::Reading), _) => return Err(is_being_read(table)),
            (Some(State::CompleteTo(last)), Some(_)) if last >= applied => return Ok(()),
            (Some(State::CompleteTo(last)), Some(copy)) => {
                match timeout(REFRESHING, self.refresh(table, &slot, &copy, last)).await {
                    Ok(Ok(true)) => {
                        self.states().put(table.clone(), State::CompleteTo(applied));
                        return Ok(());
                    }
                    Ok(Ok(false)) => {}
                    Ok(Err(error)) => tracing::debug!(%error, "a copy could not be brought up to date"),
                    Err(_) => tracing::debug!(table = name(table), "bringing a copy up to date took too long"),
                }
            }
            _ => {}
        }
        self.begin_reading(table, applied);
        Err(is_being_read(table))
    }

    /// Applies the changes above `last` to a copy. Returns whether the copy then has the rows of the table.
    async fn refresh(&self, table: &Table, slot: &Slot, copy: &RwLock<InMemoryTable>, last: u64) -> Result<bool> {
        let Some(open) = self.tables.reading(table, slot).await? else { return Ok(false) };
        let failed = |error| explain(table, error);
        open.checkout_latest().await.map_err(failed)?;
        let snapshot = open.query_snapshot().await.map_err(failed)?;
        let rows = snapshot.count_rows(None).await.map_err(failed)?;
        let Some(changed) = rows_above(&snapshot, last).await.map_err(failed)? else { return Ok(false) };
        let mut is_fragmented = self.change(table, copy, |copy| copy.upsert(&changed));
        if annals_index::read(copy).live_rows() != rows {
            let memories = memories(&snapshot).await.map_err(failed)?;
            is_fragmented = self.change(table, copy, |copy| copy.retain(&memories));
        }
        Ok(!is_fragmented && annals_index::read(copy).live_rows() == rows)
    }

    fn change(
        &self,
        table: &Table,
        copy: &RwLock<InMemoryTable>,
        change: impl FnOnce(&mut InMemoryTable) -> bool,
    ) -> bool {
        let (changed, bytes) = tokio::task::block_in_place(|| {
            let mut copy = annals_index::write(copy);
            (change(&mut copy), copy.bytes())
        });
        self.tables.in_memory.set_bytes(table, bytes);
        changed
    }

    /// Reads the whole table in the background: a search holds one of few permits, and must not wait for a slow bucket.
    fn begin_reading(self: &Arc<Self>, table: &Table, applied: u64) {
        self.states().put(table.clone(), State::Reading);
        let (copies, reading, name) = (Arc::downgrade(self), self.reading.clone(), table.clone());
        background::spawn(async move {
            let _permit = reading.acquire().await;
            // Gone if the process now writes the tables itself, or has opened them anew.
            let Some(copies) = copies.upgrade() else { return };
            let (reader, table) = (copies.clone(), name.clone());
            let read = contain(&name, async move { reader.read(&table).await }).await;
            let state = match read {
                Ok(Location::Memory(_)) => State::CompleteTo(applied),
                Ok(_) => State::Unreadable,
                Err(error) => {
                    tracing::debug!(%error, "a table could not be copied");
                    State::Unreadable
                }
            };
            copies.states().put(name, state);
        });
    }

    async fn read(&self, table: &Table) -> Result<Location> {
        let mut read = self.read_once(table).await;
        for _ in 1..READS {
            if !matches!(read, Err(Error::Damaged { .. })) {
                break;
            }
            read = self.read_once(table).await;
        }
        read
    }

    /// Reads a table without LanceDB's caches: the writer may have removed a table, and created another one at its path.
    async fn read_once(&self, table: &Table) -> Result<Location> {
        let slot = self.tables.slot(table);
        self.tables.in_memory.remove(table);
        slot.close().await;
        self.tables.forget_caches().await?;
        load(&self.tables, table, &slot).await
    }

    fn states(&self) -> MutexGuard<'_, LruCache<Table, State>> {
        self.states.lock()
    }
}

/// Reads the rows of a version that were written by changes above `last`; `None` if these are more than [`MAX_CHANGED`].
async fn rows_above(snapshot: &lancedb::Table, last: u64) -> lancedb::Result<Option<Vec<RecordBatch>>> {
    let Some(dataset) = snapshot.dataset() else { return Ok(None) };
    let mut scan = dataset.get().await?.scan();
    scan.project(&[MEMORY, PART, KIND, CONVERSATION, START, END, LEX, VECTOR])?;
    scan.filter(&format!("{SEQ} > {last}"))?;
    let (mut batches, mut changed, mut rows) = (scan.try_into_stream().await?, Vec::new(), 0);
    while let Some(batch) = batches.try_next().await? {
        rows += batch.num_rows();
        if rows > MAX_CHANGED {
            return Ok(None);
        }
        changed.push(batch);
    }
    Ok(Some(changed))
}

/// Returns the ids of all memories of a version.
async fn memories(snapshot: &lancedb::Table) -> lancedb::Result<HashSet<String>> {
    let Some(dataset) = snapshot.dataset() else { return Ok(HashSet::new()) };
    let mut scan = dataset.get().await?.scan();
    scan.project(&[MEMORY])?;
    let batches: Vec<RecordBatch> = scan.try_into_stream().await?.try_collect().await?;
    let ids = batches.iter().flat_map(|batch| batch[MEMORY].as_string::<i32>().iter().flatten());
    Ok(ids.map(str::to_owned).collect())
}

fn is_being_read(table: &Table) -> Error {
    Error::storage(name(table), "it is being read into memory")
}

/// The error of everything that writes, or reads more than a search does.
fn only_searches<T>() -> Result<T> {
    Err(Error::storage("using the tables", "this process only searches them"))
}

/// A damaged table is an error of storage here: only the writer can rebuild it.
fn not_mine(error: Error) -> Error {
    match error {
        Error::Damaged { what, why } => Error::storage(what, why),
        other => other,
    }
}

#[async_trait]
impl Strata for ReplicaStrata {
    async fn require(&self, table: &Table, applied: u64) -> Result<()> {
        if applied == 0 {
            return Ok(());
        }
        let (copies, name) = (self.0.clone(), table.clone());
        let followed = contain(table, async move { copies.follow(&name, applied).await }).await;
        if let Err(Error::Damaged { .. }) = &followed {
            // A panic may have left the copy half-changed.
            self.drop_copy(table);
        }
        followed.map_err(not_mine)
    }

    /// Searches the copy that [`Strata::require`] has brought up to date. A table that was never required is empty.
    async fn search(&self, table: &Table, probe: &Probe) -> Result<Findings> {
        let is_known = self.0.states().contains(table);
        match self.tables().in_memory.get(table) {
            _ if is_empty(probe) || !is_known => Ok(Findings::default()),
            Some(copy) => search_in_memory(self.tables(), copy, probe).await,
            None => Err(Error::storage(name(table), "its copy was dropped during the search")),
        }
    }

    async fn exists(&self, table: &Table) -> Result<bool> {
        Ok(self.0.states().contains(table))
    }

    async fn apply(&self, _: &Table, _: Batch) -> Result<()> {
        only_searches()
    }

    async fn scan(&self, _: &Table) -> Result<Vec<Stored>> {
        only_searches()
    }

    async fn remove(&self, _: &Table) -> Result<()> {
        only_searches()
    }

    async fn rewrite(&self, _: &Table, _: u32) -> Result<()> {
        only_searches()
    }

    async fn generations(&self, _: &Agent) -> Result<Vec<Table>> {
        only_searches()
    }

    async fn remove_below(&self, _: &Agent, _: &[Table]) -> Result<()> {
        only_searches()
    }

    async fn remove_agent(&self, _: &Agent) -> Result<()> {
        only_searches()
    }

    async fn find_leftovers(&self, _: &Agent, _: &[String]) -> Result<Vec<String>> {
        only_searches()
    }

    async fn compact(&self, _: &Table) -> Result<()> {
        only_searches()
    }

    async fn table_stats(&self, _: &Table) -> Result<TableStats> {
        only_searches()
    }

    async fn quarantine(&self, _: &Table) -> Result<Option<String>> {
        only_searches()
    }
}
