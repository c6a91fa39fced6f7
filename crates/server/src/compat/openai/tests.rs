use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use annals_core::SignedDuration;
use annals_testkit::{MemoryCatalog, at};
use serde_json::{Value, json};

use crate::compat::testing::Client;
use crate::fixture::{NOW, over};

const ROOT: &str = "/compat/openai/ann/v1/conversations";

async fn conversation(client: &Client, body: Value) -> String {
    let made = client.get_ok(client.ask("POST", ROOT, body).await);
    made["id"].as_str().unwrap().to_owned()
}

async fn items(client: &Client, id: &str, query: &str) -> Value {
    client.get_ok(client.ask("GET", &format!("{ROOT}/{id}/items?{query}"), Value::Null).await)
}

fn message(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

/// Returns a client of a service with a clock that advances by a second at each reading.
fn ticking() -> Client {
    let seconds = AtomicI64::new(0);
    let clock = move || at(NOW) + SignedDuration::from_secs(seconds.fetch_add(1, Ordering::Relaxed));
    Client::of(over(Arc::new(MemoryCatalog::new()), Arc::new(clock)))
}

#[tokio::test]
async fn conversation_is_created_changed_and_deleted() {
    let client = Client::new();
    let id = conversation(&client, json!({ "metadata": { "topic": "demo" } })).await;
    let path = format!("{ROOT}/{id}");
    let found = client.get_ok(client.ask("GET", &path, Value::Null).await);
    let expect =
        json!({ "id": id, "object": "conversation", "created_at": 1_773_144_000, "metadata": { "topic": "demo" } });
    assert_eq!(found, expect);
    let changed = client.get_ok(client.ask("POST", &path, json!({ "metadata": { "topic": "other" } })).await);
    assert_eq!(changed["metadata"], json!({ "topic": "other" }));
    assert_eq!(client.get_ok(client.ask("GET", &path, Value::Null).await), changed);
    assert!(!client.export("ann").await.contains("begins."), "the text of the turn is the metadata");
    let deleted = client.get_ok(client.ask("DELETE", &path, Value::Null).await);
    assert_eq!(deleted, json!({ "id": id, "object": "conversation.deleted", "deleted": true }));
    for method in ["GET", "DELETE", "POST"] {
        let (status, error) = client.ask(method, &path, json!({})).await;
        assert_eq!((status, &error["error"]["code"]), (404, &json!("not_found")), "{method}");
        assert_eq!(error["error"]["type"], "invalid_request_error");
    }
}

#[tokio::test]
async fn items_round_trip_in_order() {
    let client = Client::new();
    let id = conversation(&client, json!({ "items": [message("How is Bern?")] })).await;
    let sent = json!([
        { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc" },
        { "type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{\"b\": 1}", "status": "completed" },
        { "type": "function_call_output", "id": "fco_1", "call_id": "c", "output": [{ "type": "input_text", "text": "rain" }] },
        { "type": "message", "id": "msg_9", "role": "assistant", "status": "completed", "phase": "final_answer",
          "content": [{ "type": "output_text", "text": "It rains.", "annotations": [], "logprobs": [] }] },
        { "type": "brand_new_call", "id": "x_1", "deep": { "er": [1, null, true] } },
    ]);
    let added = client.ask("POST", &format!("{ROOT}/{id}/items"), json!({ "items": sent })).await;
    assert_eq!(client.get_ok(added)["data"], sent);
    let listed = items(&client, &id, "order=asc").await;
    assert_eq!(&listed["data"].as_array().unwrap()[1..], sent.as_array().unwrap());
    assert_eq!(listed["data"][0]["content"], json!([{ "type": "input_text", "text": "How is Bern?" }]));
    assert_eq!((&listed["object"], &listed["has_more"]), (&json!("list"), &json!(false)));
    assert_eq!((&listed["first_id"], &listed["last_id"]), (&listed["data"][0]["id"], &json!("x_1")));
    let one = client.get_ok(client.ask("GET", &format!("{ROOT}/{id}/items/fc_1"), Value::Null).await);
    assert_eq!(one, sent[1]);
}

#[tokio::test]
async fn items_are_turns_of_the_agent() {
    // Searches do not find messages that are dated later than now.
    let client = ticking();
    let call = json!({ "type": "function_call", "call_id": "c", "name": "get_weather", "arguments": "{}" });
    let reply = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Take an umbrella." }] });
    let id = conversation(&client, json!({ "items": [message("How is Bern?"), call, reply] })).await;
    client.service.make_searchable(&annals_core::Agent::new("ann").unwrap(), &|_| ()).await.unwrap();
    let search = json!({ "query": "umbrella", "grains": ["working"], "conversation": id });
    let found = client.get_ok(client.ask("POST", "/v1/agents/ann/search", search).await);
    assert_eq!(found["results"][0]["text"], "Take an umbrella.");
    let roles: Vec<_> = client.export("ann").await.lines().filter_map(role).collect();
    assert_eq!(roles, ["system", "user", "tool", "assistant"]);
}

fn role(line: &str) -> Option<String> {
    let record: Value = serde_json::from_str(line).unwrap();
    record["role"].as_str().map(str::to_owned)
}

#[tokio::test]
async fn pages_join_in_both_orders() {
    let client = Client::new();
    let texts: Vec<Value> = (0..7).map(|number| message(&number.to_string())).collect();
    let id = conversation(&client, json!({ "items": texts })).await;
    for (order, expect) in [("asc", "0123456"), ("desc", "6543210")] {
        for limit in [1, 2, 6, 7, 8] {
            let (mut seen, mut after) = (String::new(), String::new());
            loop {
                let page = items(&client, &id, &format!("order={order}&limit={limit}{after}")).await;
                let data = page["data"].as_array().unwrap();
                assert!(!data.is_empty() && data.len() <= limit, "{order} {limit}");
                seen.extend(data.iter().map(|item| item["content"][0]["text"].as_str().unwrap()));
                after = format!("&after={}", page["last_id"].as_str().unwrap());
                if page["has_more"] == false {
                    break;
                }
            }
            assert_eq!(seen, expect, "{order} {limit}");
        }
    }
    assert_eq!(items(&client, &id, "").await["data"][0]["content"][0]["text"], "6", "newest first unless asked");
}

#[tokio::test]
async fn forgotten_turn_takes_its_item_along() {
    let client = Client::new();
    let secret = json!({ "role": "user", "content": "My cat is called Xanthippe.", "hidden": "Rumpelstilz" });
    let id = conversation(&client, json!({ "items": [secret, message("Good morning")] })).await;
    let listed = items(&client, &id, "order=asc").await;
    let first = listed["data"][0]["id"].as_str().unwrap().to_owned();
    let deleted = client.ask("DELETE", &format!("{ROOT}/{id}/items/{first}"), Value::Null).await;
    assert_eq!(client.get_ok(deleted)["id"], json!(id));
    let left = client.export("ann").await;
    assert!(!left.contains("Xanthippe") && !left.contains("Rumpelstilz"), "{left}");
    assert_eq!(items(&client, &id, "").await["data"].as_array().unwrap().len(), 1);
    let (status, _) = client.ask("GET", &format!("{ROOT}/{id}/items/{first}"), Value::Null).await;
    assert_eq!(status, 404);
    // Forgetting by name also searches the attached items.
    let named = json!({ "role": "user", "content": "Hello", "extra": "for Zelda Quist" });
    client.get_ok(client.ask("POST", &format!("{ROOT}/{id}/items"), json!({ "items": [named] })).await);
    let forget = json!({ "subject": "Zelda Quist", "dry_run": false });
    let forgotten = client.get_ok(client.ask("POST", "/v1/agents/ann/forget", forget).await);
    assert_eq!((&forgotten["turns"].as_array().unwrap().len(), &forgotten["proof"]["clean"]), (&1, &json!(true)));
    assert!(!client.export("ann").await.contains("Zelda"));
}

#[tokio::test]
async fn credentials_in_items_are_masked() {
    let client = Client::new();
    let secret = format!("ghp_{}", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9jK2");
    let call = json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "note": secret });
    conversation(&client, json!({ "items": [message(&secret), call] })).await;
    assert!(!client.export("ann").await.contains(&secret[..20]));
}

/// The SDK gives items of models without ids a placeholder, and sends items of an earlier answer again.
#[tokio::test]
async fn placeholder_or_taken_id_is_replaced() {
    let client = Client::new();
    let with_id = |id: &str| json!({ "type": "message", "id": id, "role": "user", "content": "same" });
    let items_sent =
        json!({ "items": [with_id("__fake_id__"), with_id("__fake_id__"), with_id("msg_1"), with_id("msg_1")] });
    let id = conversation(&client, items_sent).await;
    client.get_ok(client.ask("POST", &format!("{ROOT}/{id}/items"), json!({ "items": [with_id("msg_1")] })).await);
    let listed = items(&client, &id, "").await;
    let ids: std::collections::BTreeSet<&str> =
        listed["data"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 5);
    assert!(ids.contains("msg_1") && !ids.contains("__fake_id__"), "{ids:?}");
}

#[tokio::test]
async fn removed_item_can_be_added_again() {
    let client = Client::new();
    let id = conversation(&client, json!({})).await;
    let path = format!("{ROOT}/{id}/items");
    let body = json!({ "items": [{ "type": "reasoning", "id": "rs_1", "summary": [{ "text": "tea first" }] }, message("Tea?")] });
    client.get_ok(client.ask("POST", &path, body.clone()).await);
    client.get_ok(client.ask("DELETE", &format!("{path}/rs_1"), Value::Null).await);
    for headers in [&[][..], &[("idempotency-key", "k")]] {
        let again = client.get_ok(client.ask_with("POST", &path, body.clone(), headers).await);
        assert_eq!((again["data"].as_array().unwrap().len(), &again["data"][0]["type"]), (2, &json!("reasoning")));
        assert_eq!(again["data"][0]["summary"], body["items"][0]["summary"]);
    }
}

#[tokio::test]
async fn request_repeated_with_its_key_adds_nothing() {
    let client = Client::new();
    let id = conversation(&client, json!({})).await;
    let path = format!("{ROOT}/{id}/items");
    let body = json!({ "items": [message("once"), message("once")] });
    let send = async || client.get_ok(client.ask_with("POST", &path, body.clone(), &[("idempotency-key", "k1")]).await);
    assert_eq!(send().await, send().await);
    assert_eq!(items(&client, &id, "").await["data"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn wrong_requests_are_refused_in_openai_s_shape() {
    let client = Client::new();
    let id = conversation(&client, json!({ "items": [message("a")] })).await;
    let path = format!("{ROOT}/{id}/items");
    let check = async |method: &str, path: &str, body: Value, expect: &str| {
        let (status, error) = client.ask(method, path, body).await;
        let text = error["error"]["message"].as_str().unwrap_or_default();
        assert_eq!((status, text.contains(expect)), (400, true), "{method} {path}: {error}");
    };
    check("POST", &path, json!({ "items": vec![message("x"); 1000] }), "items are 1000").await;
    check("POST", ROOT, json!({ "id": "" }), "id must have 1 to 256 bytes").await;
    check("POST", ROOT, json!({ "id": 7 }), "id must have 1 to 256 bytes").await;
    check("POST", &path, json!({ "items": [] }), "items are 0").await;
    check("POST", &path, json!({ "items": [7] }), "items[0] is not an object").await;
    check("POST", &path, json!({ "items": [{ "a": 1 }] }), "items[0] has no type").await;
    check("POST", &path, json!([]), "the body is not a JSON object").await;
    check("POST", ROOT, json!({ "metadata": { "a": 1 } }), "metadata must have keys").await;
    check("GET", &format!("{path}?limit=101"), Value::Null, "limit must be between 1 and 100").await;
    check("GET", &format!("{path}?order=up"), Value::Null, "order must be asc or desc").await;
    check("GET", &format!("{path}?after=none"), Value::Null, "after is not an item").await;
    let (status, error) =
        client.ask("POST", &format!("{ROOT}/conv_none/items"), json!({ "items": [message("a")] })).await;
    assert_eq!((status, &error["error"]["code"]), (404, &json!("not_found")));
}

#[tokio::test]
async fn items_of_a_large_request_are_added_together() {
    let client = Client::new();
    let many: Vec<Value> = (0..999).map(|number| message(&number.to_string())).collect();
    let id = conversation(&client, json!({ "items": many })).await;
    let path = format!("{ROOT}/{id}/items");
    let added = client.get_ok(client.ask("POST", &path, json!({ "items": many })).await);
    let texts: Vec<Value> =
        added["data"].as_array().unwrap().iter().map(|item| item["content"][0]["text"].clone()).collect();
    assert_eq!(texts, (0..999).map(|number| json!(number.to_string())).collect::<Vec<_>>());
    let half = json!({ "items": [message("kept?"), { "no": "type" }] });
    assert_eq!(client.ask("POST", &path, half).await.0, 400);
    assert_eq!(items(&client, &id, "limit=1").await["data"][0]["content"][0]["text"], "998");
}

#[tokio::test]
async fn client_may_name_a_conversation_once_and_again_after_deleting_it() {
    let client = ticking();
    let body = json!({ "id": "chat 1", "metadata": { "topic": "tea" }, "items": [message("Hello")] });
    for _ in 0..2 {
        assert_eq!(conversation(&client, body.clone()).await, "chat 1");
        let (status, error) = client.ask("POST", ROOT, body.clone()).await;
        assert_eq!((status, &error["error"]["code"]), (409, &json!("exists")), "{error}");
        let path = format!("{ROOT}/chat%201");
        assert_eq!(client.get_ok(client.ask("GET", &path, Value::Null).await)["metadata"], body["metadata"]);
        assert_eq!(items(&client, "chat%201", "").await["data"].as_array().unwrap().len(), 1);
        client.get_ok(client.ask("DELETE", &path, Value::Null).await);
        assert_eq!(client.ask("GET", &path, Value::Null).await.0, 404);
    }
    // The name of a conversation that was stored through another interface is also taken.
    let messages = json!({ "conversation": "chat-2", "messages": [{ "role": "user", "content": "Hello" }] });
    client.ask("POST", "/v1/agents/ann/messages", messages).await;
    assert_eq!(client.ask("POST", ROOT, json!({ "id": "chat-2" })).await.0, 409);
}

#[tokio::test]
async fn conversation_of_another_way_in_can_be_read() {
    let client = Client::new();
    let messages = json!({ "conversation": "chat-42", "messages": [
        { "role": "user", "content": "Hello" }, { "role": "assistant", "content": "Hi" } ] });
    client.ask("POST", "/v1/agents/ann/messages", messages).await;
    let listed = items(&client, "chat-42", "order=asc").await;
    let texts: Vec<_> = listed["data"].as_array().unwrap().iter().map(|item| &item["content"][0]).collect();
    assert_eq!(texts[0], &json!({ "type": "input_text", "text": "Hello" }));
    assert_eq!(texts[1], &json!({ "type": "output_text", "text": "Hi", "annotations": [] }));
}
