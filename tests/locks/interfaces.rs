//! Requests that OpenAPI does not describe keep the locks: interfaces of other programs, MCP, the pages, and a stream of
//! events.

use reqwest::Method;
use serde_json::{Value, json};

use super::{id_in, say};
use crate::service::Served;

/// Sends a request that must succeed, and checks that the service still holds the locks.
async fn send(served: &Served, method: &str, path: &str, body: Value) -> Value {
    let sent = (!body.is_null()).then_some(&body);
    let verb = Method::from_bytes(method.as_bytes()).unwrap();
    let (status, answer) = served.ask(verb, path, None, sent).await;
    assert!(status.is_success(), "{method} {path}: {status} {answer}");
    assert_eq!(served.locks(), 1, "after {method} {path}");
    answer
}

#[tokio::test]
async fn every_interface_of_another_program_keeps_the_locks() {
    let served = Served::unlimited();
    let added = json!({ "messages": [{ "role": "user", "content": "Bea likes green tea." }], "user_id": "bea", "infer": false });
    let mem0 = |path: &str| format!("/compat/mem0/ann{path}");
    send(&served, "POST", &mem0("/v3/memories/add/"), added).await;
    let listed = send(&served, "POST", &mem0("/v3/memories/"), json!({ "filters": { "user_id": "bea" } })).await;
    let memory = mem0(&format!("/v1/memories/{}/", listed["results"][0]["id"].as_str().unwrap()));
    let query = json!({ "query": "tea", "filters": { "user_id": "bea" } });
    send(&served, "POST", &mem0("/v3/memories/search/"), query).await;
    send(&served, "GET", &mem0("/v1/ping/"), Value::Null).await;
    send(&served, "GET", &mem0("/v1/entities/"), Value::Null).await;
    send(&served, "GET", &memory, Value::Null).await;
    send(&served, "PUT", &memory, json!({ "text": "Bea likes black tea." })).await;
    send(&served, "GET", &format!("{memory}history/"), Value::Null).await;
    send(&served, "DELETE", &memory, Value::Null).await;

    let store = |path: &str| format!("/compat/langgraph/ann/{path}");
    let item = json!({ "namespace": ["a", "b"], "key": "k", "value": { "text": "tea" } });
    send(&served, "PUT", &store("store/items"), item).await;
    send(&served, "GET", &store("store/items?namespace=a.b&key=k"), Value::Null).await;
    send(&served, "POST", &store("store/items/search"), json!({ "namespace_prefix": ["a"], "query": "tea" })).await;
    send(&served, "POST", &store("store/namespaces"), json!({})).await;
    send(&served, "DELETE", &store("store/items"), json!({ "namespace": ["a", "b"], "key": "k" })).await;
    send(&served, "GET", &store("ok"), Value::Null).await;

    let root = "/compat/openai/ann/v1/conversations";
    let item = json!({ "role": "user", "content": "How is Bern?" });
    let made = send(&served, "POST", root, json!({ "items": [&item] })).await;
    let thread = format!("{root}/{}", made["id"].as_str().unwrap());
    let added = send(&served, "POST", &format!("{thread}/items"), json!({ "items": [item] })).await;
    let item = format!("{thread}/items/{}", added["data"][0]["id"].as_str().unwrap());
    for (method, path, body) in [
        ("GET", &thread, Value::Null),
        ("POST", &thread, json!({ "metadata": { "topic": "demo" } })),
        ("GET", &format!("{thread}/items"), Value::Null),
        ("GET", &item, Value::Null),
        ("DELETE", &item, Value::Null),
        ("DELETE", &thread, Value::Null),
    ] {
        send(&served, method, path, body).await;
    }

    let file = json!({ "command": "create", "path": "/memories/a.txt", "file_text": "tea" });
    send(&served, "POST", "/compat/anthropic/ann", file).await;
    send(&served, "POST", "/compat/anthropic/ann", json!({ "command": "view", "path": "/memories" })).await;
}

