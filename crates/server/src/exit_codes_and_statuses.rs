//! How each error is reported: HTTP status, exit code of a command, seconds until a retry makes sense, and advice for a model
//! that called a tool. The stable code of an error is [`Error::code`]. A refusal before an operation, such as a rate limit or a
//! nearly full disk, is not an [`Error`] but a problem with its own status (`rest/problem.rs`).

use annals_core::{Error, ObjectKind, SignedDuration};
use axum::http::StatusCode;

/// The exit code of a command that Ctrl-C ended, by the convention of shells: 128 + SIGINT. What it saved before is kept.
pub const INTERRUPTED: u8 = 130;

/// How one kind of error is reported.
pub struct Row {
    /// HTTP status of the answer.
    pub status: StatusCode,
    /// The exit code of a command. Scripts depend on the numbers: they never change. Codes 0 and 1 are not errors: 1 means that
    /// a command ran and found or left a problem.
    pub exit_code: u8,
    /// Seconds after which a retry makes sense, sent as `Retry-After`. `None` if waiting alone does not help, or if the time is
    /// unknown.
    pub retry_after: Option<u64>,
    /// Advice to a model on what to do next.
    pub advice: &'static str,
}

const CORRECT: &str = "Correct that and call again.";
const READ_AGAIN: &str = "Read the current state again before you change anything.";
const NO_ID: &str = "Use an id as shown in brackets in the answers of search_memory, timeline and search_facts. The structured answer of memory_context maps its short ids, such as t1, to ids.";
const NO_AGENT: &str = "The first add_memory creates the memory of a new agent.";
const NO_SUCH: &str = "Check the name; the same call fails again.";
const OTHER_NAME: &str = "Choose another name or key; the same call fails again.";
const LATER: &str = "Memory cannot answer now; go on without it, or try again in a minute.";

/// Seconds until a store may answer again, or another process may have ended.
const STORE: u64 = 10;
/// Seconds until a model endpoint may answer again, if it named no time itself.
const ENDPOINT: u64 = 60;
/// Seconds after which a retry makes sense if a budget is used up. Budgets reset at midnight UTC, which may be later.
const BUDGET: u64 = 3600;

/// Returns status, exit code, retry time and advice for an error.
pub fn row(error: &Error) -> Row {
    let (status, exit_code, retry_after, advice) = match error {
        Error::Invalid(_) | Error::Faults(_) => (StatusCode::BAD_REQUEST, 2, None, CORRECT),
        Error::Conflict { .. } => (StatusCode::CONFLICT, 2, None, READ_AGAIN),
        Error::Exists { .. } => (StatusCode::CONFLICT, 2, None, OTHER_NAME),
        Error::KeyReused => (StatusCode::UNPROCESSABLE_ENTITY, 2, None, OTHER_NAME),
        Error::NotFound { what: ObjectKind::Memory, .. } => (StatusCode::NOT_FOUND, 3, None, NO_ID),
        Error::NotFound { what: ObjectKind::Agent, .. } => (StatusCode::NOT_FOUND, 3, None, NO_AGENT),
        Error::NotFound { .. } => (StatusCode::NOT_FOUND, 3, None, NO_SUCH),
        Error::InUse { .. } => (StatusCode::SERVICE_UNAVAILABLE, 4, Some(STORE), LATER),
        Error::Damaged { .. } => (StatusCode::SERVICE_UNAVAILABLE, 5, Some(STORE), LATER),
        Error::Storage { .. } => (StatusCode::SERVICE_UNAVAILABLE, 6, Some(STORE), LATER),
        Error::Model { .. } => (StatusCode::BAD_GATEWAY, 7, None, LATER),
        Error::Unavailable { retry_after, .. } => {
            (StatusCode::SERVICE_UNAVAILABLE, 7, Some(retry_after.map_or(ENDPOINT, whole_seconds)), LATER)
        }
        Error::InBatch => (StatusCode::SERVICE_UNAVAILABLE, 7, None, LATER),
        Error::Budget { .. } => (StatusCode::TOO_MANY_REQUESTS, 7, Some(BUDGET), LATER),
        Error::Stale { .. } => (StatusCode::CONFLICT, 8, None, READ_AGAIN),
        Error::AddressInUse { .. } => (StatusCode::SERVICE_UNAVAILABLE, 9, None, LATER),
    };
    Row { status, exit_code, retry_after, advice }
}

fn whole_seconds(wait: SignedDuration) -> u64 {
    u64::try_from(wait.as_secs()).unwrap_or(ENDPOINT).max(1)
}
