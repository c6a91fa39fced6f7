//! What is deleted when a period is sealed, and what stays.

use annals_core::ports::{Children, OnConflict};
use annals_core::{DeadLetter, Draft, Grain, LedgerRow, MemoryId, Stage, Statement, Summary};

use super::fortnight;
use crate::suites::Store;
use crate::suites::catalog::{all_changes, dirty, later, me, now, row, texts, user_turn};
use crate::suites::history::{
    By, as_base, base_of, children, deleted, extract, roll_up, roll_up_all, seal, sorted, summary_of, try_seal,
};
use crate::{agent, entry, operation, period, replacing, statement, summary, turn};

const DAY: &str = "2026-03-04";

pub(super) async fn pruning_removes_children_and_keeps_the_summary(store: &dyn Store) {
    let turns = fortnight(store).await;
    let (summary, ledger) = (summary_of(store, DAY).await.unwrap(), store.ledger(&me()).await.unwrap());
    let daily = all_changes(store, Grain::Daily).await;
    let newest = all_changes(store, Grain::Working).await.last().unwrap().seq();
    assert_eq!(store.pruned_until(&me(), Grain::Working).await.unwrap(), None);
    seal(store, DAY).await;
    let until = async |grain| store.pruned_until(&me(), grain).await.unwrap();
    assert_eq!(until(Grain::Working).await, Some(period(DAY).last_day()));
    assert_eq!((until(Grain::Daily).await, until(Grain::Yearly).await), (None, None));
    let pruned = sorted(vec![turns[0].id.clone(), turns[1].id.clone()]);
    assert_eq!(deleted(store, Grain::Working).await, pruned);
    assert_eq!(store.backlog(&me(), Grain::Working, newest).await.unwrap(), 2, "deletions are changes of their own");
    assert_eq!(store.get(&me(), &pruned).await.unwrap(), []);
    assert_eq!(store.inputs(&me(), period(DAY)).await.unwrap(), []);
    assert_eq!(store.counts(&me()).await.unwrap().memories, [2, 3, 2, 1, 1, 1]);
    assert_eq!(children(store, DAY).await, None);
    assert_eq!(summary_of(store, DAY).await.unwrap(), summary);
    assert_eq!(all_changes(store, Grain::Daily).await, daily);
    let base = as_base(&summary);
    assert_eq!(base_of(store, DAY).await, Some(base));
    let sealed = |row: LedgerRow| LedgerRow { sealed: row.period == period(DAY), ..row };
    assert_eq!(store.ledger(&me()).await.unwrap(), ledger.into_iter().map(sealed).collect::<Vec<_>>());
    assert_eq!(dirty(store).await, Vec::<String>::new());
}

/// No summary covers an imported statement, so sealing must not delete it.
pub(super) async fn entered_statements_are_not_pruned(store: &dyn Store) {
    let turns = fortnight(store).await;
    let source = MemoryId::imported(&me(), "1");
    let id = MemoryId::entered_statement(&me(), &source);
    let stated = statement(&me(), &turns[0], "Ann likes tea.");
    let before = children(store, DAY).await;
    store.add_statements(&me(), vec![Statement { id: id.clone(), sources: vec![source], ..stated }]).await.unwrap();
    assert_eq!(children(store, DAY).await, before, "it is no child");
    seal(store, DAY).await;
    assert_eq!(store.get(&me(), &[id]).await.unwrap().len(), 1);
    assert_eq!(children(store, DAY).await, None);
}

/// The week of 30 March 2026 belongs to April, so the cover of March ends on 29 March.
pub(super) async fn weeks_are_pruned_until_the_end_of_their_months_cover(store: &dyn Store) {
    fortnight(store).await;
    seal(store, "2026-03").await;
    assert_eq!(store.pruned_until(&me(), Grain::Weekly).await.unwrap(), Some(period("2026-03-29").last_day()));
}

