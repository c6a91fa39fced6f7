//! A period is sealed only in the state that the caller has read.

use annals_core::Error;
use annals_core::ports::{Change, Children, OnConflict};

use super::fortnight;
use crate::suites::Store;
use crate::suites::catalog::{all_changes, me, row, say, user_turn};
use crate::suites::history::{By, base_of, children, extract, roll_up, roll_up_all, seal, try_seal};
use crate::{period, statement};

const DAY: &str = "2026-03-04";

/// Returns the changes, ledger rows and children that sealing could change.
async fn state(store: &dyn Store) -> (Vec<Change>, Vec<annals_core::LedgerRow>, Vec<Children>) {
    let mut changes = Vec::new();
    for grain in annals_core::Grain::ALL {
        changes.extend(all_changes(store, grain).await);
    }
    (changes, store.ledger(&me()).await.unwrap(), store.children(&me()).await.unwrap())
}

async fn refused(store: &dyn Store, looked_at: &Children, clean_seq: u64) {
    let before = state(store).await;
    let refused = store.seal(&me(), looked_at, clean_seq).await;
    assert!(matches!(refused, Err(Error::Stale { .. })), "{refused:?}");
    assert_eq!(state(store).await, before);
    assert_eq!(base_of(store, &looked_at.parent.to_string()).await, None);
}

pub(super) async fn other_clean_seq(store: &dyn Store) {
    fortnight(store).await;
    let (looked_at, clean_seq) = (children(store, DAY).await.unwrap(), row(store, DAY).await.clean_seq);
    for other in [clean_seq - 1, clean_seq + 1, 0] {
        refused(store, &looked_at, other).await;
    }
    store.seal(&me(), &looked_at, clean_seq).await.unwrap();
}

pub(super) async fn input_stored_since(store: &dyn Store) {
    fortnight(store).await;
    let (looked_at, clean_seq) = (children(store, DAY).await.unwrap(), row(store, DAY).await.clean_seq);
    say(store, vec![user_turn("9", "2026-03-04T12:00:00Z", "late")]).await;
    refused(store, &looked_at, clean_seq).await;
    refused(store, &children(store, DAY).await.unwrap(), clean_seq).await;
    // After a revision the number of children is the same, but the day is dirty.
    store
        .ingest(
            &me(),
            vec![user_turn("3", "2026-03-05T10:00:00Z", "Kyoto")],
            OnConflict::Revise,
            super::super::catalog::now(),
        )
        .await
        .unwrap();
    let day = children(store, "2026-03-05").await.unwrap();
    refused(store, &day, row(store, "2026-03-05").await.clean_seq).await;
}

pub(super) async fn input_stored_and_rolled_up_since(store: &dyn Store) {
    fortnight(store).await;
    let (looked_at, clean_seq) = (children(store, DAY).await.unwrap(), row(store, DAY).await.clean_seq);
    say(store, vec![user_turn("9", "2026-03-04T12:00:00Z", "late")]).await;
    roll_up(store, DAY, By::Quoting).await;
    refused(store, &looked_at, clean_seq).await;
    refused(store, &looked_at, row(store, DAY).await.clean_seq).await;
}

pub(super) async fn child_stored_since(store: &dyn Store) {
    let turns = fortnight(store).await;
    let (looked_at, clean_seq) = (children(store, DAY).await.unwrap(), row(store, DAY).await.clean_seq);
    // A statement makes no period dirty, but it is a child.
    extract(store, &[&turns[0]], vec![statement(&me(), &turns[0], "x")], Vec::new()).await;
    refused(store, &looked_at, clean_seq).await;
    seal(store, DAY).await;
}

pub(super) async fn child_removed_since(store: &dyn Store) {
    let turns = fortnight(store).await;
    extract(store, &[&turns[0]], vec![statement(&me(), &turns[0], "x")], Vec::new()).await;
    let (looked_at, clean_seq) = (children(store, DAY).await.unwrap(), row(store, DAY).await.clean_seq);
    extract(store, &[&turns[0]], Vec::new(), Vec::new()).await;
    refused(store, &looked_at, clean_seq).await;
}

pub(super) async fn child_pinned_since(store: &dyn Store) {
    let turns = fortnight(store).await;
    let (looked_at, clean_seq) = (children(store, DAY).await.unwrap(), row(store, DAY).await.clean_seq);
    store.pin(&me(), &turns[0].id, true).await.unwrap();
    refused(store, &looked_at, clean_seq).await;
    store.pin(&me(), &turns[0].id, false).await.unwrap();
    store.seal(&me(), &looked_at, clean_seq).await.unwrap();
}

pub(super) async fn period_without_summary(store: &dyn Store) {
    say(store, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await;
    refused(store, &children(store, DAY).await.unwrap(), 0).await;
    // A period that is clean because its roll-up produced nothing is refused as well.
    let seq = row(store, DAY).await.dirty_seq;
    let nothing = annals_core::Summary { draft: None, ..crate::summary(DAY, seq, &[], "") };
    store.save_summaries(&me(), vec![nothing], crate::suites::catalog::now()).await.unwrap();
    refused(store, &children(store, DAY).await.unwrap(), seq).await;
}

pub(super) async fn unknown_period(store: &dyn Store) {
    fortnight(store).await;
    let looked_at = children(store, DAY).await.unwrap();
    for label in ["2026-03-06", "2026-W12", "2027"] {
        refused(store, &Children { parent: period(label), ..looked_at.clone() }, 0).await;
    }
}

pub(super) async fn period_sealed_already(store: &dyn Store) {
    fortnight(store).await;
    let (looked_at, clean_seq) = (children(store, DAY).await.unwrap(), row(store, DAY).await.clean_seq);
    seal(store, DAY).await;
    let before = (state(store).await, base_of(store, DAY).await);
    let again = store.seal(&me(), &looked_at, clean_seq).await;
    assert!(matches!(again, Err(Error::Stale { .. })), "{again:?}");
    assert_eq!((state(store).await, base_of(store, DAY).await), before);
}

pub(super) async fn dirty_year(store: &dyn Store) {
    fortnight(store).await;
    let year = store.children(&me()).await.unwrap().pop().unwrap();
    say(store, vec![user_turn("9", "2026-03-04T12:00:00Z", "late")]).await;
    for label in [DAY, "2026-W10", "2026-03", "2026-Q1"] {
        roll_up(store, label, By::Quoting).await;
    }
    refused(store, &year, row(store, "2026").await.clean_seq).await;
    roll_up_all(store, By::Quoting).await;
    let year = store.children(&me()).await.unwrap().pop().unwrap();
    try_seal(store, &me(), &year).await.unwrap();
}
