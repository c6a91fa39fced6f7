//! Exports a copy of an agent's table, or an empty table if none is stored. The stored file has the public format, so nothing is
//! converted.

use std::path::Path;

use annals_core::{Agent, Error, Result};
use annals_objects::replace_file;

use crate::table::Table;
use crate::{DuckFacts, blocking};

pub(crate) async fn export(tables: &DuckFacts, agent: &Agent, target: &Path) -> Result<()> {
    let _table = tables.table_cache.take(agent).await;
    let stored = match tables.parquet_store.newest(agent).await? {
        Some(snapshot) => Some(tables.parquet_store.read(agent, &snapshot).await?),
        None => None,
    };
    let (scratch, target) = (tables.scratch.clone(), target.to_owned());
    blocking(move || {
        let bytes = stored.map_or_else(|| Table::of(&[], 0, &scratch)?.encode(), Ok)?;
        replace_file(&target, &bytes).map_err(|error| Error::storage(format!("writing {}", target.display()), error))
    })
    .await
}
