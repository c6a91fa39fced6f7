//! `POST /v3/memories/`, `POST /v3/memories/search/`, `GET /v1/memories/{id}/`, `GET /v1/memories/{id}/history/`.

use std::collections::HashMap;

use annals_core::{Agent, Grain, MemoryId, Query, Timestamp, harmless};
use annals_service::Service;
use axum::Json;
use axum::extract::{OriginalUri, Query as UrlQuery, State};
use axum::http::{HeaderMap, Uri, header};
use serde_json::{Map, Value, json};

use super::add::timestamp;
use super::filter::{Filter, instant};
use super::ids;
use super::memory::{Unit, answered, find, with_details};
use super::walk;
use crate::compat::body::JsonObject;
use crate::rest::Problem;
use crate::rest::extract::{Billed, Id, Named, Reading};

pub(super) const DEFAULT_PAGE_SIZE: usize = 100;
pub(super) const MAX_PAGE_SIZE: usize = 1000;
const DEFAULT_RESULTS: usize = 10;
/// Number of memories that are ranked for each requested result, up to 1000 in total, because filters apply after the ranking.
const CANDIDATES: usize = 20;
/// Number of ranked memories for which one query reads the details.
const CHUNK: usize = 50;

pub(super) async fn list(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
    OriginalUri(uri): OriginalUri,
    UrlQuery(query): UrlQuery<HashMap<String, String>>,
    headers: HeaderMap,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    refuse(&body, &["categories"])?;
    let page = Page::of(&query, &body)?;
    let filter = Filter::All(vec![Filter::parse(body.get("filters"))?, dates(&body)?]);
    let expired = shows_expired(&body);
    let (count, shown) = matching(&service, &agent, &filter, expired, page.skipped(), page.size).await?;
    Ok(Json(page.view(&uri, &headers, count, answered(&service, &agent, &shown).await?)))
}

/// Number of a page, counted from 1, and number of results on each page.
pub(super) struct Page {
    number: usize,
    pub(super) size: usize,
}

impl Page {
    /// Returns the page that a request asks for, in its query or, if the query names none, in its body. A page has at most
    /// [`MAX_PAGE_SIZE`] results, even if the request asks for more.
    pub(super) fn of(query: &HashMap<String, String>, body: &Map<String, Value>) -> Result<Page, Problem> {
        let number = |name: &str, usual: usize| -> Result<usize, Problem> {
            let of_body = || body.get(name).filter(|value| !value.is_null()).map(Value::to_string);
            let number = query.get(name).cloned().or_else(of_body).map_or(Ok(usual), |given| given.parse());
            number.ok().filter(|number| *number > 0).ok_or_else(|| Problem::malformed(name, "must be 1 or more"))
        };
        Ok(Page { number: number("page", 1)?, size: number("page_size", DEFAULT_PAGE_SIZE)?.min(MAX_PAGE_SIZE) })
    }

    /// Returns the number of results before the page.
    pub(super) fn skipped(&self) -> usize {
        (self.number - 1).saturating_mul(self.size)
    }

    /// Returns the page as an answer, with links to the next and the previous page, if there are any.
    pub(super) fn view(&self, uri: &Uri, headers: &HeaderMap, count: usize, results: Vec<Value>) -> Value {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
        let link = |page: usize| format!("http://{host}{}?page={page}&page_size={}", uri.path(), self.size);
        let is_more = self.skipped().saturating_add(self.size) < count;
        json!({
            "count": count,
            "next": is_more.then(|| link(self.number + 1)),
            "previous": (self.number > 1).then(|| link(self.number - 1)),
            "results": results,
        })
    }
}

/// Returns the number of memories that pass a filter, and one page of them, newest first. Leaves out expired memories unless
/// `shows_expired` is set.
pub(super) async fn matching(
    service: &Service,
    agent: &Agent,
    filter: &Filter,
    shows_expired: bool,
    skip: usize,
    limit: usize,
) -> Result<(usize, Vec<Unit>), Problem> {
    let now = service.now();
    let passes = |unit: &Unit| (shows_expired || !unit.is_expired(now)) && filter.admits(&unit.view());
    walk::page(service, agent, passes, skip, limit).await
}

/// Returns the filter on `created_at` that the fields `start_date` and `end_date` ask for.
fn dates(body: &Map<String, Value>) -> Result<Filter, Problem> {
    let mut bounds = Map::new();
    for (name, operator) in [("start_date", "gte"), ("end_date", "lte")] {
        match body.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::String(date)) if instant(date, false).is_some() => {
                bounds.insert(operator.to_owned(), date.as_str().into());
            }
            Some(_) => return Err(Problem::malformed(name, "must be a date such as 2026-03-04")),
        }
    }
    if bounds.is_empty() { Ok(Filter::everything()) } else { Filter::parse(Some(&json!({ "created_at": bounds }))) }
}

fn shows_expired(body: &Map<String, Value>) -> bool {
    body.get("show_expired").and_then(Value::as_bool).unwrap_or_default()
}

/// Refuses fields that would change the result but have no counterpart in Annals. Accepts them if they are null or an empty
/// list.
fn refuse(body: &Map<String, Value>, fields: &[&str]) -> Result<(), Problem> {
    let is_given = |value: &Value| !value.is_null() && value.as_array().is_none_or(|values| !values.is_empty());
    match fields.iter().find(|field| body.get(**field).is_some_and(is_given)) {
        Some(field) => Err(Problem::malformed(*field, "is not supported by Annals; filter by metadata instead")),
        None => Ok(()),
    }
}

