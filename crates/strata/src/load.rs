//! Loads a table into memory, if it fits.

use std::sync::{Arc, RwLock};

use annals_core::Result;
use annals_core::ports::Table;
use annals_index::columns::{CONVERSATION, END, KIND, LEX, MEMORY, PART, START, VECTOR};
use annals_index::{InMemoryTable, expected_bytes};
use futures::TryStreamExt;

use crate::background;
use crate::damage::explain;
use crate::rows;
use crate::tables::{Slot, Tables};
use crate::text_index;

/// Number of rows that are read at once.
const BATCH: usize = 1_024;
/// Number of bytes that LanceDB reads ahead. Its own limit is 2 GB.
const AHEAD: u64 = 8 << 20;

/// Where to search a table.
pub(crate) enum Location {
    /// The table does not exist.
    Missing,
    Memory(Arc<RwLock<InMemoryTable>>),
    /// A snapshot on disk, with its number of rows.
    Disk(lancedb::Table, usize),
    /// The table must be searched on disk, but has no text index yet.
    NotIndexed,
}

/// Loads the table into memory if its expected size is within the limit for all tables, and returns where to search it. Only
/// one task loads a table at a time: otherwise fifty searches after a start would hold fifty copies.
pub(crate) async fn load(tables: &Tables, name: &Table, slot: &Slot) -> Result<Location> {
    let Some(table) = tables.reading(name, slot).await? else { return Ok(Location::Missing) };
    let loading = async {
        // Holds the lock, because the copy in memory would lack a commit between reading and caching.
        let _guard = slot.load_lock.lock().await;
        if let Some(loaded) = tables.in_memory.get(name) {
            return Ok(Location::Memory(loaded));
        }
        // The snapshot stays at one version, even if compaction runs meanwhile.
        let snapshot = table.query_snapshot().await?;
        let rows = snapshot.count_rows(None).await?;
        let dimension = rows::dimension(&snapshot).await?;
        if expected_bytes(rows, dimension) > tables.maintenance.limits.bytes {
            let is_indexed = text_index::exists(&snapshot).await?;
            return Ok(if is_indexed { Location::Disk(snapshot, rows) } else { Location::NotIndexed });
        }
        let reading = read(snapshot, rows, dimension);
        let loaded = match tables.objects.are_local() {
            true => background::apart(reading).await??,
            // Connections to another machine are kept for later requests, so they must not end with the threads of one load.
            false => reading.await?,
        };
        let loaded = Arc::new(RwLock::new(loaded));
        tables.in_memory.put(name, loaded.clone());
        Ok(Location::Memory(loaded))
    };
    loading.await.map_err(|error| explain(name, error))
}

/// Reads a version of a table that has `rows` rows into memory.
async fn read(snapshot: lancedb::Table, rows: usize, dimension: usize) -> lancedb::Result<InMemoryTable> {
    let mut table = InMemoryTable::new(rows, dimension);
    let Some(dataset) = snapshot.dataset() else { return Ok(table) };
    let mut scan = dataset.get().await?.scan();
    scan.project(&[MEMORY, PART, KIND, CONVERSATION, START, END, LEX, VECTOR])?;
    scan.batch_size(BATCH).io_buffer_size(AHEAD).batch_readahead(1).fragment_readahead(1);
    let mut batches = scan.try_into_stream().await?;
    while let Some(batch) = batches.try_next().await? {
        table.add(&batch);
    }
    table.shrink();
    Ok(table)
}
