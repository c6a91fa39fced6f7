//! Statements as memories of the working grain.

use annals_core::ports::{Change, Select};
use annals_core::{Body, Extracted, FactOperation, Grain, Kind, Memory, Statement};

use super::{found, log, reading, save, statements, store_two_turns};
use crate::suites::Store;
use crate::suites::catalog::{all_changes, me, texts};
use crate::{at, operation, period, statement};

pub(super) async fn statement_is_a_memory(store: &dyn Store) {
    let turns = store_two_turns(store).await;
    let extracted = Statement {
        topic: "plan".into(),
        importance: 0.25,
        confidence: Some(0.75),
        who: vec!["Ann \"A\" O'Neil".into(), "Bob".into()],
        when: Some(at("2026-04-01T00:00:00Z")),
        sources: vec![turns[1].id.clone(), turns[0].id.clone()],
        ..statement(&me(), &turns[1], "Ann goes to Rome,\nat last.")
    };
    save(store, reading(&[&turns[0].id, &turns[1].id], found(vec![extracted.clone()], Vec::new()))).await;
    let stored = store.get(&me(), std::slice::from_ref(&extracted.id)).await.unwrap().remove(0);
    let day = period("2026-03-05").first_day();
    let expected = Memory {
        id: extracted.id,
        grain: Grain::Working,
        period: period("2026-03-05"),
        cover: extracted.cover,
        days: (day, day),
        text: "Ann goes to Rome,\nat last.".into(),
        pinned: false,
        seq: stored.seq,
        body: Body::Statement {
            speaker: Some("Ann \"A\" O'Neil".into()),
            sources: extracted.sources,
            importance: 0.25,
            confidence: Some(0.75),
        },
    };
    assert_eq!(stored, expected);
    let nobody = Statement { who: Vec::new(), ..statement(&me(), &turns[0], "It rained.") };
    save(store, reading(&[&turns[0].id], found(vec![nobody.clone()], Vec::new()))).await;
    assert_eq!(store.get(&me(), &[nobody.id]).await.unwrap()[0].speaker(), None);
}

pub(super) async fn statements_are_listed_counted_and_projected_like_memories(store: &dyn Store) {
    let turns = store_two_turns(store).await;
    let before = all_changes(store, Grain::Working).await;
    let last = before.last().map(Change::seq).unwrap();
    let extracted: Vec<_> = ["b", "a"].iter().map(|text| statement(&me(), &turns[0], text)).collect();
    save(store, reading(&[&turns[0].id, &turns[1].id], found(extracted.clone(), Vec::new()))).await;
    let changes = store.changes(&me(), Grain::Working, last, 9).await.unwrap();
    let upserts =
        changes.iter().filter(|change| matches!(change, Change::Upsert(memory) if memory.kind() == Kind::Statement));
    assert_eq!(upserts.count(), 2, "{changes:?}");
    assert!(changes.windows(2).all(|pair| pair[0].seq() < pair[1].seq()), "{changes:?}");
    assert_eq!(store.backlog(&me(), Grain::Working, last).await.unwrap(), 2);
    assert_eq!(store.backlog(&me(), Grain::Working, changes[0].seq()).await.unwrap(), 1);
    let counts = store.counts(&me()).await.unwrap();
    assert_eq!(counts.memories, [4, 0, 0, 0, 0, 0]);
    assert_eq!(counts.extent, Some((turns[0].message.at, turns[1].message.at)));
    // Statements come before the turn of the same instant, sorted by id.
    let mut first: Vec<_> = extracted.iter().map(|statement| statement.id.clone()).collect();
    first.sort();
    let ids = |memories: Vec<Memory>| memories.into_iter().map(|memory| memory.id).collect::<Vec<_>>();
    let expected = [first[0].clone(), first[1].clone(), turns[0].id.clone(), turns[1].id.clone()];
    assert_eq!(ids(store.list(&me(), &Select::all(Grain::Working)).await.unwrap()), expected);
    let newest = Select { newest_first: true, limit: 3, ..Select::all(Grain::Working) };
    let reversed: Vec<_> = expected.iter().rev().take(3).cloned().collect();
    assert_eq!(ids(store.list(&me(), &newest).await.unwrap()), reversed);
    let of_conversation = Select { conversation: Some("talk".into()), ..Select::all(Grain::Working) };
    assert_eq!(
        ids(store.list(&me(), &of_conversation).await.unwrap()),
        expected[2..],
        "statements are of no conversation"
    );
    // The limit counts memories of the requested kinds only.
    for (kinds, newest_first, expect) in [
        (vec![Kind::Statement], true, [&expected[1], &expected[0]]),
        (vec![Kind::Statement], false, [&expected[0], &expected[1]]),
        (vec![Kind::Turn], false, [&expected[2], &expected[3]]),
        (vec![Kind::Turn, Kind::Statement], true, [&expected[3], &expected[2]]),
        (vec![Kind::Turn, Kind::Summary], true, [&expected[3], &expected[2]]),
    ] {
        let select = Select { kinds, newest_first, limit: 2, ..Select::all(Grain::Working) };
        let listed = ids(store.list(&me(), &select).await.unwrap());
        assert_eq!(listed.iter().collect::<Vec<_>>(), expect, "{select:?}");
    }
}

