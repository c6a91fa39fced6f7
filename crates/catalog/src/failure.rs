//! Errors inside a job, before the port adds the context and selects the variant.

use annals_core::Error;

use crate::db;

/// An error of the database, or a finished port error.
pub(crate) enum Failure {
    Db(db::Error),
    Core(Error),
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// Converts to the port's error: unreadable data becomes `Damaged`, everything else `Storage`.
    pub(crate) fn context(self, doing: &str) -> Error {
        match self {
            Failure::Core(error) => error,
            Failure::Db(error) if error.is_damage() => Error::damaged(format!("the catalog ({doing})"), error),
            Failure::Db(error) => Error::storage(doing, error),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Core(error)
    }
}
