//! Access control of every tool, over MCP and over REST.

use annals_core::ports::Scope;
use serde_json::{Value, json};

use super::{AGENT, NOBODY, NOTHING, OTHER, World, key, shape, tells_nothing};
use crate::access::Caller;
use crate::mcp::{Format, definitions};

/// Returns every tool with the scope that it needs, and its arguments. A tool that is missing here fails the test.
fn tools(memory: &str, conversation: &str) -> [(&'static str, Scope, Value); 7] {
    [
        ("search_memory", Scope::Search, json!({"query": "trip"})),
        ("get_memory", Scope::Search, json!({"id": memory, "sources": true})),
        ("timeline", Scope::Search, json!({})),
        ("search_facts", Scope::Search, json!({"about": "Ann"})),
        ("memory_context", Scope::Search, json!({"prompt": "trip", "conversation": conversation})),
        ("add_memory", Scope::Ingest, json!({"content": "hello"})),
        ("forget_memory", Scope::Admin, json!({"ids": [memory]})),
    ]
}

/// Returns the two ways to call a tool, each with its path and body.
fn ways(agent: &str, tool: &str, arguments: &Value) -> [(String, Value); 2] {
    let params = json!({"name": tool, "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    [(format!("/mcp/{agent}"), call), (format!("/v1/agents/{agent}/tools/{tool}"), arguments.clone())]
}

fn is_refusal(status: u16, answer: &Value) -> bool {
    status >= 400 || answer["result"]["isError"] == json!(true) || answer["error"].is_object()
}

#[test]
fn table_lists_every_tool() {
    let there = definitions(&Caller::local(), Format::Mcp);
    let names: Vec<&str> = there.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, tools("", "").map(|(name, ..)| name));
}

#[tokio::test]
async fn tool_needs_its_scope() {
    for (index, (tool, needed, _)) in tools("", "").into_iter().enumerate() {
        for scope in Scope::ALL {
            let world = World::new().await;
            let arguments = tools(&world.memory, "talk")[index].2.clone();
            for (path, body) in ways(AGENT, tool, &arguments) {
                let (status, answer) = world.ask(Some(&key(scope.as_str())), "POST", &path, &body).await;
                let does = scope == needed || scope == Scope::Admin;
                // The second call does not find the memory that the first call has already forgotten.
                let gone = needed == Scope::Admin && does;
                assert!(gone || is_refusal(status, &answer) != does, "{path} {tool} {scope}: {status} {answer}");
                if !does {
                    tells_nothing(&path, &answer);
                }
            }
        }
    }
}

#[tokio::test]
async fn tool_call_without_a_valid_key_is_refused() {
    let world = World::new().await;
    for (tool, _, arguments) in tools(&world.memory, "talk") {
        for key in [None, Some(key("revoked")), Some(key("expired")), Some("annals_a_b".to_owned())] {
            for (path, body) in ways(AGENT, tool, &arguments) {
                assert_eq!(world.ask(key.as_deref(), "POST", &path, &body).await.0, 401, "{path} {tool}");
            }
        }
    }
}

#[tokio::test]
async fn data_of_others_looks_missing_to_tools() {
    for (name, agent, nobody) in [("foreign", AGENT, NOBODY), ("bound", AGENT, NOBODY), ("all", OTHER, OTHER)] {
        for index in 0..tools("", "").len() {
            let (world, control) = (World::new().await, World::new().await);
            let before = world.export().await;
            let (tool, _, arguments) = tools(&world.memory, "talk")[index].clone();
            let (_, _, missing) = tools(NOTHING, NOTHING)[index].clone();
            let requests = ways(agent, tool, &arguments).into_iter().zip(ways(nobody, tool, &missing));
            for ((path, body), (nowhere, missing)) in requests {
                let (status, answer) = world.ask(Some(&key(name)), "POST", &path, &body).await;
                let (expect, none) = control.ask(Some(&key(name)), "POST", &nowhere, &missing).await;
                let put_in = [AGENT, NOBODY, &world.memory, NOTHING, "talk"];
                let what = format!("{path} {tool} by {name}");
                assert_eq!((status, shape(&answer, &put_in)), (expect, shape(&none, &put_in)), "{what}");
                tells_nothing(&what, &answer);
            }
            assert_eq!(world.export().await, before, "{tool} by {name}");
        }
    }
}
