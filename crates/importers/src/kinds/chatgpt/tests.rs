//! Tests of files, their order and times, and of faults. The modules below test branches and the kinds of content.

mod branches;
mod content;
mod odd;

use super::super::testing::{check_again, check_with, items, options, shown, zipped};
use crate::{Kind, Limits, Source, import};
use branches::regenerated;

#[track_caller]
fn check(json: &str, expect: &str) {
    check_with(Kind::ChatGpt, &options(), &[("conversations.json", json)], expect);
}

/// Returns the JSON of a node from its id, parent (`-` for none), role, time in seconds after 1700000000 (or `null`) and
/// content.
fn node(id: &str, parent: &str, role: &str, at: &str, content: &str) -> String {
    node_with(id, parent, role, at, content, "")
}

fn node_with(id: &str, parent: &str, role: &str, at: &str, content: &str, more: &str) -> String {
    let parent = if parent == "-" { "null".to_owned() } else { format!("{parent:?}") };
    let at = if at == "null" { at.to_owned() } else { (1_700_000_000.0 + at.parse::<f64>().unwrap()).to_string() };
    format!(
        r#""{id}":{{"id":"{id}","parent":{parent},"children":[],"message":{{"id":"{id}","author":{{"role":"{role}"}},"create_time":{at},"content":{content}{more}}}}}"#
    )
}

fn text(text: &str) -> String {
    format!(r#"{{"content_type":"text","parts":[{}]}}"#, serde_json::Value::from(text))
}

fn message(id: &str, parent: &str, role: &str, at: &str, words: &str) -> String {
    node(id, parent, role, at, &text(words))
}

/// Returns the JSON of an export with one conversation.
fn export(fields: &str, nodes: &[String]) -> String {
    format!("[{}]", one(fields, nodes))
}

fn one(fields: &str, nodes: &[String]) -> String {
    format!(
        r#"{{"conversation_id":"c1","title":"Trip","create_time":1700000000.0{fields},"mapping":{{{}}}}}"#,
        nodes.join(",")
    )
}

fn simple() -> String {
    export(
        r#","current_node":"a1""#,
        &[message("u1", "-", "user", "1", "Hello"), message("a1", "u1", "assistant", "2.5", "Hi.")],
    )
}

const SIMPLE: &str = "conversation chatgpt:c1 Trip
    chatgpt:c1 u1 user 2023-11-14T22:13:21Z Hello
    chatgpt:c1 a1 assistant 2023-11-14T22:13:22.5Z Hi.";

#[test]
fn one_file_is_read() {
    check(&simple(), SIMPLE);
}

#[test]
fn split_files_and_the_files_beside_them_are_read() {
    let other = simple().replace("\"c1\"", "\"c2\"");
    check_with(
        Kind::ChatGpt,
        &options(),
        &[
            ("conversations-000.json", &simple()),
            ("conversations-001.json", &other),
            ("conversations.json.index", "x"),
            ("chat.html", "<html>"),
            ("user.json", "{}"),
            ("shared_conversations.json", r#"[{"id":"s","conversation_id":"c1"}]"#),
            ("library_files.json", "{}"),
            ("file-1.dat", "x"),
        ],
        &format!("{SIMPLE}\n{}\nskip 6 file without conversations", SIMPLE.replace(":c1", ":c2")),
    );
}

#[test]
fn single_conversation_and_archive_are_read() {
    let single = simple();
    check(&single[1..single.len() - 1], SIMPLE);
    let archive = zipped(&[("conversations.json", single.as_bytes()), ("user.json", b"{}")]);
    let scratch = tempfile::tempdir().unwrap();
    let mut source = Source::from_reader("export.zip", &mut &archive[..], scratch.path(), Limits::default()).unwrap();
    let mut found = Vec::new();
    let summary = import(Kind::ChatGpt, &mut source, &options(), &mut |item| {
        found.push(item);
        Ok(())
    });
    assert!(shown(&found, &summary.unwrap()).contains("chatgpt:c1 a1 assistant"));
}

#[test]
fn slim_exports_without_children_or_without_parents_are_linked() {
    let slim = simple().replace(r#""children":[],"#, "");
    check(&slim, SIMPLE);
    let only_children = r#"[{"id":"c1","title":"Trip","create_time":1700000000,"mapping":{
        "r":{"id":"r","message":null,"children":["u1"]},
        "u1":{"message":{"author":{"role":"user"},"create_time":1700000001,"content":{"parts":["Hello"]}},"children":["a1"]},
        "a1":{"message":{"author":{"role":"assistant"},"create_time":1700000002.5,"content":{"content_type":"text","parts":["Hi."]}}}}}]"#;
    check(only_children, SIMPLE);
}