pub(super) async fn search(
    Billed(service): Billed,
    Named(agent, _): Named<Reading>,
    JsonObject(body): JsonObject,
) -> Result<Json<Value>, Problem> {
    Ok(Json(json!({ "results": found(&service, &agent, &body).await? })))
}

/// Runs a search, and returns its results as answers show them, best first.
pub(super) async fn found(service: &Service, agent: &Agent, body: &Map<String, Value>) -> Result<Vec<Value>, Problem> {
    refuse(body, &["categories"])?;
    let text = body.get("query").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| Problem::malformed("query", "must be a text that is not empty"))?;
    let limit = body.get("top_k").or_else(|| body.get("limit")).filter(|limit| !limit.is_null());
    let limit = limit.map_or(Some(DEFAULT_RESULTS as u64), Value::as_u64).filter(|limit| (1..=1000).contains(limit));
    let limit = limit.ok_or_else(|| Problem::malformed("top_k", "must be between 1 and 1000"))? as usize;
    let threshold = body.get("threshold").and_then(Value::as_f64).unwrap_or(0.0);
    let reference = body.get("reference_date").filter(|date| !date.is_null()).map(timestamp).transpose()?;
    let filter = Filter::parse(body.get("filters"))?;
    let candidates = (limit * CANDIDATES).min(1000);
    let query =
        Query { text: Some(text.to_owned()), grains: vec![Grain::Working], limit: candidates, ..Query::default() };
    let ranked = ranked(service, agent, &query, reference).await?;
    let now = service.now();
    let mut units: Vec<Unit> = Vec::new();
    let mut scores = Vec::new();
    for chunk in ranked.chunks(CHUNK) {
        let scored: HashMap<&MemoryId, f64> = chunk.iter().map(|(memory, score)| (&memory.id, *score)).collect();
        let chunk = chunk.iter().map(|(memory, _)| memory.clone()).collect();
        for unit in with_details(service, agent, chunk).await? {
            let score = scored[&unit.memory.id];
            let passes =
                score >= threshold && (shows_expired(body) || !unit.is_expired(now)) && filter.admits(&unit.view());
            if units.len() < limit && passes && unit.stands_by_itself(service, agent).await? {
                units.push(unit);
                scores.push(score);
            }
        }
        if units.len() == limit {
            break;
        }
    }
    let mut results = answered(service, agent, &units).await?;
    for (result, score) in results.iter_mut().zip(scores) {
        result["score"] = score.into();
        if let Some(Value::String(memory)) = result.get_mut("memory") {
            // Clients put the results of a search into prompts.
            *memory = harmless(memory);
        }
        keep(result, body.get("fields"));
    }
    Ok(results)
}

/// Returns the results of a search with scores between 0.001 and 1. A score below that of a later result is raised to it, so
/// that scores never rise from one result to the next.
async fn ranked(
    service: &Service,
    agent: &Agent,
    query: &Query,
    reference: Option<Timestamp>,
) -> Result<Vec<(annals_core::Memory, f64)>, Problem> {
    let answer = service.answer(agent, query, reference.unwrap_or_else(|| service.now())).await?;
    let fits = answer.results.iter().map(|found| found.fit.similarity.max(found.fit.words).clamp(0.001, 1.0));
    let mut scores: Vec<f64> = fits.collect();
    for index in (1..scores.len()).rev() {
        scores[index - 1] = scores[index - 1].max(scores[index]);
    }
    Ok(answer.results.into_iter().map(|found| found.memory).zip(scores).collect())
}

/// Removes fields that were not requested, except `id`, `memory` and `score`. Removes nothing if no fields were requested.
fn keep(result: &mut Value, fields: Option<&Value>) {
    let Some(fields) = fields.and_then(Value::as_array).filter(|fields| !fields.is_empty()) else { return };
    if let Some(result) = result.as_object_mut() {
        result.retain(|name, _| {
            ["id", "memory", "score"].contains(&name.as_str()) || fields.contains(&name.as_str().into())
        });
    }
}

pub(super) async fn one(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
    Id(id): Id,
) -> Result<Json<Value>, Problem> {
    let unit = find(&service, &agent, &id).await?;
    Ok(Json(answered(&service, &agent, &[unit]).await?.remove(0)))
}

pub(super) async fn history(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
    Id(id): Id,
) -> Result<Json<Value>, Problem> {
    let unit = find(&service, &agent, &id).await?;
    let versions = service.versions(&agent, &unit.memory.id).await?;
    let mut texts: Vec<String> = versions.iter().map(|version| version.text.clone()).collect();
    texts.push(unit.memory.text.clone());
    let added = unit.memory.at().to_string();
    let instants = std::iter::once(added.clone()).chain(versions.iter().map(|version| version.replaced_at.to_string()));
    let events = instants.enumerate().map(|(index, at)| {
        json!({
            "id": format!("{}-{index}", ids::uuid(unit.memory.id.as_str())),
            "memory_id": id,
            "event": if index == 0 { "ADD" } else { "UPDATE" },
            "old_memory": index.checked_sub(1).map(|before| &texts[before]),
            "new_memory": texts[index],
            "user_id": unit.details.user_id,
            "metadata": unit.details.metadata,
            "created_at": added,
            "updated_at": at,
        })
    });
    Ok(Json(events.collect()))
}
