//! Operation `purge`: removes everything of an agent except the given tables.

use annals_core::ports::Table;
use annals_core::{Agent, Error, Result};

use crate::leftovers::tables_of;
use crate::remove::remove;
use crate::tables::{Tables, agent_name, object_name};

/// Removes other generations, leftovers of interrupted removals and copies, and quarantined tables.
pub async fn purge(tables: &Tables, agent: &Agent, keep: &[Table]) -> Result<()> {
    let failed = |error| Error::storage(format!("purging the tables of {agent}"), error);
    for table in tables_of(tables, agent).await.map_err(failed)? {
        if !keep.contains(&table) {
            remove(tables, &table).await?;
        }
    }
    sweep(tables, agent, keep).await.map_err(failed)
}

async fn sweep(tables: &Tables, agent: &Agent, keep: &[Table]) -> object_store::Result<()> {
    let (objects, home) = (&tables.objects, agent_name(agent));
    let found = objects.children(&home).await?;
    for folder in &found.folders {
        if !keep.iter().any(|table| object_name(table) == *folder) {
            objects.remove(folder).await?;
        }
    }
    for object in &found.objects {
        objects.delete(object).await?;
    }
    objects.sync_deletions(&home).await
}
