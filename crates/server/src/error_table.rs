//! How each error is reported: HTTP status, exit code of a command, and advice for a model that called a tool. Its stable code is
//! [`Error::code`]. Refusals before an operation, such as a rate limit or a disk that is nearly full, are made in
//! `rest/problem.rs` and set their own status.

use annals_core::Error;
use axum::http::StatusCode;

/// How an error is reported.
pub struct Row {
    /// The status of a response over HTTP.
    pub status: StatusCode,
    /// The exit code of a command. Scripts depend on the numbers: they never change. Codes 0 and 1 are not errors: 1 means that a
    /// command ran and found or left a problem.
    pub exit_code: u8,
    /// What a model does next.
    pub advice: &'static str,
}

const CORRECT: &str = "Correct that and call again.";
const READ_AGAIN: &str = "Read the current state again before you change anything.";
const NO_ID: &str = "Use an id as shown in brackets in the answers of search_memory, timeline and memory_context.";
const NO_AGENT: &str = "The first add_memory creates the memory of a new agent.";
const LATER: &str = "Memory cannot answer now; go on without it, or try again in a minute.";

/// Returns how an error is reported.
pub fn row(error: &Error) -> Row {
    let (status, exit_code, advice) = match error {
        Error::Invalid(_) | Error::Faults(_) => (StatusCode::BAD_REQUEST, 2, CORRECT),
        Error::Conflict { .. } => (StatusCode::CONFLICT, 2, READ_AGAIN),
        Error::Exists { .. } => (StatusCode::CONFLICT, 2, LATER),
        Error::KeyReused => (StatusCode::UNPROCESSABLE_ENTITY, 2, LATER),
        Error::NotFound { what: "memory", .. } => (StatusCode::NOT_FOUND, 3, NO_ID),
        Error::NotFound { .. } => (StatusCode::NOT_FOUND, 3, NO_AGENT),
        Error::InUse { .. } => (StatusCode::SERVICE_UNAVAILABLE, 4, LATER),
        Error::Damaged { .. } => (StatusCode::SERVICE_UNAVAILABLE, 5, LATER),
        Error::Storage { .. } => (StatusCode::SERVICE_UNAVAILABLE, 6, LATER),
        Error::Model { .. } => (StatusCode::BAD_GATEWAY, 7, LATER),
        Error::Unavailable { .. } | Error::InBatch => (StatusCode::SERVICE_UNAVAILABLE, 7, LATER),
        Error::Budget { .. } => (StatusCode::TOO_MANY_REQUESTS, 7, LATER),
        Error::Stale { .. } => (StatusCode::CONFLICT, 8, READ_AGAIN),
        Error::AddressInUse { .. } => (StatusCode::SERVICE_UNAVAILABLE, 9, LATER),
    };
    Row { status, exit_code, advice }
}