/// Sends an MCP message over HTTP that must succeed, and checks that the service still holds the locks.
async fn mcp(served: &Served, path: &str, method: &str, params: Value) {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = reqwest::Client::new().post(format!("{}{path}", served.address)).json(&message);
    let answer = request.header("accept", "application/json, text/event-stream").send().await.unwrap();
    let (status, answer) = (answer.status(), answer.json::<Value>().await.unwrap());
    assert!(status.is_success() && answer.get("error").is_none(), "{path} {method} {params}: {status} {answer}");
    assert_ne!(answer["result"]["isError"], json!(true), "{path} {method} {params}: {answer}");
    assert_eq!(served.locks(), 1, "after {path} {method} {params}");
}

#[tokio::test]
async fn every_tool_keeps_the_locks() {
    let served = Served::unlimited();
    say(&served, "1", "Ann moved from Oslo to Bern.").await;
    let (_, found) = served.get("/v1/agents/ann/timeline?grains=working").await;
    mcp(&served, "/mcp/ann", "tools/list", json!({})).await;
    for (tool, arguments) in [
        ("search_memory", json!({ "query": "Bern" })),
        ("get_memory", json!({ "id": id_in(&found) })),
        ("timeline", json!({})),
        ("search_facts", json!({ "about": "Ann" })),
        ("memory_context", json!({ "prompt": "Where does Ann live?" })),
        ("add_memory", json!({ "content": "Ann likes figs." })),
        ("forget_memory", json!({ "conversation": "talk" })),
    ] {
        mcp(&served, "/mcp/ann", "tools/call", json!({ "name": tool, "arguments": arguments })).await;
    }
    let ann = json!({ "name": "Ann", "entityType": "person", "observations": ["Likes tea"] });
    for (tool, arguments) in [
        ("create_entities", json!({ "entities": [ann] })),
        ("create_relations", json!({ "relations": [{ "from": "Ann", "to": "Bern", "relationType": "lives in" }] })),
        ("read_graph", json!({})),
        ("search_nodes", json!({ "query": "tea" })),
        ("open_nodes", json!({ "names": ["Ann"] })),
        ("delete_entities", json!({ "entityNames": ["Ann"] })),
    ] {
        mcp(&served, "/mcp-memory/ann", "tools/call", json!({ "name": tool, "arguments": arguments })).await;
    }
}

#[tokio::test]
async fn every_page_keeps_the_locks() {
    let served = Served::unlimited();
    say(&served, "1", "Ann moved from Oslo to Bern.").await;
    let (_, found) = served.get("/v1/agents/ann/timeline?grains=working").await;
    let memory = format!("/agents/ann/memories/{}", id_in(&found));
    for path in [
        "/",
        "/login",
        "/agents/ann",
        &memory,
        "/agents/ann/search?query=Bern",
        "/agents/ann/context?query=Bern",
        "/agents/ann/facts",
        "/agents/ann/status",
        "/agents/ann/forget?conversation=talk",
        "/agents/ann/import",
        "/import",
        "/jobs",
        "/keys",
        "/operator",
        "/costs",
        "/docs",
        "/metrics",
        "/healthz",
    ] {
        let (status, answer) = served.get(path).await;
        assert!(!status.is_server_error(), "{path}: {status} {answer}");
        assert_eq!(served.locks(), 1, "after {path}");
    }
    // A stream of events, while it is open and after its end.
    let mut events = reqwest::get(format!("{}/events?agent=ann&since=0", served.address)).await.unwrap();
    assert!(events.status().is_success(), "{}", events.status());
    assert!(events.chunk().await.unwrap().is_some());
    say(&served, "2", "Ann moved back.").await;
    assert_eq!(served.locks(), 1, "while a stream of events is open");
    drop(events);
    say(&served, "3", "Ann stays.").await;
    assert_eq!(served.locks(), 1, "after a stream of events");
}
