//! Operation `find_leftovers`: searches an agent's files for words. It is the proof of erasure, so it trusts nothing: it decodes
//! every version of every table, and also searches every file as bytes.

use std::fs;
use std::io;
use std::path::Path;

use annals_core::ports::Table;
use annals_core::{Agent, Error, Grain, Phrases, Result};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use futures::TryStreamExt;
use lancedb::query::{ExecutableQuery, QueryBase, Select};
use walkdir::WalkDir;

use crate::damage::explain;
use crate::rows::{CONVERSATION, SPEAKER, TEXT};
use crate::tables::Tables;

/// The columns with text as people wrote it. The analysed column contains stems of the same text.
const WORDED: [&str; 3] = [TEXT, SPEAKER, CONVERSATION];

/// Returns the places that contain any of the words: tables with their version, and files.
pub async fn find_leftovers(tables: &Tables, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
    let failed = |error: &dyn ToString| Error::storage("searching the tables", error.to_string());
    let search = Phrases::new(words);
    let folder = tables.root.join(agent.folder());
    let mut places = Vec::new();
    for table in tables_in(&folder, agent).map_err(|error| failed(&error))? {
        places.extend(versions_that_hold(tables, &table, &search).await?);
    }
    let root = tables.root.clone();
    let files = tokio::task::spawn_blocking(move || files_that_hold(&root, &folder, &search)).await;
    places.extend(files.map_err(io::Error::other).flatten().map_err(|error| failed(&error))?);
    Ok(places)
}

/// Returns the tables in an agent's folder, found by file name.
pub fn tables_in(folder: &Path, agent: &Agent) -> io::Result<Vec<Table>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names.collect::<io::Result<_>>()?;
    Ok(names.iter().filter_map(|name| table_of(name, agent)).collect())
}

fn table_of(name: &str, agent: &Agent) -> Option<Table> {
    if name.ends_with(".lance") { stem_of(name, agent) } else { None }
}

/// Returns the table that a file belongs to: the table itself, or what an interrupted removal left of it.
pub fn stem_of(name: &str, agent: &Agent) -> Option<Table> {
    let stem = name.strip_suffix(".lance").or_else(|| name.strip_suffix(".removed"))?;
    let (grain, generation) = stem.split_once("-g")?;
    let grain: Grain = grain.parse().ok()?;
    Some(Table { agent: agent.clone(), grain, generation: generation.parse().ok()? })
}

async fn versions_that_hold(tables: &Tables, table: &Table, search: &Phrases) -> Result<Vec<String>> {
    let found = async {
        // A separate handle: checking out an old version must not move the handle that searches read.
        let Some(open) = tables.find(table).await? else { return Ok(Vec::new()) };
        let mut places = Vec::new();
        for version in open.list_versions().await? {
            open.checkout(version.version).await?;
            let columns = Select::columns(&WORDED);
            // Reads in batches: a table may be larger than memory.
            let mut rows = open.query().select(columns).execute().await?;
            let mut is_held = false;
            while let Some(batch) = rows.try_next().await? {
                is_held = is_held || batch_holds(&batch, search);
            }
            if is_held {
                places.push(format!(
                    "table {} generation {}, version {}",
                    table.grain, table.generation, version.version
                ));
            }
        }
        Ok(places)
    };
    found.await.map_err(|error| explain(table, error))
}

fn batch_holds(batch: &RecordBatch, search: &Phrases) -> bool {
    let strings = batch.columns().iter().flat_map(|column| column.as_string::<i32>().iter().flatten());
    strings.into_iter().any(|text| search.is_in(text))
}

fn files_that_hold(root: &Path, folder: &Path, search: &Phrases) -> io::Result<Vec<String>> {
    let mut places = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.io_error().is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound) => continue,
            Err(error) => return Err(error.into()),
        };
        if entry.file_type().is_file() && search.is_in_stream(fs::File::open(entry.path())?)? {
            places.push(entry.path().strip_prefix(root).unwrap_or(entry.path()).display().to_string());
        }
    }
    Ok(places)
}
