use crate::Kind;
use crate::kinds::fixtures::{check, check_damaged, check_longer, fixture, keyed, options, read};
use crate::kinds::testing;

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

#[test]
fn heading_with_a_time_gives_the_time_of_what_follows() {
    let note = "# 2026-02-13\n\n## [08:11] Rowing\n\n## Training\n\nTwo hours.\n\n## Weather\n\nWind.\n\n## [09:30-10:00] Repair\n\nThe oar.\n\n## Later\n\nRest.\n";
    testing::check_with(
        Kind::OpenClaw,
        &testing::options(),
        &[
            ("SOUL.md", "Calm."),
            ("memory/2026-02-13.md", note),
            ("memory/2026-02-14.md", "\n"),
            ("memory/.dreams/events.jsonl", "{\"type\":\"recall\"}\n"),
        ],
        "block persona Calm. 2026-11-01T00:00:00Z
         conversation openclaw:2026-02-13.md 2026-02-13
         openclaw:2026-02-13.md 2026-02-13 > Training assistant 2026-02-13T08:11:00Z # 2026-02-13
         ## Training
         Two hours.
         openclaw:2026-02-13.md 2026-02-13 > Weather assistant 2026-02-13T08:11:00Z ## Weather
         Wind.
         openclaw:2026-02-13.md 2026-02-13 > [09:30-10:00] Repair assistant 2026-02-13T09:30:00Z ## [09:30-10:00] Repair
         The oar.
         openclaw:2026-02-13.md 2026-02-13 > Later assistant 2026-02-13T12:00:00Z ## Later
         Rest.
         skip 1 empty note
         skip 1 heading without text
         skip 1 log of a program below memory",
    );
}
