//! Turns errors into HTTP answers: problem documents (RFC 9457) with a stable `code`. Only MCP over HTTP and the adapters in
//! `compat` change their shape.

use annals_core::{Error, Fault};
use annals_service::NotAdmitted;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use utoipa::ToSchema;

use crate::exit_codes_and_statuses::{self, Row};
use crate::request::{is_tried, request_id};

/// Why a request failed, as the problem document reports it.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    faults: Vec<Fault>,
    /// Value of the header `Retry-After`; no header if it is `None`.
    retry_after: Option<u64>,
}

/// A problem document. Programs branch on `code`, people read `detail`.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct ProblemView {
    /// URI reference that identifies the kind of problem.
    #[serde(rename = "type")]
    #[schema(example = "/docs/problems#invalid")]
    pub kind: String,
    /// Standard phrase for the status, such as `Not Found`.
    pub title: String,
    /// HTTP status code of the response.
    pub status: u16,
    /// Stable code of the kind of problem.
    #[schema(example = "invalid")]
    pub code: String,
    /// What happened, for people.
    pub detail: String,
    /// Id of the request, which is also in the log.
    pub request_id: String,
    /// Each fault with its field, if the request itself is wrong.
    pub faults: Vec<FaultView>,
}

/// One fault of a request.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct FaultView {
    /// Name of the field.
    #[schema(example = "messages[0].content")]
    pub field: String,
    /// What is wrong with the field.
    #[schema(example = "is empty")]
    pub reason: String,
    /// The file, if the fault is in one of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of the file or input, counted from 1, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

impl From<&Fault> for FaultView {
    fn from(fault: &Fault) -> FaultView {
        let Fault { file, line, field, reason } = fault.clone();
        FaultView { field, reason, file, line }
    }
}

/// Code of a problem. The metrics read it from the extensions of the response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code(pub(crate) &'static str);

impl Problem {
    /// Creates a problem that does not come from an [`Error`].
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Problem {
        Problem { status, code, detail: detail.into(), faults: Vec::new(), retry_after: None }
    }

    /// Creates the problem of a request that does not parse, with the field at fault.
    pub fn malformed(field: impl Into<String>, reason: impl Into<String>) -> Problem {
        Problem::from(Error::invalid(field, reason))
    }

    /// Creates the problem of a key without a scope that the request needs.
    pub fn insufficient_scope(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, "insufficient_scope", detail)
    }

    /// Sets the header `Retry-After`, in seconds.
    pub fn after(self, seconds: u64) -> Problem {
        Problem { retry_after: Some(seconds), ..self }
    }

    /// Appends advice to the detail, after a semicolon.
    pub fn and(self, advice: &str) -> Problem {
        Problem { detail: format!("{}; {advice}", self.detail), ..self }
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the stable code, such as `not_found`.
    pub fn code(&self) -> &'static str {
        self.code
    }

    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let Row { status, retry_after, .. } = exit_codes_and_statuses::row(&error);
        let code = error.code();
        let detail = chain(&error);
        let faults = match error {
            Error::Invalid(fault) => vec![fault],
            Error::Faults(faults) => faults,
            _ => Vec::new(),
        };
        Problem { status, code, detail, faults, retry_after }
    }
}

impl From<NotAdmitted> for Problem {
    fn from(refusal: NotAdmitted) -> Problem {
        match refusal {
            NotAdmitted::DiskLow(mebibytes) => {
                let detail = format!(
                    "less than {mebibytes} MiB of disk space are free for the data folder; new messages are refused"
                );
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, "disk_low", detail).after(60)
            }
            NotAdmitted::BacklogFull(waiting) => {
                // Assumes some tens of messages a second; other agents may share the queue.
                let seconds = (waiting / 50).clamp(1, 60);
                let detail = format!(
                    "{waiting} messages of this agent are still waiting to be indexed; nothing of this request was stored"
                );
                Problem::new(StatusCode::TOO_MANY_REQUESTS, "backlog_full", detail).after(seconds)
            }
            NotAdmitted::UploadsFull(waiting) => {
                let detail = format!("{waiting} uploads are still waiting to be imported; this one was dropped");
                Problem::new(StatusCode::TOO_MANY_REQUESTS, "uploads_full", detail).after(60)
            }
            NotAdmitted::Failed(error) => Problem::from(error),
        }
    }
}

/// Returns the error followed by its causes. Leaves out a cause whose text is already there word by word.
pub fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        cause = error.source();
    }
    text
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Problem { status, code, detail, faults, retry_after } = self;
        if status.is_server_error() && is_tried() {
            tracing::debug!(code, error = detail, "a request is forwarded");
        } else if status.is_server_error() {
            tracing::error!(code, error = detail, "a request failed");
        }
        let view = ProblemView {
            kind: format!("/docs/problems#{code}"),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            code: code.to_owned(),
            detail,
            request_id: request_id(),
            faults: faults.iter().map(FaultView::from).collect(),
        };
        let mut response = (status, axum::Json(view)).into_response();
        response.extensions_mut().insert(Code(code));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
