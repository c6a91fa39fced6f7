//! Pins, and the stored state of the clock.

use annals_core::ports::{ClockNote, OnConflict, Select, Turn};
use annals_core::{Error, Grain, MemoryId, Message};

use super::fortnight;
use crate::suites::Store;
use crate::suites::catalog::{all_changes, later, me, now, user_turn};
use crate::suites::history::{By, extract, roll_up, roll_up_all, seal, summary_of};
use crate::{agent, period, statement};

const DAY: &str = "2026-03-04";

async fn is_pinned(store: &dyn Store, id: &MemoryId) -> bool {
    store.get(&me(), std::slice::from_ref(id)).await.unwrap()[0].pinned
}

pub(super) async fn pin_is_visible_and_is_no_change(store: &dyn Store) {
    let turns = fortnight(store).await;
    let statement = statement(&me(), &turns[0], "x");
    extract(store, &[&turns[0]], vec![statement.clone()], Vec::new()).await;
    for (id, grain) in [
        (turns[0].id.clone(), Grain::Working),
        (statement.id, Grain::Working),
        (MemoryId::summary(&me(), period(DAY)), Grain::Daily),
    ] {
        let (backlog, ledger) = (all_changes(store, grain).await.len(), store.ledger(&me()).await.unwrap());
        let newest = all_changes(store, grain).await.last().unwrap().seq();
        for pinned in [true, true, false, false] {
            store.pin(&me(), &id, pinned).await.unwrap();
            assert_eq!(is_pinned(store, &id).await, pinned);
            let listed = store.list(&me(), &Select::all(grain)).await.unwrap();
            let all: Vec<_> = listed.iter().filter(|memory| memory.pinned).map(|memory| &memory.id).collect();
            assert_eq!(all, if pinned { vec![&id] } else { vec![] });
            assert_eq!(store.backlog(&me(), grain, newest).await.unwrap(), 0);
            assert_eq!(all_changes(store, grain).await.len(), backlog);
            assert_eq!(store.ledger(&me()).await.unwrap(), ledger);
        }
    }
}

pub(super) async fn pin_survives_revisions_and_roll_ups(store: &dyn Store) {
    let turns = fortnight(store).await;
    let day = MemoryId::summary(&me(), period(DAY));
    for id in [&turns[0].id, &day] {
        store.pin(&me(), id, true).await.unwrap();
    }
    store
        .ingest(&me(), vec![user_turn("1", "2026-03-04T10:00:00Z", "coffee")], OnConflict::Revise, now())
        .await
        .unwrap();
    roll_up_all(store, By::Quoting).await;
    store.correct(&me(), &day, "They had coffee.", now()).await.unwrap();
    for id in [&turns[0].id, &day] {
        assert!(is_pinned(store, id).await);
    }
    assert_eq!(summary_of(store, DAY).await.unwrap().text, "They had coffee.");
}

pub(super) async fn pin_ends_with_the_memory(store: &dyn Store) {
    let turns = fortnight(store).await;
    store.pin(&me(), &turns[2].id, true).await.unwrap();
    seal(store, "2026-03-05").await;
    let revised = Message { content: "revised".into(), ..turns[2].message.clone() };
    store.ingest(&me(), vec![Turn { message: revised, ..turns[2].clone() }], OnConflict::Revise, now()).await.unwrap();
    assert!(!is_pinned(store, &turns[2].id).await);
    let day = MemoryId::summary(&me(), period("2026-03-11"));
    store.pin(&me(), &day, true).await.unwrap();
    store.ingest(&me(), vec![user_turn("4", "2026-03-12T10:00:00Z", "home")], OnConflict::Revise, now()).await.unwrap();
    roll_up(store, "2026-03-11", By::Quoting).await;
    store.ingest(&me(), vec![user_turn("4", "2026-03-11T10:00:00Z", "home")], OnConflict::Revise, now()).await.unwrap();
    roll_up(store, "2026-03-11", By::Quoting).await;
    assert!(!is_pinned(store, &day).await);
}

pub(super) async fn pin_of_a_missing_memory_is_refused(store: &dyn Store) {
    let turns = fortnight(store).await;
    let absent = MemoryId::from_text("t-' OR 1=1 --");
    for (agent, id) in [(me(), absent.clone()), (agent("other"), turns[0].id.clone())] {
        for pinned in [true, false] {
            let refused = store.pin(&agent, &id, pinned).await;
            assert!(matches!(refused, Err(Error::NotFound { .. })), "{refused:?}");
        }
    }
    assert!(!is_pinned(store, &turns[0].id).await);
    assert_eq!(store.all_agents().await.unwrap(), [me()]);
}

pub(super) async fn clock_note_round_trips(store: &dyn Store) {
    assert_eq!(store.clock().await.unwrap(), None);
    for (seen, steady_since) in [(now(), now()), (later(), now()), (now(), later())] {
        let note = ClockNote { seen, steady_since };
        store.save_clock(note).await.unwrap();
        assert_eq!(store.clock().await.unwrap(), Some(note));
    }
}
