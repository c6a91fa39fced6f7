//! Which data saving an extraction replaces, and which it keeps.

use annals_core::ports::{Change, OnConflict};
use annals_core::{Extracted, Extraction, ExtractionWatermark, FactOperation, Grain, Statement};

use super::{deleted, found, log, reading, save, statements, store_two_turns};
use crate::suites::Store;
use crate::suites::catalog::{all_changes, later, me, now, texts, user_turn};
use crate::{agent, operation, statement};

/// Returns the changes, the log of operations and its version.
async fn all(store: &dyn Store) -> (Vec<Change>, Vec<FactOperation>, u64) {
    let changes = all_changes(store, Grain::Working).await;
    (changes, log(store).await, store.log_version(&me()).await.unwrap())
}

pub(super) async fn repeated_extraction_changes_nothing(store: &dyn Store) {
    let turns = store_two_turns(store).await;
    let extracted = found(vec![statement(&me(), &turns[0], "x")], vec![operation(&turns[0], 0, "Ann likes tea")]);
    save(store, reading(&[&turns[0].id], extracted.clone())).await;
    store.pin(&me(), &extracted.statements[0].id, true).await.unwrap();
    let before = all(store).await;
    let again = Extraction { extracted: 11, ..reading(&[&turns[0].id], extracted) };
    store.save_extraction(&me(), Extraction { after: 9, ..again }, later()).await.unwrap();
    assert_eq!(all(store).await, before);
    assert!(statements(store).await[0].pinned);
    assert_eq!(store.extraction(&me()).await.unwrap().extracted, 11);
}

pub(super) async fn extraction_in_another_order_changes_nothing(store: &dyn Store) {
    let turns = store_two_turns(store).await;
    let mut extracted = found(
        vec![statement(&me(), &turns[0], "x"), statement(&me(), &turns[0], "y")],
        vec![operation(&turns[0], 0, "Ann likes tea"), operation(&turns[0], 1, "Ann likes cake")],
    );
    save(store, reading(&[&turns[0].id], extracted.clone())).await;
    let before = all(store).await;
    extracted.statements.reverse();
    extracted.operations.reverse();
    save(store, reading(&[&turns[0].id], extracted)).await;
    assert_eq!(all(store).await, before);
}

pub(super) async fn earlier_output_of_the_turns_is_replaced(store: &dyn Store) {
    let turns = store_two_turns(store).await;
    let [old, kept, new] = ["old", "kept", "new"].map(|text| statement(&me(), &turns[0], text));
    let first = vec![operation(&turns[0], 0, "Ann likes tea"), operation(&turns[0], 1, "Ann likes cake")];
    save(store, reading(&[&turns[0].id], found(vec![old.clone(), kept.clone()], first.clone()))).await;
    let seq = store.get(&me(), std::slice::from_ref(&kept.id)).await.unwrap()[0].seq;
    let version = store.log_version(&me()).await.unwrap();
    save(store, reading(&[&turns[0].id], found(vec![kept.clone(), new.clone()], first[..1].to_vec()))).await;
    let extracted = statements(store).await;
    let mut left = texts(&extracted);
    left.sort_unstable();
    assert_eq!(left, ["kept", "new"]);
    assert_eq!(
        store.get(&me(), std::slice::from_ref(&kept.id)).await.unwrap()[0].seq,
        seq,
        "what is the same stays untouched"
    );
    assert_eq!(deleted(store).await, std::slice::from_ref(&old.id));
    assert_eq!(log(store).await, first[..1]);
    assert!(store.log_version(&me()).await.unwrap() > version, "a deletion is a change");
    // It is stored again, and its deletion is no longer among the changes.
    save(store, reading(&[&turns[0].id], found(vec![old], Vec::new()))).await;
    assert_eq!(texts(&statements(store).await), ["old"]);
    let mut others = [kept.id, new.id];
    others.sort();
    assert_eq!(deleted(store).await, others);
}

