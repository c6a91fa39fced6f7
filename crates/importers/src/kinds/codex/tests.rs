use super::super::testing::{check_again, check_with, items, options};
use crate::{Kind, Options};

#[track_caller]
fn check(files: &[(&str, &str)], expect: &str) {
    check_with(Kind::Codex, &options(), files, &replaced(files, expect));
}

/// Imports the files and returns `expect` with `#1`, `#2` … replaced by the ids of the messages, which are digests.
fn replaced(files: &[(&str, &str)], expect: &str) -> String {
    replaced_with(files, expect, &options())
}

fn replaced_with(files: &[(&str, &str)], expect: &str, options: &Options) -> String {
    let (found, _) = items(Kind::Codex, files, options);
    let ids = found.into_iter().filter_map(|imported| match imported.item {
        crate::Item::Message(message) => message.client_id,
        _ => None,
    });
    ids.zip(1..)
        .fold(expect.to_owned(), |expect, (id, number)| expect.replace(&format!("#{number} "), &format!("{id} ")))
}

const META: &str = r#"{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{"id":"s1","cwd":"/p","source":"cli","instructions":"Be brief"}}"#;
const SESSION: &str = r#"{"timestamp":"2026-03-01T10:00:01.000Z","type":"turn_context","payload":{"model":"m"}}
{"timestamp":"2026-03-01T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}
{"timestamp":"2026-03-01T10:00:01.100Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Add a test"}]}}
{"timestamp":"2026-03-01T10:00:01.100Z","type":"event_msg","payload":{"type":"user_message","message":"Add a test","kind":"plain","images":[]}}
{"timestamp":"2026-03-01T10:00:05.000Z","type":"event_msg","payload":{"type":"agent_reasoning","text":"Which file?"}}
{"timestamp":"2026-03-01T10:00:06.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c"}}
{"timestamp":"2026-03-01T10:00:07.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"a.rs"}}
{"timestamp":"2026-03-01T10:00:09.000Z","type":"event_msg","payload":{"type":"agent_message","message":"Added."}}
{"timestamp":"2026-03-01T10:00:09.000Z","type":"event_msg","payload":{"type":"token_count","info":null}}
{"timestamp":"2026-03-01T10:00:09.100Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Added."}]}}"#;

fn parent() -> String {
    format!("{META}\n{SESSION}\n")
}

/// Returns a session that was forked from `s1`: it begins with the lines of `s1`, with the time of the fork.
fn fork(own: &str) -> String {
    let meta =
        r#"{"timestamp":"2026-03-02T08:00:00.000Z","type":"session_meta","payload":{"id":"s2","forked_from_id":"s1"}}"#;
    let copied: Vec<String> =
        parent().lines().map(|line| format!("{}2026-03-02T08:00:00.004Z{}", &line[..14], &line[38..])).collect();
    format!("{meta}\n{}\n{own}\n", copied.join("\n"))
}

const OWN: &str = r#"{"timestamp":"2026-03-02T08:00:00.300Z","type":"event_msg","payload":{"type":"user_message","message":"Now the docs"}}
{"timestamp":"2026-03-02T08:00:20.000Z","type":"event_msg","payload":{"type":"agent_message","message":"Done."}}"#;

#[test]
fn visible_messages_are_read_once() {
    check(
        &[("2026/03/01/rollout-2026-03-01T10-00-00-s1.jsonl", &parent())],
        r#"codex:s1 #1 user 2026-03-01T10:00:01.1Z Add a test
           codex:s1 #2 assistant 2026-03-01T10:00:09Z Added.
           conversation codex:s1 Add a test
           skip 2 call or result of a tool (--tools)
           skip 1 thinking (--thinking)
           skip 1 event "token_count"
           skip 1 line "session_meta"
           skip 1 line "turn_context"
           skip 3 second copy of a message"#,
    );
}

