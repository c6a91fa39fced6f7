//! Items: `PUT`, `GET` and `DELETE …/store/items`, `POST …/store/items/search`.

use std::collections::HashSet;

use annals_core::ports::{Content, Document, DocumentKey, DocumentSelect, Expected};
use annals_core::{Agent, SignedDuration, Timestamp};
use annals_service::{DocumentChange, DocumentQuery, NewDocument, Service};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{bounded, collection, filter, labels, path};
use crate::rest::Problem;
use crate::rest::extract::{Adding, Body, Named, QueryParams, Reading};

/// Number of documents that one query reads to apply the filter to their contents.
const PAGE: usize = 32;
const SECONDS_PER_MINUTE: f64 = 60.0;
/// Maximum time to live: a hundred years.
const MAX_TTL_MINUTES: f64 = 100.0 * 366.0 * 24.0 * 60.0;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Put {
    namespace: Vec<String>,
    key: String,
    value: Map<String, Value>,
    /// Paths of the values that searches find; `false` for none. All values if it is absent or `true`.
    #[serde(default)]
    index: Option<Index>,
    /// Time to live in minutes. Without it the item never expires.
    #[serde(default)]
    ttl: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Index {
    Switch(bool),
    Paths(Vec<String>),
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Get {
    /// The labels of the namespace, joined with dots.
    #[serde(default)]
    namespace: String,
    key: String,
    #[serde(default)]
    refresh_ttl: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Delete {
    #[serde(default)]
    namespace: Vec<String>,
    key: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Search {
    #[serde(default)]
    namespace_prefix: Vec<String>,
    #[serde(default)]
    filter: Option<Map<String, Value>>,
    #[serde(default = "ten")]
    limit: usize,
    #[serde(default)]
    offset: usize,
    #[serde(default)]
    query: Option<String>,
    #[serde(default)]
    refresh_ttl: Option<bool>,
}

fn ten() -> usize {
    10
}

#[derive(Serialize)]
pub(super) struct Item {
    namespace: Vec<String>,
    key: String,
    value: Value,
    created_at: String,
    updated_at: String,
    /// The paths that are searched, if the item names them. Clients that rank with their own embedder need these paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct Items {
    items: Vec<Item>,
}

impl Item {
    fn of(document: Document, score: Option<f64>) -> Item {
        Item {
            namespace: labels(&document.collection),
            key: document.key,
            value: match document.content {
                Content::Json(value) => value,
                // A text that was stored by another interface.
                Content::Text(text) => Value::Object(Map::from_iter([("text".to_owned(), Value::String(text))])),
            },
            created_at: moment(document.created_at),
            updated_at: moment(document.updated_at),
            index: document.indexed,
            score,
        }
    }
}

/// Formats an instant so that every version of Python can parse it.
fn moment(at: Timestamp) -> String {
    format!("{at:.6}").replace('Z', "+00:00")
}

/// Stores an item. Replaces a stored item with the same namespace and key.
pub(super) async fn put(
    State(service): State<Service>,
    Named(agent, _): Named<Adding>,
    body: Body<Put>,
) -> Result<StatusCode, Problem> {
    let Put { namespace, key, value, index, ttl } = body.value;
    let key = DocumentKey { collection: collection(&namespace)?, key };
    let indexed = match index {
        None | Some(Index::Switch(true)) => None,
        Some(Index::Switch(false)) => Some(Vec::new()),
        Some(Index::Paths(paths)) => Some(paths),
    };
    let (content, lifetime) = (Content::Json(Value::Object(value)), ttl.map(lifetime).transpose()?);
    let new = NewDocument { key, content, indexed, lifetime, expected: Expected::Any };
    let settings = service.admit(&agent).await?;
    service.change_documents(&agent, &settings, vec![DocumentChange::Put(new)], service.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn lifetime(minutes: f64) -> Result<SignedDuration, Problem> {
    if minutes > 0.0 && minutes <= MAX_TTL_MINUTES {
        Ok(SignedDuration::from_secs_f64(minutes * SECONDS_PER_MINUTE))
    } else {
        Err(Problem::malformed("ttl", "must be a positive number of minutes, at most a hundred years"))
    }
}

/// Returns an item; `null` if there is none. Restarts its time to live unless `refresh_ttl` is false.
pub(super) async fn get(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
    QueryParams(request): QueryParams<Get>,
) -> Result<Json<Option<Item>>, Problem> {
    let collection = path("namespace", &labels(&request.namespace))?;
    let key = DocumentKey { collection, key: request.key };
    // Clients write the boolean as their language prints it, such as `False`.
    let refresh = request.refresh_ttl.is_none_or(|text| !text.eq_ignore_ascii_case("false") && text != "0");
    let found = service.document(&agent, &key, refresh, service.now()).await?;
    Ok(Json(found.map(|document| Item::of(document, None))))
}

/// Removes an item, if there is one.
pub(super) async fn delete(
    State(service): State<Service>,
    Named(agent, _): Named<Adding>,
    body: Body<Delete>,
) -> Result<StatusCode, Problem> {
    let key = DocumentKey { collection: collection(&body.value.namespace)?, key: body.value.key };
    let settings = service.admit(&agent).await?;
    let removal = vec![DocumentChange::Remove(key, Expected::Any)];
    service.change_documents(&agent, &settings, removal, service.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns a page of the items in a namespace and below it, and restarts their time to live unless `refresh_ttl` is false. With
/// a query, returns the best matches first, then items without a matching passage, newest first. Without a query, returns the
/// newest items first.
pub(super) async fn search(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
    body: Body<Search>,
) -> Result<Json<Items>, Problem> {
    let request = body.value;
    let below = path("namespace_prefix", &request.namespace_prefix)?;
    let filter = request.filter.unwrap_or_default();
    filter::check(&filter)?;
    let (limit, now) = (bounded(request.limit)?, service.now());
    let end = request.offset.saturating_add(limit);
    let mut found: Vec<(Document, Option<f64>)> = Vec::new();
    if let Some(text) = request.query.as_deref().filter(|text| !text.trim().is_empty()) {
        found = ranked(&service, &agent, text, &below, &filter, end, now).await?;
    }
    if found.len() < end {
        let ranked: HashSet<DocumentKey> = found.iter().map(|(document, _)| document.document_key()).collect();
        let rest = newest(&service, &agent, &below, &filter, &ranked, end - found.len(), now).await?;
        found.extend(rest.into_iter().map(|document| (document, None)));
    }
    let page: Vec<(Document, Option<f64>)> = found.into_iter().skip(request.offset).take(limit).collect();
    if request.refresh_ttl != Some(false) {
        let fleeting: Vec<DocumentKey> = page
            .iter()
            .filter(|(document, _)| document.lifetime.is_some())
            .map(|(document, _)| document.document_key())
            .collect();
        if !fleeting.is_empty() {
            service.refresh_documents(&agent, &fleeting, now).await?;
        }
    }
    Ok(Json(Items { items: page.into_iter().map(|(document, score)| Item::of(document, score)).collect() }))
}

/// Returns the documents with a matching passage, best first. The score is the similarity, which clients compare with a
/// threshold. Our order also counts words, so a similarity above the score of the previous document is lowered to that score.
async fn ranked(
    service: &Service,
    agent: &Agent,
    text: &str,
    below: &str,
    filter: &Map<String, Value>,
    limit: usize,
    now: Timestamp,
) -> Result<Vec<(Document, Option<f64>)>, Problem> {
    let query = DocumentQuery { text, below, limit };
    let found = service.find_documents(agent, &query, &|document| filter::admits(filter, document), now).await?;
    let mut highest = f64::INFINITY;
    let scored = found.into_iter().map(|found| {
        highest = highest.min(found.similarity);
        (found.document, Some(highest))
    });
    Ok(scored.collect())
}

/// Returns the documents outside of `ranked` that pass the filter, last written first; at most `limit`. Reads contents in
/// pieces of [`PAGE`] until there are enough.
async fn newest(
    service: &Service,
    agent: &Agent,
    below: &str,
    filter: &Map<String, Value>,
    ranked: &HashSet<DocumentKey>,
    limit: usize,
    now: Timestamp,
) -> Result<Vec<Document>, Problem> {
    let most = if filter.is_empty() { limit.saturating_add(ranked.len()) } else { usize::MAX };
    let select = DocumentSelect { below: below.to_owned(), limit: most, ..DocumentSelect::default() };
    let mut keys = service.newest_documents(agent, &select, now).await?;
    keys.retain(|key| !ranked.contains(key));
    let mut found = Vec::new();
    for keys in keys.chunks(PAGE) {
        let documents = service.documents_at(agent, keys, now).await?.into_iter();
        found.extend(documents.filter(|document| filter::admits(filter, document)));
        if found.len() >= limit {
            break;
        }
    }
    found.truncate(limit);
    Ok(found)
}
