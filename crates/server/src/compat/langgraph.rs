//! The store of LangGraph under `/compat/langgraph/{agent}`: the five routes that `langgraph_sdk` calls, and `/ok`.
//!
//! An item is a document: its namespace joined with dots is the collection, its value the content.

mod filter;
mod items;
mod namespaces;
#[cfg(test)]
mod tests;

use annals_core::Error;
use annals_service::Service;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::rest::Problem;

/// The first label that LangGraph keeps for itself.
const RESERVED: &str = "langgraph";
/// The most items or namespaces of an answer.
const MOST: usize = 1000;

/// Returns the routes.
pub(super) fn routes() -> Router<Service> {
    let items = get(items::get).put(items::put).delete(items::delete);
    Router::new()
        .route("/compat/langgraph/{agent}/store/items", items)
        .route("/compat/langgraph/{agent}/store/items/search", post(items::search))
        .route("/compat/langgraph/{agent}/store/namespaces", post(namespaces::list))
        .route("/compat/langgraph/{agent}/ok", get(ok))
}

/// Answers the question whether the service is there.
async fn ok() -> Json<Value> {
    Json(json!({"ok": true}))
}

/// Returns the collection of a namespace that items are stored in.
fn collection(namespace: &[String]) -> Result<String, Problem> {
    if namespace.is_empty() {
        return Err(Problem::malformed("namespace", "is empty"));
    }
    if namespace[0] == RESERVED {
        return Err(Problem::malformed(
            "namespace",
            format!("begins with {RESERVED:?}, which LangGraph keeps for itself"),
        ));
    }
    path("namespace", namespace)
}

/// Returns the path of a namespace or of its beginning, which may be empty.
fn path(field: &str, labels: &[String]) -> Result<String, Problem> {
    for label in labels {
        if label.is_empty() {
            return Err(Problem::malformed(field, "has an empty label"));
        }
        if label.contains('.') {
            return Err(Problem::malformed(field, "has a label with a dot"));
        }
    }
    Ok(labels.join("."))
}

/// Returns the labels of a collection.
fn labels(collection: &str) -> Vec<String> {
    collection.split('.').map(str::to_owned).collect()
}

fn bounded(limit: usize) -> Result<usize, Problem> {
    if limit > MOST {
        Err(Error::invalid("limit", format!("is {limit}; at most {MOST} are allowed")).into())
    } else {
        Ok(limit)
    }
}
