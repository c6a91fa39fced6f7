use crate::Kind;
use crate::kinds::fixtures::{check, check_damaged, fixture, keyed, options, read};
use crate::kinds::testing;

#[test]
fn agent_files_and_folders_are_read() {
    for name in ["conversation.af", "first-format.af", "two-agents.af", "passages.af", "memory"] {
        check(Kind::Letta, &format!("letta/{name}"), &options("Europe/Oslo"));
    }
}

#[test]
fn later_export_with_other_numbers_adds_only_the_new_message() {
    let options = options("Europe/Oslo");
    let before = keyed(&read(Kind::Letta, &fixture("letta/conversation.af"), &options).unwrap().0);
    let after = keyed(&read(Kind::Letta, &fixture("letta/renumbered.af"), &options).unwrap().0);
    let new: Vec<&String> =
        after.iter().filter(|(key, _)| !before.contains_key(*key)).map(|(_, value)| value).collect();
    assert_eq!(new.len(), 1);
    assert!(new[0].contains("Is there one on Sunday?"));
    assert!(after.keys().filter(|key| before.get(*key) == after.get(*key)).count() == 2);
}

#[test]
fn thinking_is_read_on_request() {
    let mut all = options("UTC");
    (all.tools, all.thinking) = (true, true);
    let (_, summary) = read(Kind::Letta, &fixture("letta/conversation.af"), &all).unwrap();
    let (_, fewer) = read(Kind::Letta, &fixture("letta/conversation.af"), &options("UTC")).unwrap();
    assert_eq!((summary.total_messages(), fewer.total_messages()), (9, 6));
}

#[test]
fn damaged_input_does_no_harm() {
    for name in ["conversation.af", "first-format.af", "memory"] {
        check_damaged(Kind::Letta, &format!("letta/{name}"), 60, &options("UTC"));
    }
}

#[test]
fn words_of_the_program_are_no_words_of_the_person() {
    let message = |text: &str, second: u8| serde_json::json!({"role": "user", "content": [{"type": "text", "text": text}], "created_at": format!("2026-02-01T10:00:0{second}Z")});
    let only = "<system-reminder>\nYou have mail.\n</system-reminder>";
    let file = serde_json::json!({"agents": [{"name": "Bo", "messages": [message(&format!("{only}\nHow deep is it?"), 1), message(only, 2)]}], "blocks": []});
    let (items, summary) = testing::items(Kind::Letta, &[("bo.af", &file.to_string())], &testing::options());
    let texts: Vec<&str> = items
        .iter()
        .filter_map(|imported| match &imported.item {
            crate::Item::Message(message) => Some(message.content.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["How deep is it?"]);
    assert_eq!(summary.skipped.count("message of the program"), 1);
}
