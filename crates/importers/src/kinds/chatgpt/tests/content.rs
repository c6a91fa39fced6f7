//! Tests of the kinds of content: voice, images, tools, thinking, hidden messages, memory, files, citations.

use crate::kinds::testing::{check_with, items, options, shown};
use crate::{Kind, Options};

use super::{check, export, message, node, node_with, one, text};

#[test]
fn voice_chats_keep_their_transcript_and_images_are_counted() {
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
