//! Namespaces: `POST …/store/namespaces`.

use std::collections::BTreeSet;

use annals_service::Service;
use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{bounded, labels};
use crate::rest::Problem;
use crate::rest::extract::{Body, Named, Reading};

#[derive(Deserialize, JsonSchema)]
pub(super) struct Request {
    #[serde(default)]
    prefix: Option<Vec<String>>,
    #[serde(default)]
    suffix: Option<Vec<String>>,
    #[serde(default)]
    max_depth: Option<usize>,
    #[serde(default = "hundred")]
    limit: usize,
    #[serde(default)]
    offset: usize,
}

fn hundred() -> usize {
    100
}

#[derive(Serialize)]
pub(super) struct Namespaces {
    namespaces: Vec<Vec<String>>,
}

/// Lists a page of the namespaces that hold items and match the prefix and the suffix of the request. Cuts each to `max_depth`
/// labels, lists equal ones once, and sorts them.
pub(super) async fn list(
    State(service): State<Service>,
    Named(agent, _): Named<Reading>,
    body: Body<Request>,
) -> Result<Json<Namespaces>, Problem> {
    let request = body.value;
    let limit = bounded(request.limit)?;
    let collections = service.document_collections(&agent, service.now()).await?.collections;
    let all = collections.iter().map(|one| labels(&one.collection));
    let matching = all.filter(|namespace| {
        let (prefix, suffix) = (request.prefix.as_deref(), request.suffix.as_deref());
        prefix.is_none_or(|prefix| begins(namespace.iter(), prefix.iter()))
            && suffix.is_none_or(|suffix| begins(namespace.iter().rev(), suffix.iter().rev()))
    });
    let cut = matching.map(|mut namespace| {
        namespace.truncate(request.max_depth.unwrap_or(usize::MAX));
        namespace
    });
    let cut: BTreeSet<Vec<String>> = cut.collect();
    Ok(Json(Namespaces { namespaces: cut.into_iter().skip(request.offset).take(limit).collect() }))
}

/// Returns whether `labels` begins with the labels `with`; a `*` in `with` stands for any label.
fn begins<'l>(mut labels: impl Iterator<Item = &'l String>, mut with: impl Iterator<Item = &'l String>) -> bool {
    with.all(|wanted| labels.next().is_some_and(|label| wanted == "*" || label == wanted))
}
