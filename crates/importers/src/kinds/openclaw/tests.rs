use crate::Kind;
use crate::kinds::fixtures::{check, check_damaged, check_longer, fixture, keyed, options, read};

#[test]
fn workspaces_and_sessions_are_read() {
    let lisbon = options("Europe/Lisbon");
    for name in ["workspace", "lower-case", "same-heading", "windows", "sessions", "home", "overlap", "two-workspaces"]
    {
        check(Kind::OpenClaw, &format!("openclaw/{name}"), &lisbon);
    }
}

#[test]
fn tools_and_thinking_are_read_on_request() {
    let mut all = options("UTC");
    (all.tools, all.thinking, all.me) = (true, true, Some("Mira".into()));
    let (items, summary) = read(Kind::OpenClaw, &fixture("openclaw/sessions"), &all).unwrap();
    let found = keyed(&items);
    for id in ["openclaw:5d0c/a2:thinking", "openclaw:5d0c/a2:tool", "openclaw:5d0c/a3:tool"] {
        assert!(found.contains_key(id), "{id} is missing");
    }
    assert_eq!(summary.skipped.count("call or result of a tool (--tools)"), 0);
    assert_eq!(summary.people["Mira"], 3);
}

#[test]
fn edited_section_keeps_its_id_and_new_section_is_added() {
    let options = options("Europe/Lisbon");
    let before = keyed(&read(Kind::OpenClaw, &fixture("openclaw/workspace"), &options).unwrap().0);
    let after = keyed(&read(Kind::OpenClaw, &fixture("openclaw/edited"), &options).unwrap().0);
    let key = "openclaw:2026-03-09.md/2026-03-09 > Summary";
    assert!(after[key].contains("They arrive on Friday") && before.contains_key(key) && before[key] != after[key]);
    let top = "openclaw:2026-03-09.md/2026-03-09";
    assert_eq!(before[top], after[top]);
    let new: Vec<&String> = after.keys().filter(|key| !before.contains_key(*key)).collect();
    assert_eq!(new, ["openclaw:2026-03-09.md/2026-03-09 > Evening"]);
}

#[test]
fn folder_within_a_home_has_the_same_ids() {
    check_longer(Kind::OpenClaw, "openclaw/workspace", "openclaw/workspace/memory", 0, &options("Europe/Lisbon"));
}

#[test]
fn damaged_input_does_no_harm() {
    for name in ["workspace", "sessions", "windows"] {
        check_damaged(Kind::OpenClaw, &format!("openclaw/{name}"), 30, &options("Europe/Lisbon"));
    }
}
