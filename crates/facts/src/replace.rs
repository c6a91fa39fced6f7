//! Replaces an agent's table: builds it in a new instance, encodes it as a file, stores the file, and only then uses
//! it.

use annals_core::{Agent, Fact, Result};

use crate::table::Table;
use crate::table_cache::CachedTable;
use crate::{DuckFacts, blocking};

pub(crate) async fn replace(tables: &DuckFacts, agent: &Agent, facts: Vec<Fact>, version: u64) -> Result<()> {
    let mut cached = tables.table_cache.take(agent).await;
    // If any of this fails, the next query reads what is stored.
    *cached = CachedTable::NotLoaded;
    tables.graphs.give_up(agent);
    let scratch = tables.scratch.clone();
    let (table, bytes) = blocking(move || {
        let table = Table::of(&facts, version, &scratch)?;
        let bytes = table.encode()?;
        Ok((table, bytes))
    })
    .await?;
    tables.parquet_store.write(agent, version, bytes).await?;
    *cached = CachedTable::Loaded(table);
    Ok(())
}
