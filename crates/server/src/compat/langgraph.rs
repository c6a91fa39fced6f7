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

/// The first label of namespaces that LangGraph reserves.
const RESERVED: &str = "langgraph";
/// Maximum number of items or namespaces in an answer. A request for more is refused.
const MAX_LIMIT: usize = 1000;

pub(super) fn routes() -> Router<Service> {
    let items = get(items::get).put(items::put).delete(items::delete);
    Router::new()
        .route("/compat/langgraph/{agent}/store/items", items)
        .route("/compat/langgraph/{agent}/store/items/search", post(items::search))
        .route("/compat/langgraph/{agent}/store/namespaces", post(namespaces::list))
        .route("/compat/langgraph/{agent}/ok", get(ok))
}

/// Answers `GET /ok`: clients check with it that the service is available.
async fn ok() -> Json<Value> {
    Json(json!({"ok": true}))
}

/// Returns the collection that holds the items of a namespace. Fails if the namespace is empty or reserved.
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

/// Returns the path of a namespace or of a namespace prefix, which may be empty.
fn path(field: &str, labels: &[String]) -> Result<String, Problem> {
    for label in labels {
        if label.is_empty() {
            return Err(Problem::malformed(field, "has an empty label"));
        }
        if label.contains('.') {
            return Err(Problem::malformed(field, "has a label with a dot"));
        }
    }
    Ok(labels.iter().map(|label| escaped(label)).collect::<Vec<_>>().join("."))
}

/// Returns the labels of the namespace that a collection stands for.
fn labels(collection: &str) -> Vec<String> {
    collection.split('.').map(unescaped).collect()
}

/// Writes each control character except NUL as an escape such as `%0A`, because names of collections cannot contain it. Also
/// escapes each `%` that would otherwise begin an escape.
fn escaped(label: &str) -> String {
    let mut escaped = String::with_capacity(label.len());
    for (index, c) in label.char_indices() {
        if (c.is_ascii_control() && c != '\0') || escape(&label[index..]).is_some() {
            escaped.push_str(&format!("%{:02X}", u32::from(c)));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn unescaped(label: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(label.len()), label);
    while let Some(first) = rest.chars().next() {
        let (c, length) = escape(rest).map_or((first, first.len_utf8()), |c| (c, ESCAPE));
        text.push(c);
        rest = &rest[length..];
    }
    text
}

/// Number of characters of an escape such as `%0A`.
const ESCAPE: usize = 3;

/// Returns the character of an escape at the beginning of a text; `None` if the text begins otherwise.
fn escape(text: &str) -> Option<char> {
    let digits = text.strip_prefix('%')?.get(..ESCAPE - 1)?;
    let is_written = digits.bytes().all(|digit| digit.is_ascii_digit() || (b'A'..=b'F').contains(&digit));
    let c = char::from(u8::from_str_radix(digits, 16).ok().filter(|_| is_written)?);
    ((c.is_ascii_control() && c != '\0') || c == '%').then_some(c)
}

fn bounded(limit: usize) -> Result<usize, Problem> {
    if limit > MAX_LIMIT {
        Err(Error::invalid("limit", format!("is {limit}; at most {MAX_LIMIT} are allowed")).into())
    } else {
        Ok(limit)
    }
}

#[cfg(test)]
mod label_tests {
    use super::*;

    #[test]
    fn every_label_comes_back_and_usual_ones_stay_as_they_are() {
        for label in ["a", "100%", "a%b", "%41", "münchen", "a b*?[x]"] {
            assert_eq!(escaped(label), label);
        }
        for label in ["alice\n", "\t", "%0A", "%25", "%250A", "%%0A%", "a\u{7f}", "%0a", "%"] {
            assert_eq!(unescaped(&escaped(label)), label, "{}", escaped(label));
            assert!(!escaped(label).contains(char::is_control));
        }
        assert_ne!(escaped("a\n"), escaped("a%0A"));
    }
}
