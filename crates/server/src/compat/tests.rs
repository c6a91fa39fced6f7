//! Access control of the adapters: keys, scopes and agents are those of REST.

use annals_core::ports::Scope;
use annals_core::{Agent, Grain};
use annals_service::wire::NewKey;
use annals_testkit::at;
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use super::testing::Client;
use crate::fixture::{NOW, service_with_memories};

const READ: Scope = Scope::Search;
const ADD: Scope = Scope::Ingest;
const RULE: Scope = Scope::Admin;

/// Routes of the adapters for OpenAI and mem0, with the scope that each needs.
const ROUTES: [(&str, &str, Scope); 39] = [
    ("POST", "/compat/openai/{agent}/conversations", ADD),
    ("GET", "/compat/openai/{agent}/conversations/talk", READ),
    ("POST", "/compat/openai/{agent}/v1/conversations/talk", ADD),
    ("DELETE", "/compat/openai/{agent}/conversations/talk", RULE),
    ("GET", "/compat/openai/{agent}/v1/conversations/talk/items", READ),
    ("POST", "/compat/openai/{agent}/conversations/talk/items", ADD),
    ("GET", "/compat/openai/{agent}/conversations/talk/items/x", READ),
    ("DELETE", "/compat/openai/{agent}/conversations/talk/items/x", RULE),
    ("GET", "/compat/mem0/{agent}/v1/ping/", READ),
    ("POST", "/compat/mem0/{agent}/v3/memories/add/", ADD),
    ("POST", "/compat/mem0/{agent}/v3/memories/search/", READ),
    ("POST", "/compat/mem0/{agent}/v3/memories/", READ),
    ("POST", "/compat/mem0/{agent}/v2/memories/search/", READ),
    ("POST", "/compat/mem0/{agent}/v2/memories/", READ),
    ("POST", "/compat/mem0/{agent}/v1/memories/", ADD),
    ("DELETE", "/compat/mem0/{agent}/v1/memories/", RULE),
    ("GET", "/compat/mem0/{agent}/v1/memories/{uuid}/", READ),
    ("PUT", "/compat/mem0/{agent}/v1/memories/{uuid}/", RULE),
    ("DELETE", "/compat/mem0/{agent}/v1/memories/{uuid}/", RULE),
    ("GET", "/compat/mem0/{agent}/v1/memories/{uuid}/history/", READ),
    ("PUT", "/compat/mem0/{agent}/v1/batch/", RULE),
    ("DELETE", "/compat/mem0/{agent}/v1/batch/", RULE),
    ("GET", "/compat/mem0/{agent}/v1/entities/", READ),
    ("DELETE", "/compat/mem0/{agent}/v1/entities/user/ann/", RULE),
    ("DELETE", "/compat/mem0/{agent}/v2/entities/user/ann/", RULE),
    ("GET", "/compat/mem0/{agent}/v1/events/", READ),
    ("GET", "/compat/mem0/{agent}/v1/event/x/", READ),
    ("GET", "/compat/mem0/{agent}/api/v1/orgs/organizations/o/projects/p/", READ),
    ("PATCH", "/compat/mem0/{agent}/api/v1/orgs/organizations/o/projects/p/", RULE),
    ("POST", "/compat/mem0/{agent}/memories", ADD),
    ("GET", "/compat/mem0/{agent}/memories", READ),
    ("DELETE", "/compat/mem0/{agent}/memories", RULE),
    ("GET", "/compat/mem0/{agent}/memories/{uuid}", READ),
    ("PUT", "/compat/mem0/{agent}/memories/{uuid}", RULE),
    ("DELETE", "/compat/mem0/{agent}/memories/{uuid}", RULE),
    ("GET", "/compat/mem0/{agent}/memories/{uuid}/history", READ),
    ("POST", "/compat/mem0/{agent}/search", READ),
    ("POST", "/compat/mem0/{agent}/v3/memories", READ),
    ("GET", "/compat/mem0/{agent}/v1/ping", READ),
];

