//! Late input of a sealed period.

use annals_core::ports::{OnConflict, Origin, Turn};
use annals_core::{Draft, MemoryId, Message, Summary};

use super::fortnight;
use crate::suites::Store;
use crate::suites::catalog::{dirty, later, me, row, say, texts, user_turn};
use crate::suites::history::{By, as_base, base_of, roll_up, roll_up_all, seal, summary_of};
use crate::{period, replacing, summary};

const DAY: &str = "2026-03-04";

/// Seals a day and stores a late turn. Returns the turn's id.
async fn late(store: &dyn Store) -> MemoryId {
    fortnight(store).await;
    seal(store, DAY).await;
    let late = user_turn("9", "2026-03-04T09:00:00Z", "rain");
    say(store, vec![late.clone()]).await;
    late.id
}

pub(super) async fn input_of_a_sealed_period_is_only_the_late_turns(store: &dyn Store) {
    late(store).await;
    assert_eq!(texts(&store.inputs(&me(), period(DAY)).await.unwrap()), ["rain"]);
    assert_eq!(dirty(store).await, [DAY]);
    assert!(row(store, DAY).await.sealed);
}

pub(super) async fn amended_summary_keeps_its_base(store: &dyn Store) {
    let late = late(store).await;
    let base = base_of(store, DAY).await;
    roll_up(store, DAY, By::Quoting).await;
    assert_eq!(base_of(store, DAY).await, base);
    let amended = summary_of(store, DAY).await.unwrap();
    assert_eq!(amended.text, "tea\ncake\nrain");
    assert_eq!(amended.sources(), [base.unwrap().sources, vec![late]].concat());
    let day = row(store, DAY).await;
    assert!(day.sealed && !day.is_dirty());
    assert_eq!(dirty(store).await, ["2026-W10"]);
    // The late turn moves to another day: only the base is left.
    store
        .ingest(&me(), vec![user_turn("9", "2026-03-12T09:00:00Z", "rain")], OnConflict::Revise, later())
        .await
        .unwrap();
    roll_up_all(store, By::Quoting).await;
    assert_eq!(summary_of(store, DAY).await.unwrap().text, "tea\ncake");
}

pub(super) async fn sealing_again_replaces_the_base(store: &dyn Store) {
    late(store).await;
    roll_up_all(store, By::Quoting).await;
    seal(store, DAY).await;
    let (base, summary) = (base_of(store, DAY).await.unwrap(), summary_of(store, DAY).await.unwrap());
    assert_eq!(base, as_base(&summary));
    assert_eq!(store.inputs(&me(), period(DAY)).await.unwrap(), []);
}

/// Saves a summary of the day without sources.
async fn save_without_sources(store: &dyn Store, draft: Option<Draft>) {
    let seq = row(store, DAY).await.dirty_seq;
    let saved = Summary { draft, ..summary(DAY, seq, &[], "") };
    store.save_summaries(&me(), vec![replacing(store, &me(), saved).await], later()).await.unwrap();
}

fn rewritten() -> Option<Draft> {
    Some(Draft { text: "They met.".into(), sentences: Vec::new(), tokens: 1, ungrounded: 0, verbatim: false })
}

pub(super) async fn draft_without_sources_is_kept_when_sealed(store: &dyn Store) {
    late(store).await;
    save_without_sources(store, rewritten()).await;
    let stored = summary_of(store, DAY).await.unwrap();
    assert_eq!((stored.text.as_str(), stored.sources()), ("They met.", &[][..]));
    assert_eq!(dirty(store).await, ["2026-W10"]);
    save_without_sources(store, None).await;
    assert_eq!(summary_of(store, DAY).await, None);
}

pub(super) async fn draft_without_sources_removes_the_summary_when_unsealed(store: &dyn Store) {
    fortnight(store).await;
    save_without_sources(store, rewritten()).await;
    assert_eq!(summary_of(store, DAY).await, None);
}

pub(super) async fn late_turn_of_a_pruned_day_reaches_its_week(store: &dyn Store) {
    late(store).await;
    roll_up_all(store, By::Quoting).await;
    seal(store, "2026-W10").await;
    let late = user_turn("10", "2026-03-04T08:00:00Z", "snow");
    say(store, vec![late.clone()]).await;
    roll_up(store, DAY, By::Quoting).await;
    let day = summary_of(store, DAY).await.unwrap();
    assert_eq!(day.text, "snow\nrain", "what was pruned is in the week alone");
    assert_eq!(dirty(store).await, ["2026-W10"]);
    assert_eq!(store.inputs(&me(), period("2026-W10")).await.unwrap(), [day]);
    roll_up(store, "2026-W10", By::Quoting).await;
    assert_eq!(summary_of(store, "2026-W10").await.unwrap().text, "tea\ncake\nrain\n東京\nsnow\nrain");
}

pub(super) async fn repeated_pruned_turn_is_a_duplicate(store: &dyn Store) {
    let turns = fortnight(store).await;
    seal(store, DAY).await;
    let done = say(store, vec![turns[0].clone()]).await;
    assert_eq!((done.accepted, done.duplicate), (0, 1));
    assert_eq!(dirty(store).await, [""; 0]);
    let untimed = Turn { origin: Origin::Untimed, ..turns[0].clone() };
    for unchanged in [turns[0].clone(), untimed] {
        let done = store.ingest(&me(), vec![unchanged], OnConflict::Revise, later()).await.unwrap();
        assert_eq!((done.accepted, done.duplicate), (0, 1), "unchanged, it is not stored again");
    }
    assert_eq!(dirty(store).await, [""; 0]);
    let changed = Message { content: "green tea".into(), ..turns[0].message.clone() };
    let changed = Turn { message: changed, ..turns[0].clone() };
    let done = store.ingest(&me(), vec![changed], OnConflict::Revise, later()).await.unwrap();
    assert_eq!((done.accepted, done.duplicate), (1, 0), "a revision is late input");
    assert_eq!(dirty(store).await, [DAY]);
    assert_eq!(texts(&store.inputs(&me(), period(DAY)).await.unwrap()), ["green tea"]);
}
