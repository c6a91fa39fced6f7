use super::{Detected, detect, first_keys};
use crate::{Kind, Limits, Source};

#[track_caller]
fn check(files: &[(&str, &str)], expect: &str) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let found = detect(&mut Source::open(&[folder.path()], Limits::default()).unwrap());
    assert_eq!(found.to_string(), expect);
}

const CHATGPT: &str = r#"[{"title":"x","create_time":1,"mapping":{}}]"#;
const CLAUDE: &str = r#"[{"uuid":"x","name":"","chat_messages":[]}]"#;
const SESSION: &str = r#"{"type":"summary"}
{"type":"user","uuid":"u","sessionId":"s"}"#;
const ROLLOUT: &str = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{}}"#;

#[test]
fn kinds_are_found_by_content() {
    check(&[("conversations.json", CHATGPT)], "is chatgpt: conversations.json has conversations with a mapping");
    check(&[("a.json", CLAUDE)], "is claude: a.json has values of a Claude.ai export");
    check(&[("p/s.jsonl", SESSION)], "is claude-code: p/s.jsonl has lines with sessionId and uuid");
    check(&[("2026/rollout-x.jsonl", ROLLOUT)], "is codex: 2026/rollout-x.jsonl has a line session_meta");
}

#[test]
fn large_first_values_are_recognised_from_their_beginning() {
    let long = "x".repeat(200_000);
    check(
        &[("conversations.json", &format!(r#"[{{"title":"x","mapping":{{"a":"{long}"}}}}]"#))],
        "is chatgpt: conversations.json has conversations with a mapping",
    );
    check(
        &[(
            "rollout-x.jsonl",
            &format!(r#"{{"timestamp":"t","type":"session_meta","payload":{{"instructions":"{long}"}}}}"#),
        )],
        "is codex: rollout-x.jsonl is named as sessions of Codex are",
    );
}

#[test]
fn unclear_kind_is_not_guessed() {
    check(
        &[("conversations.json", CHATGPT), ("memories.json", r#"[{"conversations_memory":""}]"#)],
        "is missing, and the kind is not clear from the content; use --from chatgpt (conversations.json has conversations with \
         a mapping) or --from claude (memories.json has values of a Claude.ai export)",
    );
    check(
        &[("chat.html", "<html>")],
        "is missing, and the kind is not clear from the content; use --from chatgpt (chat.html is there)",
    );
    let unknown = tempfile::tempdir().unwrap();
    std::fs::write(unknown.path().join("a.bin"), [0, 1, 2]).unwrap();
    let found = detect(&mut Source::open(&[unknown.path()], Limits::default()).unwrap());
    assert_eq!(found, Detected::Unknown);
    assert!(found.clear().unwrap_err().to_string().starts_with("from is missing, and no kind fits"));
}

#[test]
fn kinds_are_named_as_in_commands() {
    for kind in Kind::ALL {
        assert_eq!(kind.as_str().parse::<Kind>().unwrap(), *kind);
    }
    assert!("gpt".parse::<Kind>().unwrap_err().to_string().contains("expected one of chatgpt, claude"));
}

#[test]
fn keys_of_the_first_object_are_read() {
    for (text, expect) in [
        (r#"[{"a":{"b":1},"c":["d",{"e":1}],"f\"g":2},{"z":1}]"#, vec!["a", "c", "f\\\"g"]),
        (r#"{"a":1,"b":"cut"#, vec!["a", "b"]),
        ("", vec![]),
        ("text {\"a\":1}", vec![]),
        ("}", vec![]),
        ("[{\"a\\", vec!["a\\"]),
    ] {
        assert_eq!(first_keys(text.as_bytes()), expect, "{text}");
    }
}
