use super::super::testing::{check_again, check_with, items, options, shown, zipped};
use crate::{Branches, Kind, Limits, Options, Source, import};

#[track_caller]
fn check(json: &str, expect: &str) {
    check_with(Kind::ChatGpt, &options(), &[("conversations.json", json)], expect);
}

/// Writes a node: id, parent (`-` for none), role, time in seconds after 1700000000 (or `null`), content.
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

/// Writes an export of one conversation.
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

/// `u1` with two answers; the second, `b1`, was continued and is shown.
fn regenerated(current: &str) -> String {
    export(
        current,
        &[
            message("root", "client-created-root", "system", "null", ""),
            message("u1", "root", "user", "1", "Where to?"),
            message("a1", "u1", "assistant", "2", "Rome."),
            message("a2", "a1", "user", "9", "Why?"),
            message("b1", "u1", "assistant", "3", "Oslo."),
            message("b2", "b1", "user", "4", "Good."),
        ],
    )
}

#[test]
fn active_branch_is_the_one_of_the_current_node() {
    check(
        &regenerated(r#","current_node":"b2""#),
        "conversation chatgpt:c1 Trip
         chatgpt:c1 u1 user 2023-11-14T22:13:21Z Where to?
         chatgpt:c1 b1 assistant 2023-11-14T22:13:23Z Oslo.
         chatgpt:c1 b2 user 2023-11-14T22:13:24Z Good.
         skip 2 message of another branch (--branches all)
         skip 1 system message",
    );
}

#[test]
fn without_a_valid_current_node_the_deepest_and_latest_leaf_is_taken() {
    for current in ["", r#","current_node":"gone""#, r#","current_node":null"#] {
        let (found, summary) = items(Kind::ChatGpt, &[("c.json", &regenerated(current))], &options());
        assert!(shown(&found, &summary).contains("chatgpt:c1 a2 user"), "{current}");
        assert_eq!(summary.total_messages(), 3);
    }
}

#[test]
fn other_branches_are_conversations_of_their_own_without_what_they_share() {
    let options = Options { branches: Branches::All, ..options() };
    check_with(
        Kind::ChatGpt,
        &options,
        &[("conversations.json", &regenerated(r#","current_node":"b2""#))],
        "conversation chatgpt:c1 Trip
         chatgpt:c1 u1 user 2023-11-14T22:13:21Z Where to?
         chatgpt:c1 b1 assistant 2023-11-14T22:13:23Z Oslo.
         chatgpt:c1 b2 user 2023-11-14T22:13:24Z Good.
         chatgpt:c1#a2 a1 assistant 2023-11-14T22:13:22Z Rome.
         chatgpt:c1#a2 a2 user 2023-11-14T22:13:29Z Why?
         skip 1 system message",
    );
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
    // A time after the import is no time.
    assert_eq!(at(&with(r#""create_time":4000000000,"update_time":1700000000"#)), ["2023-11-14"]);
    check(&with(r#""create_time":null"#), "conversation chatgpt:c1 Trip\nskip 1 message without a time");
}

#[test]
fn voice_chats_keep_what_was_said_and_images_are_counted() {
    let voice = r#"{"content_type":"multimodal_text","parts":[
        {"content_type":"audio_transcription","text":"Good morning","direction":"in"},
        {"content_type":"audio_asset_pointer","asset_pointer":"x"}]}"#;
    let image = r#"{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer"},"What is it?",{"content_type":"hologram"}]}"#;
    check(
        &export("", &[node("u1", "-", "user", "1", voice), node("u2", "u1", "user", "2", image)]),
        r#"conversation chatgpt:c1 Trip
           chatgpt:c1 u1 user 2023-11-14T22:13:21Z Good morning
           chatgpt:c1 u2 user 2023-11-14T22:13:22Z What is it?
           skip 1 unknown part "hologram"
           skip 1 image
           skip 1 recording"#,
    );
}

fn with_tools() -> String {
    let call = r#"{"content_type":"code","language":"python","text":"print(1)"}"#;
    let result = r#"{"content_type":"execution_output","text":"1"}"#;
    let thoughts = r#"{"content_type":"thoughts","thoughts":[{"summary":"Sum","content":"One and one"}]}"#;
    export(
        "",
        &[
            message("n1", "-", "user", "1", "Count"),
            node("n2", "n1", "assistant", "2", thoughts),
            node_with("n3", "n2", "assistant", "3", call, r#","recipient":"python""#),
            node("n4", "n3", "tool", "null", result),
            node("n5", "n4", "assistant", "5", r#"{"content_type":"reasoning_recap","content":"Thought for 2s"}"#),
            node_with("n6", "n5", "assistant", "6", &text("1."), r#","recipient":"all","metadata":null,"weight":0"#),
        ],
    )
}

#[test]
fn tools_and_thinking_are_counted_by_default() {
    check(
        &with_tools(),
        "conversation chatgpt:c1 Trip
         chatgpt:c1 n1 user 2023-11-14T22:13:21Z Count
         chatgpt:c1 n6 assistant 2023-11-14T22:13:26Z 1.
         skip 2 call or result of a tool (--tools)
         skip 2 thinking (--thinking)",
    );
}

#[test]
fn tools_and_thinking_come_on_request() {
    let options = Options { tools: true, thinking: true, me: Some("Ann".into()), ..options() };
    check_with(
        Kind::ChatGpt,
        &options,
        &[("conversations.json", &with_tools())],
        "conversation chatgpt:c1 Trip
         chatgpt:c1 n1 user Ann 2023-11-14T22:13:21Z Count
         chatgpt:c1 n2:thinking assistant 2023-11-14T22:13:22Z Sum
         One and one
         chatgpt:c1 n3:tool tool 2023-11-14T22:13:23Z print(1)
         chatgpt:c1 n4:tool tool 2023-11-14T22:13:23.001Z 1
         chatgpt:c1 n5:thinking assistant 2023-11-14T22:13:25Z Thought for 2s
         chatgpt:c1 n6 assistant 2023-11-14T22:13:26Z 1.",
    );
}

#[test]
fn hidden_messages_and_custom_instructions_are_counted() {
    check(
        &export(
            "",
            &[
                node_with(
                    "n1",
                    "-",
                    "user",
                    "1",
                    &text("x"),
                    r#","metadata":{"is_visually_hidden_from_conversation":true}"#,
                ),
                node_with(
                    "n2",
                    "n1",
                    "user",
                    "2",
                    &text("x"),
                    r#","metadata":{"is_user_system_message":true,"user_context_message_data":{"about_user_message":"I am Ann"}}"#,
                ),
                node("n3", "n2", "user", "3", r#"{"content_type":"user_editable_context","user_profile":"x"}"#),
                message("n4", "n3", "user", "4", "Hello"),
                message("n5", "n4", "assistant", "5", " "),
            ],
        ),
        "conversation chatgpt:c1 Trip
         chatgpt:c1 n4 user 2023-11-14T22:13:24Z Hello
         skip 2 custom instructions
         skip 1 empty message
         skip 1 hidden message",
    );
}

#[test]
fn memory_is_a_document_of_its_conversation_and_comes_once() {
    let memory = r#"{"content_type":"model_editable_context","model_set_context":"1. Likes tea."}"#;
    let nodes = [node("m1", "-", "assistant", "null", memory), message("u1", "m1", "user", "1", "Hello")];
    let two = format!("[{},{}]", one("", &nodes), one("", &nodes).replace("c1", "c2"));
    let (found, summary) = items(Kind::ChatGpt, &[("c.json", &two)], &options());
    let shown = shown(&found, &summary);
    assert!(shown.contains("[ChatGPT's memory] 1. Likes tea. 2023-11-14T22:13:20Z"), "{shown}");
    assert_eq!((summary.documents, summary.skipped.count("memory that came before")), (1, 1));
}

#[test]
fn uploaded_files_and_empty_results_are_counted() {
    let file = r#","metadata":{"attachments":[{"id":"f","name":"a.pdf"}]}"#;
    let nodes = [node_with("u1", "-", "user", "1", &text("Read it"), file), node("t1", "u1", "tool", "2", &text(""))];
    check(
        &export("", &nodes),
        "conversation chatgpt:c1 Trip
         chatgpt:c1 u1 user 2023-11-14T22:13:21Z Read it
         skip 1 empty message
         skip 1 uploaded file",
    );
}

#[test]
fn citation_marks_are_removed_from_answers_only() {
    let marked = "Rain\u{e200}cite\u{e202}turn0\u{e201}【1†source】.";
    let nodes =
        [message("u1", "-", "user", "1", "Is 【1†source】 a mark?"), message("a1", "u1", "assistant", "2", marked)];
    check(
        &export("", &nodes),
        "conversation chatgpt:c1 Trip
         chatgpt:c1 u1 user 2023-11-14T22:13:21Z Is 【1†source】 a mark?
         chatgpt:c1 a1 assistant 2023-11-14T22:13:22Z Rain.",
    );
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
fn cycle_of_parents_ends() {
    let nodes = [message("a", "b", "user", "1", "One"), message("b", "a", "assistant", "2", "Two")];
    let (_, summary) = items(Kind::ChatGpt, &[("c.json", &export(r#","current_node":"a""#, &nodes))], &options());
    assert_eq!(summary.total_messages(), 2);
    check(&export("", &nodes), "skip 1 conversation without messages");
    let beside = [nodes[0].clone(), nodes[1].clone(), message("u1", "-", "user", "1", "Hello")];
    let options = Options { branches: Branches::All, ..options() };
    check_with(
        Kind::ChatGpt,
        &options,
        &[("c.json", &export("", &beside))],
        "conversation chatgpt:c1 Trip
         chatgpt:c1 u1 user 2023-11-14T22:13:21Z Hello
         skip 2 message outside all branches",
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
