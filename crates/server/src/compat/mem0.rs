//! mem0's REST interface at `/compat/mem0/{agent}`: the platform's routes as `MemoryClient` (v3) and `mem0-cli` call them, and
//! those of its self-hosted server.
//!
//! Everything is kept within one Annals agent. `run_id` is the conversation and `user_id` the speaker of its user's messages;
//! all ids and the metadata are stored as an attachment of the turn, which filters read. What mem0 calls a memory is a turn
//! with its exact words if it was added with `infer=false`. Otherwise it is a statement that was imported or extracted from a
//! turn, or a user's turn as long as no statement was extracted from it. The facts of its turn are in `structured_attributes`.
//! The parameter `categories`, exports, summaries, feedback, webhooks and profiles have no counterpart and are refused. Fields
//! of a request that steer mem0's own extractor have no effect.

mod account;
mod add;
mod change;
mod filter;
mod ids;
mod memory;
mod read;
mod self_hosted;
mod walk;
#[cfg(test)]
pub(super) use ids::uuid;
#[cfg(test)]
mod tests;

use annals_service::Service;
use axum::Router;
use axum::routing::{MethodRouter, any, delete, get, post, put};
use serde_json::{Value, json};

/// Returns the routes of one agent, below the prefix that names it.
pub(super) fn routes(service: &Service) -> Router {
    platform().merge(self_hosted::routes()).with_state(service.clone())
}

fn platform() -> Router<Service> {
    let project = get(account::project).patch(account::change_project);
    let one = || get(read::one).put(change::update).delete(change::delete);
    let mut router = Router::new();
    for (path, method) in [
        ("/v1/ping", get(account::ping)),
        ("/v3/memories/add", post(add::add)),
        ("/v3/memories/search", post(read::search)),
        ("/v3/memories", post(read::list)),
        ("/v2/memories/search", post(read::search)),
        ("/v2/memories", post(read::list)),
        ("/v1/memories", post(add::add).delete(change::delete_all)),
        ("/v1/memories/{id}", one()),
        ("/v1/memories/{id}/history", get(read::history)),
        ("/v1/batch", put(change::update_batch).delete(change::delete_batch)),
        ("/v1/entities", get(account::entities)),
        ("/v1/entities/{type}/{name}", delete(change::delete_entity)),
        ("/v2/entities/{type}/{name}", delete(change::delete_entity)),
        ("/v1/events", get(account::all_events)),
        ("/v1/event/{id}", get(account::event)),
        ("/api/v1/orgs/organizations/{org}/projects/{project}", project),
        ("/v1/exports", any(account::unsupported)),
        ("/v1/exports/get", any(account::unsupported)),
        ("/v1/summary", any(account::unsupported)),
        ("/v1/feedback", any(account::unsupported)),
        ("/v2/profiles/settings", any(account::unsupported)),
        ("/v2/profiles/jobs", any(account::unsupported)),
        ("/v2/entities/user/{name}/profile", any(account::unsupported)),
        ("/v1/webhooks/{id}", any(account::unsupported)),
        ("/v1/webhooks/projects/{id}", any(account::unsupported)),
    ] {
        router = both(router, path, method);
    }
    router
}

/// Adds a route with and without a slash at the end: mem0's clients send the slash, people often leave it out.
fn both(router: Router<Service>, path: &str, method: MethodRouter<Service>) -> Router<Service> {
    router.route(path, method.clone()).route(&format!("{path}/"), method)
}

/// Returns `{"detail", "error"}` for a problem document. Also includes the code, as in REST.
pub(in crate::compat) fn shape(problem: &Value) -> Value {
    json!({ "detail": problem["detail"], "error": problem["detail"], "code": problem["code"] })
}