const AGENT: &str = "zebra-seven";

struct World {
    client: Client,
    /// The UUID of the agent's memory in mem0's interface.
    uuid: String,
}

impl World {
    async fn new() -> World {
        let agent = Agent::new(AGENT).unwrap();
        let client = Client::of(service_with_memories(&agent).await);
        let memory = client.service.memories_of(&agent, Grain::Working).await.unwrap().remove(0);
        World { client, uuid: super::mem0::uuid(memory.id.as_str()) }
    }

    async fn key(&self, number: u8, workspace: &str, scopes: &[Scope], agents: &[&str]) -> String {
        let request = NewKey {
            name: number.to_string(),
            workspace: workspace.into(),
            scopes: scopes.iter().copied().collect(),
            agents: agents.iter().map(ToString::to_string).collect(),
            expires_at: None,
            daily_tokens: None,
        };
        let fill = |bytes: &mut [u8]| -> Result<(), getrandom::Error> {
            bytes.fill(number);
            Ok(())
        };
        self.client.service.add_key(request, at(NOW), fill).await.unwrap().0.text.expose_secret().to_owned()
    }

    async fn ask(&self, route: (&str, &str), agent: &str, header: &str, value: &str) -> (u16, Value) {
        let path = route.1.replace("{agent}", agent).replace("{uuid}", &self.uuid);
        let body = if route.0 == "GET" { Value::Null } else { json!({ "nothing": "valid" }) };
        self.client.ask_with(route.0, &path, body, &[(header, value)]).await
    }
}

#[tokio::test]
async fn each_route_takes_the_keys_of_its_scope_and_no_others() {
    let world = World::new().await;
    let mut keys = Vec::new();
    for (number, scope) in (1..).zip(Scope::ALL) {
        keys.push((scope, world.key(number, "default", &[scope], &[]).await));
    }
    let before = world.client.export(AGENT).await;
    for (method, path, needed) in ROUTES {
        for (scope, key) in keys.iter().filter(|(scope, _)| *scope != needed && *scope != RULE) {
            let (status, answer) = world.ask((method, path), AGENT, "authorization", &format!("Token {key}")).await;
            assert_eq!((status, &answer["code"]), (403, &json!("insufficient_scope")), "{method} {path} with {scope}");
        }
        let (status, _) = world.ask((method, path), AGENT, "authorization", "Token annals_wrong").await;
        assert_eq!(status, 401, "{method} {path}");
    }
    assert_eq!(world.client.export(AGENT).await, before);
    for (method, path, needed) in ROUTES {
        let (_, key) = keys.iter().find(|(scope, _)| *scope == needed).unwrap();
        for (header, value) in [("authorization", format!("Token {key}")), ("x-api-key", key.clone())] {
            let (status, answer) = world.ask((method, path), AGENT, header, &value).await;
            assert!(!matches!(status, 401 | 403 | 405 | 500..), "{method} {path}: {status} {answer}");
        }
    }
}

#[tokio::test]
async fn agent_of_others_discloses_and_changes_nothing() {
    let world = World::new().await;
    let before = world.client.export(AGENT).await;
    let foreign = world.key(1, "elsewhere", &Scope::ALL, &[]).await;
    let bound = world.key(2, "default", &Scope::ALL, &["yak-one"]).await;
    for (method, path, _) in ROUTES {
        for key in [&foreign, &bound] {
            let (status, answer) = world.ask((method, path), AGENT, "authorization", &format!("Bearer {key}")).await;
            let text = answer.to_string();
            assert!(status != 500 && !text.contains("Azores") && !text.contains("Bern"), "{method} {path}: {text}");
        }
        let (status, answer) = world.ask((method, path), AGENT, "authorization", &format!("Bearer {bound}")).await;
        assert_eq!((status, &answer["code"]), (404, &json!("not_found")), "{method} {path}");
    }
    assert_eq!(world.client.export(AGENT).await, before);
}

