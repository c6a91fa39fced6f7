//! A table from the disk into memory, if it fits.

use std::sync::{Arc, RwLock};

use annals_core::Result;
use annals_core::ports::Table;
use annals_index::columns::{CONVERSATION, END, KIND, LEX, MEMORY, PART, START, VECTOR};
use annals_index::{Hot, expected_bytes};
use futures::TryStreamExt;

use crate::background;
use crate::damage::explain;
use crate::tables::{Slot, Tables};

/// Rows of a batch, and bytes that are read ahead. LanceDB's own bound is 2 GB.
const BATCH: usize = 1_024;
const AHEAD: u64 = 8 << 20;

/// Where a table is searched.
pub enum Place {
    Nowhere,
    Memory(Arc<RwLock<Hot>>),
    Disk(lancedb::Table, usize),
}

/// Reads the table into memory if it fits. By one at a time: fifty searches after a start would hold fifty copies.
pub async fn heat(tables: &Tables, name: &Table, slot: &Slot) -> Result<Place> {
    let Some(table) = tables.reading(name, slot).await? else { return Ok(Place::Nowhere) };
    let look = async {
        // No write comes between reading and keeping, or it would be missing in memory.
        let _still = slot.heating.lock().await;
        if let Some(hot) = tables.hot.get(name) {
            return Ok(Place::Memory(hot));
        }
        // One version, whatever compaction does meanwhile.
        let snapshot = table.query_snapshot().await?;
        let rows = snapshot.count_rows(None).await?;
        if expected_bytes(rows, tables.dimension) > tables.upkeep.memory.bytes {
            return Ok(Place::Disk(snapshot, rows));
        }
        let hot = Arc::new(RwLock::new(background::apart(read(snapshot, rows, tables.dimension)).await??));
        tables.hot.put(name, hot.clone());
        Ok(Place::Memory(hot))
    };
    look.await.map_err(|error| explain(name, error))
}

/// Reads a version of a table, of so many rows.
async fn read(snapshot: lancedb::Table, rows: usize, dimension: usize) -> lancedb::Result<Hot> {
    let mut hot = Hot::new(rows, dimension);
    let Some(dataset) = snapshot.dataset() else { return Ok(hot) };
    let mut scan = dataset.get().await?.scan();
    scan.project(&[MEMORY, PART, KIND, CONVERSATION, START, END, LEX, VECTOR])?;
    scan.batch_size(BATCH).io_buffer_size(AHEAD).batch_readahead(1).fragment_readahead(1);
    let mut batches = scan.try_into_stream().await?;
    while let Some(batch) = batches.try_next().await? {
        hot.add(&batch);
    }
    hot.shrink();
    Ok(hot)
}
