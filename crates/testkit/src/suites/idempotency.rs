//! Conformance suite of port `Requests`.

use annals_core::ports::Target;
use annals_core::{Agent, Digest, Error, IngestReceipt, Message};

use super::catalog::{later, me, now, say, spoken_turn};
use super::{Case, Store, cases, run};
use crate::{agent, message, turn_of};

/// Runs every case, each on a new empty store from `make`.
pub async fn requests_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<Case<dyn Store>> = cases![
        a_request_is_kept_with_its_operation,
        the_same_key_again_is_the_later_request,
        the_operation_is_as_it_is_now,
        an_operation_that_is_not_there_cannot_be_kept,
        agents_do_not_share_keys,
        old_ones_are_dropped_of_all_agents,
        they_go_with_what_is_forgotten,
        an_operation_is_found_in_its_workspace,
        the_same_messages_to_another_agent_are_another_operation,
    ];
    run("requests", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

fn digest(text: &str) -> Digest {
    Digest::of([text])
}

async fn stated(store: &dyn Store, id: &str) -> IngestReceipt {
    say(store, vec![spoken_turn(id, "2026-03-04T10:00:00Z", "tea")]).await
}

async fn keep(store: &dyn Store, key: &str, body: &str, operation: &IngestReceipt) {
    store.save_request(&me(), &digest(key), &digest(body), &operation.id, now()).await.unwrap();
}

async fn request(store: &dyn Store, key: &str) -> Option<(Digest, IngestReceipt)> {
    store.request(&me(), &digest(key)).await.unwrap()
}

async fn a_request_is_kept_with_its_operation(store: &dyn Store) {
    assert_eq!(request(store, "k").await, None);
    let operation = stated(store, "1").await;
    keep(store, "k", "body", &operation).await;
    assert_eq!(request(store, "k").await, Some((digest("body"), operation)));
    assert_eq!(request(store, "other").await, None);
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

async fn the_same_key_again_is_the_later_request(store: &dyn Store) {
    let (one, two) = (stated(store, "1").await, stated(store, "2").await);
    keep(store, "k", "body", &one).await;
    keep(store, "same", "body", &one).await;
    store.save_request(&me(), &digest("k"), &digest("another"), &two.id, later()).await.unwrap();
    assert_eq!(request(store, "k").await, Some((digest("another"), two)));
    assert_eq!(request(store, "same").await, Some((digest("body"), one)));
    assert_eq!(store.drop_requests(later()).await.unwrap(), 1, "one is as old as its last request");
}

/// The same messages without the key are the same operation, with the counts of the last request.
async fn the_operation_is_as_it_is_now(store: &dyn Store) {
    let first = stated(store, "1").await;
    keep(store, "k", "body", &first).await;
    let again = stated(store, "1").await;
    assert_eq!((again.accepted, again.duplicate), (0, 1));
    assert_eq!(request(store, "k").await, Some((digest("body"), again)));
}

async fn an_operation_that_is_not_there_cannot_be_kept(store: &dyn Store) {
    let other = agent("other");
    let operation = stated(store, "1").await;
    for (agent, id) in [(&me(), "o-none"), (&other, operation.id.as_str())] {
        let refused = store.save_request(agent, &digest("k"), &digest("body"), id, now()).await;
        assert!(matches!(refused, Err(Error::NotFound { what: "operation", .. })), "{refused:?}");
        assert_eq!(store.request(agent, &digest("k")).await.unwrap(), None);
    }
    assert_eq!(store.agents().await.unwrap(), [me()]);
}

async fn agents_do_not_share_keys(store: &dyn Store) {
    let other = agent("other");
    let operation = stated(store, "1").await;
    keep(store, "k", "body", &operation).await;
    assert_eq!(store.request(&other, &digest("k")).await.unwrap(), None);
    store.erase(&other, &Target::Agent, now()).await.unwrap();
    assert!(request(store, "k").await.is_some());
}

async fn old_ones_are_dropped_of_all_agents(store: &dyn Store) {
    let operation = stated(store, "1").await;
    let theirs = theirs(store, &agent("other")).await;
    let of_other = async |now| {
        let (key, body) = (digest("k"), digest("body"));
        store.save_request(&agent("other"), &key, &body, &theirs.id, now).await.unwrap();
    };
    keep(store, "a", "body", &operation).await;
    of_other(now()).await;
    store.save_request(&me(), &digest("b"), &digest("body"), &operation.id, later()).await.unwrap();
    assert_eq!(store.drop_requests(now()).await.unwrap(), 0, "kept at the instant is not kept before it");
    assert_eq!(store.drop_requests(later()).await.unwrap(), 2);
    assert_eq!((request(store, "a").await, request(store, "b").await.is_some()), (None, true));
    assert!(store.operation(&me(), &operation.id).await.unwrap().is_some(), "operations stay");
}

async fn they_go_with_what_is_forgotten(store: &dyn Store) {
    for target in [Target::Conversation("talk".into()), Target::Agent] {
        let operation = stated(store, &format!("{target:?}")).await;
        keep(store, "k", "body", &operation).await;
        store.preview(&me(), &target).await.unwrap();
        assert!(request(store, "k").await.is_some());
        store.erase(&me(), &target, now()).await.unwrap();
        assert_eq!(request(store, "k").await, None);
        assert_eq!(store.find_operation("default", &operation.id).await.unwrap(), None);
        assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
    }
}

/// Stores a message of another agent.
async fn theirs(store: &dyn Store, agent: &Agent) -> IngestReceipt {
    let spoken_turn = Message { client_id: Some("1".into()), ..message("2026-03-04T10:00:00Z", "tea") };
    store.ingest(agent, vec![turn_of(agent, spoken_turn)], false, now()).await.unwrap()
}

async fn an_operation_is_found_in_its_workspace(store: &dyn Store) {
    let operation = stated(store, "1").await;
    let elsewhere = Agent::in_workspace("elsewhere", "tester").unwrap();
    let theirs = theirs(store, &elsewhere).await;
    let find = async |workspace: &str, id: &str| store.find_operation(workspace, id).await.unwrap();
    assert_eq!(find("default", &operation.id).await, Some((me(), operation.clone())));
    assert_eq!(find("elsewhere", &theirs.id).await, Some((elsewhere, theirs.clone())));
    for (workspace, id) in
        [("elsewhere", &operation.id), ("default", &theirs.id), ("", &theirs.id), ("default", &String::new())]
    {
        assert_eq!(find(workspace, id).await, None, "{workspace} {id}");
    }
}

async fn the_same_messages_to_another_agent_are_another_operation(store: &dyn Store) {
    let (ours, theirs) = (stated(store, "1").await, theirs(store, &agent("other")).await);
    assert_ne!(ours.id, theirs.id);
    let found = store.find_operation("default", &theirs.id).await.unwrap();
    assert_eq!(found.map(|(agent, _)| agent), Some(agent("other")));
}