#[tokio::test]
async fn tools_of_the_reference_server_need_the_scope_of_facts() {
    let world = World::new().await;
    let search = world.key(1, "default", &[READ], &[]).await;
    let admin = world.key(2, "default", &[RULE], &[]).await;
    let call = async |key: &str, name: &str, arguments: Value| {
        let params = json!({ "name": name, "arguments": arguments });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let key = format!("Bearer {key}");
        let path = format!("/mcp-memory/{AGENT}");
        world.client.ask_with("POST", &path, body, &[("authorization", &key)]).await.1["result"].clone()
    };
    let entities = json!({ "entities": [{ "name": "X", "entityType": "y", "observations": [] }] });
    let refused = call(&search, "create_entities", entities.clone()).await;
    assert_eq!(
        (&refused["isError"], &refused["content"][0]["text"]),
        (&json!(true), &json!("the key lacks the scope \"admin\""))
    );
    assert_eq!(call(&search, "read_graph", json!({})).await["isError"], json!(false));
    assert_eq!(call(&admin, "create_entities", entities).await["isError"], json!(false));
}

/// Each word of a question is looked up before any filter applies.
#[tokio::test]
async fn questions_of_a_megabyte_are_refused() {
    let world = World::new().await;
    let long = "sailing ".repeat(125_000);
    let call = |name: &str, field: &str| {
        let params = json!({ "name": name, "arguments": { "agent": AGENT, (field): long } });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
    };
    for (path, body) in [
        (format!("/compat/mem0/{AGENT}/v3/memories/search/"), json!({ "query": long })),
        (format!("/compat/mem0/{AGENT}/v2/memories/search/"), json!({ "query": long })),
        (format!("/compat/mem0/{AGENT}/search"), json!({ "query": long })),
        (format!("/compat/langgraph/{AGENT}/store/items/search"), json!({ "namespace_prefix": [], "query": long })),
        ("/mcp".to_owned(), call("search_memory", "query")),
        ("/mcp".to_owned(), call("memory_context", "prompt")),
    ] {
        let (status, answer) = world.client.ask("POST", &path, body).await;
        let (expect, is_error) = if path == "/mcp" { (200, true) } else { (400, false) };
        assert_eq!((status, answer["result"]["isError"] == json!(true)), (expect, is_error), "{path}: {answer}");
        assert!(answer.to_string().contains("32 KiB are allowed"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn errors_of_every_kind_have_the_shape_that_the_client_parses() {
    let world = World::new().await;
    let reader = world.key(1, "default", &[READ], &[]).await;
    let good = format!("Bearer {reader}");
    // What is wrong: the key, its scope, the path, the method, the length of the body.
    let cases = [
        (401, "POST", "items", "Token annals_wrong", None),
        (403, "POST", "items", good.as_str(), None),
        (404, "GET", "none/such", good.as_str(), None),
        (405, "PATCH", "items", good.as_str(), None),
        (413, "POST", "items", good.as_str(), Some("99999999999")),
    ];
    for (prefix, items) in [
        (format!("/compat/mem0/{AGENT}"), "memories"),
        (format!("/compat/openai/{AGENT}/v1"), "conversations"),
        (format!("/compat/langgraph/{AGENT}"), "store/items/search"),
        (format!("/compat/anthropic/{AGENT}"), ""),
    ] {
        for (status, method, path, key, length) in cases {
            // The store's search and the memory tool need only the scope for reading.
            if status == 403 && !["memories", "conversations"].contains(&items) {
                continue;
            }
            let path = format!("{prefix}/{}", path.replace("items", items)).trim_end_matches('/').to_owned();
            let mut headers = vec![("authorization", key)];
            headers.extend(length.map(|length| ("content-length", length)));
            let (found, error) = world.client.ask_with(method, &path, json!({}), &headers).await;
            let text = match items {
                "conversations" => &error["error"]["message"],
                _ => &error["detail"],
            };
            assert!(found == status && text.is_string(), "{method} {path}: {found} {error}");
            assert_eq!(items == "memories", error["error"] == error["detail"], "{method} {path}: {error}");
        }
    }
}
