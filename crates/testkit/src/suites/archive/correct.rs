//! Corrections of statements and summaries.

use annals_core::ports::{Change, Version};
use annals_core::{Body, Error, Grain, LedgerRow, Memory, MemoryId, Sentence, Statement, Summary};

use crate::suites::Store;
use crate::suites::catalog::{all_changes, dirty, later, me, now, row, say, user_turn};
use crate::suites::history::{By, base_of, extract, roll_up, roll_up_all, seal, summary_of};
use crate::{agent, at, period, replacing, statement, summary};

const DAY: &str = "2026-03-04";

/// Stores and rolls up a day of two turns. Returns a statement extracted from the first turn.
pub(super) async fn a_day(store: &dyn Store) -> Statement {
    let turns = [user_turn("1", "2026-03-04T10:00:00Z", "tea"), user_turn("2", "2026-03-04T11:00:00Z", "cake")];
    say(store, turns.to_vec()).await;
    roll_up_all(store, By::Quoting).await;
    let statement = statement(&me(), &turns[0], "Ann likes tea.");
    extract(store, &[&turns[0], &turns[1]], vec![statement.clone()], Vec::new()).await;
    statement
}

pub(super) async fn get(store: &dyn Store, id: &MemoryId) -> Memory {
    store.get(&me(), std::slice::from_ref(id)).await.unwrap().remove(0)
}

fn day() -> MemoryId {
    MemoryId::summary(&me(), period(DAY))
}

fn much_later() -> annals_core::Timestamp {
    at("2026-07-01T00:00:00Z")
}

pub(super) async fn corrected_statement_is_a_change_with_a_former_text(store: &dyn Store) {
    let statement = a_day(store).await;
    let (before, ledger) = (get(store, &statement.id).await, store.ledger(&me()).await.unwrap());
    let newest = all_changes(store, Grain::Working).await.last().unwrap().seq();
    store.correct(&me(), &statement.id, "Ann likes 'green' tea.", later()).await.unwrap();
    let after = get(store, &statement.id).await;
    assert!(after.seq > newest);
    assert_eq!(after, Memory { text: "Ann likes 'green' tea.".into(), seq: after.seq, ..before });
    assert_eq!(store.changes(&me(), Grain::Working, newest, 9).await.unwrap(), [Change::Upsert(after)]);
    assert_eq!(store.ledger(&me()).await.unwrap(), ledger, "statements make nothing dirty");
    let former = [Version { text: "Ann likes tea.".into(), replaced_at: later() }];
    assert_eq!(store.versions(&me(), &statement.id).await.unwrap(), former);
}

pub(super) async fn corrected_summary_makes_its_parent_dirty(store: &dyn Store) {
    a_day(store).await;
    let (before, own) = (summary_of(store, DAY).await.unwrap(), row(store, DAY).await);
    store.correct(&me(), &day(), "They had coffee.", much_later()).await.unwrap();
    let after = summary_of(store, DAY).await.unwrap();
    // One sentence, with all sources of the former sentences.
    let from = before.sentences().iter().flat_map(|sentence| sentence.from.clone()).collect();
    let text = "They had coffee.".to_owned();
    let sentence =
        Sentence { day: period(DAY).first_day(), speaker: None, text: text.clone(), from, ungrounded: false };
    let body = Body::Summary { sentences: vec![sentence], sources: before.sources().to_vec() };
    let seq = after.seq;
    assert!(seq > before.seq);
    assert_eq!(after, Memory { text, body, seq, ..before });
    let recipe = Some(LedgerRow::corrected_by_a_person());
    assert_eq!(row(store, DAY).await, LedgerRow { recipe, ..own });
    assert_eq!(dirty(store).await, ["2026-W10"]);
    let week = row(store, "2026-W10").await;
    assert_eq!((week.dirty_seq, week.dirty_at), (seq, much_later()));
    assert!(matches!(&all_changes(store, Grain::Daily).await[..], [Change::Upsert(memory)] if memory.seq == seq));
    seal(store, DAY).await;
    assert!(!base_of(store, DAY).await.unwrap().verbatim, "nobody said it so");
}

