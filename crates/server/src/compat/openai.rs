//! OpenAI's conversations at `/compat/openai/{agent}`: the routes that `OpenAIConversationsSession` and
//! `client.conversations` call.
//!
//! A conversation is an Annals conversation of the same name. Its first turn, of role system, stands for the conversation
//! itself and carries its metadata. Each item is a turn with the item's JSON as attachment, so searches and contexts find the
//! text of items, and forgetting a turn forgets its item. Any other conversation of the agent can be read in the same way.

mod conversations;
mod item;
mod items;
mod stored;
#[cfg(test)]
mod tests;

use annals_service::Service;
use axum::Router;
use axum::routing::{get, post};
use serde_json::{Value, json};

/// Returns the routes of one agent, below the prefix that names it.
pub(super) fn routes(service: &Service) -> Router {
    Router::new()
        .route("/conversations", post(conversations::create))
        .route(
            "/conversations/{id}",
            get(conversations::retrieve).post(conversations::update).delete(conversations::delete),
        )
        .route("/conversations/{id}/items", get(items::list).post(items::create))
        .route("/conversations/{id}/items/{item}", get(items::retrieve).delete(items::delete))
        .with_state(service.clone())
}

/// Returns `{"error": {message, type, param, code}}` for a problem document. The code is also at the top level, as in REST.
pub(in crate::compat) fn shape(problem: &Value) -> Value {
    let status = problem["status"].as_u64().unwrap_or(500);
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        429 => "rate_limit_error",
        400..500 => "invalid_request_error",
        _ => "server_error",
    };
    let error = json!({
        "message": problem["detail"],
        "type": kind,
        "param": problem["faults"][0]["field"],
        "code": problem["code"],
    });
    json!({ "error": error, "code": problem["code"] })
}