pub(super) async fn pruning_removes_statements_and_keeps_operations(store: &dyn Store) {
    let turns = fortnight(store).await;
    let statements = [statement(&me(), &turns[0], "Ann likes tea."), statement(&me(), &turns[2], "Ann is in Tokyo.")];
    let log = vec![operation(&turns[0], 0, "Ann likes tea"), operation(&turns[2], 0, "Ann lives_in Tokyo")];
    extract(store, &[&turns[0], &turns[2]], statements.to_vec(), log.clone()).await;
    store.add_operations(&me(), vec![entry(&me(), "Ann likes cake", "2026-03-04T10:00:00Z")]).await.unwrap();
    let before = (store.operations(&me()).await.unwrap(), store.extraction(&me()).await.unwrap());
    seal(store, DAY).await;
    let pruned = sorted(vec![turns[0].id.clone(), turns[1].id.clone(), statements[0].id.clone()]);
    assert_eq!(deleted(store, Grain::Working).await, pruned);
    assert_eq!(store.get(&me(), &[statements[0].id.clone(), statements[1].id.clone()]).await.unwrap().len(), 1);
    assert_eq!((store.operations(&me()).await.unwrap(), store.extraction(&me()).await.unwrap()), before);
}

pub(super) async fn summaries_are_pruned_like_turns(store: &dyn Store) {
    fortnight(store).await;
    for (label, counts) in [
        ("2026-W10", [4, 1, 2, 1, 1, 1]),
        ("2026-W11", [4, 0, 2, 1, 1, 1]),
        ("2026-03", [4, 0, 0, 1, 1, 1]),
        ("2026-Q1", [4, 0, 0, 0, 1, 1]),
        ("2026", [4, 0, 0, 0, 0, 1]),
    ] {
        let summary = summary_of(store, label).await.unwrap();
        seal(store, label).await;
        assert_eq!(store.counts(&me()).await.unwrap().memories, counts, "{label}");
        assert_eq!(base_of(store, label).await.unwrap().text, summary.text);
        assert_eq!(summary_of(store, label).await.unwrap(), summary);
        assert!(row(store, label).await.sealed);
        assert_eq!(dirty(store).await, Vec::<String>::new(), "{label}");
    }
    let days = ["2026-03-04", "2026-03-05", "2026-03-11"].map(|label| MemoryId::summary(&me(), period(label)));
    assert_eq!(deleted(store, Grain::Daily).await, sorted(days.to_vec()));
    let labels: Vec<_> = store.ledger(&me()).await.unwrap().iter().map(|row| row.period.to_string()).collect();
    let all = ["2026-03-04", "2026-03-05", "2026-03-11", "2026-W10", "2026-W11", "2026-03", "2026-Q1", "2026"];
    assert_eq!(labels, all, "the ledger forgets no period");
}

pub(super) async fn pruned_summary_leaves_nothing(store: &dyn Store) {
    fortnight(store).await;
    seal(store, DAY).await;
    let day = row(store, DAY).await;
    seal(store, "2026-W10").await;
    assert_eq!((summary_of(store, DAY).await, base_of(store, DAY).await), (None, None));
    assert_eq!(row(store, DAY).await, LedgerRow { sealed: false, ..day }, "sealed is what has a base");
    assert!(row(store, "2026-W10").await.sealed);
    assert!(base_of(store, "2026-W10").await.is_some());
}

pub(super) async fn year_is_pruned_without_a_parent(store: &dyn Store) {
    fortnight(store).await;
    seal(store, "2026").await;
    let year = store.children(&me()).await.unwrap().pop().unwrap();
    assert!(year.yearly);
    try_seal(store, &me(), &year).await.unwrap();
    assert_eq!((summary_of(store, "2026").await, base_of(store, "2026").await), (None, None));
    assert_eq!(deleted(store, Grain::Yearly).await, [MemoryId::summary(&me(), period("2026"))]);
    let row = row(store, "2026").await;
    assert_eq!((row.sealed, row.is_dirty()), (false, false));
    assert_eq!(store.counts(&me()).await.unwrap().memories, [4, 3, 2, 1, 0, 0]);
    assert!(store.children(&me()).await.unwrap().iter().all(|children| children.parent != period("2026")));
}

