//! Interfaces of other programs over the operations of the service, so that their clients work unchanged. Each is a router
//! under its own prefix, which selects the agent. Translates shapes only: rules are in the operations. Keys, scopes and
//! limits are those of REST. OpenAPI does not describe these routes; `docs/adapters.md` does. Errors have the shape that the
//! clients parse, even errors that occur before a route is reached: a wrong key, a limit, an unknown path.

mod body;
mod langgraph;
mod mcp_memory;
mod mem0;
mod memory_tool;
mod openai;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use annals_service::Service;
use axum::Router;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use crate::config::ServerConfig;

/// Returns the routes, which must be placed behind authentication.
pub(crate) fn routes(service: &Service, config: &ServerConfig) -> Router {
    Router::new()
        .merge(mcp_memory::routes(service, config))
        .merge(langgraph::routes().merge(memory_tool::routes()).with_state(service.clone()))
        .nest("/compat/mem0/{agent}", mem0::routes(service))
        // With and without the version: clients differ in what they take as base URL.
        .nest("/compat/openai/{agent}", openai::routes(service))
        .nest("/compat/openai/{agent}/v1", openai::routes(service))
}

/// Gives errors of the adapters of mem0 and OpenAI the shape that these programs use. Leaves those of the other adapters
/// unchanged: LangGraph's clients read the `detail` of a problem document, and the memory tool takes texts. Must be the
/// outermost layer except for the one that logs requests.
pub(crate) async fn shape_errors(request: Request, next: Next) -> Response {
    let shape = match request.uri().path().strip_prefix("/compat/").and_then(|path| path.split('/').next()) {
        Some("mem0") => mem0::shape,
        Some("openai") => openai::shape,
        _ => return next.run(request).await,
    };
    body::reshape(next.run(request).await, shape).await
}
