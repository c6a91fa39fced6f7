//! Routes with the access that they need: those of the OpenAPI description, and some others. A test fails if a described route
//! is missing here.

use std::collections::BTreeSet;

use annals_core::ports::Scope;
use serde_json::{Value, json};

use super::World;
use crate::rest::routes;

/// What a route requires.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Needs {
    Nothing,
    /// Any valid key.
    Key,
    Scope(Scope),
}

use Needs::{Key, Nothing};

const ADD: Needs = Needs::Scope(Scope::Ingest);
const READ: Needs = Needs::Scope(Scope::Search);
const RULE: Needs = Needs::Scope(Scope::Admin);

pub(super) const ROUTES: [(&str, &str, Needs); 50] = [
    ("POST", "/v1/agents/{agent}/messages", ADD),
    ("POST", "/v1/agents/{agent}/imports", ADD),
    ("GET", "/v1/operations/{id}", ADD),
    ("DELETE", "/v1/agents/{agent}/conversations/{id}", RULE),
    ("POST", "/v1/agents/{agent}/search", READ),
    ("POST", "/v1/agents/{agent}/context", READ),
    ("GET", "/v1/agents/{agent}/timeline", READ),
    ("GET", "/v1/agents/{agent}/periods", READ),
    ("GET", "/v1/agents/{agent}/memories/{id}", READ),
    ("PATCH", "/v1/agents/{agent}/memories/{id}", RULE),
    ("DELETE", "/v1/agents/{agent}/memories/{id}", RULE),
    ("GET", "/v1/agents/{agent}/memories/{id}/sources", READ),
    ("POST", "/v1/agents/{agent}/forget", RULE),
    ("GET", "/v1/agents/{agent}/facts", READ),
    ("POST", "/v1/agents/{agent}/facts", RULE),
    ("GET", "/v1/agents/{agent}/blocks", READ),
    ("PUT", "/v1/agents/{agent}/blocks", RULE),
    ("GET", "/v1/agents/{agent}/documents", READ),
    ("GET", "/v1/agents/{agent}/documents/{collection}/{key}", READ),
    ("PUT", "/v1/agents/{agent}/documents/{collection}/{key}", ADD),
    ("DELETE", "/v1/agents/{agent}/documents/{collection}/{key}", ADD),
    ("POST", "/v1/agents/{agent}/documents/search", READ),
    ("GET", "/v1/agents/{agent}/collections", READ),
    ("PUT", "/compat/langgraph/{agent}/store/items", ADD),
    ("GET", "/compat/langgraph/{agent}/store/items", READ),
    ("DELETE", "/compat/langgraph/{agent}/store/items", ADD),
    ("POST", "/compat/langgraph/{agent}/store/items/search", READ),
    ("POST", "/compat/langgraph/{agent}/store/namespaces", READ),
    ("GET", "/compat/langgraph/{agent}/ok", Key),
    ("POST", "/compat/anthropic/{agent}", READ),
    ("GET", "/v1/agents/{agent}/settings", READ),
    ("PUT", "/v1/agents/{agent}/settings", RULE),
    ("GET", "/v1/agents/{agent}/status", READ),
    ("POST", "/v1/agents/{agent}/rollup", RULE),
    ("GET", "/v1/agents/{agent}/export", RULE),
    ("GET", "/v1/agents", READ),
    ("POST", "/v1/agents", RULE),
    ("POST", "/v1/agents/{agent}/rename", RULE),
    ("GET", "/v1/agents/{agent}/conversations", READ),
    ("GET", "/v1/plans", READ),
    ("DELETE", "/v1/agents/{agent}", RULE),
    ("GET", "/v1/costs", READ),
    ("GET", "/v1/prices", READ),
    ("PUT", "/v1/prices", RULE),
    ("GET", "/v1/tools", Key),
    ("POST", "/v1/agents/{agent}/tools/{name}", READ),
    ("GET", "/metrics", RULE),
    ("GET", "/healthz", Nothing),
    ("GET", "/readyz", Nothing),
    ("POST", "/mcp/{agent}", Key),
];

