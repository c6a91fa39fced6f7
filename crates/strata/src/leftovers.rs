//! Operation `find_leftovers`: searches an agent's files for words, to prove that an erasure is complete. It does not rely on
//! LanceDB alone: it decodes every version of every table, and also searches the bytes of every file.

use std::io::Read;

use annals_core::ports::Table;
use annals_core::{Agent, Error, Grain, Phrases, Result};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use futures::TryStreamExt;
use lancedb::query::{ExecutableQuery, QueryBase, Select};

use crate::damage::explain;
use crate::rows::{CONVERSATION, SPEAKER, TEXT};
use crate::tables::{Tables, agent_name};

/// The columns with the original text. The column `lex` needs no search: it has stems of the same text.
const WORDED: [&str; 3] = [TEXT, SPEAKER, CONVERSATION];

/// Returns the places that contain any of the words: tables with their version, and files.
pub(crate) async fn find_leftovers(tables: &Tables, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
    let failed = |error| Error::storage("searching the tables", error);
    let search = Phrases::new(words);
    let mut locations = Vec::new();
    for table in tables_of(tables, agent).await.map_err(failed)? {
        locations.extend(versions_that_hold(tables, &table, &search).await?);
    }
    let contains_phrase = move |_: &str, content: &mut dyn Read| search.is_in_stream(content);
    locations.extend(tables.objects.find(&agent_name(agent), contains_phrase).await.map_err(failed)?);
    Ok(locations)
}

/// Returns an agent's tables of all grains and generations, by the names of their folders.
pub(crate) async fn tables_of(tables: &Tables, agent: &Agent) -> object_store::Result<Vec<Table>> {
    let found = tables.objects.children(&agent_name(agent)).await?;
    Ok(found.folders.iter().filter_map(|folder| table_of(folder.filename()?, agent)).collect())
}

fn table_of(name: &str, agent: &Agent) -> Option<Table> {
    if name.ends_with(".lance") { stem_of(name, agent) } else { None }
}

/// Returns the table that a folder's name belongs to: `working-g1.lance`, or `working-g1.lance.removed` and
/// `working-g1.removed` for what an interrupted removal left. `None` for other names.
pub(crate) fn stem_of(name: &str, agent: &Agent) -> Option<Table> {
    let left = name.strip_suffix(".removed");
    let stem = left.unwrap_or(name).strip_suffix(".lance").or(left)?;
    let (grain, generation) = stem.split_once("-g")?;
    let grain: Grain = grain.parse().ok()?;
    Some(Table { agent: agent.clone(), grain, generation: generation.parse().ok()? })
}

async fn versions_that_hold(tables: &Tables, table: &Table, search: &Phrases) -> Result<Vec<String>> {
    let found = async {
        // Opens a separate handle, because checking out an old version must not affect the handle that searches use.
        let Some(open) = tables.find(table).await? else { return Ok(Vec::new()) };
        let mut locations = Vec::new();
        for version in open.list_versions().await? {
            open.checkout(version.version).await?;
            let columns = Select::columns(&WORDED);
            // Reads in batches: a table may be larger than memory.
            let mut rows = open.query().select(columns).execute().await?;
            let mut is_held = false;
            while !is_held && let Some(batch) = rows.try_next().await? {
                is_held = batch_contains(&batch, search);
            }
            if is_held {
                locations.push(format!(
                    "table {} generation {}, version {}",
                    table.grain, table.generation, version.version
                ));
            }
        }
        Ok(locations)
    };
    found.await.map_err(|error| explain(table, error))
}

fn batch_contains(batch: &RecordBatch, search: &Phrases) -> bool {
    let strings = batch.columns().iter().flat_map(|column| column.as_string::<i32>().iter().flatten());
    strings.into_iter().any(|text| search.is_in(text))
}
