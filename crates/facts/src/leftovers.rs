//! The proof of erasure: searches every stored file of an agent, tables decoded and other files as bytes.

use std::sync::Arc;

use annals_core::{Agent, Phrases, Result};
use duckdb::params;
use serde_json::Value;

use crate::table::{Table, failed};
use crate::{DuckFacts, blocking};

/// Returns the files that contain any of the words, half-written files too. A table that cannot be decoded is an error,
/// because it may contain the words.
pub(crate) async fn find_leftovers(tables: &DuckFacts, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
    let _table = tables.table_cache.take(agent).await;
    let phrases = Arc::new(Phrases::new(words));
    let mut holders = Vec::new();
    for snapshot in tables.parquet_store.snapshots(agent).await? {
        let bytes = tables.parquet_store.read(agent, &snapshot).await?;
        let (scratch, agent, phrases) = (tables.scratch.clone(), agent.clone(), phrases.clone());
        let decoded = move || table_contains(&Table::decode(&agent, snapshot.version, &bytes, &scratch)?, &phrases);
        if blocking(decoded).await? {
            holders.push(snapshot.path.to_string());
        }
    }
    holders.extend(tables.parquet_store.find_beside_tables(agent, phrases).await?);
    Ok(holders)
}

/// Every text of a table.
const TEXTS: &str = "SELECT unnest(
        [id, subject, predicate, object, properties, superseded_by, subject_key, object_key] || sources
    ) FROM facts";

fn table_contains(table: &Table, phrases: &Phrases) -> Result<bool> {
    let search = || {
        let mut statement = table.connection.prepare(TEXTS)?;
        let mut rows = statement.query(params![])?;
        while let Some(row) = rows.next()? {
            let text: Option<String> = row.get(0)?;
            if text.is_some_and(|text| phrases.is_in(&text) || strings(&text).iter().any(|text| phrases.is_in(text))) {
                return Ok(true);
            }
        }
        Ok(false)
    };
    search().map_err(failed("searching"))
}

/// Returns the strings and the field names of a JSON object, without escapes; none for other texts.
fn strings(text: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut open: Vec<Value> =
        text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten().into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(values) => open.extend(values),
            Value::Object(fields) => {
                for (name, value) in fields {
                    texts.push(name);
                    open.push(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    texts
}
