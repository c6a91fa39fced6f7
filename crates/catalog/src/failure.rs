//! Errors inside a job, before the port adds the context and selects the variant.

use std::sync::Arc;

use annals_core::Error;
use rusqlite::ErrorCode;

/// SQLite's error, shared because one failed commit fails many jobs; or a finished port error.
pub(crate) enum Failure {
    Sqlite(Arc<rusqlite::Error>),
    Core(Error),
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// Converts to the port's error: unreadable data becomes `Damaged`, everything else `Storage`.
    pub(crate) fn context(self, doing: &str) -> Error {
        match self {
            Failure::Core(error) => error,
            Failure::Sqlite(error) if is_damage(&error) => Error::damaged(format!("the catalog ({doing})"), error),
            Failure::Sqlite(error) => Error::storage(doing, error),
        }
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    match error {
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..) => true,
        other => matches!(other.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)),
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure::Sqlite(Arc::new(error))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Core(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

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
