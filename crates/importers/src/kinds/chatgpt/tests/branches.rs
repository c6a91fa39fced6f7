//! Tests of the branches of a conversation: the active branch, and the others on request.

use crate::kinds::testing::{check_with, items, options, shown};
use crate::{Branches, Kind, Options};

use super::{check, export, message};

/// Returns an export in which the question `u1` has two answers; both were continued. `current` has further fields of the
/// conversation.
pub(super) fn regenerated(current: &str) -> String {
    export(
        current,
        &[
            message("root", "client-created-root", "system", "null", ""),
            message("u1", "root", "user", "1", "Where to?"),
            message("a1", "u1", "assistant", "2", "Rome."),
            message("a2", "a1", "user", "9", "Why?"),
            message("b1", "u1", "assistant", "3", "Oslo."),
            message("b2", "b1", "user", "4", "Good."),
        ],
    )
}

#[test]
fn active_branch_is_the_one_of_the_current_node() {
    check(
        &regenerated(r#","current_node":"b2""#),
        "conversation chatgpt:c1 Trip
         chatgpt:c1 u1 user 2023-11-14T22:13:21Z Where to?
         chatgpt:c1 b1 assistant 2023-11-14T22:13:23Z Oslo.
         chatgpt:c1 b2 user 2023-11-14T22:13:24Z Good.
         skip 2 message of another branch (--branches all)
         skip 1 system message",
    );
}

#[test]
fn without_a_valid_current_node_the_deepest_and_latest_leaf_is_taken() {
    for current in ["", r#","current_node":"gone""#, r#","current_node":null"#] {
        let (found, summary) = items(Kind::ChatGpt, &[("c.json", &regenerated(current))], &options());
        assert!(shown(&found, &summary).contains("chatgpt:c1 a2 user"), "{current}");
        assert_eq!(summary.total_messages(), 3);
    }
}

#[test]
fn other_branches_are_conversations_of_their_own_without_what_they_share() {
    let options = Options { branches: Branches::All, ..options() };
    check_with(
        Kind::ChatGpt,
        &options,
        &[("conversations.json", &regenerated(r#","current_node":"b2""#))],
        "conversation chatgpt:c1 Trip
         chatgpt:c1 u1 user 2023-11-14T22:13:21Z Where to?
         chatgpt:c1 b1 assistant 2023-11-14T22:13:23Z Oslo.
         chatgpt:c1 b2 user 2023-11-14T22:13:24Z Good.
         chatgpt:c1#a2 a1 assistant 2023-11-14T22:13:22Z Rome.
         chatgpt:c1#a2 a2 user 2023-11-14T22:13:29Z Why?
         skip 1 system message",
    );
}

#[test]
fn cycle_of_parents_ends() {
    let nodes = [message("a", "b", "user", "1", "One"), message("b", "a", "assistant", "2", "Two")];
    let (_, summary) = items(Kind::ChatGpt, &[("c.json", &export(r#","current_node":"a""#, &nodes))], &options());
    assert_eq!(summary.total_messages(), 2);
    check(&export("", &nodes), "skip 1 conversation without messages");
    let beside = [nodes[0].clone(), nodes[1].clone(), message("u1", "-", "user", "1", "Hello")];
    let options = Options { branches: Branches::All, ..options() };
    check_with(
        Kind::ChatGpt,
        &options,
        &[("c.json", &export("", &beside))],
        "conversation chatgpt:c1 Trip
         chatgpt:c1 u1 user 2023-11-14T22:13:21Z Hello
         skip 2 message outside all branches",
    );
}