pub(super) async fn output_of_other_turns_stays(store: &dyn Store) {
    let turns = store_two_turns(store).await;
    let both = found(
        turns.iter().map(|turn| statement(&me(), turn, &turn.message.content)).collect(),
        turns.iter().map(|turn| operation(turn, 0, "Ann likes tea")).collect(),
    );
    save(store, reading(&[&turns[0].id, &turns[1].id], both.clone())).await;
    save(store, reading(&[&turns[1].id], Extracted::default())).await;
    assert_eq!(texts(&statements(store).await), ["I like tea."]);
    assert_eq!(log(store).await, both.operations[..1]);
    save(store, reading(&[], Extracted::default())).await;
    assert_eq!(statements(store).await.len(), 1);
    save(store, reading(&[&turns[0].id], Extracted::default())).await;
    assert_eq!((statements(store).await, log(store).await), (Vec::new(), Vec::new()));
}

pub(super) async fn missing_turns_yield_nothing(store: &dyn Store) {
    let [one, two] = store_two_turns(store).await;
    let gone = user_turn("3", "2026-03-04T12:00:00Z", "never stored");
    let partly = Statement { sources: vec![one.id.clone(), gone.id.clone()], ..statement(&me(), &one, "partly") };
    let extracted = found(
        vec![statement(&me(), &gone, "gone"), partly, statement(&me(), &two, "there")],
        vec![operation(&gone, 0, "Ann likes cake"), operation(&two, 0, "Ann likes tea")],
    );
    let degraded = Some("no answer".to_owned());
    let read = Extraction { degraded, ..reading(&[&one.id, &two.id, &gone.id], extracted.clone()) };
    save(store, read).await;
    assert_eq!(texts(&statements(store).await), ["there"]);
    assert_eq!(log(store).await, extracted.operations[1..]);
    assert_eq!(store.dead_letters(&me()).await.unwrap().len(), 2);
}

pub(super) async fn revised_turn_keeps_its_facts_until_extracted_again(store: &dyn Store) {
    let [one, _] = store_two_turns(store).await;
    let extracted = found(vec![statement(&me(), &one, "Ann likes tea.")], vec![operation(&one, 0, "Ann likes tea")]);
    save(store, reading(&[&one.id], extracted.clone())).await;
    let version = store.log_version(&me()).await.unwrap();
    let other = user_turn("1", "2026-03-04T10:00:00Z", "I like coffee.");
    store.ingest(&me(), vec![other.clone()], OnConflict::Revise, later()).await.unwrap();
    assert_eq!(texts(&statements(store).await), ["Ann likes tea."]);
    assert_eq!((log(store).await, store.log_version(&me()).await.unwrap()), (extracted.operations, version));
    let anew =
        found(vec![statement(&me(), &other, "Ann likes coffee.")], vec![operation(&other, 0, "Ann likes coffee")]);
    save(store, reading(&[&one.id], anew.clone())).await;
    assert_eq!(texts(&statements(store).await), ["Ann likes coffee."]);
    assert_eq!(log(store).await, anew.operations);
}

pub(super) async fn agents_do_not_share_journals(store: &dyn Store) {
    let [one, _] = store_two_turns(store).await;
    let extracted = found(vec![statement(&me(), &one, "x")], vec![operation(&one, 0, "Ann likes tea")]);
    save(store, reading(&[&one.id], extracted.clone())).await;
    store.note_extraction_failure(&me(), "no answer", later(), now()).await.unwrap();
    let (other, by_nobody) = (agent("other"), Extraction { extracted: 0, ..reading(&[], Extracted::default()) });
    let nothing = async |other: &_| {
        assert_eq!(store.extraction(other).await.unwrap(), ExtractionWatermark::default());
        assert_eq!(store.operations(other).await.unwrap(), (0, Vec::new()));
        assert_eq!(store.counts(other).await.unwrap().memories, [0; 6]);
    };
    nothing(&other).await;
    let before = (all(store).await, store.extraction(&me()).await.unwrap());
    // Turns of another agent do not count as turns of this one.
    let of_another = Extraction { extracted: 0, ..reading(&[&one.id], extracted) };
    store.save_extraction(&other, of_another, now()).await.unwrap();
    store.save_extraction(&other, by_nobody, now()).await.unwrap();
    nothing(&other).await;
    assert_eq!((all(store).await, store.extraction(&me()).await.unwrap()), before);
}
