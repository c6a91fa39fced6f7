//! Converts errors of PostgreSQL to errors of the driver, and sorts them: damaged data, transient errors, after which the same
//! work may succeed, and others.

use tokio_postgres::error::SqlState;

use crate::db::{Error, Failure};

/// SQLSTATE codes that report damaged data.
const DAMAGE: [SqlState; 2] = [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED];

/// SQLSTATE codes that report a conflict with another transaction, the end of the session, or a server that is starting or
/// stopping.
const TRANSIENT: [SqlState; 6] = [
    SqlState::T_R_SERIALIZATION_FAILURE,
    SqlState::T_R_DEADLOCK_DETECTED,
    SqlState::ADMIN_SHUTDOWN,
    SqlState::CRASH_SHUTDOWN,
    SqlState::CANNOT_CONNECT_NOW,
    SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
];

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Error {
        let text = match error.as_db_error() {
            // Leave out the detail, which may quote a row.
            Some(reported) => format!("PostgreSQL reports: {} ({})", reported.message(), reported.code().code()),
            None => match std::error::Error::source(&error) {
                Some(cause) => format!("{error}: {cause}"),
                None => error.to_string(),
            },
        };
        match error.code() {
            Some(code) if DAMAGE.contains(code) => Error::damage(text),
            Some(code) if TRANSIENT.contains(code) => Error::transient(text),
            None if error.is_closed() => Error::transient(text),
            _ => Error::other(text),
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Failure {
        Error::from(error).into()
    }
}

/// Returns the error of a statement that found the connection closed, with the cause if it is known.
pub(super) fn lost(error: Option<Error>) -> Error {
    const WHAT: &str = "the connection to PostgreSQL was lost";
    Error::transient(error.map_or_else(|| WHAT.to_owned(), |error| format!("{WHAT}: {error}")))
}

/// Returns the error of a transaction with an unknown outcome: it may be committed or not.
pub(super) fn unknown(error: &Error) -> Error {
    Error::other(format!(
        "the connection to PostgreSQL was lost during the commit, so the change may be stored or not; send it again: {error}"
    ))
}
