//! Exports a copy of an agent's table. The stored file has the public format, so nothing is converted.

use std::io::Write;
use std::path::Path;

use annals_core::{Agent, Error, Result};
use tempfile::NamedTempFile;

use crate::table::Table;
use crate::{DuckFacts, blocking};

pub async fn export(tables: &DuckFacts, agent: &Agent, target: &Path) -> Result<()> {
    let _seat = tables.table_cache.take(agent).await;
    let stored = match tables.parquet_store.newest(agent).await? {
        Some(snapshot) => Some(tables.parquet_store.read(agent, &snapshot).await?),
        None => None,
    };
    let (scratch, target) = (tables.scratch.clone(), target.to_owned());
    blocking(move || {
        let bytes = stored.map_or_else(|| Table::of(&[], 0, &scratch)?.encode(), Ok)?;
        write(&target, &bytes).map_err(|error| Error::storage(format!("writing {}", target.display()), error))
    })
    .await
}

/// Replaces the file atomically, so that nobody reads half of it.
fn write(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    std::fs::File::open(folder)?.sync_all()
}
