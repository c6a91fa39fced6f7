//! MCP over HTTP: `/mcp/{agent}`, or `/mcp` with the agent in the header `X-Annals-Agent`.
//!
//! Stateless: each request authenticates with its own key and is answered with plain JSON. So a client continues after a restart
//! of the server, clients cost no memory between their requests, and a revoked key is refused at the next call. The server never
//! sends notifications, so no session is needed. Relies on the middleware in front of it for keys, Host and Origin.

use std::sync::Arc;

use annals_service::Service;
use axum::Router;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::Asker;
use super::handler::Handler;
use crate::access::Caller;
use crate::config::ServerConfig;
use crate::rest::Problem;

const HEADER: &str = "x-annals-agent";

/// Returns the routes, which must be placed behind authentication.
pub(crate) fn routes(service: &Service, config: &ServerConfig) -> Router {
    let settings = settings(config);
    let handler = Handler::of_requests(service.clone());
    let mcp =
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(NeverSessionManager::default()), settings);
    Router::new().route_service("/mcp", mcp.clone()).route_service("/mcp/{agent}", mcp).layer(from_fn(introduce))
}

/// Returns how messages come and go: one by one, without a session.
pub(crate) fn settings(config: &ServerConfig) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(config.max_body_kib as usize * 1024)
        // Host and Origin are checked in one place for all of HTTP, by the configuration.
        .disable_allowed_hosts()
}

/// Adds the [`Asker`] to a request: the caller, and the agent that the address names.
pub(crate) async fn introduce(request: Request, next: Next) -> Result<Response, Problem> {
    let (mut parts, body) = request.into_parts();
    let asker = asker(&mut parts).await?;
    parts.extensions.insert(asker);
    Ok(next.run(Request::from_parts(parts, body)).await)
}

/// Returns the asker of an authenticated request.
pub(super) async fn asker(parts: &mut Parts) -> Result<Asker, Problem> {
    let caller = parts.extensions.get::<Caller>().cloned().ok_or_else(nobody)?;
    let agent = match in_path(parts).await? {
        None => in_header(&parts.headers)?,
        some => some,
    };
    // A name that no agent can have, or that the caller may not use, is refused before anything else.
    agent.as_deref().map(|name| caller.agent(name)).transpose()?;
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
