//! One agent under load does not delay another. Checked by the order of events, not by durations.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::service::Served;
use crate::story::days;

fn message(content: &str) -> Value {
    json!({ "messages": [{ "role": "user", "content": content }], "conversation": "talk" })
}

/// Searches find Bob's messages while an import of another agent is running and that agent receives live messages as well.
#[tokio::test]
async fn message_is_searchable_while_another_agent_is_imported() {
    let served = Served::unlimited();
    let file = served.annals.file("big.jsonl", &days("big", 120, 25));
    let mut import = served.annals.command(&["import", file.to_str().unwrap()]);
    let mut import = import.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while served.get("/v1/agents/big/status").await.1["not_yet_searchable"].as_u64().unwrap_or_default() < 100 {
        assert_eq!(import.try_wait().unwrap(), None, "the import is over before it was seen");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for number in 0..2 {
        let [live, own] = ["Live message", "Bob's message"].map(|words| message(&format!("{words} {number}.")));
        let bob = "/v1/agents/bob/messages?wait=searchable&timeout_seconds=60";
        let (_, (_, answer)) = tokio::join!(served.post("/v1/agents/big/messages", &live), served.post(bob, &own));
        // Facts may have been extracted by then, too.
        assert!(["searchable", "extracted"].contains(&answer["status"].as_str().unwrap()), "{answer}");
    }
    assert_eq!(import.try_wait().unwrap(), None, "bob waited for all of the import");
    assert!(import.wait().unwrap().success());
}
