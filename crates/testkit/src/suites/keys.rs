//! Conformance suite of port `Keys`, with the budgets of keys, which port `Replies` applies.

mod budgets;

use std::collections::BTreeSet;

use annals_core::ports::{Key, Scope, Target};
use annals_core::{Digest, Error, ObjectKind};

use super::catalog::{later, me, now, say, user_turn};
use super::{Store, SuiteTest, cases, run};
use crate::at;

/// Runs every case, each on a new empty store from `make`.
pub async fn keys_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Store>> = cases![
        key_round_trips,
        duplicate_key_id_is_refused,
        keys_are_listed_by_creation,
        revoked_key_stays_with_its_first_time,
        unknown_key_cannot_be_revoked,
        keys_create_no_agent_and_outlive_agents,
        limit_is_changed_and_removed,
        budgets::limit_covers_all_purposes_and_agents_of_a_day,
        budgets::key_without_a_limit_is_refused_nothing,
        budgets::changed_limit_holds_at_once,
        budgets::key_pays_what_was_booked_and_not_what_was_released,
        budgets::calls_at_the_same_time_share_the_limit,
        budgets::unknown_key_is_refused,
        budgets::outstanding_batches_count_and_are_booked,
        budgets::erased_agents_leave_the_bookings_of_keys,
    ];
    run("keys", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

fn key(id: &str) -> Key {
    Key {
        id: id.into(),
        name: "the \"phone\"".into(),
        workspace: "default".into(),
        scopes: BTreeSet::from([Scope::Ingest]),
        agents: Vec::new(),
        created_at: now(),
        expires_at: None,
        revoked_at: None,
        daily_tokens: None,
    }
}

fn hash(id: &str) -> Digest {
    Digest::of(["secret", id])
}

async fn add(store: &dyn Store, key: &Key) {
    store.add_key(key, &hash(&key.id)).await.unwrap();
}

async fn key_round_trips(store: &dyn Store) {
    assert_eq!(store.key("k1").await.unwrap(), None);
    assert_eq!(store.keys().await.unwrap(), []);
    let bound = Key {
        scopes: BTreeSet::from(Scope::ALL),
        agents: vec!["o'brien \"x\"; --".into(), "Μνήμη".into(), "ann".into()],
        workspace: "acme".into(),
        expires_at: Some(at("2027-01-01T00:00:00.000001Z")),
        revoked_at: Some(later()),
        daily_tokens: Some(5),
        ..key("k2")
    };
    let useless = Key { scopes: BTreeSet::new(), ..key("k3") };
    for key in [key("k1"), bound, useless] {
        add(store, &key).await;
        assert_eq!(store.key(&key.id).await.unwrap(), Some((key.clone(), hash(&key.id))));
        assert!(store.keys().await.unwrap().contains(&key));
    }
    assert_eq!(store.key("K1").await.unwrap(), None);
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

async fn duplicate_key_id_is_refused(store: &dyn Store) {
    add(store, &key("k1")).await;
    store.revoke_key("k1", now()).await.unwrap();
    let before = store.key("k1").await.unwrap();
    let refused = store.add_key(&Key { workspace: "mine".into(), ..key("k1") }, &hash("other")).await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    assert_eq!(store.key("k1").await.unwrap(), before);
}

async fn keys_are_listed_by_creation(store: &dyn Store) {
    for (id, created_at) in [("b", later()), ("c", now()), ("a", later())] {
        add(store, &Key { created_at, ..key(id) }).await;
    }
    let ids: Vec<String> = store.keys().await.unwrap().into_iter().map(|key| key.id).collect();
    assert_eq!(ids, ["c", "a", "b"]);
}

async fn revoked_key_stays_with_its_first_time(store: &dyn Store) {
    add(store, &key("k1")).await;
    add(store, &key("k2")).await;
    for moment in [now(), later()] {
        store.revoke_key("k1", moment).await.unwrap();
        let revoked = Key { revoked_at: Some(now()), ..key("k1") };
        assert_eq!(store.key("k1").await.unwrap(), Some((revoked.clone(), hash("k1"))));
        assert_eq!(store.keys().await.unwrap(), [revoked, key("k2")]);
    }
}

async fn unknown_key_cannot_be_revoked(store: &dyn Store) {
    let refused = store.revoke_key("none", now()).await;
    assert!(matches!(refused, Err(Error::NotFound { what: ObjectKind::Key, .. })), "{refused:?}");
}

async fn limit_is_changed_and_removed(store: &dyn Store) {
    for id in ["k1", "k2"] {
        add(store, &key(id)).await;
    }
    for limit in [Some(7), Some(0), Some(u64::MAX >> 1), None] {
        store.set_daily_tokens("k1", limit).await.unwrap();
        let limited = Key { daily_tokens: limit, ..key("k1") };
        assert_eq!(store.key("k1").await.unwrap(), Some((limited.clone(), hash("k1"))));
        assert_eq!(store.keys().await.unwrap(), [limited, key("k2")]);
    }
    let refused = store.set_daily_tokens("none", Some(1)).await;
    assert!(matches!(refused, Err(Error::NotFound { what: ObjectKind::Key, .. })), "{refused:?}");
}

async fn keys_create_no_agent_and_outlive_agents(store: &dyn Store) {
    let bound = Key { agents: vec![me().name().to_owned()], ..key("k1") };
    add(store, &bound).await;
    assert_eq!(store.all_agents().await.unwrap(), []);
    say(store, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await;
    store.erase(&me(), &Target::Agent, now()).await.unwrap();
    assert_eq!(store.keys().await.unwrap(), [bound]);
}
