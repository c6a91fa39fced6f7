//! Searches a data folder for words in every form in which they may be stored. Relies on the file formats, and uses no code of the
//! product.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use futures::TryStreamExt;
use lancedb::query::ExecutableQuery;
use regex::bytes::{Regex, RegexBuilder};
use rusqlite::types::ValueRef;

/// The result of a search: the places with a hit, and the number of places that were searched.
#[derive(Debug, Default)]
pub struct Found {
    pub looked_at: usize,
    pub locations: Vec<String>,
}

/// A case-insensitive search for words. `None` finds nothing.
pub struct Words(Option<Regex>);

impl Words {
    pub fn new(words: &BTreeSet<String>) -> Words {
        let any = words.iter().map(|word| regex::escape(word)).collect::<Vec<_>>().join("|");
        Words((!any.is_empty()).then(|| RegexBuilder::new(&any).case_insensitive(true).build().unwrap()))
    }

    /// Returns a search that finds nothing.
    pub fn none() -> Words {
        Words(None)
    }

    fn in_bytes(&self, bytes: &[u8]) -> BTreeSet<String> {
        let found = self.0.iter().flat_map(|any| any.find_iter(bytes));
        found.map(|found| String::from_utf8_lossy(found.as_bytes()).into_owned()).collect()
    }
}

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Searches the bytes of all files below a folder.
pub fn bytes(folder: &Path, words: &Words) -> Found {
    let mut found = Found::default();
    for file in files(folder) {
        let Ok(content) = std::fs::read(&file) else { continue };
        found.looked_at += 1;
        let held = words.in_bytes(&content).into_iter();
        found.locations.extend(held.map(|word| format!("{word} in the bytes of {}", file.display())));
    }
    found
}

/// Searches an agent's rows in a SQLite file, over all columns of all tables. In tables without an agent it searches all
/// rows.
pub fn sqlite(file: &Path, agent: &str, words: &Words) -> Found {
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut found = Found::default();
    let agents = "SELECT agent_id FROM agent WHERE name = ?1";
    let agent_id: i64 = connection.query_row(agents, [agent], |row| row.get(0)).unwrap_or(-1);
    let mut tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    for table in tables {
        found.looked_at += 1;
        let mut rows = connection.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let names: Vec<String> = rows.column_names().map(str::to_owned).collect();
        let owner = names.iter().position(|name| name == "agent_id");
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            if owner.is_some_and(|column| row.get::<_, i64>(column).unwrap() != agent_id) {
                continue;
            }
            for (column, name) in names.iter().enumerate() {
                if let ValueRef::Text(text) | ValueRef::Blob(text) = row.get_ref(column).unwrap() {
                    let held = words.in_bytes(text).into_iter();
                    found.locations.extend(held.map(|word| format!("{word} in {table}.{name} of {}", file.display())));
                }
            }
        }
    }
    found
}

/// Searches the tables of an agent for two sets of words, in every text column of every version. One pass serves both sets:
/// opening tables takes most of the time of a history.
pub async fn lance(folder: &Path, sets: [&Words; 2]) -> [Found; 2] {
    let mut found = [Found::default(), Found::default()];
    if !folder.is_dir() {
        return found;
    }
    let store = lancedb::connect(folder.to_str().unwrap()).execute().await.unwrap();
    for name in store.table_names().execute().await.unwrap() {
        let table = store.open_table(&name).execute().await.unwrap();
        for version in table.list_versions().await.unwrap() {
            table.checkout(version.version).await.unwrap();
            let batches: Vec<_> = table.query().execute().await.unwrap().try_collect().await.unwrap();
            let columns = batches.iter().flat_map(arrow_array::RecordBatch::columns);
            let columns: Vec<_> = columns.filter_map(|column| column.as_string_opt::<i32>()).collect();
            for (words, found) in sets.into_iter().zip(&mut found) {
                found.looked_at += 1;
                for text in columns.iter().flat_map(|column| column.iter().flatten()) {
                    let held = words.in_bytes(text.as_bytes()).into_iter();
                    found.locations.extend(held.map(|word| format!("{word} in {name}, version {}", version.version)));
                }
            }
        }
    }
    found
}

/// Searches the Parquet files below a folder.
pub fn parquet(folder: &Path, words: &Words) -> Found {
    let mut found = Found::default();
    let tables = files(folder).into_iter().filter(|file| file.extension().is_some_and(|end| end == "parquet"));
    let tables: Vec<_> = tables.collect();
    if tables.is_empty() {
        return found;
    }
    let duckdb = duckdb::Connection::open_in_memory().unwrap();
    for file in tables {
        found.looked_at += 1;
        let sql = format!("SELECT fact::VARCHAR FROM read_parquet('{}') AS fact", file.display());
        let mut rows = duckdb.prepare(&sql).unwrap();
        let rows = rows.query_map([], |row| row.get::<_, String>(0)).unwrap();
        for row in rows.map(Result::unwrap) {
            let held = words.in_bytes(row.as_bytes()).into_iter();
            found.locations.extend(held.map(|word| format!("{word} in {}", file.display())));
        }
    }
    found
}
