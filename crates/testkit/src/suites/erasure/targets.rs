//! The data that each kind of target reaches.

use annals_core::ports::{ErasureReport, OnConflict, Select, Target, Turn};
use annals_core::{CONTEXT, FactOperation, Grain, Interval, Memory, MemoryId, Message, Statement};

use super::{by_id, erase, everything, ids};
use crate::suites::Store;
use crate::suites::catalog::{me, now, say, user_turn};
use crate::suites::history::{By, deleted, extract, roll_up_all, seal, summary_of};
use crate::{agent, at, entry, message, operation, period, statement, turn, turn_of};

/// Three turns in two conversations, each with a statement and an operation, and one entry by hand.
struct History {
    turns: [Turn; 3],
    statements: [Statement; 3],
    operations: [FactOperation; 3],
    entry: FactOperation,
}

async fn history(store: &dyn Store) -> History {
    let elsewhere = Message {
        conversation: "o'clock".into(),
        client_id: Some("1".into()),
        ..message("2026-03-05T10:00:00Z", "We met at noon by the river.")
    };
    let turns = [
        user_turn("1", "2026-03-04T10:00:00Z", "I like green tea."),
        user_turn("2", "2026-03-05T09:00:00Z", "I moved to Kyoto."),
        turn_of(&me(), elsewhere),
    ];
    say(store, turns.to_vec()).await;
    let statements = [0, 1, 2].map(|n: usize| statement(&me(), &turns[n], &format!("What was said in turn {n}.")));
    let operations = [0, 1, 2].map(|n: usize| operation(&turns[n], 0, &format!("Ann likes turn{n}")));
    let entry = entry(&me(), "Ann likes cake", "2026-03-09T10:00:00Z");
    extract(store, &[&turns[0], &turns[1], &turns[2]], statements.to_vec(), operations.to_vec()).await;
    store.add_operations(&me(), vec![entry.clone()]).await.unwrap();
    History { turns, statements, operations, entry }
}

impl History {
    /// Erases the target. Expects that exactly these turns are removed, with everything made from them.
    async fn check(&self, store: &dyn Store, target: Target, turns: &[usize]) -> ErasureReport {
        let done = erase(store, target).await;
        let turn_ids: Vec<_> = turns.iter().map(|n| &self.turns[*n].id).collect();
        let statement_ids: Vec<_> = turns.iter().map(|n| &self.statements[*n].id).collect();
        assert_eq!(done.turns, ids(&turn_ids));
        assert_eq!(done.statements, ids(&statement_ids));
        let mut operations: Vec<_> = turns.iter().map(|n| self.operations[*n].id.clone()).collect();
        operations.sort();
        assert_eq!(done.operations, operations);
        let gone = ids(&[turn_ids, statement_ids].concat());
        assert_eq!(store.get(&me(), &gone).await.unwrap(), []);
        assert_eq!(deleted(store, Grain::Working).await, gone);
        assert_eq!(memories(store).await.len(), 6 - gone.len());
        let (_, log) = store.operations(&me()).await.unwrap();
        assert_eq!(log.len(), 4 - operations.len());
        assert!(log.iter().all(|operation| !operations.contains(&operation.id)));
        done
    }
}

async fn memories(store: &dyn Store) -> Vec<Memory> {
    store.list(&me(), &Select::all(Grain::Working)).await.unwrap()
}

pub(super) async fn memories_are_erased_by_id(store: &dyn Store) {
    let history = history(store).await;
    history.check(store, by_id(&[&history.turns[2].id, &history.turns[0].id, &history.turns[0].id]), &[0, 2]).await;
}

pub(super) async fn summaries_are_not_erased_by_id(store: &dyn Store) {
    history(store).await;
    roll_up_all(store, By::Model).await;
    seal(store, "2026-W10").await;
    let before = everything(store).await;
    let summaries = super::ABOVE.map(|label| MemoryId::summary(&me(), period(label)));
    assert_eq!(erase(store, Target::Memories(summaries.to_vec())).await, ErasureReport::default());
    assert_eq!(everything(store).await, before);
}

pub(super) async fn statement_is_erased_without_its_turn(store: &dyn Store) {
    let history = history(store).await;
    roll_up_all(store, By::Quoting).await;
    let ledger = store.ledger(&me()).await.unwrap();
    let done = erase(store, by_id(&[&history.statements[1].id])).await;
    let words = vec!["What was said in turn 1".to_owned()];
    assert_eq!(
        done,
        ErasureReport { statements: ids(&[&history.statements[1].id]), words, ..ErasureReport::default() }
    );
    assert_eq!(deleted(store, Grain::Working).await, [history.statements[1].id.clone()]);
    assert_eq!(store.ledger(&me()).await.unwrap(), ledger, "no summary is made of statements");
}

