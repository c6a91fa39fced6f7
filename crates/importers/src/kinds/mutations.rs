//! Tests with exports that are changed at random: no input makes an import panic or fail, and all messages can be stored.

use std::collections::HashSet;

use annals_core::Message;
use proptest::prelude::*;
use serde_json::Value;

use super::testing::{items, options};
use crate::{Branches, Item, Kind, Options};

const SOURCES: [(Kind, &str, &str); 9] = [
    (Kind::ChatGpt, "conversations.json", include_str!("../../fixtures/chatgpt.json")),
    (Kind::Claude, "conversations.json", include_str!("../../fixtures/claude.json")),
    (Kind::ClaudeCode, "5e55.jsonl", include_str!("../../fixtures/claude-code.jsonl")),
    (Kind::Codex, "rollout-s2.jsonl", include_str!("../../fixtures/codex.jsonl")),
    (Kind::OpenClaw, "5d0c.jsonl", include_str!("../../fixtures/openclaw/sessions/old.jsonl")),
    (Kind::Letta, "helper.af", include_str!("../../fixtures/letta/conversation.af")),
    (Kind::Mem0, "page.json", include_str!("../../fixtures/mem0/page.json")),
    (Kind::McpMemory, "memory.jsonl", include_str!("../../fixtures/mcp-memory/memory.jsonl")),
    (Kind::Slack, "bread/2026-03-09.json", include_str!("../../fixtures/slack/workspace/bakery-2026/2026-03-09.json")),
];

/// Imports a text as a kind, and checks that all messages can be stored. Returns the numbers of items and skips.
fn run(kind: Kind, name: &str, text: &str) -> (usize, u64) {
    let options = Options { tools: true, thinking: true, branches: Branches::All, me: Some("Ann".into()), ..options() };
    let (found, summary) = items(kind, &[(name, text)], &options);
    let mut ids = HashSet::new();
    for imported in &found {
        let Item::Message(message) = &imported.item else { continue };
        let id = message.client_id.clone().unwrap();
        for name in [&message.conversation, &id].into_iter().chain(&message.name) {
            assert!(
                !name.is_empty() && name.len() <= Message::MAX_NAME_BYTES && !name.contains(char::is_control),
                "{name:?}"
            );
        }
        assert!(!message.content.trim().is_empty() && message.content.len() <= Message::MAX_CONTENT_BYTES);
        assert!(message.at <= options.now, "{message:?}");
        assert!(ids.insert((message.conversation.clone(), id)), "{message:?} came twice");
    }
    (found.len(), summary.skipped.total())
}

#[test]
fn unchanged_exports_give_all_messages_and_count_the_rest() {
    let found = SOURCES.map(|(kind, name, text)| (kind.as_str(), run(kind, name, text)));
    assert_eq!(
        found,
        [
            ("chatgpt", (14, 5)),
            ("claude", (16, 3)),
            ("claude-code", (7, 10)),
            ("codex", (6, 12)),
            ("openclaw", (3, 1)),
            ("letta", (12, 7)),
            ("mem0", (3, 4)),
            ("mcp-memory", (6, 0)),
            ("slack", (13, 7))
        ]
    );
}

/// Returns a file in which the value with the number `at`, counted through all nested values, is replaced by `other`.
fn with_value(text: &str, at: usize, other: &Value) -> String {
    let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(text).into_iter().collect();
    let mut values = values.unwrap();
    let mut left = at % values.iter().map(size).sum::<usize>();
    for value in &mut values {
        if replace(value, &mut left, other) {
            break;
        }
    }
    values.iter().map(|value| format!("{value}\n")).collect()
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(size).sum(),
        Value::Object(values) => values.values().map(size).sum(),
        _ => 0,
    }
}

fn replace(value: &mut Value, left: &mut usize, other: &Value) -> bool {
    if *left == 0 {
        *value = other.clone();
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(values) => values.iter_mut().any(|value| replace(value, left, other)),
        Value::Object(values) => values.values_mut().any(|value| replace(value, left, other)),
        _ => false,
    }
}

fn other() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        Value::Null,
        Value::Bool(true),
        Value::from(-1),
        Value::from(1e300),
        Value::from(9_999_999_999_u64),
        Value::from(""),
        Value::from("u1"),
        Value::from("root"),
        Value::from("a\u{0}b\nc"),
        Value::from("9999-12-31T23:59:59Z"),
        Value::from("\u{e200}\u{e202}【†"),
        Value::from("long ".repeat(60_000)),
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!([[], {"type": 7}, "x", null]),
        serde_json::json!({"content_type": "text", "parts": [{}], "type": "text", "text": []}),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn any_value_in_any_place_is_survived(source in 0..SOURCES.len(), at in any::<usize>(), other in other()) {
        let (kind, name, text) = SOURCES[source];
        run(kind, name, &with_value(text, at, &other));
    }

    #[test]
    fn any_two_values_in_any_places_are_survived(
        source in 0..SOURCES.len(), one in any::<usize>(), other in any::<usize>(), values in (other(), other())
    ) {
        let (kind, name, text) = SOURCES[source];
        let changed = with_value(text, one, &values.0);
        // The first change may have replaced the whole value by a list.
        run(kind, name, &with_value(&changed, other, &values.1));
    }

    #[test]
    fn any_bytes_in_any_place_are_survived(
        source in 0..SOURCES.len(), at in any::<prop::sample::Index>(), length in 0_usize..40, put in "[\\[\\]{}\",:x\\\\\n]{0,6}"
    ) {
        let (kind, name, text) = SOURCES[source];
        let at = at.index(text.len());
        let end = (at + length).min(text.len());
        let (mut from, mut to) = (at, end);
        while !text.is_char_boundary(from) { from -= 1 }
        while !text.is_char_boundary(to) { to += 1 }
        run(kind, name, &format!("{}{put}{}", &text[..from], &text[to..]));
    }

    #[test]
    fn every_kind_reads_every_file(source in 0..SOURCES.len(), kind in prop::sample::select(Kind::ALL.to_vec())) {
        let (_, name, text) = SOURCES[source];
        run(kind, name, text);
    }
}
