//! Operation `search`: finds the parts nearest to a vector and the parts that contain the words, among those that pass
//! the filter.
//!
//! Tables that fit are searched in memory (`load.rs`), others on disk (`disk_search.rs`). A hit by vector has a similarity
//! and a hit by words has a relevance; combining the two into one rank is left to the crate `search`.

use std::sync::{Arc, RwLock};

use annals_core::ports::{Findings, Probe, Table};
use annals_core::{Error, Result, thread_end};
use annals_index::InMemoryTable;

use crate::damage::explain;
use crate::disk_search;
use crate::load::{Location, load};
use crate::rows;
use crate::tables::Tables;
use crate::text_index;

/// Searches the table, in memory if it fits. Returns no findings if the table does not exist, or if the probe's limits or its
/// interval are empty. Fails with [`Error::Invalid`] if the probe's vector differs in length from those of the table.
pub(crate) async fn search(tables: &Tables, name: &Table, probe: &Probe) -> Result<Findings> {
    if is_empty(probe) {
        return Ok(Findings::default());
    }
    let slot = tables.slot(name);
    let loaded = loop {
        if let Some(loaded) = tables.in_memory.get(name) {
            break loaded;
        }
        match load(tables, name, &slot).await? {
            Location::Missing => return Ok(Findings::default()),
            Location::Memory(loaded) => break loaded,
            Location::Disk(snapshot, rows) => {
                check(probe, rows::dimension(&snapshot).await.map_err(|error| explain(name, error))?)?;
                return disk_search::search(&snapshot, probe, rows).await.map_err(|error| explain(name, error));
            }
            Location::NotIndexed => text_index::create_to_search(tables, name, &slot).await?,
        }
    };
    search_in_memory(tables, loaded, probe).await
}

/// Returns whether a probe finds nothing in any table: its limits or its interval are empty.
pub(crate) fn is_empty(probe: &Probe) -> bool {
    probe.limit.max(probe.exact) == 0 || probe.filter.within.is_empty()
}

/// Searches a table in memory. Fails with [`Error::Invalid`] if the probe's vector differs in length from those of the table.
pub(crate) async fn search_in_memory(
    tables: &Tables,
    loaded: Arc<RwLock<InMemoryTable>>,
    probe: &Probe,
) -> Result<Findings> {
    check(probe, annals_index::read(&loaded).dimension())?;
    let _turn = tables.searching.acquire().await;
    let (probe, signs_from) = (probe.clone(), tables.maintenance.limits.signs_from);
    let search = tokio::task::spawn_blocking(move || annals_index::read(&loaded).search(&probe, signs_from));
    search.await.map_err(|error| Error::storage("searching a table in memory", thread_end(error.is_panic())))
}

fn check(probe: &Probe, dimension: usize) -> Result<()> {
    match &probe.vector {
        Some(vector) if vector.len() != dimension => {
            Err(Error::invalid("vector", format!("has {} numbers; those of the table have {dimension}", vector.len())))
        }
        _ => Ok(()),
    }
}
