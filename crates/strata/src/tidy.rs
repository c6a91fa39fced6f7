//! Operations `tidy` and `wear`: compaction on request, and how much there is to compact.

use annals_core::Result;
use annals_core::ports::{Table, Wear};
use lancedb::table::NativeTableExt;

use crate::damage::explain;
use crate::tables::Tables;

/// Joins small fragments, indexes new rows, and drops old versions. Does nothing for a table that was never written.
pub async fn tidy(tables: &Tables, table: &Table) -> Result<()> {
    let slot = tables.slot(table);
    let _lane = slot.lane.lock().await;
    // Without the read guard: pruning waits until nobody reads.
    let found = tables.reading(table, &slot).await?.map(|open| open.clone());
    let Some(open) = found else { return Ok(()) };
    tables.upkeep.tidy(&slot, &open).await.map_err(|error| explain(table, error))
}

/// Returns how many versions and fragments a table has.
pub async fn wear(tables: &Tables, table: &Table) -> Result<Wear> {
    let slot = tables.slot(table);
    let Some(open) = tables.reading(table, &slot).await? else { return Ok(Wear::default()) };
    let counted = async {
        let versions = open.list_versions().await?.len() as u64;
        let fragments = match open.base_table().as_native() {
            Some(native) => native.count_fragments().await? as u64,
            None => 0,
        };
        lancedb::Result::Ok(Wear { versions, fragments })
    };
    counted.await.map_err(|error| explain(table, error))
}
