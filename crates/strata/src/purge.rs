//! Operations `remove_below` and `remove_agent`: remove an agent's former generations, or all of its folder.

use std::fs;
use std::io;
use std::path::Path;

use annals_core::ports::Table;
use annals_core::{Agent, Error, Result};

use crate::leftovers::{stem_of, tables_in};
use crate::remove::remove;
use crate::tables::Tables;

/// Returns the generations of which the agent's folder holds anything: tables, and leftovers of interrupted removals.
pub async fn generations(tables: &Tables, agent: &Agent) -> Result<Vec<Table>> {
    let folder = tables.root.join(agent.folder());
    let named = names_in(&folder).map_err(failed(agent))?;
    Ok(named.iter().filter_map(|name| stem_of(name, agent)).collect())
}

/// Removes the generations below those given, leftovers of interrupted removals of them, and what is no table.
pub async fn remove_below(tables: &Tables, agent: &Agent, kept: &[Table]) -> Result<()> {
    let folder = tables.root.join(agent.folder());
    for table in tables_in(&folder, agent).map_err(failed(agent))? {
        if is_below(&table, kept) {
            remove(tables, &table).await?;
        }
    }
    let (agent, kept, error) = (agent.clone(), kept.to_vec(), failed(agent));
    let stays = move |name: &str| stem_of(name, &agent).is_some_and(|table| !is_below(&table, &kept));
    tokio::task::spawn_blocking(move || sweep(&folder, stays)).await.map_err(io::Error::other).flatten().map_err(error)
}

/// Removes the agent's folder.
pub async fn remove_agent(tables: &Tables, agent: &Agent) -> Result<()> {
    let folder = tables.root.join(agent.folder());
    for table in tables_in(&folder, agent).map_err(failed(agent))? {
        remove(tables, &table).await?;
    }
    let all = move || match folder.exists() {
        true => fs::remove_dir_all(&folder).and_then(|()| sync(folder.parent().unwrap_or(&folder))),
        false => Ok(()),
    };
    tokio::task::spawn_blocking(all).await.map_err(io::Error::other).flatten().map_err(failed(agent))
}

fn is_below(table: &Table, kept: &[Table]) -> bool {
    kept.iter().any(|kept| kept.grain == table.grain && table.generation < kept.generation)
}

/// Removes the entries of a folder that do not stay.
fn sweep(folder: &Path, stays: impl Fn(&str) -> bool) -> io::Result<()> {
    for name in names_in(folder)?.into_iter().filter(|name| !stays(name)) {
        let path = folder.join(name);
        if path.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
    }
    if folder.exists() { sync(folder) } else { Ok(()) }
}

fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Makes deletions in a folder durable.
fn sync(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

fn failed(agent: &Agent) -> impl Fn(io::Error) -> Error + Send + use<> {
    let doing = format!("removing tables of {agent}");
    move |error| Error::storage(doing.clone(), error)
}
