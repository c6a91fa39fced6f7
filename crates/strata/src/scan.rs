//! Operation `scan`: reads and checks every row on disk.

use annals_core::ports::{Stored, Table};
use annals_core::{Error, Result};
use futures::TryStreamExt;
use lancedb::query::{ExecutableQuery, QueryBase, QueryExecutionOptions, Select};

use crate::damage::{explain, name};
use crate::rows;
use crate::tables::Tables;
use crate::text_index;

/// Number of rows that are decoded at once. A thousand take a few megabytes.
const ROWS_AT_ONCE: u32 = 1_024;

/// Returns all rows, sorted; none if the table does not exist. Reads the text index too, if there is one, as a check. Fails with
/// [`Error::Damaged`] if a file or the index cannot be decoded, a row does not match its digest, or a row exists twice.
pub(crate) async fn scan(tables: &Tables, table: &Table) -> Result<Vec<Stored>> {
    let slot = tables.slot(table);
    let Some(open) = tables.reading(table, &slot).await? else { return Ok(Vec::new()) };
    let mut rows = Vec::new();
    let mut batches = read(&open).await.map_err(|error| explain(table, error))?;
    while let Some(batch) = batches.try_next().await.map_err(|error| explain(table, error))? {
        let stored = rows::stored(&batch);
        rows.extend(stored.map_err(|rows::Altered| Error::damaged(name(table), "a row does not match its checksum"))?);
    }
    // A table without rows may have an index without files.
    if !rows.is_empty() && text_index::exists(&open).await.map_err(|error| explain(table, error))? {
        text_index::read(&open).await.map_err(|error| explain(table, error))?;
    }
    rows.sort();
    if rows.windows(2).any(|pair| (&pair[0].memory, pair[0].part) == (&pair[1].memory, pair[1].part)) {
        return Err(Error::damaged(name(table), "a row exists twice"));
    }
    Ok(rows)
}

/// Reads all columns of all live rows, in bounded batches.
pub(crate) async fn read(table: &lancedb::Table) -> lancedb::Result<lancedb::arrow::SendableRecordBatchStream> {
    let schema = rows::schema(rows::dimension(table).await?);
    let columns: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let snapshot = table.query_snapshot().await?;
    let mut options = QueryExecutionOptions::default();
    options.max_batch_length = ROWS_AT_ONCE;
    snapshot.query().select(Select::columns(&columns)).execute_with_options(options).await
}
