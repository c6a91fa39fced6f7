//! Port `Strata` for a process beside the one that writes the tables, such as a standby node of a cluster. It searches copies in
//! memory, brings a copy up to date when a search requires it, and never writes.
//!
//! Relies on three properties of the tables. A row has the sequence number of the change that wrote it, so the rows above the
//! last number that a copy is complete to are those that have changed since. Rows that were removed show in the number of rows;
//! the copy is then read anew. A table that is written anew has another generation. Files that the writer removes while they are
//! read make a search fail, and the caller asks the writer itself.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use annals_core::ports::{Batch, Findings, Probe, Stored, Table, TableStats};
use annals_core::{Agent, Error, Result, Strata};
use annals_index::InMemoryTable;
use annals_index::columns::{CONVERSATION, END, KIND, LEX, MEMORY, PART, SEQ, START, VECTOR};
use annals_objects::Objects;
use arrow_array::RecordBatch;
use async_trait::async_trait;
use futures::TryStreamExt;
use lru::LruCache;

use crate::CacheLimits;
use crate::damage::{contain, explain, name};
use crate::load::{Location, load};
use crate::maintenance::Maintenance;
use crate::search::{is_empty, search_in_memory};
use crate::tables::{Slot, Tables};

/// Number of tables whose state is remembered, some 150 bytes each.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(1 << 16).expect("it is not zero");

/// How often a table is read anew before an error is returned: the writer may remove the files of a version meanwhile.
const READS: usize = 2;

/// Copies of the tables of all agents. Clones share them.
#[derive(Clone)]
pub struct ReplicaStrata {
    pub(crate) tables: Arc<Tables>,
    states: Arc<Mutex<LruCache<Table, State>>>,
}

/// What is known of a table.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// A copy, if one is in memory, has at least the changes up to this sequence number.
    CompleteTo(u64),
    /// The table does not fit into memory.
    TooLarge,
}

impl ReplicaStrata {
    /// Opens tables that another process writes.
    pub async fn over(objects: Objects, limits: CacheLimits) -> Result<ReplicaStrata> {
        let tables = Tables::open(objects, Maintenance { limits, ..Maintenance::default() }).await?;
        Ok(ReplicaStrata { tables: Arc::new(tables), states: Arc::new(Mutex::new(LruCache::new(REMEMBERED))) })
    }

    /// Drops the copies of all tables that are not among the present ones, for example after a forgetting. Returns the number of
    /// copies that are left.
    pub async fn keep_only(&self, is_present: impl Fn(&Table) -> bool) -> usize {
        let copies = self.tables.in_memory.names();
        let (kept, gone): (Vec<Table>, Vec<Table>) = copies.into_iter().partition(is_present);
        for table in gone {
            self.tables.in_memory.remove(&table);
            self.tables.slot(&table).close().await;
        }
        kept.len()
    }

    /// Returns the tables with a copy in memory.
    pub fn copies(&self) -> Vec<Table> {
        self.tables.in_memory.names()
    }

    /// Brings the copy of a table up to the change `applied`, and reads the table if there is no copy.
    async fn follow(&self, table: &Table, applied: u64) -> Result<()> {
        let slot = self.tables.slot(table);
        // One search brings the copy up to date; others wait for it.
        let _guard = slot.write_lock.lock().await;
        let (state, copy) = (self.states().get(table).copied(), self.tables.in_memory.get(table));
        let is_done = match (state, copy) {
            (Some(State::TooLarge), _) => return Err(too_large(table)),
            (Some(State::CompleteTo(last)), Some(copy)) => {
                last >= applied || self.refresh(table, &slot, &copy, last).await.unwrap_or_default()
            }
            _ => false,
        };
        if !is_done {
            self.read_anew(table, &slot).await?;
        }
        self.states().put(table.clone(), State::CompleteTo(applied));
        Ok(())
    }

    /// Applies the changes above `last` to a copy. Returns whether the copy then has the rows of the table.
    async fn refresh(&self, table: &Table, slot: &Slot, copy: &RwLock<InMemoryTable>, last: u64) -> Result<bool> {
        let Some(open) = self.tables.reading(table, slot).await? else { return Ok(false) };
        let reading = async {
            open.checkout_latest().await?;
            let snapshot = open.query_snapshot().await?;
            Ok((snapshot.count_rows(None).await?, rows_above(&snapshot, last).await?))
        };
        let (rows, changed) = reading.await.map_err(|error| explain(table, error))?;
        let (is_fragmented, live, bytes) = tokio::task::block_in_place(|| {
            let mut copy = annals_index::write(copy);
            (copy.upsert(&changed), copy.live_rows(), copy.bytes())
        });
        self.tables.in_memory.set_bytes(table, bytes);
        Ok(live == rows && !is_fragmented)
    }

    async fn read_anew(&self, table: &Table, slot: &Slot) -> Result<()> {
        let mut read = self.read_once(table, slot).await;
        for _ in 1..READS {
            if !matches!(read, Err(Error::Damaged { .. })) {
                break;
            }
            read = self.read_once(table, slot).await;
        }
        match read? {
            Location::Memory(_) => Ok(()),
            Location::Missing => Err(Error::storage(name(table), "it is missing")),
            Location::Disk(..) | Location::NotIndexed => {
                self.states().put(table.clone(), State::TooLarge);
                Err(too_large(table))
            }
        }
    }

    /// Reads a table without LanceDB's caches: the writer may have removed a table, and created another one at its path.
    async fn read_once(&self, table: &Table, slot: &Slot) -> Result<Location> {
        self.tables.in_memory.remove(table);
        slot.close().await;
        self.tables.forget_caches().await?;
        load(&self.tables, table, slot).await
    }

    fn states(&self) -> MutexGuard<'_, LruCache<Table, State>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the rows of a version that were written by changes above `last`.
async fn rows_above(snapshot: &lancedb::Table, last: u64) -> lancedb::Result<Vec<RecordBatch>> {
    let Some(dataset) = snapshot.dataset() else { return Ok(Vec::new()) };
    let mut scan = dataset.get().await?.scan();
    scan.project(&[MEMORY, PART, KIND, CONVERSATION, START, END, LEX, VECTOR])?;
    scan.filter(&format!("{SEQ} > {last}"))?;
    Ok(scan.try_into_stream().await?.try_collect().await?)
}

fn too_large(table: &Table) -> Error {
    Error::storage(name(table), "it is too large for a copy in memory")
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
        let (replica, name) = (self.clone(), table.clone());
        contain(table, async move { replica.follow(&name, applied).await }).await.map_err(not_mine)
    }

    /// Searches the copy that [`Strata::require`] has brought up to date. A table that was never required is empty.
    async fn search(&self, table: &Table, probe: &Probe) -> Result<Findings> {
        let is_known = self.states().contains(table);
        match self.tables.in_memory.get(table) {
            _ if is_empty(probe) || !is_known => Ok(Findings::default()),
            Some(copy) => search_in_memory(&self.tables, copy, probe).await,
            None => Err(Error::storage(name(table), "its copy was dropped during the search")),
        }
    }

    async fn exists(&self, table: &Table) -> Result<bool> {
        Ok(self.states().contains(table))
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
