//! Operations `generations`, `remove_below` and `remove_agent`: list the generations of an agent's tables, and remove
//! earlier ones or all files of the agent.

use annals_core::ports::Table;
use annals_core::{Agent, Error, Result};
use object_store::path::Path;

use crate::leftovers::{stem_of, tables_of};
use crate::remove::remove;
use crate::tables::{Tables, agent_name};

/// Returns the generations that have stored files: tables, and leftovers of interrupted removals.
pub(crate) async fn generations(tables: &Tables, agent: &Agent) -> Result<Vec<Table>> {
    let found = tables.objects.children(&agent_name(agent)).await;
    let found = found.map_err(|error| Error::storage(format!("listing the tables of {agent}"), error))?;
    Ok(found.folders.iter().filter_map(|folder| generation(folder, agent)).collect())
}

/// Removes the generations that are lower than a given one of the same grain, what interrupted removals left of them, and
/// all files of the agent that belong to no table, such as quarantined tables.
pub(crate) async fn remove_below(tables: &Tables, agent: &Agent, kept: &[Table]) -> Result<()> {
    let is_below =
        |table: &Table| kept.iter().any(|kept| kept.grain == table.grain && table.generation < kept.generation);
    remove_all(tables, agent, is_below).await
}

/// Removes all files of an agent, quarantined tables included.
pub(crate) async fn remove_agent(tables: &Tables, agent: &Agent) -> Result<()> {
    remove_all(tables, agent, |_| true).await
}

/// Removes the generations for which `goes` returns true, and all files of the agent that belong to no table.
async fn remove_all(tables: &Tables, agent: &Agent, goes: impl Fn(&Table) -> bool) -> Result<()> {
    let failed = |error| Error::storage(format!("removing tables of {agent}"), error);
    for table in tables_of(tables, agent).await.map_err(failed)?.into_iter().filter(&goes) {
        remove(tables, &table).await?;
    }
    sweep(tables, agent, goes).await.map_err(failed)
}

async fn sweep(tables: &Tables, agent: &Agent, goes: impl Fn(&Table) -> bool) -> object_store::Result<()> {
    let (objects, home) = (&tables.objects, agent_name(agent));
    let found = objects.children(&home).await?;
    for folder in &found.folders {
        if generation(folder, agent).is_none_or(|table| goes(&table)) {
            objects.remove(folder).await?;
        }
    }
    for object in &found.objects {
        objects.delete(object).await?;
    }
    objects.sync_deletions(&home).await
}

fn generation(folder: &Path, agent: &Agent) -> Option<Table> {
    stem_of(folder.filename()?, agent)
}
