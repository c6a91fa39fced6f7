//! Fills the folder with the rows through the real writer, once. A note beside the stores records which rows they hold and how
//! long filling took. Stores without the note were interrupted; they are filled from the start, so that the times are those of a
//! whole fill.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::questions::now;
use super::row_vectors::RowVectors;
use super::rows::Rows;
use crate::figures::round;
use crate::progress::Progress;
use crate::world::{Scoring, World};

/// The input from which a folder was filled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Filling {
    /// The file that the rows were made from.
    pub messages: PathBuf,
    pub rows: usize,
}

/// Time spent filling, in seconds. Embedding is not included, because the texts were embedded before.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Seconds {
    /// Committing the messages to the catalog.
    pub catalog: f64,
    /// Reading the messages back and writing the tables, with everything needed for searching.
    pub tables: f64,
}

#[derive(Serialize, Deserialize)]
struct Note {
    filling: Filling,
    seconds: Seconds,
}

pub(crate) fn stores(folder: &Path) -> PathBuf {
    folder.join("stores")
}

/// Returns how long filling took, or `None` if the folder is not filled. Fails if it was filled with something else.
pub(crate) fn filled(folder: &Path, filling: &Filling) -> Result<Option<Seconds>> {
    let Ok(text) = std::fs::read_to_string(note(folder)) else { return Ok(None) };
    let note: Note = serde_json::from_str(&text).map_err(|error| Error::storage("reading what was filled", error))?;
    if note.filling == *filling {
        return Ok(Some(note.seconds));
    }
    let Filling { messages, rows } = note.filling;
    let held = format!("{} holds {rows} rows of {}; take another", folder.display(), messages.display());
    Err(Error::invalid("folder", held))
}

pub(crate) async fn fill(folder: &Path, filling: Filling, rows: &Rows, vectors: Arc<RowVectors>) -> Result<Seconds> {
    let stores = stores(folder);
    if stores.exists() {
        std::fs::remove_dir_all(&stores).map_err(|error| Error::storage("removing half-filled stores", error))?;
    }
    let world = World::open(&stores, vectors, Scoring::AsSet).await?;
    // Shuffled words sometimes look like a credential. If they were masked, no row would have the stored text.
    world.store_verbatim(&rows.agent).await?;
    let (catalog, tables) = (Progress::new("catalog", rows.count), Progress::new("tables", rows.count));
    let progress = |what: &str, more: u64| match what {
        "catalog" => catalog.add(more as usize),
        _ => tables.add(more as usize),
    };
    let messages = (0..rows.count).map(|row| rows.message(row));
    let import = world.fill(&rows.agent, messages, now(rows), &progress).await?;
    let seconds = Seconds { catalog: round(import.catalog.as_secs_f64()), tables: round(import.tables.as_secs_f64()) };
    let text = serde_json::json!(Note { filling, seconds }).to_string();
    std::fs::write(note(folder), text).map_err(|error| Error::storage("noting what was filled", error))?;
    Ok(seconds)
}

fn note(folder: &Path) -> PathBuf {
    folder.join("filled.json")
}
