//! Errors as pages. A handler returns a [`Failure`]; `visit`, where the visitor is known, draws the page that explains it.

use std::sync::Arc;

use annals_core::Error;
use annals_core::ports::Scope;
use annals_service::NotAdmitted;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::html;

use crate::layout::{Page, redirect};
use crate::link;
use crate::visit::{Visitor, empty};

/// Why a page cannot be shown.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An operation of the service failed with this error, or a field is not valid.
    Error(Error),
    /// The visitor must sign in with a key before seeing the page.
    Login {
        /// The address of the page that the visitor requested.
        to: String,
    },
    /// The key with which the visitor signed in is not valid.
    WrongKey {
        /// The address of the page that the visitor requested.
        to: String,
    },
    /// The key of the visitor lacks this scope.
    Scope(Scope),
    /// The page requires a key of the default workspace that is not limited to some agents.
    Operator,
    /// The token of the form is missing or belongs to another session, or the upload has no file.
    Token,
    /// The form is too large, or its body could not be read.
    TooLarge,
    /// The service accepts no new messages or uploads at present; the text says why.
    Refused(String),
    /// No route has this path.
    NotFound,
}

/// The failure that a response reports, stored as an extension of the response.
#[derive(Clone)]
pub(crate) struct RaisedFailure(pub(crate) Arc<Failure>);

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

impl From<NotAdmitted> for Failure {
    fn from(refusal: NotAdmitted) -> Failure {
        Failure::Refused(match refusal {
            NotAdmitted::DiskLow(mebibytes) => {
                format!("Less than {mebibytes} MiB of disk space are free for the data folder.")
            }
            NotAdmitted::BacklogFull(waiting) => format!("{waiting} messages of this agent still wait to be indexed."),
            NotAdmitted::UploadsFull(waiting) => format!("{waiting} uploads still wait to be imported."),
            NotAdmitted::Failed(error) => return Failure::Error(error),
        })
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = empty(StatusCode::INTERNAL_SERVER_ERROR);
        response.extensions_mut().insert(RaisedFailure(Arc::new(self)));
        response
    }
}

impl Failure {
    /// Returns the page that explains the failure, or a redirect to the form for signing in. Logs an error that is the fault of
    /// the server.
    pub(crate) fn page(&self, visitor: Option<&Visitor>, status_of: fn(&Error) -> StatusCode) -> Response {
        if let Failure::Login { to } = self {
            return redirect(&link::login(to));
        }
        let status = self.status(status_of);
        if let (Failure::Error(error), true) = (self, status.is_server_error()) {
            tracing::error!(code = error.code(), %error, "a page failed");
        }
        let (title, reason) = self.words(status);
        let page = Page { title: title.clone(), visitor, ..Page::default() };
        let mut response = page.show(html! {
            h1 { (title) }
            p.lead { (reason) }
            @if let Failure::WrongKey { to } = self { p { a href=(link::login(to)) { "Try another key" } } }
            @else { p { a href="/" { "All agents" } } }
        });
        *response.status_mut() = status;
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("10"));
        }
        response
    }

    fn status(&self, status_of: fn(&Error) -> StatusCode) -> StatusCode {
        match self {
            Failure::Error(error) => status_of(error),
            Failure::Login { .. } => StatusCode::SEE_OTHER,
            Failure::WrongKey { .. } => StatusCode::UNAUTHORIZED,
            Failure::Scope(_) | Failure::Operator | Failure::Token => StatusCode::FORBIDDEN,
            Failure::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Failure::Refused(_) => StatusCode::SERVICE_UNAVAILABLE,
            Failure::NotFound => StatusCode::NOT_FOUND,
        }
    }

    fn words(&self, status: StatusCode) -> (String, String) {
        let (title, reason) = match self {
            Failure::Error(error) => (error_title(status), error.to_string()),
            Failure::Login { .. } => ("Sign in", "This page needs a key.".to_owned()),
            Failure::WrongKey { .. } => ("This key does not open anything", "It is unknown, revoked or expired.".into()),
            Failure::Scope(scope) => (
                "This key may not do that",
                format!("It lacks the scope {scope}. Sign in with a key that has it; `annals key list` shows all keys."),
            ),
            Failure::Operator => (
                "This page is for the operator",
                "It shows the whole process. Sign in with an admin key of the default workspace that is not limited to \
                 some agents."
                    .into(),
            ),
            Failure::Token => (
                "Nothing was changed",
                "The form was too old, or came from another page. Load the page again and repeat the change.".into(),
            ),
            Failure::TooLarge => ("Nothing was changed", "The form is larger than 1 MiB.".into()),
            Failure::Refused(reason) => ("Not now", format!("{reason} Nothing was stored; try again later.")),
            Failure::NotFound => ("There is no such page", "The address may be of a former version.".into()),
        };
        (title.to_owned(), reason)
    }
}

fn error_title(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::BAD_REQUEST => "This cannot be shown",
        StatusCode::CONFLICT => "It changed meanwhile",
        _ => "Something failed",
    }
}
