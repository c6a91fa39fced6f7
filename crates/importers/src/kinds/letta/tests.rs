use crate::Kind;
use crate::kinds::fixtures::{check, check_damaged, fixture, keyed, options, read};

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
