//! Where words stand in the file: every text column of every table, those of tables to come included.

use aho_corasick::AhoCorasick;
use rusqlite::Connection;

use super::words::finder;
use crate::columns::to_json;
use crate::failure::Result;

const TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
const TEXT_COLUMNS: &str = "SELECT name FROM pragma_table_info(?1) WHERE type = 'TEXT' ORDER BY name";

/// The places, as `turn.content`, whose text contains any of these words, over all agents.
pub(crate) fn holds(connection: &Connection, words: &[String]) -> Result<Vec<String>> {
    // Within JSON, quotes and control characters stand escaped.
    let escaped = words.iter().map(to_json).map(|json| json[1..json.len() - 1].to_owned());
    let finder = finder(&words.iter().cloned().chain(escaped).collect::<Vec<_>>());
    let mut places = Vec::new();
    for table in names(connection, TABLES, "")? {
        for column in names(connection, TEXT_COLUMNS, &table)? {
            if contains(connection, &table, &column, &finder)? {
                places.push(format!("{table}.{column}"));
            }
        }
    }
    Ok(places)
}

fn names(connection: &Connection, sql: &str, table: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare(sql)?;
    let parameters = if statement.parameter_count() > 0 { vec![table] } else { Vec::new() };
    let rows = statement.query_map(rusqlite::params_from_iter(parameters), |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn contains(connection: &Connection, table: &str, column: &str, finder: &AhoCorasick) -> Result<bool> {
    // Names of our own schema.
    let sql = format!("SELECT \"{column}\" FROM \"{table}\" WHERE \"{column}\" IS NOT NULL");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if finder.is_match(&row.get::<_, String>(0)?) {
            return Ok(true);
        }
    }
    Ok(false)
}
