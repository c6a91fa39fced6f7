//! Operation `search`: the parts nearest to a vector, and those that hold the words, out of what passes the filter.
//!
//! Tables that fit are held in memory (`hot.rs`), others are searched on the disk (`cold.rs`). Fusing what both legs found is not
//! done here.

use std::sync::{Arc, RwLock};

use annals_core::ports::{Findings, Probe, Table};
use annals_core::{Error, Result};

use crate::damage::explain;
use crate::hot::{self, Hot, expected_bytes};
use crate::tables::{Slot, Tables};
use crate::{background, cold};

/// What fits the probe.
pub async fn search(tables: &Tables, name: &Table, probe: &Probe) -> Result<Findings> {
    if probe.vector.as_ref().is_some_and(|vector| vector.len() != tables.dimension) {
        return Err(Error::invalid("vector", format!("has not {} numbers", tables.dimension)));
    }
    if probe.limit.max(probe.exact) == 0 || probe.filter.within.is_empty() {
        return Ok(Findings::default());
    }
    let slot = tables.slot(name);
    let hot = match tables.hot.get(name) {
        Some(hot) => hot,
        None => match heat(tables, name, &slot).await? {
            Place::Nowhere => return Ok(Findings::default()),
            Place::Memory(hot) => hot,
            Place::Disk(snapshot, rows) => {
                return cold::search(&snapshot, probe, rows).await.map_err(|error| explain(name, error));
            }
        },
    };
    let _turn = tables.searching.acquire().await;
    let (probe, signs_from) = (probe.clone(), tables.upkeep.memory.signs_from);
    let search = tokio::task::spawn_blocking(move || hot::read(&hot).search(&probe, signs_from));
    search.await.map_err(|error| Error::storage("searching a table in memory", error))
}

/// Where a table is searched.
enum Place {
    Nowhere,
    Memory(Arc<RwLock<Hot>>),
    Disk(lancedb::Table, usize),
}

/// Reads the table into memory if it fits. By one at a time: fifty searches after a start would hold fifty copies.
async fn heat(tables: &Tables, name: &Table, slot: &Slot) -> Result<Place> {
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
        let hot = Arc::new(RwLock::new(background::apart(Hot::read(snapshot, rows, tables.dimension)).await??));
        tables.hot.put(name, hot.clone());
        Ok(Place::Memory(hot))
    };
    look.await.map_err(|error| explain(name, error))
}
