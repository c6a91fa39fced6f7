//! `GET …/documents`, `GET|PUT|DELETE …/documents/{collection}/{key}`, `POST …/documents/search`, `GET …/collections`.

use annals_service::Service;
use annals_service::wire::{
    CollectionsAnswer, DocumentSearchAnswer, DocumentSearchRequest, DocumentView, DocumentsAnswer, DocumentsRequest,
    PutDocument,
};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;
use utoipa::IntoParams;

use super::Problem;
use super::extract::{Adding, Body, DocumentPath, Known, Named, QueryParams, Reading};

/// Stores a document: a text or a JSON value. It is found by any of its parts soon after.
///
/// A slash in the key is written as `%2F`.
#[utoipa::path(
    put, path = "/v1/agents/{agent}/documents/{collection}/{key}", tag = "documents",
    params(("agent" = String, Path, description = "Name of the agent"), ("collection" = String, Path, description = "Path of the collection: labels joined with dots"), ("key" = String, Path, description = "Key within the collection")),
    request_body = PutDocument,
    responses((status = 200, description = "The document as stored, without its content", body = DocumentView))
)]
pub(crate) async fn put(
    State(service): State<Service>,
    Named(agent, _): Named<Adding>,
    DocumentPath(key): DocumentPath,
    body: Body<PutDocument>,
) -> Result<Json<DocumentView>, Problem> {
    let settings = service.admit(&agent).await?;
    Ok(Json(service.put_document(&agent, &settings, key, body.value, service.now()).await?))
}

/// Returns a document with its content, its version and its times.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/documents/{collection}/{key}", tag = "documents",
    params(("agent" = String, Path, description = "Name of the agent"), ("collection" = String, Path, description = "Path of the collection: labels joined with dots"), ("key" = String, Path, description = "Key within the collection")),
    responses((status = 200, description = "The document", body = DocumentView))
)]
pub(crate) async fn get(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    DocumentPath(key): DocumentPath,
) -> Result<Json<DocumentView>, Problem> {
    Ok(Json(service.get_document(&agent, &key, service.now()).await?))
}

/// Condition of a removal: the version that is stored.
#[derive(Debug, Deserialize, JsonSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Versioned {
    /// Version that is stored now. If it differs, nothing is removed.
    #[serde(default)]
    expected_version: Option<u64>,
}

/// Removes a document. Searches do not find it any more.
#[utoipa::path(
    delete, path = "/v1/agents/{agent}/documents/{collection}/{key}", tag = "documents",
    params(("agent" = String, Path, description = "Name of the agent"), ("collection" = String, Path, description = "Path of the collection: labels joined with dots"), ("key" = String, Path, description = "Key within the collection"), Versioned),
    responses((status = 204, description = "It is removed"))
)]
pub(crate) async fn delete(
    State(service): State<Service>,
    Known(agent, _): Known<Adding>,
    DocumentPath(key): DocumentPath,
    QueryParams(versioned): QueryParams<Versioned>,
) -> Result<StatusCode, Problem> {
    service.remove_document(&agent, key, versioned.expected_version, service.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists documents without their contents, in order of collection and key.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/documents", tag = "documents",
    params(("agent" = String, Path, description = "Name of the agent"), DocumentsRequest),
    responses((status = 200, description = "The documents", body = DocumentsAnswer))
)]
pub(crate) async fn list(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    QueryParams(request): QueryParams<DocumentsRequest>,
) -> Result<Json<DocumentsAnswer>, Problem> {
    Ok(Json(service.list_documents(&agent, request, service.now()).await?))
}

/// Lists the collections that hold documents.
#[utoipa::path(
    get, path = "/v1/agents/{agent}/collections", tag = "documents",
    params(("agent" = String, Path, description = "Name of the agent")),
    responses((status = 200, description = "The collections, by path", body = CollectionsAnswer))
)]
pub(crate) async fn collections(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
) -> Result<Json<CollectionsAnswer>, Problem> {
    Ok(Json(service.document_collections(&agent, service.now()).await?))
}

/// Searches documents. Each is answered once, with its best passage.
#[utoipa::path(
    post, path = "/v1/agents/{agent}/documents/search", tag = "documents",
    params(("agent" = String, Path, description = "Name of the agent")),
    request_body = DocumentSearchRequest,
    responses((status = 200, description = "The documents, best first", body = DocumentSearchAnswer))
)]
pub(crate) async fn search(
    State(service): State<Service>,
    Known(agent, _): Known<Reading>,
    body: Body<DocumentSearchRequest>,
) -> Result<Json<DocumentSearchAnswer>, Problem> {
    Ok(Json(service.search_documents(&agent, body.value, service.now()).await?))
}

#[cfg(test)]
mod tests {
    use annals_core::Agent;
    use annals_testkit::at;
    use axum::body::{Body, to_bytes};
    use axum::http::{Request, header};
    use serde_json::{Value, json};
    use std::sync::Arc;
    use tower::ServiceExt;

