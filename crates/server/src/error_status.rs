//! Maps each [`Error`] to its HTTP status and the exit code of a command. Its stable code is [`Error::code`]. Refusals before an
//! operation, such as a rate limit, are made with `Problem::new` and set their own status.

use annals_core::Error;
use axum::http::StatusCode;

/// HTTP status and exit code of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorStatus {
    /// The status over HTTP.
    pub status: StatusCode,
    /// The exit code of a command. Codes 0 and 1 are not errors: 1 means that a command ran and found or left a problem.
    pub exit: u8,
}

/// Returns the HTTP status and the exit code of an error.
pub fn error_status(error: &Error) -> ErrorStatus {
    let (status, exit) = match error {
        Error::Invalid(_) | Error::Faults(_) => (StatusCode::BAD_REQUEST, 2),
        Error::Conflict { .. } | Error::Exists { .. } => (StatusCode::CONFLICT, 2),
        Error::KeyReused => (StatusCode::UNPROCESSABLE_ENTITY, 2),
        Error::NotFound { .. } => (StatusCode::NOT_FOUND, 3),
        Error::InUse { .. } => (StatusCode::SERVICE_UNAVAILABLE, 4),
        Error::Damaged { .. } => (StatusCode::SERVICE_UNAVAILABLE, 5),
        Error::Storage { .. } => (StatusCode::SERVICE_UNAVAILABLE, 6),
        Error::Model { .. } => (StatusCode::BAD_GATEWAY, 7),
        Error::Unavailable { .. } => (StatusCode::SERVICE_UNAVAILABLE, 7),
        Error::Budget { .. } => (StatusCode::TOO_MANY_REQUESTS, 7),
        Error::Stale { .. } => (StatusCode::CONFLICT, 8),
        Error::AddressInUse { .. } => (StatusCode::SERVICE_UNAVAILABLE, 9),
    };
    ErrorStatus { status, exit }
}
