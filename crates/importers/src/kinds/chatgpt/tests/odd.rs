//! Tests of unusual exports: unknown parts, times of all forms, lone surrogates, shared and deep conversations.

use crate::Kind;
use crate::kinds::testing::{check_with, items, options};

use super::{SIMPLE, check, export, message, node, simple, text};

#[test]
fn odd_parts_are_named_and_the_rest_is_read() {
    let nodes = [
        node("a", "-", "user", "1", r#"{"content_type":"text","parts":null}"#),
        node(
            "b",
            "a",
            "user",
            "2",
            r#"{"content_type":"multimodal_text","parts":[null,{"content_type":"smell"},"Here."]}"#,
        ),
        node("c", "b", "assistant", "3", r#"{"content_type":"hologram"}"#),
        node("d", "c", "critic", "4", &text("Who?")),
        node("e", "d", "assistant", "5", &text("A\u{0}B")),
        r#""f":7,"g":null,"h":{"message":"text","parent":"e"}"#.to_owned(),
    ];
    check(
        &export(r#","current_node":"e""#, &nodes),
        "conversation chatgpt:c1 Trip
        chatgpt:c1 b user 2023-11-14T22:13:22Z Here.
        chatgpt:c1 e assistant 2023-11-14T22:13:25Z A\u{fffd}B
        skip 1 unknown content type \"hologram\"
        skip 1 unknown part \"smell\"
        skip 1 unknown role \"critic\"
        skip 1 message of another branch (--branches all)
        skip 1 empty message",
    );
}

#[test]
fn times_of_all_forms_are_read_and_others_follow_their_neighbours() {
    let message = |id: &str, parent: &str, at: &str| {
        message(id, parent, "user", "0", id).replace("\"create_time\":1700000000", &format!("\"create_time\":{at}"))
    };
    let nodes = [
        message("a", "-", "null"),
        message("b", "a", "\"2023-11-14T22:13:20Z\""),
        message("c", "b", "1700000001"),
        message("d", "c", "\"soon\""),
        message("e", "d", "99999999999999999999"),
        message("f", "e", "true"),
    ];
    check(
        &export(r#","current_node":"f""#, &nodes),
        "conversation chatgpt:c1 Trip
        chatgpt:c1 a user 2023-11-14T22:13:20Z a
        chatgpt:c1 b user 2023-11-14T22:13:20Z b
        chatgpt:c1 c user 2023-11-14T22:13:21Z c
        chatgpt:c1 d user 2023-11-14T22:13:21.001Z d
        chatgpt:c1 e user 2023-11-14T22:13:21.002Z e
        chatgpt:c1 f user 2023-11-14T22:13:21.003Z f",
    );
}

#[test]
fn half_a_character_does_not_lose_its_conversation() {
    let cut = simple().replace("Hello", "Hello \\ud83d");
    check(&cut, &SIMPLE.replace("Hello", "Hello \u{fffd}"));
}

#[test]
fn shared_and_wrapped_conversations_are_read() {
    let shared = r#"{"conversation_id":"c1","title":"Trip","create_time":1700000000.0,"mapping":{},"linear_conversation":[
        {"id":"u1","message":{"id":"u1","author":{"role":"user"},"create_time":1700000001,"content":{"content_type":"text","parts":["Hello"]}}},
        {"id":"a1","message":{"id":"a1","author":{"role":"assistant"},"create_time":1700000002.5,"content":{"content_type":"text","parts":["Hi."]}}}]}"#;
    check(shared, SIMPLE);
    check(&format!("{{\"conversations\":{}}}", simple()), SIMPLE);
}

#[test]
fn file_with_a_mark_and_line_ends_of_windows_is_read() {
    check(&format!("\u{feff}{}", simple().replace(",\"parent\"", ",\r\n\"parent\"")), SIMPLE);
}

#[test]
fn deep_conversation_is_read_in_full() {
    let at = |number: usize| number.to_string();
    let id = |number: usize| format!("n{number}");
    let nodes: Vec<String> = (0..10_000)
        .map(|number| {
            let parent = if number == 0 { "-".to_owned() } else { id(number - 1) };
            message(&id(number), &parent, "user", &at(number), "Again.")
        })
        .collect();
    let (items, summary) =
        items(Kind::ChatGpt, &[("c.json", &export(r#","current_node":"n9999""#, &nodes))], &options());
    assert_eq!((items.len(), summary.skipped.total()), (10_001, 0));
}

#[test]
fn capture_of_a_browser_extension_holds_its_conversation() {
    let capture = r#"{"source":"browser-extension","session":{"turns":[]},"payload":{"id":"c1","title":"Boat","create_time":1784164500,
        "current_node":"c","mapping":{
        "a":{"parent":null,"message":{"author":{"role":"user"},"create_time":1784164540,"content":{"content_type":"text","parts":["Is it watertight?"]}}},
        "b":{"parent":"a","message":{"author":{"role":"assistant"},"create_time":1784164541,"content":{"content_type":"thoughts","parts":["Check the hull."]}}},
        "c":{"parent":"b","message":{"author":{"role":"assistant"},"create_time":1784164542,"content":{"content_type":"text","parts":["Yes."]}}}}}}"#;
    let mut options = options();
    options.thinking = true;
    check_with(
        Kind::ChatGpt,
        &options,
        &[("capture.json", capture)],
        "conversation chatgpt:c1 Boat
         chatgpt:c1 a user 2026-07-16T01:15:40Z Is it watertight?
         chatgpt:c1 b:thinking assistant 2026-07-16T01:15:41Z Check the hull.
         chatgpt:c1 c assistant 2026-07-16T01:15:42Z Yes.",
    );
}
