//! The MCP reference memory server (`@modelcontextprotocol/server-memory`) at `/mcp-memory/{agent}`: its nine tools and its
//! resource, over the facts of the agent.
//!
//! Names, descriptions, schemas, texts and answers are those of the reference, so one changed line in a client's configuration
//! is enough to switch. Reading the graph needs the scope search; changing it needs the scope admin, as entering facts does.
//! Clients can read the resource, but not subscribe to it.

mod handler;
#[cfg(test)]
mod tests;
mod tools;

use std::sync::Arc;

use annals_service::Service;
use axum::Router;
use axum::middleware::from_fn_with_state;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;

use crate::config::ServerConfig;
use crate::mcp::{introduce, settings};
use handler::MemoryHandler;

pub(super) fn routes(service: &Service, config: &ServerConfig) -> Router {
    let handler = MemoryHandler(service.clone());
    let mcp = StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(NeverSessionManager::default()),
        settings(config),
    );
    let introduce = from_fn_with_state(service.clone(), introduce);
    Router::new().route_service("/mcp-memory/{agent}", mcp).layer(introduce)
}
