//! Maps each [`Error`] to its HTTP status. Its stable code is [`Error::code`]. Refusals before an operation, such as a rate limit
//! or a disk that is nearly full, are made in `rest/problem.rs` and set their own status.

use annals_core::Error;
use axum::http::StatusCode;

/// Returns the HTTP status of an error.
pub(crate) fn error_status(error: &Error) -> StatusCode {
    match error {
        Error::Invalid(_) | Error::Faults(_) => StatusCode::BAD_REQUEST,
        Error::Conflict { .. } | Error::Exists { .. } | Error::Stale { .. } => StatusCode::CONFLICT,
        Error::KeyReused => StatusCode::UNPROCESSABLE_ENTITY,
        Error::NotFound { .. } => StatusCode::NOT_FOUND,
        Error::Model { .. } => StatusCode::BAD_GATEWAY,
        Error::Budget { .. } => StatusCode::TOO_MANY_REQUESTS,
        Error::InUse { .. }
        | Error::Damaged { .. }
        | Error::Storage { .. }
        | Error::Unavailable { .. }
        | Error::InBatch
        | Error::AddressInUse { .. } => StatusCode::SERVICE_UNAVAILABLE,
    }
}
