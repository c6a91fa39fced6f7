//! Shared by the adapters: JSON bodies of any shape, errors in the shape of another program, and random ids.

use axum::body::{self, Body};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Map, Value};

use crate::rest::Problem;
use crate::rest::extract::{unique_fields, whole_body};

/// Maximum bytes of a problem document that is rewritten. The rewritten error of a larger document has no detail and no code.
const MAX_PROBLEM_LENGTH: usize = 1 << 20;

/// A JSON object as a request body. Unknown fields are accepted, but no field twice; an empty body is an empty object.
pub(super) struct JsonObject(pub(super) Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for JsonObject {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let bytes = whole_body(request).await?;
        if bytes.trim_ascii().is_empty() {
            return Ok(JsonObject(Map::new()));
        }
        match unique_fields(&bytes)? {
            Value::Object(fields) => Ok(JsonObject(fields)),
            _ => Err(Problem::malformed("the body", "is not a JSON object")),
        }
    }
}

/// Rewrites a problem document in the shape of another program's errors. Keeps the status. Returns any other response
/// unchanged.
pub(super) async fn reshape(response: Response, shape: fn(&Value) -> Value) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if kind != Some(b"application/problem+json") {
        return response;
    }
    let (mut parts, document) = response.into_parts();
    let bytes = body::to_bytes(document, MAX_PROBLEM_LENGTH).await.unwrap_or_default();
    let problem = serde_json::from_slice(&bytes).unwrap_or_default();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::from(shape(&problem).to_string()))
}

/// Returns this number of random bytes as hex digits, two for each byte.
pub(super) fn random_hex(bytes: usize) -> Result<String, Problem> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(|error| {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", format!("no random numbers: {error}"))
    })?;
    Ok(data_encoding::HEXLOWER.encode(&random))
}