    use crate::config::ServerConfig;
    use crate::fixture::{NOW, service};
    use crate::public;

    async fn ask(app: &axum::Router, method: &str, path: &str, body: Value) -> (u16, Value) {
        let request = Request::builder().method(method).uri(format!("/v1/agents/ann/{path}"));
        let request = request.header(header::HOST, "localhost").header(header::CONTENT_TYPE, "application/json");
        let body = if method == "GET" { Body::empty() } else { Body::from(body.to_string()) };
        let response = app.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    #[tokio::test]
    async fn document_is_stored_listed_found_and_removed() {
        let service = service(Arc::new(|| at(NOW)));
        let app = public(&service, &ServerConfig::default());
        let text = "# Trip\n\nWe go to the Azores.\n\n# Food\n\nBread and cheese.";
        let (status, stored) = ask(&app, "PUT", "documents/notes.work/trips%2Fplan.md", json!({"text": text})).await;
        assert_eq!((status, &stored["version"], &stored["passages"]), (200, &json!(1), &json!(2)));
        assert_eq!((&stored["key"], stored.get("text")), (&json!("trips/plan.md"), None));
        let (_, found) = ask(&app, "GET", "documents/notes.work/trips%2Fplan.md", Value::Null).await;
        assert_eq!((&found["text"], &found["created_at"]), (&json!(text), &json!(NOW)));

        let stale = json!({"value": {"a": 1}, "expected_version": 7});
        let (status, problem) = ask(&app, "PUT", "documents/notes.work/trips%2Fplan.md", stale).await;
        assert_eq!((status, &problem["code"]), (409, &json!("stale")));
        let absent = json!({"value": {"a": 1}, "expected_version": 0});
        assert_eq!(ask(&app, "PUT", "documents/notes.work/trips%2Fplan.md", absent.clone()).await.0, 409);
        assert_eq!(ask(&app, "PUT", "documents/notes/other", absent).await.0, 200);

        service.make_searchable(&Agent::new("ann").unwrap(), &|_| ()).await.unwrap();
        let (_, answer) =
            ask(&app, "POST", "documents/search", json!({"query": "cheese", "collection": "notes"})).await;
        let best = &answer["results"][0];
        assert_eq!((&best["document"]["key"], &best["passage"]["ordinal"]), (&json!("trips/plan.md"), &json!(1)));
        let (start, end) = (best["passage"]["start"].as_u64().unwrap(), best["passage"]["end"].as_u64().unwrap());
        assert_eq!(&text[start as usize..end as usize], "# Food\n\nBread and cheese.");
        let (_, answer) = ask(&app, "POST", "search", json!({"query": "cheese"})).await;
        let best = &answer["results"][0];
        assert_eq!((&best["kind"], &best["document"]["key"]), (&json!("passage"), &json!("trips/plan.md")));

        let (_, page) = ask(&app, "GET", "documents?limit=1", Value::Null).await;
        assert_eq!((&page["documents"][0]["key"], &page["next_cursor"]), (&json!("other"), &json!("5:notes/other")));
        let (_, page) = ask(&app, "GET", "documents?cursor=5:notes/other", Value::Null).await;
        assert_eq!((&page["documents"][0]["key"], &page["next_cursor"]), (&json!("trips/plan.md"), &Value::Null));
        let (_, listed) = ask(&app, "GET", "collections", Value::Null).await;
        assert_eq!(listed["collections"][1], json!({"collection": "notes.work", "documents": 1}));

        assert_eq!(ask(&app, "DELETE", "documents/notes/other?expected_version=2", Value::Null).await.0, 409);
        assert_eq!(ask(&app, "DELETE", "documents/notes/other", Value::Null).await.0, 204);
        assert_eq!(ask(&app, "DELETE", "documents/notes/other", Value::Null).await.0, 404);
        assert_eq!(ask(&app, "GET", "documents/notes/other", Value::Null).await.0, 404);
    }

    #[tokio::test]
    async fn faults_of_a_document_are_named() {
        let app = public(&service(Arc::new(|| at(NOW))), &ServerConfig::default());
        for (path, body, field) in [
            ("documents/a..b/k", json!({"text": "x"}), "collection"),
            ("documents/a/k%0A", json!({"text": "x"}), "key"),
            ("documents/a/k", json!({}), "text or value"),
            ("documents/a/k", json!({"text": "x", "value": 1}), "text or value"),
            ("documents/a/k", json!({"text": "x", "lifetime_seconds": 0}), "lifetime_seconds"),
            ("documents/a/k", json!({"text": "x", "txet": 0}), "txet"),
        ] {
            let (status, problem) = ask(&app, "PUT", path, body).await;
            assert_eq!((status, &problem["faults"][0]["field"]), (400, &json!(field)), "{problem}");
        }
    }
}
