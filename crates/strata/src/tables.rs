//! Locations, open handles and locks of tables: one writer at a time, which does not block readers.
//!
//! A handle is opened once and kept, so that reads see this process's writes at once. A bounded number of handles stays
//! open. A handle in use is never closed: a second handle of the same table would not see what the first one writes.

use std::sync::Arc;

use annals_core::ports::Table;
use annals_core::{Agent, Error, Result};
use annals_objects::Objects;
use arrow_array::RecordBatch;
use lancedb::{Connection, connect};
use lru::LruCache;
use object_store::path::Path;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{RwLock, RwLockReadGuard, Semaphore};

use crate::damage::{explain, name};
use crate::disk;
use crate::head;
use crate::maintenance::Maintenance;
use crate::rows;
use annals_index::InMemoryTables;

/// Number of handles kept open; more only while all of them are in use. On a small machine about ten agents are active at once;
/// each handle costs about 10 kB.
const OPEN_HANDLES: usize = 64;
/// All tables below a prefix of a store.
pub(crate) struct Tables {
    pub objects: Objects,
    pub maintenance: Maintenance,
    pub in_memory: InMemoryTables,
    /// Limits concurrent searches in memory to the number of cores: more would only wait for each other, each with
    /// buffers of about 14 bytes a row.
    pub searching: Semaphore,
    /// The connection to LanceDB. It holds the caches of all tables that were opened through it.
    database: Mutex<Connection>,
    slots: Mutex<LruCache<Table, Arc<Slot>>>,
}

/// The locks and the handle of one table, whether the table exists or not.
pub(crate) struct Slot {
    /// Held by the only writer: two concurrent merges of one table would conflict, and one would have to be repeated.
    pub write_lock: tokio::sync::Mutex<()>,
    /// The open table, if there is one. Read-locked while the files are read, so that none is pruned or moved meanwhile.
    pub handle: RwLock<Option<lancedb::Table>>,
    /// Held while the table is loaded into memory, and during a commit, so that a load never misses a commit.
    pub load_lock: tokio::sync::Mutex<()>,
}

impl Tables {
    /// Connects LanceDB to the objects. Opens no table yet.
    pub(crate) async fn open(objects: Objects, maintenance: Maintenance) -> Result<Tables> {
        let database = Mutex::new(connected(&objects, &maintenance).await?);
        let slots = Mutex::new(LruCache::unbounded());
        let in_memory = InMemoryTables::new(maintenance.limits.bytes);
        let searching = Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from));
        Ok(Tables { objects, maintenance, in_memory, searching, database, slots })
    }

    /// Replaces the connection, and so empties the caches, after a table was removed or moved aside. LanceDB keys its caches by
    /// path and version: a table that is created again at the same path would be searched with the text index of the removed one.
    pub(crate) async fn forget_caches(&self) -> Result<()> {
        *self.database() = connected(&self.objects, &self.maintenance).await?;
        Ok(())
    }

    fn database(&self) -> MutexGuard<'_, Connection> {
        self.database.lock()
    }

    /// Returns the slot of a table, and creates it if needed. Also closes handles above the limit that are not in use.
    pub(crate) fn slot(&self, table: &Table) -> Arc<Slot> {
        let mut slots = self.slots();
        let slot = slots.get_or_insert(table.clone(), || Arc::new(Slot::empty())).clone();
        close_idle(&mut slots);
        slot
    }

    fn slots(&self) -> MutexGuard<'_, LruCache<Table, Arc<Slot>>> {
        self.slots.lock()
    }

    /// Returns the table for reading, and opens it if necessary; `None` if it does not exist. The files of the table stay in
    /// place while the guard is held.
    pub(crate) async fn reading<'a>(&self, table: &Table, slot: &'a Slot) -> Result<Option<Reading<'a>>> {
        if let Ok(open) = RwLockReadGuard::try_map(slot.handle.read().await, Option::as_ref) {
            return Ok(Some(open));
        }
        let mut handle = slot.handle.write().await;
        if handle.is_none() {
            *handle = self.newest(table).await?;
        }
        Ok(RwLockReadGuard::try_map(handle.downgrade(), Option::as_ref).ok())
    }

    /// Opens the newest version of the table; `None` if the table does not exist. Fails with [`Error::Damaged`] if the files of
    /// the last commit are lost.
    async fn newest(&self, table: &Table) -> Result<Option<lancedb::Table>> {
        let opening = async {
            let Some(open) = self.find(table).await? else { return Ok(None) };
            let version = open.version().await?;
            Ok(Some((open, version)))
        };
        let Some((open, version)) = opening.await.map_err(|error| explain(table, error))? else { return Ok(None) };
        let failed = |error| Error::storage(format!("reading the version of {}", name(table)), error);
        match head::load(&self.objects, &object_name(table)).await.map_err(failed)? {
            Some(head) if version < head => Err(Error::damaged(
                name(table),
                format!("version {head} is missing; the newest existing version is {version}"),
            )),
            _ => Ok(Some(open)),
        }
    }

    /// Stores the version that a commit made. The next open compares it with the newest version on disk.
    pub(crate) async fn save_head(&self, table: &Table, version: u64) -> Result<()> {
        let saved = head::save(&self.objects, &object_name(table), version).await;
        saved.map_err(|error| Error::storage(format!("saving the version of {}", name(table)), error))
    }

    /// Returns the table for writing; `None` if it does not exist. Fails with [`Error::Damaged`] if its vectors do not have
    /// `dimension` numbers. The caller must hold `write_lock`, so that the table is not moved or removed meanwhile.
    pub(crate) async fn writing(&self, table: &Table, slot: &Slot, dimension: usize) -> Result<Option<lancedb::Table>> {
        let Some(open) = self.reading(table, slot).await?.map(|open| open.clone()) else { return Ok(None) };
        match rows::dimension(&open).await.map_err(|error| explain(table, error))? {
            length if length == dimension => Ok(Some(open)),
            length => {
                Err(Error::damaged(name(table), format!("its vectors have {length} numbers; expected {dimension}")))
            }
        }
    }

    /// Creates a table that does not exist, with its first rows, of which there may be none, in the same commit. The caller must
    /// hold `write_lock`.
    pub(crate) async fn create(&self, table: &Table, slot: &Slot, rows: RecordBatch) -> Result<lancedb::Table> {
        let creating = async {
            let location = self.location(table)?;
            let creating = self.database().create_table(file_name(table), rows).location(location);
            Ok(slot.handle.write().await.insert(creating.execute().await?).clone())
        };
        creating.await.map_err(|error| explain(table, error))
    }

    /// Opens the table with a new handle; `None` if the table does not exist.
    pub(crate) async fn find(&self, table: &Table) -> lancedb::Result<Option<lancedb::Table>> {
        let location = self.location(table)?;
        let opening = self.database().open_table(file_name(table)).location(location);
        match opening.execute().await {
            Err(lancedb::Error::TableNotFound { .. }) => Ok(None),
            found => found.map(Some),
        }
    }

    fn location(&self, table: &Table) -> lancedb::Result<String> {
        let message = || format!("{} has no URL", name(table));
        let url = disk::url(&self.objects, &object_name(table));
        Ok(url.ok_or_else(|| lancedb::Error::InvalidInput { message: message() })?.into())
    }
}

