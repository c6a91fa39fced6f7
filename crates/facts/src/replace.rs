//! Replaces an agent's table: builds it in a new instance, encodes it as a file, stores the file, and only then uses
//! it.

use annals_core::{Agent, Fact, Result};

use crate::table::Table;
use crate::{DuckFacts, blocking};

pub async fn replace(tables: &DuckFacts, agent: &Agent, facts: Vec<Fact>, version: u64) -> Result<()> {
    let mut seat = tables.seats.take(agent).await;
    // If any of this fails, the next query reads what is stored.
    *seat = None;
    tables.graphs.give_up(agent);
    let scratch = tables.scratch.clone();
    let (table, bytes) = blocking(move || {
        let table = Table::of(&facts, version, &scratch)?;
        let bytes = table.encode()?;
        Ok((table, bytes))
    })
    .await?;
    tables.shelf.write(agent, version, bytes).await?;
    *seat = Some(table);
    Ok(())
}
