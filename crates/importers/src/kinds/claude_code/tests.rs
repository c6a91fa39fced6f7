use super::super::testing::{check_again, check_with, items, options};
use crate::{Kind, Options};

#[track_caller]
fn check(files: &[(&str, &str)], expect: &str) {
    check_with(Kind::ClaudeCode, &options(), files, expect);
}

/// Returns a line for a turn; `more` has further fields.
fn line(kind: &str, uuid: &str, session: &str, second: u32, content: &str, more: &str) -> String {
    format!(
        r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":null,"sessionId":"{session}","timestamp":"2026-05-01T10:00:{second:02}.000Z","message":{{"role":"{kind}","content":{content}}}{more}}}"#
    )
}

fn user(uuid: &str, second: u32, text: &str) -> String {
    line("user", uuid, "s1", second, &format!("{text:?}"), "")
}

fn answer(uuid: &str, second: u32, blocks: &str) -> String {
    line("assistant", uuid, "s1", second, &format!("[{blocks}]"), "")
}

const TEXT: &str = r#"{"type":"text","text":"Done."}"#;

#[test]
fn typed_and_answered_text_is_read() {
    let file = [
        r#"{"type":"summary","summary":"Old title","leafUuid":"x"}"#.to_owned(),
        user("u1", 1, "Fix the build"),
        answer("a1", 2, TEXT),
        r#"{"type":"ai-title","aiTitle":"Build fix","sessionId":"s1"}"#.to_owned(),
    ]
    .join("\n");
    check(
        &[("-home-p/s1.jsonl", &file)],
        r#"claude-code:s1 u1 user 2026-05-01T10:00:01Z Fix the build
           claude-code:s1 a1 assistant 2026-05-01T10:00:02Z Done.
           conversation claude-code:s1 Build fix
           skip 1 line "ai-title"
           skip 1 line "summary""#,
    );
}

