//! Operations `remove` and `quarantine`: delete a table's folder, or move it aside.
//!
//! Both begin with a rename, so that after a power cut the table is complete in its old or its new place, and never
//! partial under its name.

use std::io;
use std::path::{Path, PathBuf};

use annals_core::ports::Table;
use annals_core::{Error, Result};

use crate::damage::name;
use crate::tables::{Slot, Tables, file_name};

/// The folder for an agent's damaged tables, kept for a person to look at.
const QUARANTINE: &str = "quarantine";

/// Removes the table, and what an interrupted earlier removal left of it.
pub async fn remove(tables: &Tables, table: &Table) -> Result<()> {
    let folder = tables.folder(table);
    let going = folder.with_extension("removed");
    let slot = tables.slot(table);
    let was_there = alone(tables, table, &slot, move || {
        if going.exists() {
            std::fs::remove_dir_all(&going)?;
        }
        if !folder.exists() {
            return Ok(false);
        }
        rename(&folder, &going)?;
        std::fs::remove_dir_all(&going)?;
        Ok(true)
    });
    if was_there.await? { tables.forget_caches().await } else { Ok(()) }
}

/// Moves the table aside. Returns its new path, relative to the root of all tables; `None` if the table does not exist.
pub async fn quarantine(tables: &Tables, table: &Table) -> Result<Option<String>> {
    let (folder, root) = (tables.folder(table), tables.root.clone());
    let aside = tables.root.join(table.agent.folder()).join(QUARANTINE);
    let stem = file_name(table);
    let slot = tables.slot(table);
    let moved = alone(tables, table, &slot, move || {
        if !folder.exists() {
            return Ok(None);
        }
        std::fs::create_dir_all(&aside)?;
        let to = free_name(&aside, &stem);
        rename(&folder, &to)?;
        Ok(Some(to.strip_prefix(&root).unwrap_or(&to).display().to_string()))
    });
    let moved = moved.await?;
    tables.forget_caches().await?;
    Ok(moved)
}

/// Runs the work while the table has no reader or writer and its handle is closed.
async fn alone<T: Send + 'static>(
    tables: &Tables,
    table: &Table,
    slot: &Slot,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T> {
    let _guard = slot.write_lock.lock().await;
    let mut handle = slot.handle.write().await;
    *handle = None;
    tables.in_memory.remove(table);
    let done = tokio::task::spawn_blocking(work).await.map_err(io::Error::other).flatten();
    done.map_err(|error| Error::storage(format!("moving {}", name(table)), error))
}

fn free_name(folder: &Path, stem: &str) -> PathBuf {
    let names = (1..).map(|number: u32| folder.join(format!("{stem}-{number}")));
    names.into_iter().find(|name| !name.exists()).expect("no folder holds four thousand million names")
}

/// Renames durably: a power cut does not undo it.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)?;
    for folder in [from.parent(), to.parent(), to.parent().and_then(Path::parent)].into_iter().flatten() {
        std::fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}
