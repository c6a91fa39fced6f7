use super::super::testing::{check_again, check_with, items, options, shown};
use crate::{Branches, Kind, Options};

#[track_caller]
fn check(json: &str, expect: &str) {
    check_with(Kind::Claude, &options(), &[("conversations.json", json)], expect);
}

/// Returns the JSON of an export with one conversation.
fn export(fields: &str, messages: &[String]) -> String {
    format!(
        r#"[{{"uuid":"c1","name":"Trip","summary":"","created_at":"2025-03-01T10:00:00.123456Z","updated_at":"2025-03-02T10:00:00Z","account":{{"uuid":"x"}}{fields},"chat_messages":[{}]}}]"#,
        messages.join(",")
    )
}

/// Returns the JSON of a message; `more` has its content and further fields.
fn message(uuid: &str, sender: &str, second: u32, more: &str) -> String {
    format!(
        r#"{{"uuid":"{uuid}","sender":"{sender}","created_at":"2025-03-01T10:00:{second:02}.123456+00:00","attachments":[],"files":[]{more}}}"#
    )
}

fn human(uuid: &str, second: u32, text: &str) -> String {
    message(uuid, "human", second, &format!(r#","text":{text:?},"content":[{{"type":"text","text":{text:?}}}]"#))
}

#[test]
fn blocks_are_read_and_not_the_flattened_text() {
    let answer = r#","text":"Thinking… This block is not supported","content":[
        {"type":"thinking","thinking":"Hm","summaries":[]},
        {"type":"text","text":"First.","citations":[]},
        {"type":"tool_use","name":"artifacts","input":{"command":"create","content":"A poem"}},
        {"type":"tool_result","name":"artifacts","content":[{"type":"text","text":"OK"}],"is_error":false},
        {"type":"text","text":"Second."}]"#;
    let json = export("", &[human("m1", 1, "Write"), message("m2", "assistant", 2, answer)]);
    check(
        &json,
        "conversation claude:c1 Trip
         claude:c1 m1 user 2025-03-01T10:00:01.123Z Write
         claude:c1 m2 assistant 2025-03-01T10:00:02.123Z First.

         Second.
         skip 2 call or result of a tool (--tools)
         skip 1 thinking (--thinking)",
    );
    let options = Options { tools: true, thinking: true, me: Some("Ann".into()), ..options() };
    check_with(
        Kind::Claude,
        &options,
        &[("conversations.json", &json)],
        "conversation claude:c1 Trip
         claude:c1 m1 user Ann 2025-03-01T10:00:01.123Z Write
         claude:c1 m2:thinking assistant 2025-03-01T10:00:02.123Z Hm
         claude:c1 m2 assistant 2025-03-01T10:00:02.123Z First.

         Second.
         claude:c1 m2:tool tool 2025-03-01T10:00:02.123Z artifacts: A poem
         claude:c1 m2:tool2 tool 2025-03-01T10:00:02.123Z OK",
    );
}

#[test]
fn text_counts_where_there_are_no_blocks() {
    let old = [
        message("m1", "human", 1, r#","text":"Hello""#),
        message("m2", "assistant", 2, r#","text":"Hi.","content":[]"#),
    ];
    check(
        &export("", &old),
        "conversation claude:c1 Trip
         claude:c1 m1 user 2025-03-01T10:00:01.123Z Hello
         claude:c1 m2 assistant 2025-03-01T10:00:02.123Z Hi.",
    );
}

#[test]
fn text_that_a_person_typed_beside_an_image_counts() {
    check(
        &export("", &[message("m1", "human", 1, r#","text":"Look","content":[{"type":"image"}]"#)]),
        "conversation claude:c1 Trip
         claude:c1 m1 user 2025-03-01T10:00:01.123Z Look
         skip 1 image",
    );
}

#[test]
fn message_of_thinking_alone_is_not_an_empty_one() {
    let more = r#","text":"","content":[{"type":"thinking","thinking":"Hm"}]"#;
    check(
        &export("", &[message("m1", "assistant", 1, more)]),
        "conversation claude:c1 Trip
         skip 1 thinking (--thinking)",
    );
}

#[test]
fn unknown_blocks_are_reported_and_the_rest_is_read() {
    let more = r#","content":[{"type":"hologram","x":1},{"type":"voice_note","title":"Note","text":"Spoken"},{"type":"token_budget"}]"#;
    check(
        &export("", &[message("m1", "human", 1, more)]),
        r#"conversation claude:c1 Trip
           claude:c1 m1 user 2025-03-01T10:00:01.123Z Spoken
           skip 1 unknown block "hologram"
           skip 1 technical block"#,
    );
}

#[test]
fn attachments_are_part_of_the_turn_and_files_are_counted() {
    let more = r#","text":"Read it","content":[],"attachments":[{"file_name":"a.txt","file_size":3,"extracted_content":"All of it"},{"file_name":"b.png","extracted_content":""}],"files":[{"file_name":"c.png"}]"#;
    let json = export("", &[message("m1", "human", 1, more).replace(r#""attachments":[],"files":[],"#, "")]);
    check(
        &json,
        "conversation claude:c1 Trip
         claude:c1 m1 user 2025-03-01T10:00:01.123Z Read it

         [Attachment a.txt]
         All of it
         skip 1 attachment without text
         skip 1 uploaded file",
    );
}

#[test]
fn attachment_of_the_length_of_a_book_is_split() {
    let book = "word ".repeat(60_000);
    let more = format!(r#","text":"Read it","attachments":[{{"file_name":"book.txt","extracted_content":"{book}"}}]"#);
    let json = export("", &[message("m1", "human", 1, &more).replace(r#""attachments":[],"files":[],"#, "")]);
    let (found, summary) = items(Kind::Claude, &[("c.json", &json)], &options());
    assert_eq!(summary.total_messages(), 2);
    assert!(shown(&found, &summary).contains("claude:c1 m1#2 user"));
}

#[test]
fn summary_and_empty_name_are_kept_as_they_are() {
    let json = export("", &[human("m1", 1, "Hello")])
        .replace(r#""name":"Trip""#, r#""name":"""#)
        .replace(r#""summary":"""#, r#""summary":"They talked.""#);
    check(&json, "conversation claude:c1 They talked.\nclaude:c1 m1 user 2025-03-01T10:00:01.123Z Hello");
}

/// Returns an export in which the message `m1` has two answers, as browser exporters write them. The root's parent is an id
/// that is not in the file.
fn branched(fields: &str) -> String {
    let with_parent =
        |message: String, parent: &str| message.replacen('{', &format!(r#"{{"parent_message_uuid":"{parent}","#), 1);
    export(
        fields,
        &[
            with_parent(human("m1", 1, "Where to?"), "00000000-0000-4000-8000-000000000000"),
            with_parent(message("a1", "assistant", 2, r#","text":"Rome.""#), "m1"),
            with_parent(message("b1", "assistant", 9, r#","text":"Oslo.""#), "m1"),
        ],
    )
}

#[test]
fn branches_end_at_the_current_leaf_or_the_latest() {
    let rome = "conversation claude:c1 Trip
         claude:c1 m1 user 2025-03-01T10:00:01.123Z Where to?
         claude:c1 a1 assistant 2025-03-01T10:00:02.123Z Rome.";
    let skipped = "skip 1 message of another branch (--branches all)";
    check(&branched(r#","current_leaf_message_uuid":"a1""#), &format!("{rome}\n{skipped}"));
    let oslo =
        rome.replace("a1 assistant 2025-03-01T10:00:02.123Z Rome.", "b1 assistant 2025-03-01T10:00:09.123Z Oslo.");
    check(&branched(""), &format!("{oslo}\n{skipped}"));
    let options = Options { branches: Branches::All, ..options() };
    let other = format!("{rome}\nclaude:c1#b1 b1 assistant 2025-03-01T10:00:09.123Z Oslo.");
    check_with(Kind::Claude, &options, &[("c.json", &branched(r#","current_leaf_message_uuid":"a1""#))], &other);
}

#[test]
fn single_chat_of_another_tool_with_roles_and_indexes_is_read() {
    let messages = [
        r#"{"uuid":"m2","role":"assistant","index":1,"text":"Hi.","created_at":"2025-03-01T10:00:02Z"}"#.to_owned(),
        r#"{"uuid":"m1","role":"user","index":0,"text":"Hello","created_at":"2025-03-01T10:00:01Z"}"#.to_owned(),
    ];
    let json = export("", &messages);
    check(
        &json[1..json.len() - 1],
        "conversation claude:c1 Trip
         claude:c1 m1 user 2025-03-01T10:00:01Z Hello
         claude:c1 m2 assistant 2025-03-01T10:00:02Z Hi.",
    );
}

#[test]
fn undated_messages_follow_the_date_rule() {
    let undated = human("m1", 1, "One").replace(r#""created_at":"2025-03-01T10:00:01.123456+00:00","#, "");
    check(
        &export("", &[undated.clone(), human("m2", 2, "Two"), undated.replace("m1", "m3")]),
        "conversation claude:c1 Trip
         claude:c1 m1 user 2025-03-01T10:00:00.123Z One
         claude:c1 m2 user 2025-03-01T10:00:02.123Z Two
         claude:c1 m3 user 2025-03-01T10:00:02.124Z One",
    );
}

#[test]
fn projects_and_memories_are_documents() {
    let project = r#"[{"uuid":"p1","name":"House","description":"The new house","prompt_template":"Be exact","created_at":"2025-01-01T00:00:00Z",
        "docs":[{"uuid":"d1","filename":"plan.md","content":"Three rooms","created_at":"2025-01-02T00:00:00Z"},{"filename":"x"}]}]"#;
    let memories = r#"[{"account_uuid":"x","conversations_memory":"Ann likes tea.","project_memories":{"p1":"Roof first.","p2":7}}]"#;
    check_with(
        Kind::Claude,
        &options(),
        &[
            ("projects.json", project),
            ("memories.json", memories),
            ("users.json", r#"[{"uuid":"x","full_name":"Ann","email_address":"a@b"}]"#),
        ],
        "document claude:project/p1/description [House: description] The new house 2025-01-01T00:00:00Z
         document claude:project/p1/instructions [House: instructions] Be exact 2025-01-01T00:00:00Z
         document claude:project/p1/d1 [House: plan.md] Three rooms 2025-01-02T00:00:00Z
         document claude:memory [Claude's memory] Ann likes tea. 2025-01-02T00:00:00Z
         document claude:memory/p1 [Claude's memory of a project] Roof first. 2025-01-02T00:00:00Z
         skip 1 document without a uuid
         skip 1 memory of an unknown shape
         skip 1 account",
    );
}

#[test]
fn design_chats_are_conversations() {
    let chat = r#"{"uuid":"d1","title":"Logo","createdAt":"2026-03-01T10:00:00Z","project":{"uuid":"p"},"messages":[
        {"uuid":"m1","role":"user","createdAt":"2026-03-01T10:00:01Z","contentBlocks":[{"type":"text","text":"A logo"}]},
        {"uuid":"m2","role":"assistant","content":"Here.","createdAt":"2026-03-01T10:00:02Z"}]}"#;
    check_with(
        Kind::Claude,
        &options(),
        &[("design_chats/d1.json", chat)],
        "conversation claude:d1 Logo
         claude:d1 m1 user 2026-03-01T10:00:01Z A logo
         claude:d1 m2 assistant 2026-03-01T10:00:02Z Here.",
    );
}

#[test]
fn unknown_shapes_are_reported_and_the_rest_is_read() {
    let good = export("", &[message("m0", "robot", 1, ""), r#"{"text":"x"}"#.to_owned(), human("m1", 2, "Hello")]);
    let json = format!(
        r#"[{{"chat_messages":[]}},{{"uuid":"e","chat_messages":[]}},{{"uuid":"o","chat_messages":7}},{{"a":1}},{}"#,
        &good[1..]
    );
    check(
        &json,
        r#"conversation claude:c1 Trip
           claude:c1 m1 user 2025-03-01T10:00:02.123Z Hello
           skip 1 conversation without a uuid
           skip 1 message without a uuid
           skip 1 messages of an unknown shape
           skip 1 unknown sender "robot"
           skip 1 value of an unknown shape
           skip 1 conversation without messages"#,
    );
}

#[test]
fn same_export_again_changes_nothing_and_a_longer_one_adds() {
    let first = export("", &[human("m1", 1, "Hello")]);
    let longer =
        export("", &[human("m1", 1, "Hello"), human("m2", 2, "And")]).replace("2025-03-02T10", "2025-03-09T10");
    check_again(Kind::Claude, &[("conversations.json", &first)], &[("conversations.json", &longer)]);
}