#[test]
fn persons_title_wins_and_first_line_is_the_last_resort() {
    let title = r#"{"type":"custom-title","customTitle":"Mine"}"#;
    let file = format!("{}\n{title}\n{}", user("u1", 1, "Hello"), r#"{"type":"ai-title","aiTitle":"Its"}"#);
    let (found, summary) = items(Kind::ClaudeCode, &[("s1.jsonl", &file)], &options());
    assert!(super::super::testing::shown(&found, &summary).contains("conversation claude-code:s1 Mine"));
    check(
        &[("s1.jsonl", &user("u1", 1, "Hello"))],
        "claude-code:s1 u1 user 2026-05-01T10:00:01Z Hello\nconversation claude-code:s1 Hello",
    );
}

#[test]
fn what_nobody_typed_is_passed_over() {
    let file = [
        line("user", "u1", "s1", 1, "\"Caveat\"", r#","isMeta":true"#),
        line(
            "user",
            "u2",
            "s1",
            2,
            "\"This session continues\"",
            r#","isCompactSummary":true,"isVisibleInTranscriptOnly":true"#,
        ),
        line(
            "user",
            "u3",
            "s1",
            3,
            r#"[{"type":"tool_result","tool_use_id":"t","content":"ok"}]"#,
            r#","toolUseResult":{"stdout":"ok"}"#,
        ),
        line("user", "u4", "s1", 4, "\"From a task\"", r#","origin":{"kind":"task-notification"}"#),
        user("u5", 5, "<command-name>/clear</command-name>"),
        user("u6", 6, "[Request interrupted by user]"),
        line("user", "u7", "s1", 7, "\"Side\"", r#","isSidechain":true"#),
        line("assistant", "a8", "s1", 8, r#"[{"type":"text","text":"API Error"}]"#, r#","isApiErrorMessage":true"#),
        line("user", "u9", "s1", 9, "\"Typed\"", r#","origin":{"kind":"human"},"toolUseResult":null"#),
    ]
    .join("\n");
    check(
        &[("s1.jsonl", &file)],
        "claude-code:s1 u9 user 2026-05-01T10:00:09Z Typed
         conversation claude-code:s1 Typed
         skip 1 call or result of a tool (--tools)
         skip 1 error of the API
         skip 1 message of a subagent
         skip 2 message of the program
         skip 2 message without text
         skip 1 summary of a compacted conversation",
    );
}

#[test]
fn what_was_typed_while_the_assistant_worked_is_read() {
    let queued = |uuid: &str, attachment: &str| {
        format!(
            r#"{{"type":"attachment","uuid":"{uuid}","sessionId":"s1","timestamp":"2026-05-01T10:00:05Z","attachment":{{{attachment}}}}}"#
        )
    };
    let file = [
        user("u1", 1, "Go"),
        queued("q1", r#""type":"queued_command","prompt":"Stop there","commandMode":"prompt""#),
        queued("q2", r#""type":"queued_command","prompt":[{"type":"text","text":"See this"},{"type":"image"}],"origin":{"kind":"human"}"#),
        queued("q3", r#""type":"queued_command","prompt":"x","commandMode":"task-notification""#),
        queued("q4", r#""type":"queued_command","prompt":"x","origin":{"kind":"peer"}"#),
        queued("q5", r#""type":"todo_reminder","content":[]"#),
    ]
    .join("\n");
    check(
        &[("s1.jsonl", &file)],
        r#"claude-code:s1 u1 user 2026-05-01T10:00:01Z Go
           claude-code:s1 q1 user 2026-05-01T10:00:05Z Stop there
           claude-code:s1 q2 user 2026-05-01T10:00:05Z See this
           conversation claude-code:s1 Go
           skip 1 image or document
           skip 3 line "attachment""#,
    );
}

#[test]
fn reminders_are_cut_out_of_typed_text() {
    let blocks =
        r#"[{"type":"text","text":"Look\n<system-reminder>x</system-reminder>"},{"type":"image","source":{}}]"#;
    check(
        &[("s1.jsonl", &line("user", "u1", "s1", 1, blocks, ""))],
        "claude-code:s1 u1 user 2026-05-01T10:00:01Z Look
         conversation claude-code:s1 Look
         skip 1 image or document",
    );
}

#[test]
fn lines_of_one_answer_are_joined() {
    let block = |uuid: &str, second, block: &str| {
        answer(uuid, second, block).replace(r#""role":"assistant""#, r#""role":"assistant","id":"msg_1""#)
    };
    let file = [
        user("u1", 1, "Go"),
        block("a1", 2, r#"{"type":"thinking","thinking":"Hm","signature":"s"}"#),
        block("a2", 3, r#"{"type":"text","text":"First."}"#),
        block("a3", 4, r#"{"type":"text","text":"Second."}"#),
        block("a4", 5, r#"{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}"#),
    ]
    .join("\n");
    check(
        &[("s1.jsonl", &file)],
        "claude-code:s1 u1 user 2026-05-01T10:00:01Z Go
         claude-code:s1 a1 assistant 2026-05-01T10:00:02Z First.

         Second.
         conversation claude-code:s1 Go
         skip 1 call or result of a tool (--tools)
         skip 1 thinking (--thinking)",
    );
}

#[test]
fn thinking_and_tools_come_on_request() {
    let options = Options { tools: true, thinking: true, me: Some("Ann".into()), ..options() };
    let blocks = r#"{"type":"thinking","thinking":"Hm"},{"type":"text","text":"Listing."},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}"#;
    let result = line(
        "user",
        "u2",
        "s1",
        3,
        r#"[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a.rs"}]}]"#,
        "",
    );
    let file = [user("u1", 1, "Go"), answer("a1", 2, blocks), result].join("\n");
    check_with(
        Kind::ClaudeCode,
        &options,
        &[("s1.jsonl", &file)],
        "claude-code:s1 u1 user Ann 2026-05-01T10:00:01Z Go
         claude-code:s1 a1:thinking assistant 2026-05-01T10:00:02Z Hm
         claude-code:s1 a1 assistant 2026-05-01T10:00:02Z Listing.
         claude-code:s1 a1:tool tool 2026-05-01T10:00:02Z Bash: ls
         claude-code:s1 u2:tool tool 2026-05-01T10:00:03Z a.rs
         conversation claude-code:s1 Go",
    );
}

#[test]
fn resumed_file_adds_only_its_own_lines() {
    let old = [user("u1", 1, "Hello"), answer("a1", 2, TEXT)].join("\n");
    // The copied lines name the new session. Both files begin at the same time, and the copy ends later.
    let resumed =
        format!("{}\n{}", old.replace("\"s1\"", "\"a-new\""), line("user", "u2", "a-new", 30, "\"More\"", ""));
    check(
        &[("a-new.jsonl", &resumed), ("s1.jsonl", &old)],
        "claude-code:s1 u1 user 2026-05-01T10:00:01Z Hello
         claude-code:s1 a1 assistant 2026-05-01T10:00:02Z Done.
         conversation claude-code:s1 Hello
         claude-code:a-new u2 user 2026-05-01T10:00:30Z More
         conversation claude-code:a-new More
         skip 2 copied line",
    );
}

#[test]
fn copied_lines_that_keep_their_session_belong_to_it() {
    let file = [user("u1", 1, "Hello"), line("user", "u2", "s2", 9, "\"More\"", "")].join("\n");
    check(
        &[("s2.jsonl", &file)],
        "claude-code:s1 u1 user 2026-05-01T10:00:01Z Hello
         claude-code:s2 u2 user 2026-05-01T10:00:09Z More
         conversation claude-code:s2 More",
    );
}

#[test]
fn forked_lines_with_new_uuids_are_read_once() {
    let origin = r#","forkedFrom":{"sessionId":"s1","messageUuid":"u1"}"#;
    let fork =
        [line("user", "n1", "s2", 1, "\"Hello\"", origin), line("user", "n2", "s2", 9, "\"Other way\"", "")].join("\n");
    check(
        &[("a/s2.jsonl", &fork), ("b/s1.jsonl", &user("u1", 1, "Hello"))],
        "claude-code:s1 u1 user 2026-05-01T10:00:01Z Hello
         conversation claude-code:s1 Hello
         claude-code:s2 n2 user 2026-05-01T10:00:09Z Other way
         conversation claude-code:s2 Other way
         skip 1 copied line",
    );
}

#[test]
fn repeated_uuid_within_a_file_is_read_once() {
    let file = [user("u1", 1, "Hello"), user("u1", 1, "Hello")].join("\n");
    let (_, summary) = items(Kind::ClaudeCode, &[("s1.jsonl", &file)], &options());
    assert_eq!((summary.total_messages(), summary.skipped.count("copied line")), (1, 1));
}

#[test]
fn files_of_subagents_are_counted_and_not_read() {
    let file = user("x", 1, "Search");
    check(
        &[
            ("s1/subagents/agent-1.jsonl", &file),
            ("agent-2.jsonl", &file),
            ("agent-acompact-3.jsonl", &file),
            ("memory.md", "x"),
        ],
        "skip 1 file without a session
         skip 3 subagent's file",
    );
}

#[test]
fn line_without_a_time_follows_the_one_before() {
    let undated = user("u2", 2, "And now").replace(r#""timestamp":"2026-05-01T10:00:02.000Z","#, "");
    check(
        &[("s1.jsonl", &format!("{}\n{undated}", user("u1", 1, "Hello")))],
        "claude-code:s1 u1 user 2026-05-01T10:00:01Z Hello
         claude-code:s1 u2 user 2026-05-01T10:00:01.001Z And now
         conversation claude-code:s1 Hello",
    );
    check(&[("s1.jsonl", &undated)], "skip 1 message without a time");
}

#[test]
fn unknown_and_damaged_lines_are_reported_and_the_rest_is_read() {
    let file = [
        r#"{"type":"hologram","uuid":"h"}"#,
        r#"{"type":"user","uuid":"#,
        r#"{"type":"user","sessionId":"s1"}"#,
        &answer("a1", 2, r#"{"type":"smell"},{"type":"text","text":"Done."}"#),
    ]
    .join("\n");
    check(
        &[("s1.jsonl", &file)],
        r#"claude-code:s1 a1 assistant 2026-05-01T10:00:02Z Done.
           conversation claude-code:s1
           skip 1 damaged JSON
           skip 1 turn without a uuid
           skip 1 unknown block "smell"
           skip 1 unknown line "hologram""#,
    );
}

#[test]
fn same_session_again_changes_nothing_and_a_longer_one_adds() {
    let file = [user("u1", 1, "Hello"), answer("a1", 2, TEXT)].join("\n");
    let longer = format!("{file}\n{}", user("u2", 3, "Thanks"));
    check_again(Kind::ClaudeCode, &[("s1.jsonl", &file)], &[("s1.jsonl", &longer)]);
}
