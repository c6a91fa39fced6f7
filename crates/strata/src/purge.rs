//! Operation `purge`: removes everything in an agent's folder except the given tables.

use std::fs;
use std::io;
use std::path::Path;

use annals_core::ports::Table;
use annals_core::{Agent, Error, Result};

use crate::leftovers::tables_in;
use crate::remove::remove;
use crate::tables::{Tables, file_name};

/// Removes other generations, leftovers of interrupted removals and copies, and quarantined tables.
pub async fn purge(tables: &Tables, agent: &Agent, keep: &[Table]) -> Result<()> {
    let folder = tables.root.join(agent.folder());
    let failed = |error| Error::storage(format!("purging the tables of {agent}"), error);
    for table in tables_in(&folder, agent).map_err(failed)? {
        if !keep.contains(&table) {
            remove(tables, &table).await?;
        }
    }
    let kept: Vec<String> = keep.iter().map(|table| format!("{}.lance", file_name(table))).collect();
    tokio::task::spawn_blocking(move || sweep(&folder, &kept)).await.map_err(io::Error::other).flatten().map_err(failed)
}

fn sweep(folder: &Path, kept: &[String]) -> io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if kept.iter().any(|name| entry.file_name() == name.as_str()) {
            continue;
        }
        match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path())?,
            false => fs::remove_file(entry.path())?,
        }
    }
    if kept.is_empty() {
        fs::remove_dir(folder)?;
        return fs::File::open(folder.parent().unwrap_or(folder))?.sync_all();
    }
    fs::File::open(folder)?.sync_all()
}