async fn connected(objects: &Objects, maintenance: &Maintenance) -> Result<Connection> {
    let what = || format!("opening the tables in {objects}");
    let url = disk::url(objects, &Path::default()).ok_or_else(|| Error::storage(what(), "its path has no URL"))?;
    let session = disk::session(objects, maintenance.index_cache_bytes);
    connect(url.as_str()).session(session).execute().await.map_err(|error| Error::storage(what(), error))
}

/// An open table that is not pruned, moved or closed while this guard lives.
pub(crate) type Reading<'a> = RwLockReadGuard<'a, lancedb::Table>;

impl Slot {
    fn empty() -> Slot {
        Slot {
            write_lock: tokio::sync::Mutex::new(()),
            handle: RwLock::new(None),
            load_lock: tokio::sync::Mutex::new(()),
        }
    }

    /// Drops the handle, so that the next reader opens the table again.
    pub(crate) async fn close(&self) {
        *self.handle.write().await = None;
    }
}

/// Returns the name of a table within its agent's folder: `working-g1`.
pub(crate) fn file_name(table: &Table) -> String {
    format!("{}-g{}", table.grain, table.generation)
}

/// Returns the path of an agent's folder.
pub(crate) fn agent_name(agent: &Agent) -> Path {
    Path::from(agent.folder())
}

/// Returns the path of a table's folder. It is built from a hash, a word and a number, never from users' text.
pub(crate) fn object_name(table: &Table) -> Path {
    agent_name(&table.agent).join(format!("{}.lance", file_name(table)))
}

/// Closes the least recently used handles that are not in use, down to the limit.
fn close_idle(slots: &mut LruCache<Table, Arc<Slot>>) {
    let excess = slots.len().saturating_sub(OPEN_HANDLES);
    if excess == 0 {
        return;
    }
    let idle = slots.iter().rev().filter(|(_, slot)| Arc::strong_count(slot) == 1);
    let closing: Vec<Table> = idle.take(excess).map(|(table, _)| table.clone()).collect();
    closing.iter().for_each(|table| drop(slots.pop(table)));
}