#[test]
fn undated_messages_follow_the_date_rule() {
    let nodes = [
        message("u1", "-", "user", "null", "One"),
        message("a1", "u1", "assistant", "5", "Two"),
        message("u2", "a1", "user", "null", "Three"),
        message("a2", "u2", "assistant", "4", "Four"),
    ];
    check(
        &export(r#","current_node":"a2""#, &nodes),
        "conversation chatgpt:c1 Trip
         chatgpt:c1 u1 user 2023-11-14T22:13:20Z One
         chatgpt:c1 a1 assistant 2023-11-14T22:13:25Z Two
         chatgpt:c1 u2 user 2023-11-14T22:13:25.001Z Three
         chatgpt:c1 a2 assistant 2023-11-14T22:13:25.001Z Four",
    );
}

#[test]
fn times_are_numbers_texts_or_missing_and_never_the_present() {
    let nodes = [message("u1", "-", "user", "null", "One")];
    let with = |time: &str| export("", &nodes).replace(r#""create_time":1700000000.0"#, time);
    let at = |json: &str| {
        items(Kind::ChatGpt, &[("c.json", json)], &options())
            .1
            .days
            .into_iter()
            .map(|day| day.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(at(&with(r#""create_time":"2024-02-03T04:05:06Z""#)), ["2024-02-03"]);
    assert_eq!(at(&with(r#""create_time":null,"update_time":1700000000"#)), ["2023-11-14"]);
    // A time after the import is ignored.
    assert_eq!(at(&with(r#""create_time":4000000000,"update_time":1700000000"#)), ["2023-11-14"]);
    check(&with(r#""create_time":null"#), "conversation chatgpt:c1 Trip\nskip 1 message without a time");
}

#[test]
fn missing_author_metadata_and_unknown_shapes_are_reported_and_the_rest_is_read() {
    let json = format!(
        r#"[{{"title":"no id"}},{{"id":"shell","title":"x"}},{{"id":"odd","mapping":[1]}},7,{}]"#,
        one(
            "",
            &[
                r#""n0":{"message":{"content":{"parts":["x"]}}}"#.to_owned(),
                node("n1", "n0", "critic", "1", &text("x")),
                node("n2", "n1", "assistant", "2", r#"{"content_type":"smell","parts":["x"]}"#),
                message("n3", "n2", "user", "3", "Hello"),
            ],
        )
    );
    check(
        &json,
        r#"conversation chatgpt:c1 Trip
           chatgpt:c1 n3 user 2023-11-14T22:13:23Z Hello
           skip 1 mapping of an unknown shape
           skip 1 message without a role
           skip 1 unknown content type "smell"
           skip 1 unknown role "critic"
           skip 2 value that is no conversation
           skip 1 conversation without messages"#,
    );
}

#[test]
fn damaged_and_cut_off_files_are_reported_and_the_rest_is_read() {
    let json = simple();
    let broken = json.replacen("[{", r#"[{"id":"broken","mapping":{}} } , {"id": bad},"#, 1).replacen(",{", ",\n{", 1);
    let (_, summary) = items(Kind::ChatGpt, &[("c.json", &format!("{broken}{{"))], &options());
    assert!(summary.skipped.count("damaged JSON") > 0);
    let cut = format!("{},{}", &json[..json.len() - 1], &json[1..90]);
    let (found, summary) = items(Kind::ChatGpt, &[("c.json", &cut)], &options());
    assert_eq!((summary.total_messages(), summary.skipped.count("damaged JSON")), (2, 1), "{found:?}");
}

#[test]
fn text_beyond_the_limit_is_split_and_nothing_is_lost() {
    let words = "word ".repeat(100_000);
    let (_, summary) =
        items(Kind::ChatGpt, &[("c.json", &export("", &[message("u1", "-", "user", "1", &words)]))], &options());
    assert_eq!(summary.total_messages(), 2);
}

#[test]
fn same_export_again_changes_nothing_and_a_longer_one_adds() {
    let longer = regenerated(r#","current_node":"b3""#).replacen(
        r#""b2":"#,
        &format!("{},{}", message("b3", "b2", "assistant", "99", "Bye."), r#""b2":"#),
        1,
    );
    check_again(
        Kind::ChatGpt,
        &[("conversations.json", &regenerated(r#","current_node":"b2""#))],
        &[("conversations-000.json", &longer)],
    );
}
