//! The SQLite driver: one connection as a [`Db`].
//!
//! Statements passed as `Sql::Kept` stay prepared in rusqlite's cache. Errors keep SQLite's own text. A corrupt file, a file
//! that is no database, and a value that cannot be decoded count as damage; a file that cannot be opened or read does not.

pub(crate) mod ahead;
pub(crate) mod backend;
pub(crate) mod copy;
pub(crate) mod open;
pub(crate) mod pages;
pub(crate) mod scrub;
mod tables;

pub use backend::FileBackend;

use std::ops::ControlFlow;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ErrorCode, Statement, ToSql, ffi, params_from_iter};

use crate::db::{AgentTable, Columns, Db, Error, Failure, Result, Row, Sql, Transactions, Value, Values};

pub struct Sqlite(pub(crate) Connection);

impl Sqlite {
    /// Runs several statements without values.
    pub(crate) fn batch(&self, sql: &str) -> Result<(), Error> {
        Ok(self.0.execute_batch(sql)?)
    }

    fn statement(&self, sql: Sql<'_>) -> Result<Prepared<'_>> {
        Ok(match sql {
            Sql::Kept(sql) => Prepared::Kept(self.0.prepare_cached(sql)?),
            Sql::Once(sql) => Prepared::Once(self.0.prepare(sql)?),
        })
    }

    /// Fails if SQLite has rolled back the whole transaction, not only the statement, as it may on a full disk or a device
    /// error. To continue would commit the later jobs of the batch one by one, and acknowledge the earlier ones although they
    /// are lost.
    fn still_in_transaction(&self) -> Result<(), Error> {
        if !self.0.is_autocommit() {
            return Ok(());
        }
        let why = "another write of the same transaction failed, and all of it was rolled back";
        Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_ABORT_ROLLBACK), Some(why.into())).into())
    }
}

/// A prepared statement. Dropping it returns `Kept` to the cache, and frees `Once`.
enum Prepared<'c> {
    Kept(CachedStatement<'c>),
    Once(Statement<'c>),
}

impl<'c> Prepared<'c> {
    fn get(&mut self) -> &mut Statement<'c> {
        match self {
            Prepared::Kept(statement) => statement,
            Prepared::Once(statement) => statement,
        }
    }
}

impl Db for Sqlite {
    fn run(&self, sql: Sql<'_>, values: Values<'_>) -> Result<u64> {
        Ok(self.statement(sql)?.get().execute(bound(values))? as u64)
    }

    fn read(
        &self,
        sql: Sql<'_>,
        values: Values<'_>,
        read: &mut dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut statement = self.statement(sql)?;
        let mut rows = statement.get().query(bound(values))?;
        while let Some(row) = rows.next()? {
            if read(&Row(row))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn tables_of_agents(&self) -> Result<Vec<AgentTable>> {
        tables::QUERIES.tables_of_agents(self)
    }
}

impl Transactions for Sqlite {
    fn transaction(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        let begun = self.batch("BEGIN IMMEDIATE");
        let done = begun.and_then(|()| work()).and_then(|()| self.batch("COMMIT"));
        if done.is_err() && !self.0.is_autocommit() {
            // If this fails too, the next BEGIN fails, and its jobs get that error.
            let _ = self.batch("ROLLBACK");
        }
        done
    }

    fn savepoint(&self, job: impl FnOnce() -> bool) -> Result<(), Error> {
        self.batch("SAVEPOINT job")?;
        let keep = job();
        self.still_in_transaction()?;
        self.batch(if keep { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" })
    }
}

fn bound(values: Values<'_>) -> rusqlite::ParamsFromIter<impl Iterator<Item = Bound<'_>>> {
    params_from_iter(values.iter().map(|value| Bound(value.to_value())))
}

/// A value as SQLite takes it.
struct Bound<'v>(Value<'v>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(number),
            Value::Real(number) => ValueRef::Real(number),
            Value::Text(text) => ValueRef::Text(text),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Columns for rusqlite::Row<'_> {
    fn position(&self, name: &str) -> Result<usize, Error> {
        Ok(self.as_ref().column_index(name)?)
    }

    fn count(&self) -> usize {
        self.as_ref().column_count()
    }

    fn name(&self, position: usize) -> String {
        self.as_ref().column_name(position).unwrap_or_default().to_owned()
    }

    fn value(&self, position: usize) -> Result<Value<'_>, Error> {
        Ok(match self.get_ref(position)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::Integer(number),
            ValueRef::Real(number) => Value::Real(number),
            ValueRef::Text(text) => Value::Text(text),
            ValueRef::Blob(bytes) => Value::Blob(bytes),
        })
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        if is_damage(&error) { Error::damage(error) } else { Error::other(error) }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Error::from(error).into()
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    match error {
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..) => true,
        other => matches!(other.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_core::Error;

    #[test]
    fn corruption_is_damaged_and_other_sqlite_errors_are_storage() {
        fn check(code: i32, expect: &str) {
            let failure = Failure::from(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
            let error = failure.context("storing messages");
            let variant = match &error {
                Error::Damaged { .. } => "damaged",
                Error::Storage { .. } => "storage",
                other => panic!("{other}"),
            };
            assert_eq!(variant, expect, "{error}");
            assert!(error.to_string().contains("storing messages"), "{error}");
        }
        check(ffi::SQLITE_CORRUPT, "damaged");
        check(ffi::SQLITE_CORRUPT_INDEX, "damaged");
        check(ffi::SQLITE_NOTADB, "damaged");
        check(ffi::SQLITE_FULL, "storage");
        check(ffi::SQLITE_READONLY, "storage");
        check(ffi::SQLITE_IOERR_FSYNC, "storage");
        check(ffi::SQLITE_CANTOPEN, "storage");
    }
}