#[test]
fn thinking_and_tools_come_on_request() {
    let options = Options { tools: true, thinking: true, me: Some("Ann".into()), ..options() };
    let files = [("rollout-s1.jsonl", parent())];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let (found, summary) = items(Kind::Codex, &files, &options);
    let shown = super::super::testing::shown(&found, &summary);
    for line in [
        "assistant 2026-03-01T10:00:05Z Which file?",
        "tool 2026-03-01T10:00:06Z shell: {\"command\":[\"ls\"]}",
        "user Ann 2026",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    assert_eq!(summary.skipped.count("thinking (--thinking)"), 0);
}

#[test]
fn forked_session_gives_only_what_is_new() {
    check(
        &[("a/rollout-s2.jsonl", &fork(OWN)), ("b/rollout-s1.jsonl", &parent())],
        r#"codex:s1 #1 user 2026-03-01T10:00:01.1Z Add a test
           codex:s1 #2 assistant 2026-03-01T10:00:09Z Added.
           conversation codex:s1 Add a test
           codex:s2 #3 user 2026-03-02T08:00:00.3Z Now the docs
           codex:s2 #4 assistant 2026-03-02T08:00:20Z Done.
           conversation codex:s2 Now the docs
           skip 2 call or result of a tool (--tools)
           skip 1 thinking (--thinking)
           skip 5 copied message
           skip 2 event "token_count"
           skip 3 line "session_meta"
           skip 2 line "turn_context"
           skip 6 second copy of a message"#,
    );
}

#[test]
fn fork_without_its_parent_does_not_date_copies_at_the_fork() {
    let later = OWN.replace("08:00:00.300", "08:00:09.300");
    let (found, summary) = items(Kind::Codex, &[("rollout-s2.jsonl", &fork(&later))], &options());
    assert_eq!(summary.total_messages(), 2, "{found:?}");
    assert_eq!(summary.skipped.count("copied message"), 5);
}

#[test]
fn archived_copy_of_a_session_adds_nothing() {
    let (_, summary) = items(
        Kind::Codex,
        &[("archived_sessions/rollout-s1.jsonl", &parent()), ("sessions/rollout-s1.jsonl", &parent())],
        &options(),
    );
    assert_eq!(summary.total_messages(), 2);
}

#[test]
fn subagents_and_other_files_are_passed_over() {
    let child = r#"{"timestamp":"2026-03-01T10:00:00Z","type":"session_meta","payload":{"id":"c","source":{"subagent":{"thread_spawn":{"parent_thread_id":"s1"}}}}}
{"timestamp":"2026-03-01T10:00:02Z","type":"event_msg","payload":{"type":"user_message","message":"Look for it"}}"#;
    check(
        &[("rollout-c.jsonl", child), ("history.jsonl", "{}"), ("config.toml", "")],
        "skip 2 file without a session
         skip 1 subagent's file",
    );
}

#[test]
fn old_files_without_events_and_times_are_read() {
    let old = r##"{"id":"old","timestamp":"2025-05-01T09:00:00.000Z","instructions":"Be brief"}
{"record_type":"state"}
{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /p"}]}
{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi."}]}
{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}"##;
    let resumed = format!(
        "{}\n{}",
        old.replace("\"old\"", "\"new\"").replace("09:00", "11:00"),
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Again."}]}"#
    );
    check(
        &[("rollout-2.jsonl", &resumed), ("rollout-1.jsonl", old)],
        r#"codex:old #1 user 2025-05-01T09:00:00Z Hello
           codex:old #2 assistant 2025-05-01T09:00:00.001Z Hi.
           codex:old #3 user 2025-05-01T09:00:00.002Z Hello
           conversation codex:old Hello
           codex:new #4 assistant 2025-05-01T11:00:00Z Again.
           conversation codex:new
           skip 3 copied message
           skip 4 line of the session
           skip 2 message without text"#,
    );
}

#[test]
fn request_is_taken_out_of_the_editors_context() {
    let line = r###"{"timestamp":"2026-03-01T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nRename it\n"}}"###;
    check(
        &[("rollout-s1.jsonl", &format!("{META}\n{line}"))],
        r#"codex:s1 #1 user 2026-03-01T10:00:01Z Rename it
           conversation codex:s1 Rename it
           skip 1 line "session_meta""#,
    );
}

#[test]
fn unknown_and_damaged_lines_are_reported_and_the_rest_is_read() {
    let damaged = format!(
        "{META}\n{}\n{}\n{}\n[1]\n{}\n",
        r#"{"timestamp":"2026-03-01T10:00:01Z","type":"hologram","payload":{}}"#,
        r#"{"timestamp":"2026-03-01T10:00:01Z","type":"response_item","payload":{"type":"smell"}}"#,
        r#"{"timestamp":"2026-03-01T10:"#,
        r#"{"timestamp":"2026-03-01T10:00:02Z","type":"event_msg","payload":{"type":"user_message","message":"Go on"}}"#,
    );
    check(
        &[("rollout-s1.jsonl", &damaged)],
        r#"codex:s1 #1 user 2026-03-01T10:00:02Z Go on
           conversation codex:s1 Go on
           skip 1 damaged JSON
           skip 1 line of an unknown shape
           skip 1 unknown item "smell"
           skip 1 unknown line "hologram"
           skip 1 line "session_meta""#,
    );
    let (_, summary) = items(Kind::Codex, &[("rollout-s1.jsonl", &damaged)], &options());
    let locations: Vec<String> = summary.skipped.iter().map(|(_, _, counted)| counted.location.to_string()).collect();
    assert_eq!(locations[0], "rollout-s1.jsonl: line 4");
}

#[test]
fn same_session_again_changes_nothing_and_a_longer_one_adds() {
    let longer = format!(
        "{}{}",
        parent(),
        r#"{"timestamp":"2026-03-01T11:00:00Z","type":"event_msg","payload":{"type":"user_message","message":"Thanks"}}"#
    );
    check_again(Kind::Codex, &[("rollout-s1.jsonl", &parent())], &[("rollout-s1.jsonl", &longer)]);
}

#[test]
fn speaker_without_events_is_read_from_the_items() {
    let typed = r#"{"timestamp":"2026-03-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Mend the pump"}]}}"#;
    let answer = r#"{"timestamp":"2026-03-01T10:00:04Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Mended."}]}}
{"timestamp":"2026-03-01T10:00:05Z","type":"event_msg","payload":{"type":"agent_message","message":"Mended."}}"#;
    check(
        &[("rollout-2026-03-01T10-00-00-s1.jsonl", &format!("{META}\n{typed}\n{answer}\n"))],
        r#"codex:s1 #1 user 2026-03-01T10:00:01Z Mend the pump
           codex:s1 #2 assistant 2026-03-01T10:00:05Z Mended.
           conversation codex:s1 Mend the pump
           skip 1 line "session_meta"
           skip 1 second copy of a message"#,
    );
}

#[test]
fn lines_without_times_have_that_of_the_session() {
    let lines = r#"{"type":"session_meta","payload":{"id":"s1","timestamp":"2026-03-01T10:00:00Z"}}
{"type":"event_msg","payload":{"type":"user_message","message":"Mend the pump"}}
{"type":"event_msg","payload":{"type":"agent_message","message":"Mended."}}"#;
    check(
        &[("rollout-2026-03-01T10-00-00-s1.jsonl", lines)],
        r#"codex:s1 #1 user 2026-03-01T10:00:00Z Mend the pump
           codex:s1 #2 assistant 2026-03-01T10:00:00.001Z Mended.
           conversation codex:s1 Mend the pump
           skip 1 line "session_meta""#,
    );
}
