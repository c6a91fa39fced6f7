//! Unsealed summaries, which can be written again.

use annals_core::{Draft, Grain, MemoryId, Sentence, Summary};

use super::{ABOVE, by_id, erase, much_later, periods};
use crate::suites::Store;
use crate::suites::catalog::{all_changes, dirty, me, now, row, say, user_turn};
use crate::suites::history::{By, deleted, roll_up_all, summary_of};
use crate::{period, summary};

/// Stores two turns of one day and one of a day in another week and month, and rolls them up.
async fn months(store: &dyn Store) -> [MemoryId; 3] {
    let turns = [
        user_turn("1", "2026-03-04T10:00:00Z", "tea"),
        user_turn("2", "2026-03-04T11:00:00Z", "cake"),
        user_turn("3", "2026-04-08T10:00:00Z", "home"),
    ];
    say(store, turns.to_vec()).await;
    roll_up_all(store, By::Model).await;
    turns.map(|turn| turn.id)
}

pub(super) async fn summaries_above_are_removed_and_dirty(store: &dyn Store) {
    let [tea, _, _] = months(store).await;
    let newest = all_changes(store, Grain::Yearly).await.last().unwrap().seq();
    let done = erase(store, by_id(&[&tea])).await;
    assert_eq!((done.rebuilt, done.cut, done.lost), (periods(&ABOVE), Vec::new(), Vec::new()));
    assert_eq!(dirty(store).await, ABOVE);
    for (label, grain) in ABOVE.into_iter().zip(Grain::SUMMARIES) {
        assert_eq!(summary_of(store, label).await, None);
        assert_eq!(deleted(store, grain).await, [MemoryId::summary(&me(), period(label))]);
        let row = row(store, label).await;
        assert_eq!((row.dirty_at, row.sealed), (much_later(), false));
        assert!(row.dirty_seq > newest);
    }
}

pub(super) async fn other_days_stay(store: &dyn Store) {
    let [tea, _, _] = months(store).await;
    erase(store, by_id(&[&tea])).await;
    for label in ["2026-04-08", "2026-W15", "2026-04", "2026-Q2"] {
        assert_eq!(summary_of(store, label).await.unwrap().text.matches("home").count(), 1, "{label}");
        assert!(!row(store, label).await.is_dirty(), "{label}");
    }
}

pub(super) async fn day_that_quotes_a_name_from_an_earlier_day_is_removed(store: &dyn Store) {
    let [tea, cake, home] = months(store).await;
    let former = row(store, "2026-04-08").await;
    let text = "(tea) home";
    let from = vec![home.clone(), tea.clone()];
    let day = period("2026-04-08").first_day();
    let sentence = Sentence { day, speaker: None, text: text.into(), from, ungrounded: false };
    let draft = Draft { text: text.into(), sentences: vec![sentence], tokens: 0, ungrounded: 0, verbatim: true };
    let quoting = summary("2026-04-08", former.dirty_seq, &[home], text);
    let quoting = Summary { replaces: former.rolled_up(), draft: Some(draft), ..quoting };
    store.save_summaries(&me(), vec![quoting], now()).await.unwrap();
    erase(store, by_id(&[&cake])).await;
    assert!(summary_of(store, "2026-04-08").await.is_some());
    let done = erase(store, by_id(&[&tea])).await;
    assert!(done.rebuilt.contains(&period("2026-04-08")), "{:?}", done.rebuilt);
    assert_eq!(summary_of(store, "2026-04-08").await, None);
    assert!(row(store, "2026-04-08").await.is_dirty());
}

pub(super) async fn day_without_a_summary_is_dirty(store: &dyn Store) {
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    let seq = say(store, vec![turn.clone()]).await.seq;
    let done = erase(store, by_id(&[&turn.id])).await;
    assert_eq!(done.rebuilt, [], "nothing was there to be removed");
    let day = row(store, "2026-03-04").await;
    assert!(day.dirty_seq > seq);
    assert_eq!(day.dirty_at, much_later());
    assert_eq!(dirty(store).await, ["2026-03-04"]);
}

pub(super) async fn empty_periods_have_no_summaries(store: &dyn Store) {
    let [tea, cake, home] = months(store).await;
    erase(store, by_id(&[&tea, &cake, &home])).await;
    roll_up_all(store, By::Model).await;
    assert_eq!(store.counts(&me()).await.unwrap().memories, [0; 6]);
    assert_eq!(dirty(store).await, Vec::<String>::new());
    assert_eq!(store.all_agents().await.unwrap(), [me()], "it is there, and remembers nothing");
}

pub(super) async fn remaining_turns_are_rolled_up_again(store: &dyn Store) {
    let [tea, _, _] = months(store).await;
    erase(store, by_id(&[&tea])).await;
    roll_up_all(store, By::Quoting).await;
    for (label, text) in ABOVE.into_iter().zip(["cake", "cake", "cake", "cake", "cake\nAll in all: All in all"]) {
        assert!(summary_of(store, label).await.unwrap().text.starts_with(text), "{label}");
    }
    assert_eq!(dirty(store).await, Vec::<String>::new());
}