pub(super) async fn corrected_summary_stays_until_its_input_changes(store: &dyn Store) {
    a_day(store).await;
    store.correct(&me(), &day(), "They had coffee.", later()).await.unwrap();
    let read = row(store, DAY).await.dirty_seq;
    let sources = summary_of(store, DAY).await.unwrap().sources().to_vec();
    let unchanged = Summary { draft: None, ..summary(DAY, read, &sources, "") };
    store.save_summaries(&me(), vec![replacing(store, &me(), unchanged).await], later()).await.unwrap();
    assert_eq!(summary_of(store, DAY).await.unwrap().text, "They had coffee.");
    say(store, vec![user_turn("3", "2026-03-04T12:00:00Z", "rain")]).await;
    assert_eq!(summary_of(store, DAY).await.unwrap().text, "They had coffee.");
    roll_up(store, DAY, By::Quoting).await;
    assert_eq!(summary_of(store, DAY).await.unwrap().text, "tea\ncake\nrain");
    let former = [Version { text: "tea\ncake".into(), replaced_at: later() }];
    assert_eq!(store.versions(&me(), &day()).await.unwrap(), former, "a roll-up is no correction");
}

pub(super) async fn corrected_year_makes_nothing_dirty(store: &dyn Store) {
    a_day(store).await;
    store.correct(&me(), &MemoryId::summary(&me(), period("2026")), "A good year.", later()).await.unwrap();
    assert_eq!(summary_of(store, "2026").await.unwrap().text, "A good year.");
    assert_eq!(dirty(store).await, Vec::<String>::new());
}

pub(super) async fn corrected_statement_stays_until_its_turn_is_extracted_again(store: &dyn Store) {
    let statement = a_day(store).await;
    store.correct(&me(), &statement.id, "Ann likes coffee.", later()).await.unwrap();
    let other = user_turn("2", "2026-03-04T11:00:00Z", "cake");
    extract(store, &[&other], Vec::new(), Vec::new()).await;
    assert_eq!(get(store, &statement.id).await.text, "Ann likes coffee.");
    extract(store, &[&user_turn("1", "2026-03-04T10:00:00Z", "tea")], vec![statement.clone()], Vec::new()).await;
    assert_eq!(get(store, &statement.id).await.text, "Ann likes tea.");
}

pub(super) async fn correction_to_the_same_text_changes_nothing(store: &dyn Store) {
    let statement = a_day(store).await;
    for (id, text, grain) in [(statement.id, "Ann likes tea.", Grain::Working), (day(), "tea\ncake", Grain::Daily)] {
        let (changes, ledger) = (all_changes(store, grain).await, store.ledger(&me()).await.unwrap());
        store.correct(&me(), &id, text, later()).await.unwrap();
        assert_eq!((all_changes(store, grain).await, store.ledger(&me()).await.unwrap()), (changes, ledger));
        assert_eq!(store.versions(&me(), &id).await.unwrap(), []);
    }
}

pub(super) async fn correction_of_a_turn_is_refused(store: &dyn Store) {
    a_day(store).await;
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    for text in ["coffee", "tea"] {
        let refused = store.correct(&me(), &turn.id, text, later()).await.unwrap_err();
        assert_eq!(refused.to_string(), "id is a turn; store it again with revise");
        assert!(matches!(refused, Error::Invalid(_)));
    }
    assert_eq!(get(store, &turn.id).await.text, "tea");
    assert_eq!(store.versions(&me(), &turn.id).await.unwrap(), []);
}

pub(super) async fn correction_of_a_missing_memory_is_refused(store: &dyn Store) {
    let statement = a_day(store).await;
    let absent = MemoryId::from_text("f-' OR 1=1 --");
    for (agent, id) in [(me(), absent), (agent("other"), statement.id.clone()), (agent("other"), day())] {
        let refused = store.correct(&agent, &id, "x", now()).await;
        assert!(matches!(refused, Err(Error::NotFound { .. })), "{refused:?}");
    }
    assert_eq!(get(store, &statement.id).await.text, "Ann likes tea.");
    assert_eq!(store.all_agents().await.unwrap(), [me()]);
}
