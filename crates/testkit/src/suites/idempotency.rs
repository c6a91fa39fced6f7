//! Conformance suite of port `Requests`.

use annals_core::ports::{Change, KeyedReceipt, OnConflict, RequestKey, Target, Turn};
use annals_core::{Agent, Digest, Error, Grain, IngestReceipt, LedgerRow, Message, Result};

use super::catalog::{all_changes, later, me, now, say, user_turn};
use super::{Store, SuiteTest, cases, run};
use crate::{agent, message, turn_of};

/// Runs every case, each on a new empty store from `make`.
pub async fn requests_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Store>> = cases![
        request_is_stored_once_per_key,
        other_body_with_the_same_key_is_refused,
        failed_request_frees_its_key,
        concurrent_requests_with_one_key_are_stored_once,
        receipt_shows_the_present_progress,
        agents_do_not_share_keys,
        expired_keys_of_all_agents_are_dropped,
        repeated_request_stores_nothing_after_a_forgetting,
        receipt_is_found_only_in_its_workspace,
        receipt_of_several_requests_is_recorded,
        same_messages_to_another_agent_have_another_receipt,
    ];
    run("requests", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

fn digest(text: &str) -> Digest {
    Digest::of([text])
}

fn request(key: &str, body: &str) -> RequestKey {
    RequestKey { key: digest(key), body: digest(body) }
}

async fn receipt_of(store: &dyn Store, id: &str) -> IngestReceipt {
    say(store, vec![tea(id)]).await
}

fn tea(id: &str) -> Turn {
    user_turn(id, "2026-03-04T10:00:00Z", "tea")
}

/// Sends the turn `id` with a key.
async fn send(store: &dyn Store, key: &str, body: &str, id: &str) -> Result<KeyedReceipt> {
    store.ingest_once(&me(), &request(key, body), vec![tea(id)], OnConflict::Refuse, now()).await
}

/// Sends the turn `id` with a key. Returns whether the key was known.
async fn is_known(store: &dyn Store, key: &str, id: &str) -> bool {
    send(store, key, "body", id).await.unwrap().repeated
}

async fn all(store: &dyn Store) -> (Vec<Change>, Vec<LedgerRow>) {
    (all_changes(store, Grain::Working).await, store.ledger(&me()).await.unwrap())
}

async fn request_is_stored_once_per_key(store: &dyn Store) {
    let first = send(store, "k", "body", "1").await.unwrap();
    assert_eq!((first.repeated, first.receipt.accepted), (false, 1));
    assert_eq!(store.operation(&me(), &first.receipt.id).await.unwrap(), Some(first.receipt.clone()));
    let before = all(store).await;
    // The messages of a known request are not read.
    for turns in [vec![tea("1")], vec![tea("2")], Vec::new()] {
        let again = store.ingest_once(&me(), &request("k", "body"), turns, OnConflict::Revise, later()).await.unwrap();
        assert_eq!(again, KeyedReceipt { repeated: true, ..first.clone() });
    }
    assert_eq!(all(store).await, before);
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

async fn other_body_with_the_same_key_is_refused(store: &dyn Store) {
    send(store, "k", "body", "1").await.unwrap();
    let before = all(store).await;
    for id in ["1", "2"] {
        let refused = send(store, "k", "another", id).await;
        assert!(matches!(refused, Err(Error::KeyReused)), "{refused:?}");
    }
    assert_eq!(all(store).await, before);
    let other = send(store, "other", "another", "2").await.unwrap();
    assert_eq!((other.repeated, other.receipt.accepted), (false, 1));
    assert!(is_known(store, "k", "1").await, "the key is still that of the first request");
}

async fn failed_request_frees_its_key(store: &dyn Store) {
    receipt_of(store, "1").await;
    let before = all(store).await;
    let cake = vec![tea("2"), user_turn("1", "2026-03-04T10:00:00Z", "cake")];
    let refused = store.ingest_once(&me(), &request("k", "bad"), cake, OnConflict::Refuse, now()).await;
    assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
    let empty = store.ingest_once(&me(), &request("k", "empty"), Vec::new(), OnConflict::Refuse, now()).await;
    assert!(matches!(empty, Err(Error::Invalid(_))), "{empty:?}");
    assert_eq!(all(store).await, before);
    assert!(!is_known(store, "k", "2").await);
}

async fn concurrent_requests_with_one_key_are_stored_once(store: &dyn Store) {
    let sent = (0..8).map(|index| send(store, "k", "body", ["1", "2"][index % 2]));
    let sent: Vec<KeyedReceipt> = futures::future::join_all(sent).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(sent.iter().filter(|sent| !sent.repeated).count(), 1);
    assert!(sent.iter().all(|one| one.receipt == sent[0].receipt), "{sent:?}");
    assert_eq!(all_changes(store, Grain::Working).await.len(), 1);
}

/// Sending the same messages again without the key is the same operation. The receipt then has the counts of the last request.
async fn receipt_shows_the_present_progress(store: &dyn Store) {
    send(store, "k", "body", "1").await.unwrap();
    let again = receipt_of(store, "1").await;
    assert_eq!((again.accepted, again.duplicate), (0, 1));
    assert_eq!(send(store, "k", "body", "1").await.unwrap().receipt, again);
}

async fn agents_do_not_share_keys(store: &dyn Store) {
    let other = agent("other");
    send(store, "k", "body", "1").await.unwrap();
    let turn = turn_of(&other, message("2026-03-04T10:00:00Z", "tea"));
    let theirs =
        store.ingest_once(&other, &request("k", "another"), vec![turn], OnConflict::Refuse, now()).await.unwrap();
    assert!(!theirs.repeated);
    store.erase(&other, &Target::Agent, now()).await.unwrap();
    assert!(is_known(store, "k", "1").await);
}

async fn expired_keys_of_all_agents_are_dropped(store: &dyn Store) {
    let other = agent("other");
    let of_other = async || {
        let turn = turn_of(&other, message("2026-03-04T10:00:00Z", "tea"));
        store.ingest_once(&other, &request("k", "body"), vec![turn], OnConflict::Refuse, now()).await.unwrap()
    };
    let first = send(store, "a", "body", "1").await.unwrap().receipt;
    of_other().await;
    store.ingest_once(&me(), &request("b", "body"), vec![tea("2")], OnConflict::Refuse, later()).await.unwrap();
    assert_eq!(store.drop_requests(now()).await.unwrap(), 0, "kept at the instant is not kept before it");
    assert_eq!(store.drop_requests(later()).await.unwrap(), 2);
    assert!(store.operation(&me(), &first.id).await.unwrap().is_some(), "operations stay");
    assert!(is_known(store, "b", "2").await && !of_other().await.repeated && !is_known(store, "a", "1").await);
}

/// Without an id and a time, only the key shows that a message was sent before.
async fn repeated_request_stores_nothing_after_a_forgetting(store: &dyn Store) {
    for target in [Target::Conversation("talk".into()), Target::Conversation("other".into()), Target::Agent] {
        let id = format!("{target:?}");
        let operation = send(store, &id, "body", &id).await.unwrap().receipt;
        let upload = IngestReceipt { id: format!("import-{id}"), ..IngestReceipt::default() };
        store.save_operation(&me(), upload.clone()).await.unwrap();
        store.preview(&me(), &target).await.unwrap();
        assert!(is_known(store, &id, &id).await);
        store.erase(&me(), &target, now()).await.unwrap();
        assert_eq!(store.find_operation("default", &operation.id).await.unwrap(), None);
        let left = (target != Target::Agent).then(|| (me(), upload.clone()));
        assert_eq!(
            store.find_operation("default", &upload.id).await.unwrap(),
            left,
            "uploads stay until the agent goes"
        );
        assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
        let before = all(store).await;
        let again = send(store, &id, "body", "sent later").await.unwrap();
        assert_eq!((again.repeated, again.receipt.accepted, again.receipt.duplicate), (true, 0, 1), "{target:?}");
        assert_eq!(store.operation(&me(), &again.receipt.id).await.unwrap(), Some(again.receipt));
        assert_eq!(all(store).await, before);
        assert!(!send(store, &id, "another", "another").await.unwrap().repeated, "another request");
        store.erase(&me(), &Target::Agent, now()).await.unwrap();
    }
}

/// An import is recorded with `seq` 0 when it begins, and again when it ends.
async fn receipt_of_several_requests_is_recorded(store: &dyn Store) {
    let begun = IngestReceipt { id: "import-x".into(), ..IngestReceipt::default() };
    let ended = IngestReceipt { seq: 1, ..begun.clone() };
    for operation in [begun, ended] {
        store.save_operation(&me(), operation.clone()).await.unwrap();
        assert_eq!(store.find_operation("default", "import-x").await.unwrap(), Some((me(), operation)));
    }
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

/// Stores a message of another agent.
async fn theirs(store: &dyn Store, agent: &Agent) -> IngestReceipt {
    let sent = Message { client_id: Some("1".into()), ..message("2026-03-04T10:00:00Z", "tea") };
    store.ingest(agent, vec![turn_of(agent, sent)], OnConflict::Refuse, now()).await.unwrap()
}

async fn receipt_is_found_only_in_its_workspace(store: &dyn Store) {
    let operation = receipt_of(store, "1").await;
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

async fn same_messages_to_another_agent_have_another_receipt(store: &dyn Store) {
    let (ours, theirs) = (receipt_of(store, "1").await, theirs(store, &agent("other")).await);
    assert_ne!(ours.id, theirs.id);
    let found = store.find_operation("default", &theirs.id).await.unwrap();
    assert_eq!(found.map(|(agent, _)| agent), Some(agent("other")));
}