pub(super) async fn pruning_removes_dead_letters_and_former_texts(store: &dyn Store) {
    let turns = fortnight(store).await;
    store
        .ingest(&me(), vec![user_turn("1", "2026-03-04T10:00:00Z", "coffee")], OnConflict::Revise, now())
        .await
        .unwrap();
    roll_up_all(store, By::Quoting).await;
    let day = MemoryId::summary(&me(), period(DAY));
    store.correct(&me(), &day, "They had something.", now()).await.unwrap();
    roll_up_all(store, By::Quoting).await;
    let letter = |memory: &MemoryId, stage, grain| DeadLetter {
        agent: me(),
        grain,
        memory: memory.clone(),
        stage,
        error: "bad".into(),
        at: now(),
    };
    let stays = letter(&turns[2].id, Stage::Table, Grain::Working);
    let goes = [Stage::Table, Stage::Extraction].map(|stage| letter(&turns[0].id, stage, Grain::Working));
    store
        .add_dead_letters([goes.to_vec(), vec![stays.clone(), letter(&day, Stage::Table, Grain::Daily)]].concat())
        .await
        .unwrap();
    seal(store, DAY).await;
    assert_eq!(store.dead_letters(&me()).await.unwrap().len(), 2);
    assert_eq!(store.versions(&me(), &turns[0].id).await.unwrap(), []);
    assert_eq!(store.versions(&me(), &day).await.unwrap().len(), 1);
    seal(store, "2026-W10").await;
    assert_eq!(store.dead_letters(&me()).await.unwrap(), [stays]);
    assert_eq!(store.versions(&me(), &day).await.unwrap(), []);
}

pub(super) async fn base_records_whether_it_is_verbatim(store: &dyn Store) {
    fortnight(store).await;
    roll_up(store, DAY, By::Model).await;
    roll_up(store, "2026-W10", By::Quoting).await;
    roll_up_all(store, By::Quoting).await;
    // A summary with quotes from a model's text does not count as verbatim, because it does not quote turns.
    for (label, verbatim) in [(DAY, false), ("2026-03-05", true), ("2026-W10", false), ("2026-W11", true)] {
        seal(store, label).await;
        assert_eq!(base_of(store, label).await.unwrap().verbatim, verbatim, "{label}");
    }
}

/// A day that a model wrote does not make the week reworded if the week quotes none of its sentences.
pub(super) async fn week_that_quotes_no_sentence_of_a_model_is_verbatim(store: &dyn Store) {
    fortnight(store).await;
    roll_up(store, DAY, By::Model).await;
    roll_up(store, "2026-03-05", By::Quoting).await;
    let quoted = summary_of(store, "2026-03-05").await.unwrap();
    let row = row(store, "2026-W10").await;
    let sources: Vec<MemoryId> = [DAY, "2026-03-05"].map(|day| MemoryId::summary(&me(), period(day))).to_vec();
    let draft = Draft {
        text: quoted.text.clone(),
        sentences: quoted.sentences().to_vec(),
        tokens: 0,
        ungrounded: 0,
        verbatim: true,
    };
    let week = Summary { draft: Some(draft), ..summary("2026-W10", row.dirty_seq, &sources, "") };
    store.save_summaries(&me(), vec![replacing(store, &me(), week).await], now()).await.unwrap();
    seal(store, "2026-W10").await;
    assert!(base_of(store, "2026-W10").await.unwrap().verbatim);
}

pub(super) async fn agent_remains_when_all_is_pruned(store: &dyn Store) {
    fortnight(store).await;
    for _ in 0..6 {
        for children in store.children(&me()).await.unwrap() {
            try_seal(store, &me(), &children).await.unwrap();
        }
    }
    let counts = annals_core::ports::Counts { last_ingest: Some(now()), ..Default::default() };
    assert_eq!(store.counts(&me()).await.unwrap(), counts);
    assert_eq!(store.all_agents().await.unwrap(), [me()]);
}

pub(super) async fn other_agents_are_not_pruned(store: &dyn Store) {
    fortnight(store).await;
    let other = agent("other");
    store.ingest(&other, vec![turn(&other, "2026-03-04T10:00:00Z", "tea")], OnConflict::Refuse, later()).await.unwrap();
    let looked_at: Children = children(store, DAY).await.unwrap();
    assert!(try_seal(store, &other, &looked_at).await.is_err());
    seal(store, DAY).await;
    assert_eq!(texts(&store.inputs(&other, period(DAY)).await.unwrap()), ["tea"]);
    assert_eq!(store.base(&other, period(DAY)).await.unwrap(), None);
    assert!(!store.ledger(&other).await.unwrap()[0].sealed);
}
