//! Extractors for handlers: the caller, an agent that the caller may use, a body or query that parses. If a body or query does
//! not parse, one problem document lists all its faults, each with its field.

use std::convert::Infallible;
use std::marker::PhantomData;

use annals_core::ports::{DocumentKey, Scope};
use annals_core::{Agent, UniqueFields};
use annals_service::Service;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Problem;
use crate::access::Caller;
use crate::arguments;

/// Returns the key of a request: `Authorization: Bearer …` or `Token …`, otherwise `X-API-Key: …`.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let authorization = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = authorization.and_then(|value| value.strip_prefix("Bearer ").or(value.strip_prefix("Token ")));
    bearer.or_else(|| headers.get("x-api-key")?.to_str().ok()).map(str::trim)
}

/// A scope as a type, so that the signature of a handler shows it. [`Known<Reading>`] is an agent that exists and that the
/// caller may read.
pub(crate) trait Needs: Send + Sync + 'static {
    const SCOPE: Scope;
}

/// Needs the scope `search`.
pub(crate) struct Reading;
/// Needs the scope `ingest`.
pub(crate) struct Adding;
/// Needs the scope `admin`.
pub(crate) struct Administering;

impl Needs for Reading {
    const SCOPE: Scope = Scope::Search;
}

impl Needs for Adding {
    const SCOPE: Scope = Scope::Ingest;
}

impl Needs for Administering {
    const SCOPE: Scope = Scope::Admin;
}

/// The caller of the request. Refuses callers without the scope.
pub(crate) struct Permitted<S: Needs>(pub Caller, pub PhantomData<S>);

impl<S: Needs, T: Send + Sync> FromRequestParts<T> for Permitted<S> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &T) -> Result<Self, Problem> {
        Ok(Permitted(permitted::<S>(parts)?, PhantomData))
    }
}

fn permitted<S: Needs>(parts: &Parts) -> Result<Caller, Problem> {
    let caller = parts.extensions.get::<Caller>().cloned();
    let caller =
        caller.ok_or_else(|| Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", "an API key is required"))?;
    if caller.may(S::SCOPE) {
        return Ok(caller);
    }
    let detail = format!("the key lacks the scope {:?}", S::SCOPE.as_str());
    Err(Problem::insufficient_scope(detail))
}

/// The agent in the path, which need not exist. Refuses callers that lack the scope or may not use the agent.
pub(crate) struct Named<S: Needs>(pub Agent, pub PhantomData<S>);

impl<S: Needs> FromRequestParts<Service> for Named<S> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, service: &Service) -> Result<Self, Problem> {
        let caller = permitted::<S>(parts)?;
        let name = path(parts, service, "agent").await?;
        Ok(Named(service.agent(&caller, &name).await?, PhantomData))
    }
}

/// The agent in the path. Refuses callers that lack the scope or may not use the agent, and agents that do not exist.
pub(crate) struct Known<S: Needs>(pub Agent, pub PhantomData<S>);

impl<S: Needs> FromRequestParts<Service> for Known<S> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, service: &Service) -> Result<Self, Problem> {
        let Named(agent, scope) = Named::<S>::from_request_parts(parts, service).await?;
        Ok(Known(service.known(agent).await?, scope))
    }
}

/// The service for the caller of the request: models that work on the request are paid from the budget of its key too. Handlers
/// that may call a model take this in place of the router's service.
pub(crate) struct Billed(pub Service);

impl FromRequestParts<Service> for Billed {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, service: &Service) -> Result<Self, Infallible> {
        let caller = parts.extensions.get::<Caller>();
        Ok(Billed(caller.map_or_else(|| service.clone(), |caller| service.called_by(caller))))
    }
}

/// The path parameter `{id}`.
pub(crate) struct Id(pub String);

impl<T: Send + Sync> FromRequestParts<T> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &T) -> Result<Self, Problem> {
        Ok(Id(path(parts, state, "id").await?))
    }
}

/// The collection and key of a document, from the path parameters `{collection}` and `{key}`.
pub(crate) struct DocumentPath(pub DocumentKey);

impl<T: Send + Sync> FromRequestParts<T> for DocumentPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &T) -> Result<Self, Problem> {
        let (collection, key) = (path(parts, state, "collection").await?, path(parts, state, "key").await?);
        Ok(DocumentPath(DocumentKey { collection, key }))
    }
}

async fn path<T: Send + Sync>(parts: &mut Parts, state: &T, name: &str) -> Result<String, Problem> {
    let wrong = |reason: String| Problem::malformed("the path", reason);
    let params = RawPathParams::from_request_parts(parts, state).await.map_err(|error| wrong(error.to_string()))?;
    let found = params.iter().find(|(key, _)| *key == name);
    found.map(|(_, value)| value.to_owned()).ok_or_else(|| wrong(format!("has no {name}")))
}

/// The query string, parsed into a type.
pub(crate) struct QueryParams<T>(pub T);

impl<T: DeserializeOwned + JsonSchema, S: Send + Sync> FromRequestParts<S> for QueryParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(QueryParams(arguments::from_query(parts.uri.query().unwrap_or_default())?))
    }
}

/// A JSON body, parsed into a type. Refuses a request without a JSON content type.
pub(crate) struct Body<T> {
    pub value: T,
    /// The body as received. An idempotency key is bound to its hash.
    pub bytes: Bytes,
}

impl<T: DeserializeOwned + JsonSchema, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            let detail = "the body must be JSON: send Content-Type: application/json";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail));
        }
        let bytes = whole_body(request).await?;
        let value = parse(&bytes)?;
        Ok(Body { value, bytes })
    }
}

/// Reads the body of a request to its end.
pub(crate) async fn whole_body(request: Request) -> Result<Bytes, Problem> {
    Bytes::from_request(request, &()).await.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => Problem::malformed("the body", "did not arrive completely: its sender stopped"),
    })
}

pub(crate) fn too_large() -> Problem {
    let detail = "the body exceeds the size limit of this server; split the request";
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// Parses a JSON body. An error names all faults with their fields.
fn parse<T: DeserializeOwned + JsonSchema>(bytes: &[u8]) -> Result<T, Problem> {
    // Serde would read a list as the values of the fields, in order.
    let is_list = bytes.trim_ascii_start().starts_with(b"[");
    // Most bodies are valid and need no intermediate `Value`, which would hold them in memory a second time.
    if !is_list && let Ok(value) = serde_json::from_slice(bytes) {
        return Ok(value);
    }
    Ok(arguments::from_value(unique_fields(bytes)?, "the body")?)
}

/// Parses a JSON body of any shape. Refuses fields that are given twice.
pub(crate) fn unique_fields(bytes: &[u8]) -> Result<Value, Problem> {
    let UniqueFields(value) = serde_json::from_slice(bytes).map_err(|error| {
        let text = error.to_string();
        let (reason, column) = (text.split(" at line ").next().unwrap_or(&text), error.column());
        let kind = if error.is_data() { "" } else { "is not JSON: " };
        Problem::malformed("the body", format!("{kind}{reason} at line {}, column {column}", error.line()))
    })?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use annals_service::wire::IngestRequest;

    use super::*;

    #[test]
    fn field_that_is_given_twice_is_refused() {
        let body = br#"{"messages":[{"role":"user","content":"tea","content":"coffee"}]}"#;
        let problem = parse::<IngestRequest>(body).unwrap_err();
        assert_eq!(problem.detail(), r#"the body has the field "content" twice at line 1, column 53"#);
    }
}
