use annals_core::Role;

use crate::Kind;
use crate::kinds::fixtures::{check, check_damaged, check_longer, fixture, options, read};

#[test]
fn workspaces_are_read() {
    for name in ["workspace", "grid"] {
        check(Kind::Slack, &format!("slack/{name}"), &options("UTC"));
    }
}

#[test]
fn renamed_channel_keeps_its_messages() {
    check_longer(Kind::Slack, "slack/workspace", "slack/longer", 1, &options("UTC"));
}

#[test]
fn named_bot_is_the_assistant_and_others_are_tools_on_request() {
    let mut named = options("UTC");
    named.assistants = vec!["deploy bot".into()];
    let (_, summary) = read(Kind::Slack, &fixture("slack/workspace"), &named).unwrap();
    assert_eq!((summary.of_role(Role::Assistant), summary.of_role(Role::Tool)), (2, 0));
    let mut tools = options("UTC");
    tools.tools = true;
    let (_, summary) = read(Kind::Slack, &fixture("slack/workspace"), &tools).unwrap();
    assert_eq!((summary.of_role(Role::Assistant), summary.of_role(Role::Tool)), (0, 2));
}

#[test]
fn damaged_input_does_no_harm() {
    check_damaged(Kind::Slack, "slack/workspace", 20, &options("UTC"));
}
