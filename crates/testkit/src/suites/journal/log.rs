//! The log of fact operations.

use annals_core::ports::Change;
use annals_core::{Extracted, FactOperation, Grain, Verb};

use super::{found, log, reading, save, store_two_turns};
use crate::suites::Store;
use crate::suites::catalog::{all_changes, me, now, say, user_turn};
use crate::{at, entry, operation, statement};

fn by_id(mut operations: Vec<FactOperation>) -> Vec<FactOperation> {
    operations.sort_by(|a, b| a.id.cmp(&b.id));
    operations
}

pub(super) async fn operations_round_trip(store: &dyn Store) {
    let [one, _] = store_two_turns(store).await;
    let mut logged = vec![operation(&one, 0, "Ann likes tea"); 3];
    for (position, verb) in [Verb::Insert, Verb::Update, Verb::Delete].into_iter().enumerate() {
        let properties = serde_json::json!({ "with": ["Bob", 3, null, { "näh\"er": 0.5 }] });
        logged[position] = FactOperation {
            verb,
            object: ["New 'York'", "東京", ""][position].into(),
            replaces: [None, Some("Rome".to_owned()), Some(String::new())][position].clone(),
            properties: properties.as_object().unwrap().clone(),
            confidence: [0.0, 0.1, 1.0][position],
            at: at("1660-01-01T00:00:00.000001Z"),
            said_at: at("2026-03-04T10:00:00.999999Z"),
            recorded_at: now(),
            ..operation(&one, position as u32, "Ann lives_in x")
        };
    }
    save(store, reading(&[&one.id], found(Vec::new(), logged.clone()))).await;
    assert_eq!(log(store).await, by_id(logged));
}

pub(super) async fn operations_are_added_once(store: &dyn Store) {
    let logged = entry(&me(), "Ann likes tea", "2026-03-04T10:00:00Z");
    store.add_operations(&me(), vec![logged.clone()]).await.unwrap();
    let version = store.log_version(&me()).await.unwrap();
    assert!(version > 0);
    let other = FactOperation { object: "coffee".into(), ..logged.clone() };
    for again in [logged.clone(), other] {
        store.add_operations(&me(), vec![again]).await.unwrap();
        assert_eq!(log(store).await, std::slice::from_ref(&logged));
        assert_eq!(store.log_version(&me()).await.unwrap(), version);
    }
    let new = entry(&me(), "Ann likes cake", "2026-03-04T10:00:00Z");
    store.add_operations(&me(), vec![logged.clone(), new.clone()]).await.unwrap();
    assert_eq!(log(store).await, by_id(vec![logged, new]));
    assert!(store.log_version(&me()).await.unwrap() > version);
}

pub(super) async fn entered_facts_survive_extraction(store: &dyn Store) {
    let [one, two] = store_two_turns(store).await;
    let logged = entry(&me(), "Ann likes tea", "2026-03-04T10:00:00Z");
    store.add_operations(&me(), vec![logged.clone()]).await.unwrap();
    save(store, reading(&[&one.id, &two.id], Extracted::default())).await;
    assert_eq!(log(store).await, [logged]);
}

pub(super) async fn changed_log_has_a_new_version(store: &dyn Store) {
    let [one, two] = store_two_turns(store).await;
    let logged = |turn, what| found(vec![statement(&me(), turn, what)], vec![operation(turn, 0, what)]);
    let mut version = 0;
    let mut check = async |extraction, changes: bool| {
        save(store, extraction).await;
        let now = store.log_version(&me()).await.unwrap();
        assert_eq!(now > version, changes, "{now} after {version}");
        assert!(now >= version);
        version = now;
    };
    check(reading(&[&one.id], Extracted::default()), false).await;
    check(reading(&[&one.id], found(vec![statement(&me(), &one, "x")], Vec::new())), false).await;
    check(reading(&[&one.id], logged(&one, "Ann likes tea")), true).await;
    check(reading(&[&one.id], logged(&one, "Ann likes tea")), false).await;
    check(reading(&[&two.id], logged(&two, "Ann likes cake")), true).await;
    check(reading(&[&two.id], Extracted::default()), true).await;
    check(reading(&[&two.id], Extracted::default()), false).await;
    let newest = all_changes(store, Grain::Working).await.last().map(Change::seq).unwrap();
    say(store, vec![user_turn("9", "2026-03-06T10:00:00Z", "more")]).await;
    assert!(all_changes(store, Grain::Working).await.last().map(Change::seq).unwrap() > newest.max(version));
}

pub(super) async fn agent_with_only_facts_exists(store: &dyn Store) {
    store.add_operations(&me(), vec![entry(&me(), "Ann likes tea", "2026-03-04T10:00:00Z")]).await.unwrap();
    assert_eq!(store.all_agents().await.unwrap(), [me()]);
}
