//! Operation `rewrite`: copies the live rows of one generation to new files of another.
//!
//! A deleted row stays in older versions, in the text index and in files that compaction left behind. Only files that
//! were written without it are known not to contain it.

use annals_core::ports::Table;
use annals_core::{Error, Result};
use arrow_array::RecordBatch;
use futures::TryStreamExt;

use crate::damage::{explain, name};
use crate::maintenance::Versions;
use crate::remove::remove;
use crate::rows;
use crate::scan;
use crate::tables::Tables;

/// Copies the rows unchanged, vectors included. First removes what an interrupted copy left. Fails with
/// [`Error::Damaged`] if a row does not match its digest. Does nothing else if `from` does not exist.
pub(crate) async fn rewrite(tables: &Tables, from: &Table, generation: u32) -> Result<()> {
    let to = Table { generation, ..from.clone() };
    remove(tables, &to).await?;
    let (source, target) = (tables.slot(from), tables.slot(&to));
    let Some(open) = tables.reading(from, &source).await? else { return Ok(()) };
    let _guard = target.write_lock.lock().await;
    let dimension = rows::dimension(&open).await.map_err(|error| explain(from, error))?;
    let copy = tables.create(&to, &target, RecordBatch::new_empty(rows::schema(dimension))).await?;
    let mut batches = scan::read(&open).await.map_err(|error| explain(from, error))?;
    while let Some(batch) = batches.try_next().await.map_err(|error| explain(from, error))? {
        rows::stored(&batch)
            .map_err(|rows::Altered| Error::damaged(name(from), "a row does not match its checksum"))?;
        let written = async {
            let before = copy.version().await?;
            Ok(Versions { before, after: copy.add(batch).execute().await?.version })
        };
        let versions = written.await.map_err(|error| explain(&to, error))?;
        tables.save_head(&to, versions.after).await?;
        tables.maintenance.after(versions, &to, &target, &copy).await?;
    }
    Ok(())
}
