//! Searches a data folder for words in every way that their bytes may lie there. Knows the formats, and nothing of the product.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use futures::TryStreamExt;
use lancedb::query::ExecutableQuery;
use rusqlite::types::ValueRef;

/// Whether a text holds a word, as it was written or in lower case.
fn holds(text: &[u8], word: &str) -> bool {
    let text = String::from_utf8_lossy(text).to_lowercase();
    text.contains(&word.to_lowercase())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// The files whose bytes hold any of the words.
pub fn bytes(folder: &Path, words: &BTreeSet<String>) -> Vec<String> {
    let mut held = Vec::new();
    for file in files(folder) {
        let Ok(content) = std::fs::read(&file) else { continue };
        let content = String::from_utf8_lossy(&content).to_lowercase();
        for word in words.iter().filter(|word| content.contains(&word.to_lowercase())) {
            held.push(format!("{word} in the bytes of {}", file.display()));
        }
    }
    held
}

/// The rows of an agent in a SQLite file that hold any of the words, over all columns of all tables.
pub fn sqlite(file: &Path, agent: &str, words: &BTreeSet<String>) -> Vec<String> {
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut held = Vec::new();
    let agents = "SELECT agent_id FROM agent WHERE name = ?1";
    let agent_id: i64 = connection.query_row(agents, [agent], |row| row.get(0)).unwrap_or(-1);
    let mut tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    for table in tables {
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
                    let found = words.iter().filter(|word| holds(text, word));
                    held.extend(found.map(|word| format!("{word} in {table}.{name} of {}", file.display())));
                }
            }
        }
    }
    held
}

/// The tables of an agent that hold any of the words, in any column of any version.
pub async fn lance(folder: &Path, words: &BTreeSet<String>) -> Vec<String> {
    let mut held = Vec::new();
    if !folder.is_dir() {
        return held;
    }
    let store = lancedb::connect(folder.to_str().unwrap()).execute().await.unwrap();
    for name in store.table_names().execute().await.unwrap() {
        let table = store.open_table(&name).execute().await.unwrap();
        for version in table.list_versions().await.unwrap() {
            table.checkout(version.version).await.unwrap();
            let batches: Vec<_> = table.query().execute().await.unwrap().try_collect().await.unwrap();
            let columns = batches.iter().flat_map(arrow_array::RecordBatch::columns);
            let columns = columns.filter_map(|column| column.as_string_opt::<i32>());
            for text in columns.flat_map(|column| column.iter().flatten()) {
                let found = words.iter().filter(|word| holds(text.as_bytes(), word));
                held.extend(found.map(|word| format!("{word} in {name}, version {}", version.version)));
            }
        }
    }
    held
}

/// The Parquet files below a folder that hold any of the words.
pub fn parquet(folder: &Path, words: &BTreeSet<String>) -> Vec<String> {
    let duckdb = duckdb::Connection::open_in_memory().unwrap();
    let mut held = Vec::new();
    for file in files(folder).into_iter().filter(|file| file.extension().is_some_and(|end| end == "parquet")) {
        let sql = format!("SELECT fact::VARCHAR FROM read_parquet('{}') AS fact", file.display());
        let mut rows = duckdb.prepare(&sql).unwrap();
        let rows = rows.query_map([], |row| row.get::<_, String>(0)).unwrap();
        for row in rows.map(Result::unwrap) {
            let found = words.iter().filter(|word| holds(row.as_bytes(), word));
            held.extend(found.map(|word| format!("{word} in {}", file.display())));
        }
    }
    held
}
