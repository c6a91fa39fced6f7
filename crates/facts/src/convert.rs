//! Converts JSON lines to Parquet with DuckDB, for exports other than facts.

use std::path::Path;

use annals_core::{Error, Result};
use duckdb::{Connection, params};

const SETTINGS: &str = "SET autoinstall_known_extensions = false;
    SET autoload_known_extensions = false;
    SET allow_community_extensions = false;
    SET threads = 1;";

const CONVERT: &str = "COPY (
        FROM read_json($1, format = 'newline_delimited', maximum_object_size = 67108864, sample_size = -1)
    ) TO $2 (FORMAT parquet, COMPRESSION zstd)";

/// Writes the objects of `source`, one per line, as the rows of `target`. Columns and types are inferred from the data. The
/// caller must have written `source`, because DuckDB is not given files from elsewhere.
pub fn json_to_parquet(source: &Path, target: &Path) -> Result<()> {
    let convert = || {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(SETTINGS)?;
        let paths = params![source.to_string_lossy(), target.to_string_lossy()];
        connection.execute(CONVERT, paths)
    };
    let failed = |error: duckdb::Error| Error::storage(format!("writing {}", target.display()), error);
    convert().map(|_| ()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_follow_the_lines() {
        let folder = tempfile::tempdir().unwrap();
        let (lines, table) = (folder.path().join("a.jsonl"), folder.path().join("a.parquet"));
        std::fs::write(&lines, "{\"id\":\"t-1\",\"text\":\"it's\"}\n{\"id\":\"t-2\",\"days\":[\"2026-03-04\"]}\n")
            .unwrap();
        json_to_parquet(&lines, &table).unwrap();
        let connection = Connection::open_in_memory().unwrap();
        let sql = "SELECT count(*), count(text), max(text) FROM read_parquet($1)";
        let path = table.to_string_lossy();
        let read = |row: &duckdb::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let found: (i64, i64, String) = connection.query_row(sql, params![path], read).unwrap();
        assert_eq!(found, (2, 1, "it's".into()));
    }
}
