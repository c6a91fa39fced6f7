//! Anthropic's memory tool `memory_20250818` at `POST /compat/anthropic/{agent}`. Takes the command object that the model
//! sends and returns the text for the tool result, with status 200 if the command was carried out and 422 if the text is an
//! error.
//!
//! Files are documents of the collection `memories`, so that searches find them. A directory has a document of its own, with
//! a slash at the end of its key and no text, because it stays when its last file is removed. The texts are those of the file
//! tool of Anthropic's SDK (Python package `anthropic` 2.12.0).

mod commands;
mod files;
mod path;
#[cfg(test)]
mod tests;
mod texts;

use annals_core::Error;
use annals_core::ports::Scope;
use annals_service::Service;
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::rest::Problem;
use crate::rest::extract::{Body, Named, Permitted, Reading};
use files::Files;

/// Maximum number of attempts at a command while others write the same files. After the last one the request fails.
const ATTEMPTS: usize = 5;

/// A command of the model. Only the fields that the command needs are sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
struct Command {
    command: String,
    #[serde(default)]
    path: String,
    #[serde(default)]
    view_range: Option<Vec<i64>>,
    #[serde(default)]
    file_text: String,
    #[serde(default)]
    old_str: String,
    #[serde(default)]
    new_str: String,
    #[serde(default)]
    insert_line: i64,
    #[serde(default)]
    insert_text: String,
    #[serde(default)]
    old_path: String,
    #[serde(default)]
    new_path: String,
}

/// The reason why a command failed.
#[derive(Debug)]
enum Refusal {
    /// The text of the error, for the model.
    Tool(String),
    /// The service failed, or the request is wrong.
    Problem(Problem),
    /// Another writer changed or created a file during the command. The command is tried again.
    Stale,
}

type Result<T, E = Refusal> = std::result::Result<T, E>;

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        Refusal::Problem(problem)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        match error {
            Error::Stale { .. } | Error::Exists { .. } => Refusal::Stale,
            error => Refusal::Problem(error.into()),
        }
    }
}

fn refused<T>(text: impl Into<String>) -> Result<T> {
    Err(Refusal::Tool(text.into()))
}

pub(super) fn routes() -> Router<Service> {
    Router::new().route("/compat/anthropic/{agent}", post(execute))
}

async fn execute(
    State(service): State<Service>,
    Permitted(caller, _): Permitted<Reading>,
    Named(agent, _): Named<Reading>,
    body: Body<Command>,
) -> Result<Response, Problem> {
    let command = body.value;
    if command.command != "view" && !caller.may(Scope::Ingest) {
        let detail = "the key lacks the scope \"ingest\"; with it only the command view is allowed";
        return Err(Problem::insufficient_scope(detail));
    }
    let files = Files { service: &service, agent: &agent, now: service.now() };
    let mut result = files.execute(&command).await;
    for _ in 1..ATTEMPTS {
        if !matches!(result, Err(Refusal::Stale)) {
            break;
        }
        result = files.execute(&command).await;
    }
    match result {
        Ok(text) => Ok(answer(StatusCode::OK, text)),
        Err(Refusal::Tool(text)) => Ok(answer(StatusCode::UNPROCESSABLE_ENTITY, text)),
        Err(Refusal::Problem(problem)) => Err(problem),
        Err(Refusal::Stale) => Err(Error::Stale { what: "the file".into() }.into()),
    }
}

fn answer(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
