//! Interfaces of other memories over the same operations, keys and limits: a client's base URL selects one and the agent, as in
//! `/compat/langgraph/ann`.
//!
//! | module | clients |
//! | --- | --- |
//! | `langgraph` | `langgraph_sdk` and what uses its store |
//! | `memory_tool` | Anthropic's memory tool `memory_20250818` |

mod langgraph;
mod memory_tool;

use annals_service::Service;
use axum::Router;

/// Returns the routes of all interfaces. They need a key as all others do.
pub(crate) fn routes(service: &Service) -> Router {
    Router::new().merge(langgraph::routes()).merge(memory_tool::routes()).with_state(service.clone())
}
