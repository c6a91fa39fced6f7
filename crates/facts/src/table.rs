//! One agent's table in its own DuckDB instance, and the Parquet file that it is read from and written to.
//!
//! An instance takes 20 ms to create and 3 MB of memory. It can access only the files in its own folder below the
//! scratch folder. The folder is deleted with the instance; without it DuckDB's spill files would collide with those of
//! other instances.

use std::path::Path;

use annals_core::{Agent, Error, Fact, Result};
use annals_objects::{Scratch, ScratchFolder};
use duckdb::{Config, Connection, params};

use crate::rows;

const LOAD: &str = "INSERT INTO facts BY NAME
    SELECT
        id, subject, predicate, object, properties, confidence, valid_from, valid_to, recorded_at, said_from, said_to,
        sources, superseded_by, subject_key, object_key
    FROM read_parquet($1)";

const SAVE: &str = "COPY (FROM facts) TO $1 (
        FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false, KV_METADATA {annals_format: $2, annals_version: $3}
    )";

/// The version of the file layout. A file of another version is folded anew.
pub(crate) const FORMAT: &str = "1";

/// The name of the file in an instance's folder, while DuckDB reads or writes it.
const FILE: &str = "facts.parquet";

/// A table that can be queried.
pub(crate) struct Table {
    /// The version of the log that it was folded from.
    pub version: u64,
    pub connection: Connection,
    // Declared after the connection, so that the instance is dropped before its folder.
    folder: ScratchFolder,
}

impl Table {
    /// Builds a table of these facts.
    pub(crate) fn of(facts: &[Fact], version: u64, scratch: &Scratch) -> Result<Table> {
        let table = Table::empty(version, scratch)?;
        rows::append(&table.connection, facts).map_err(failed("filling"))?;
        Ok(table)
    }

    /// Loads the table from the bytes of an object. DuckDB reads them from a file in the instance's folder, the only folder
    /// that it may access. The bytes must be exactly what was written, because DuckDB could crash on others.
    pub(crate) fn decode(agent: &Agent, version: u64, bytes: &[u8], scratch: &Scratch) -> Result<Table> {
        let table = Table::empty(version, scratch)?;
        let file = table.folder.write(FILE, bytes).map_err(scratch_failed("writing to"))?;
        let damaged = |error| Error::damaged(format!("the facts of agent {agent}"), error);
        table.connection.execute(LOAD, params![text(&file)?]).map_err(damaged)?;
        table.folder.remove(FILE).map_err(scratch_failed("deleting from"))?;
        Ok(table)
    }

    /// Returns the table as the bytes of an object.
    pub(crate) fn encode(&self) -> Result<Vec<u8>> {
        let file = self.folder.path().join(FILE);
        let parameters = params![text(&file)?, FORMAT, self.version.to_string()];
        self.connection.execute(SAVE, parameters).map_err(failed("writing"))?;
        self.folder.take(FILE).map_err(scratch_failed("reading from"))
    }

    fn empty(version: u64, scratch: &Scratch) -> Result<Table> {
        let folder = scratch.folder().map_err(scratch_failed("making a folder in"))?;
        let path = text(folder.path())?.to_owned();
        let connection = instance(&path).map_err(failed("making"))?;
        Ok(Table { version, connection, folder })
    }

    /// Returns the only folder that the instance can access.
    #[cfg(test)]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Opens an instance without access to extensions, the network or files outside the folder, and locks these settings.
fn instance(folder: &str) -> duckdb::Result<Connection> {
    let connection = Connection::open_in_memory_with_flags(Config::default().threads(1)?)?;
    connection.execute("SET VARIABLE folder = $1", params![folder])?;
    connection.execute_batch(include_str!("sql/settings.sql"))?;
    connection.execute_batch(include_str!("sql/schema.sql"))?;
    Ok(connection)
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::invalid("data folder", "has a path that is not UTF-8"))
}

fn scratch_failed(doing: &'static str) -> impl Fn(std::io::Error) -> Error {
    move |error| Error::storage(format!("{doing} the scratch folder"), error)
}

/// Converts a DuckDB error, which does not quote the content of facts.
pub(crate) fn failed(doing: &'static str) -> impl Fn(duckdb::Error) -> Error {
    move |error| Error::storage(format!("{doing} a table of facts"), error)
}