pub(super) async fn what_draws_on_a_turn_as_context_is_erased_with_it(store: &dyn Store) {
    let turns = ["1", "2"].map(|id| user_turn(id, "2026-03-04T10:00:00Z", &format!("This is turn {id}.")));
    say(store, turns.to_vec()).await;
    let drawn = Statement {
        sources: vec![turns[1].id.clone(), turns[0].id.clone()],
        ..statement(&me(), &turns[1], "Both turns say so.")
    };
    let own = statement(&me(), &turns[1], "The second turn says so.");
    let mut operations = [0, 1].map(|position| operation(&turns[1], position, "Ann likes tea"));
    operations[0].properties.insert(CONTEXT.to_owned(), [turns[0].id.as_str()].into());
    extract(store, &[&turns[0], &turns[1]], vec![drawn.clone(), own], operations.to_vec()).await;
    let done = erase(store, by_id(&[&turns[0].id])).await;
    assert_eq!((done.turns, done.statements), (ids(&[&turns[0].id]), ids(&[&drawn.id])));
    assert_eq!(done.operations, [operations[0].id.clone()]);
}

pub(super) async fn entered_fact_is_erased_by_id(store: &dyn Store) {
    let history = history(store).await;
    let done = erase(store, by_id(&[&history.entry.source])).await;
    assert_eq!(done, ErasureReport { operations: vec![history.entry.id.clone()], ..ErasureReport::default() });
    assert_eq!(store.operations(&me()).await.unwrap().1.len(), 3);
    assert_eq!(memories(store).await.len(), 6);
}

pub(super) async fn conversation_is_erased(store: &dyn Store) {
    let history = history(store).await;
    history.check(store, Target::Conversation("o'clock".into()), &[2]).await;
}

pub(super) async fn range_is_erased(store: &dyn Store) {
    let history = history(store).await;
    let empty = Interval { start: at("2026-03-04T10:00:00Z"), end: at("2026-03-04T10:00:00Z") };
    assert_eq!(erase(store, Target::Range(empty)).await, ErasureReport::default());
    // The range begins with the first turn and ends just before the last. The time of an entry by hand counts as well.
    let range = Interval { start: at("2026-03-04T10:00:00Z"), end: at("2026-03-05T10:00:00Z") };
    history.check(store, Target::Range(range), &[0, 1]).await;
    let entered = Interval { start: at("2026-03-09T10:00:00Z"), end: at("2026-03-09T10:00:00.000001Z") };
    assert_eq!(erase(store, Target::Range(entered)).await.operations, [history.entry.id]);
}

pub(super) async fn target_without_matches_changes_nothing(store: &dyn Store) {
    history(store).await;
    roll_up_all(store, By::Quoting).await;
    let before = everything(store).await;
    let never = Interval { start: at("2020-01-01T00:00:00Z"), end: at("2021-01-01T00:00:00Z") };
    for target in [
        Target::Memories(Vec::new()),
        Target::Memories(vec![MemoryId::from_text("t-' OR 1=1 --")]),
        Target::Conversation("TALK".into()),
        Target::Conversation("%".into()),
        Target::Subject("Zoe".into()),
        Target::Range(never),
    ] {
        assert_eq!(erase(store, target.clone()).await, ErasureReport::default(), "{target:?}");
        assert_eq!(everything(store).await, before, "{target:?}");
    }
}

pub(super) async fn dry_run_changes_nothing(store: &dyn Store) {
    let history = history(store).await;
    roll_up_all(store, By::Quoting).await;
    let before = everything(store).await;
    for target in
        [by_id(&[&history.turns[0].id]), Target::Subject("Ann".into()), Target::Range(Interval::ALWAYS), Target::Agent]
    {
        store.preview(&me(), &target).await.unwrap();
        assert_eq!(everything(store).await, before, "{target:?}");
    }
    let message = (history.turns[0].key.clone(), history.turns[0].message.digest());
    assert_eq!(store.forgotten(&me(), &[message]).await.unwrap(), [false]);
}

pub(super) async fn other_agents_are_not_changed(store: &dyn Store) {
    let history = history(store).await;
    roll_up_all(store, By::Quoting).await;
    let before = everything(store).await;
    let other = agent("other");
    store
        .ingest(&other, vec![turn(&other, "2026-03-04T10:00:00Z", "I like green tea.")], OnConflict::Refuse, now())
        .await
        .unwrap();
    store.add_operations(&other, vec![history.entry.clone()]).await.unwrap();
    for target in [
        by_id(&[&history.turns[0].id, &history.entry.source]),
        Target::Conversation("talk".into()),
        Target::Subject("Ann".into()),
        Target::Range(Interval::ALWAYS),
        Target::Agent,
    ] {
        store.erase(&other, &target, now()).await.unwrap();
        assert_eq!(everything(store).await, before, "{target:?}");
    }
    assert!(summary_of(store, "2026").await.is_some());
}

pub(super) async fn pinned_memories_are_erased(store: &dyn Store) {
    let history = history(store).await;
    for id in [&history.turns[0].id, &history.statements[0].id] {
        store.pin(&me(), id, true).await.unwrap();
    }
    history.check(store, by_id(&[&history.turns[0].id]), &[0]).await;
}