pub(super) async fn statements_are_no_roll_up_input_and_make_nothing_dirty(store: &dyn Store) {
    let turns = store_two_turns(store).await;
    let ledger = store.ledger(&me()).await.unwrap();
    let extracted = vec![statement(&me(), &turns[0], "Ann likes tea.")];
    for extracted in [extracted, Vec::new()] {
        save(store, reading(&[&turns[0].id], found(extracted, vec![operation(&turns[0], 0, "Ann likes tea")]))).await;
        assert_eq!(texts(&store.inputs(&me(), period("2026-03-04")).await.unwrap()), ["I like tea."]);
        assert_eq!(store.ledger(&me()).await.unwrap(), ledger);
    }
}

pub(super) async fn statement_of_several_turns_belongs_to_the_first(store: &dyn Store) {
    let [one, two] = store_two_turns(store).await;
    let extracted = Statement { sources: vec![one.id.clone(), two.id.clone()], ..statement(&me(), &one, "Both.") };
    save(store, reading(&[&one.id, &two.id], found(vec![extracted], Vec::new()))).await;
    save(store, reading(&[&two.id], Extracted::default())).await;
    assert_eq!(statements(store).await.len(), 1, "it came from the first");
    save(store, reading(&[&one.id], Extracted::default())).await;
    assert_eq!(statements(store).await.len(), 0);
}

pub(super) async fn changed_statement_with_the_same_id_is_replaced(store: &dyn Store) {
    let [one, _] = store_two_turns(store).await;
    let (extracted, logged) = (statement(&me(), &one, "x"), operation(&one, 0, "Ann likes tea"));
    save(store, reading(&[&one.id], found(vec![extracted.clone()], vec![logged.clone()]))).await;
    store.pin(&me(), &extracted.id, true).await.unwrap();
    let (before, version) = (statements(store).await.remove(0), store.log_version(&me()).await.unwrap());
    let other = Statement { importance: 1.0, confidence: Some(0.0), ..extracted };
    save(store, reading(&[&one.id], found(vec![other], vec![logged.clone()]))).await;
    let after = statements(store).await.remove(0);
    assert!(after.seq > before.seq && after.pinned, "{after:?}");
    let replaced = matches!(after.body, Body::Statement { importance: 1.0, confidence: Some(0.0), .. });
    assert!(replaced, "{:?}", after.body);
    assert_eq!(store.log_version(&me()).await.unwrap(), version, "the log is as it was");
    let certain = FactOperation { confidence: 1.0, ..logged };
    save(store, reading(&[&one.id], found(Vec::new(), vec![certain.clone()]))).await;
    assert_eq!(log(store).await, [certain]);
    assert!(store.log_version(&me()).await.unwrap() > version);
}
