//! The one sequence of all changes.

use crate::db::Db;
use crate::failure::Result;

/// Assigns the next number. Runs inside the job's savepoint, so a failed job releases its numbers.
pub(crate) fn next(db: &dyn Db) -> Result<i64> {
    let sql = "UPDATE sequence SET last = last + 1 RETURNING last";
    db.query_one(sql, &[], |row| row.get(0))
}

/// Returns the last number assigned.
pub(crate) fn last(db: &dyn Db) -> Result<i64> {
    db.query_one("SELECT last FROM sequence", &[], |row| row.get(0))
}
