//! The one sequence of all changes.

use rusqlite::Connection;

use crate::failure::Result;

/// Assigns the next number. Runs inside the job's savepoint, so a failed job releases its numbers.
pub(crate) fn next(connection: &Connection) -> Result<i64> {
    let sql = "UPDATE sequence SET last = last + 1 RETURNING last";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Returns the last number assigned.
pub(crate) fn last(connection: &Connection) -> Result<i64> {
    Ok(connection.prepare_cached("SELECT last FROM sequence")?.query_row([], |row| row.get(0))?)
}
