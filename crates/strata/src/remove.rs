//! Operations `remove` and `quarantine`: delete a table's objects, or move them aside.
//!
//! For local files both begin with a rename of the table's folder, so that after a power cut the table is complete in its old
//! or its new place, and never partial under its name. In another store an interrupted removal leaves a table that is damaged
//! or does not exist, because manifests are deleted before the rows, the newest first.

use annals_core::ports::Table;
use annals_core::{Error, Result};
use object_store::path::Path;

use crate::damage::name;
use crate::tables::{Slot, Tables, agent_name, file_name, object_name};

/// Name of the folder for an agent's damaged tables, which are kept for a person to inspect.
const QUARANTINE: &str = "quarantine";

/// Removes the table, and the leftovers of an interrupted earlier removal.
pub(crate) async fn remove(tables: &Tables, table: &Table) -> Result<()> {
    let slot = tables.slot(table);
    let was_there = alone(tables, table, &slot, tables.objects.remove(&object_name(table))).await?;
    if was_there { tables.forget_caches().await } else { Ok(()) }
}

/// Moves the table aside. Returns its new path, relative to the root of all tables; `None` if the table does not exist.
pub(crate) async fn quarantine(tables: &Tables, table: &Table) -> Result<Option<String>> {
    let slot = tables.slot(table);
    let moved = alone(tables, table, &slot, move_aside(tables, table)).await?;
    tables.forget_caches().await?;
    Ok(moved)
}

async fn move_aside(tables: &Tables, table: &Table) -> object_store::Result<Option<String>> {
    let from = object_name(table);
    if !tables.objects.exists(&from).await? {
        return Ok(None);
    }
    let to = free_name(tables, table).await?;
    tables.objects.rename(&from, &to).await?;
    Ok(Some(to.to_string()))
}

async fn free_name(tables: &Tables, table: &Table) -> object_store::Result<Path> {
    let aside = agent_name(&table.agent).join(QUARANTINE);
    let mut number: u64 = 1;
    loop {
        let name = aside.clone().join(format!("{}-{number}", file_name(table)));
        if !tables.objects.exists(&name).await? {
            return Ok(name);
        }
        number += 1;
    }
}

/// Runs the work while the table has no reader or writer and its handle is closed.
async fn alone<T>(
    tables: &Tables,
    table: &Table,
    slot: &Slot,
    work: impl Future<Output = object_store::Result<T>>,
) -> Result<T> {
    let _guard = slot.write_lock.lock().await;
    let mut handle = slot.handle.write().await;
    *handle = None;
    tables.in_memory.remove(table);
    work.await.map_err(|error| Error::storage(format!("moving {}", name(table)), error))
}
