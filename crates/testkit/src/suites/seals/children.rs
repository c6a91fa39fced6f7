//! Children of periods, as the port `Seals` lists them for retention.

use annals_core::MemoryId;
use annals_core::ports::{Children, OnConflict};

use super::fortnight;
use crate::suites::Store;
use crate::suites::catalog::{later, me, say, user_turn};
use crate::suites::history::{children, extract, newest};
use crate::{agent, period, statement, summary};

pub(super) async fn agent_without_memories_has_no_children(store: &dyn Store) {
    assert_eq!(store.children(&me()).await.unwrap(), []);
    fortnight(store).await;
    assert_eq!(store.children(&agent("other")).await.unwrap(), []);
}

pub(super) async fn periods_with_live_children_are_listed_in_order(store: &dyn Store) {
    fortnight(store).await;
    let all = store.children(&me()).await.unwrap();
    let seen = |c: &Children| {
        let turns = if c.last_turn > 0 { " turns" } else { "" };
        let yearly = if c.yearly { " itself" } else { "" };
        format!("{}{yearly}: {} of {} bytes to {}{turns}", c.parent, c.rows, c.bytes, c.last_day)
    };
    let seen: Vec<_> = all.iter().map(seen).collect();
    let expected = [
        "2026-03-04: 2 of 7 bytes to 2026-03-04 turns",
        "2026-03-05: 1 of 6 bytes to 2026-03-05 turns",
        "2026-03-11: 1 of 4 bytes to 2026-03-11 turns",
        "2026-W10: 2 of 14 bytes to 2026-03-05",
        "2026-W11: 1 of 4 bytes to 2026-03-11",
        "2026-03: 2 of 19 bytes to 2026-03-15",
        "2026-Q1: 1 of 20 bytes to 2026-03-29",
        "2026: 1 of 20 bytes to 2026-03-29",
        "2026 itself: 1 of 20 bytes to 2027-01-03",
    ];
    assert_eq!(seen, expected);
}

pub(super) async fn turns_and_statements_are_children_of_their_day(store: &dyn Store) {
    let turns = [user_turn("1", "2026-03-04T10:00:00Z", "tea"), user_turn("2", "2026-03-04T11:00:00Z", "cake")];
    let last_turn = say(store, turns.to_vec()).await.seq;
    let statements = vec![statement(&me(), &turns[0], "Ann likes 茶."), statement(&me(), &turns[1], "Ann bakes.")];
    extract(store, &[&turns[0], &turns[1]], statements, Vec::new()).await;
    assert!(newest(store).await > last_turn, "statements have later numbers, which do not count");
    let day = period("2026-03-04");
    let expected = Children {
        parent: day,
        yearly: false,
        rows: 4,
        bytes: 7 + 14 + 10,
        last_day: day.first_day(),
        pinned: false,
        last_turn,
    };
    assert_eq!(store.children(&me()).await.unwrap(), [expected]);
}

pub(super) async fn revised_turn_has_its_new_sequence_number(store: &dyn Store) {
    fortnight(store).await;
    let seq = store
        .ingest(&me(), vec![user_turn("1", "2026-03-04T10:00:00Z", "coffee")], OnConflict::Revise, later())
        .await
        .unwrap()
        .seq;
    assert_eq!(children(store, "2026-03-04").await.unwrap().last_turn, seq);
    // A turn that moved to another day is a child of that day only.
    let moved = user_turn("1", "2026-03-05T10:00:00Z", "coffee");
    let seq = store.ingest(&me(), vec![moved], OnConflict::Revise, later()).await.unwrap().seq;
    let (left, joined) = (children(store, "2026-03-04").await.unwrap(), children(store, "2026-03-05").await.unwrap());
    assert_eq!((left.rows, joined.rows, joined.last_turn), (1, 2, seq));
}

pub(super) async fn pinned_children_are_reported(store: &dyn Store) {
    let turns = fortnight(store).await;
    let statements = statement(&me(), &turns[2], "x");
    extract(store, &[&turns[2]], vec![statements.clone()], Vec::new()).await;
    let week = MemoryId::summary(&me(), period("2026-W11"));
    let year = MemoryId::summary(&me(), period("2026"));
    let pinned = async || {
        let all = store.children(&me()).await.unwrap().into_iter().filter(|children| children.pinned);
        all.map(|children| (children.parent.to_string(), children.yearly)).collect::<Vec<_>>()
    };
    assert_eq!(pinned().await, []);
    for (id, label, yearly) in [
        (&turns[1].id, "2026-03-04", false),
        (&statements.id, "2026-03-05", false),
        (&week, "2026-03", false),
        (&year, "2026", true),
    ] {
        store.pin(&me(), id, true).await.unwrap();
        assert_eq!(pinned().await, [(label.to_owned(), yearly)]);
        store.pin(&me(), id, false).await.unwrap();
        assert_eq!(pinned().await, []);
    }
}

pub(super) async fn coarse_children_end_with_their_cover(store: &dyn Store) {
    // 2026-W53 ends on 3 January 2027 and belongs to December.
    let source = [MemoryId::from_text("t-any")];
    let summaries = ["2026-W53", "2026-12", "2026-Q4"].map(|label| summary(label, 0, &source, label));
    store.save_summaries(&me(), summaries.to_vec(), later()).await.unwrap();
    for label in ["2026-12", "2026-Q4", "2026"] {
        let last_day = children(store, label).await.unwrap().last_day;
        assert_eq!(last_day, period("2027-01-03").first_day(), "{label}");
    }
}

pub(super) async fn period_without_roll_up_is_listed(store: &dyn Store) {
    say(store, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await;
    let all = store.children(&me()).await.unwrap();
    assert_eq!(all.iter().map(|c| (c.parent, c.rows)).collect::<Vec<_>>(), [(period("2026-03-04"), 1)]);
}
