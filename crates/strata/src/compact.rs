//! Operations `compact` and `table_stats`: compaction on request, and the fragmentation that it reduces.

use annals_core::Result;
use annals_core::ports::{Table, TableStats};
use lancedb::table::NativeTableExt;

use crate::damage::explain;
use crate::tables::Tables;

/// Joins small fragments, indexes new rows, and drops old versions. Does nothing if the table does not exist.
pub(crate) async fn compact(tables: &Tables, table: &Table) -> Result<()> {
    let slot = tables.slot(table);
    let _guard = slot.write_lock.lock().await;
    // Drops the read guard, because pruning waits until nobody reads.
    let found = tables.reading(table, &slot).await?.map(|open| open.clone());
    let Some(open) = found else { return Ok(()) };
    tables.maintenance.compact(&slot, &open).await.map_err(|error| explain(table, error))
}

/// Returns the numbers of stored versions and fragments of a table. Both are 0 if it does not exist.
pub(crate) async fn table_stats(tables: &Tables, table: &Table) -> Result<TableStats> {
    let slot = tables.slot(table);
    let Some(open) = tables.reading(table, &slot).await? else { return Ok(TableStats::default()) };
    let counted = async {
        let versions = open.list_versions().await?.len() as u64;
        let fragments = match open.base_table().as_native() {
            Some(native) => native.count_fragments().await? as u64,
            None => 0,
        };
        lancedb::Result::Ok(TableStats { versions, fragments })
    };
    counted.await.map_err(|error| explain(table, error))
}