/// Returns whether OpenAPI describes the route. MCP describes its own tools; the routes of adapters belong to interfaces that
/// other programs describe.
fn is_described(path: &str) -> bool {
    !path.starts_with("/mcp/") && !path.starts_with("/compat/")
}

/// Returns the path to request. `id` replaces whatever id the path contains. Deletions are real, not dry runs.
pub(super) fn target(method: &str, template: &str, agent: &str, id: &str) -> String {
    let path = template.replace("{agent}", agent).replace("{id}", id).replace("{name}", "search_memory");
    let path = path.replace("{collection}", "notes").replace("{key}", "plan");
    if method == "GET" && path.ends_with("/store/items") {
        return path + "?namespace=notes&key=plan";
    }
    if path.contains("/documents") || path.starts_with("/compat/") {
        return path;
    }
    match template.rsplit('/').next() {
        _ if method == "DELETE" => path + "?dry_run=false",
        Some("imports") => path + "?from=mcp-memory",
        _ => path,
    }
}

/// Returns an id of the agent's data for the path of a route.
pub(super) fn id_of(world: &World, template: &str) -> String {
    match template {
        template if template.contains("conversations") => "talk".into(),
        template if template.contains("operations") => world.operation.clone(),
        _ => world.memory.clone(),
    }
}

/// Returns a valid body for the route, with these ids wherever it can contain one.
pub(super) fn body(method: &str, template: &str, memory: &str, conversation: &str) -> Value {
    let last = template.rsplit('/').next().unwrap();
    match (method, last) {
        (_, "messages") => {
            json!({"messages": [{"role": "user", "content": "hello", "id": "1"}], "conversation": "new"})
        }
        (_, "search") if template.contains("documents") => json!({"query": "trip"}),
        (_, "search") if template.contains("store") => json!({"namespace_prefix": ["notes"], "query": "trip"}),
        (_, "search") => json!({"query": "trip", "conversation": conversation}),
        ("PUT", "{key}") => json!({"text": "something"}),
        ("PUT", "items") => json!({"namespace": ["notes"], "key": "k", "value": {}}),
        ("DELETE", "items") => json!({"namespace": ["notes"], "key": "plan"}),
        ("POST", "{agent}") if template.starts_with("/compat/") => json!({"command": "view", "path": "/memories"}),
        (_, "context") => json!({"prompt": "trip", "conversation": conversation}),
        ("PATCH", _) => json!({"text": "other words"}),
        (_, "forget") => json!({"ids": [memory], "dry_run": false}),
        (_, "facts") => json!({"subject": "Ann", "predicate": "likes", "object": "tea"}),
        (_, "blocks") => json!({"blocks": [{"name": "human", "text": "somebody"}]}),
        (_, "agents") => json!({"agent": format!("new-{conversation}")}),
        (_, "rename") => json!({"name": format!("new-{conversation}")}),
        (_, "settings") => json!({"daily_tokens": 5}),
        (_, "prices") => json!({"currency": "", "prices": []}),
        (_, "{name}") => json!({"query": "trip"}),
        ("POST", "{agent}") => json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
        _ => json!({}),
    }
}

#[tokio::test]
async fn table_lists_every_described_route() {
    let world = World::new().await;
    let described: BTreeSet<(String, String)> = routes(world.service.clone())
        .api
        .paths
        .paths
        .iter()
        .flat_map(|(path, item)| {
            let methods = [
                ("GET", &item.get),
                ("PUT", &item.put),
                ("POST", &item.post),
                ("PATCH", &item.patch),
                ("DELETE", &item.delete),
            ];
            let there = methods.into_iter().filter(|(_, operation)| operation.is_some());
            there.map(|(method, _)| (method.to_owned(), path.clone())).collect::<Vec<_>>()
        })
        .collect();
    let listed = ROUTES.iter().filter(|(_, path, _)| is_described(path));
    let listed: BTreeSet<_> = listed.map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned())).collect();
    assert_eq!(described, listed);
}
