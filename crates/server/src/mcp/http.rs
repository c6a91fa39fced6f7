//! MCP over HTTP: `/mcp/{agent}`, or `/mcp` with the agent in the header `X-Annals-Agent`.
//!
//! Stateless: each request authenticates with its own key and is answered with plain JSON. So a client continues after a
//! restart of the server, clients cost no memory between their requests, and a revoked key is refused at the next call. The
//! server never sends notifications, so no session is needed. Relies on the middleware in front of it for keys, Host and
//! Origin.

use std::sync::Arc;

use annals_service::Service;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, RawPathParams, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use rmcp::ErrorData;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;

use super::Asker;
use super::handler::Handler;
use crate::access::Caller;
use crate::config::ServerConfig;
use crate::rest::Problem;

const HEADER: &str = "x-annals-agent";
/// Maximum bytes of an error text of the MCP transport that is passed on. A longer text is replaced by an empty one.
const MAX_REFUSAL_LENGTH: usize = 64 << 10;
/// Beginning of the error text of the MCP transport for a body that is not a message. The transport answers with 415.
const UNREADABLE: &str = "fail to deserialize request body ";

/// Returns the routes, which must be placed behind authentication.
pub(crate) fn routes(service: &Service, config: &ServerConfig) -> Router {
    let settings = settings(config);
    let handler = Handler::of_requests(service.clone());
    let mcp =
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(NeverSessionManager::default()), settings);
    let introduce = from_fn_with_state(service.clone(), introduce);
    Router::new().route_service("/mcp", mcp.clone()).route_service("/mcp/{agent}", mcp).layer(introduce)
}

/// Returns the settings of the MCP transport: no sessions, and each message is answered with plain JSON.
pub(crate) fn settings(config: &ServerConfig) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(config.max_body_kib as usize * 1024)
        // Host and Origin are checked in one place for all of HTTP, by the configuration.
        .disable_allowed_hosts()
}

/// Adds the [`Asker`] to a request: the caller, and the agent that the path or the header names, if one of them does.
pub(crate) async fn introduce(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let (mut parts, body) = request.into_parts();
    let asker = asker(&service, &mut parts).await?;
    parts.extensions.insert(asker);
    Ok(as_json_rpc(next.run(Request::from_parts(parts, body)).await).await)
}

/// Converts a plain-text error of the client from the transport to an error of JSON-RPC, which clients can parse. Changes the
/// status 415 of a body that is not a message to 400; keeps any other status. Returns other responses unchanged.
async fn as_json_rpc(response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if !response.status().is_client_error() || kind.is_some_and(|kind| kind.ends_with(b"json")) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = to_bytes(body, MAX_REFUSAL_LENGTH).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut error = ErrorData::invalid_request(text.clone().into_owned(), None);
    if let Some(reason) = text.strip_prefix(UNREADABLE) {
        error = ErrorData::parse_error(format!("the body is not one message of JSON-RPC 2.0: {reason}"), None);
        parts.status = StatusCode::BAD_REQUEST;
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let answer = json!({"jsonrpc": "2.0", "id": null, "error": error});
    Response::from_parts(parts, Body::from(answer.to_string()))
}

/// Returns the asker of a request. Fails with 401 if the request was not authenticated. Fails if the path or the header names
/// an agent that the caller may not use.
pub(super) async fn asker(service: &Service, parts: &mut Parts) -> Result<Asker, Problem> {
    let caller = parts.extensions.get::<Caller>().cloned().ok_or_else(nobody)?;
    let agent = match in_path(parts).await? {
        None => in_header(&parts.headers)?,
        some => some,
    };
    // A name that no agent can have, or that the caller may not use, is refused before anything else.
    if let Some(name) = &agent {
        service.agent(&caller, name).await?;
    }
    Ok(Asker { caller, agent })
}

async fn in_path(parts: &mut Parts) -> Result<Option<String>, Problem> {
    let params = RawPathParams::from_request_parts(parts, &()).await;
    let params = params.map_err(|error| Problem::malformed("the path", error.to_string()))?;
    Ok(params.iter().find(|(key, _)| *key == "agent").map(|(_, name)| name.to_owned()))
}

fn in_header(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let name = headers.get(HEADER).map(|value| std::str::from_utf8(value.as_bytes()));
    let name = name.transpose().map_err(|_| Problem::malformed(HEADER, "is not UTF-8"))?;
    Ok(name.filter(|name| !name.is_empty()).map(str::to_owned))
}

fn nobody() -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", "an API key is required")
}
