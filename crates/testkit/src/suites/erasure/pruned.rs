//! Pruned turns: an erasure reaches them by the data that pruning kept of them and by their traces in other records.

use crate::suites::all_records;
use crate::suites::archive::restore_records;
use annals_core::ports::{ErasureReport, OnConflict, Record, Target, Turn};
use annals_core::{Digest, FactOperation, Grain, Message, TurnKey};

use super::{by_id, erase, ids, periods};
use crate::suites::Store;
use crate::suites::catalog::{all_changes, later, me, now, say, user_turn};
use crate::suites::history::{By, base_of, extract, roll_up, roll_up_all, seal, summary_of};
use crate::{MemoryCatalog, made, message, operation, turn_of};

const DAY: &str = "2026-03-04";

fn turn_in(conversation: &str, id: &str, name: Option<&str>, text: &str) -> Turn {
    let (conversation, client_id) = (conversation.to_owned(), Some(id.to_owned()));
    let instant = format!("2026-03-04T10:00:0{}Z", id.len());
    turn_of(&me(), Message { conversation, client_id, name: name.map(Into::into), ..message(&instant, text) })
}

fn named(turn: &Turn) -> (TurnKey, Digest) {
    (turn.key.clone(), turn.message.digest())
}

/// Stores two conversations on a sealed day, with one operation per turn.
async fn store_conversations(store: &dyn Store) -> ([Turn; 3], [FactOperation; 3]) {
    let turns = [
        turn_in("secret", "1", Some("Ann"), "The key is under the oak."),
        turn_in("secret", "22", Some("Bob"), "I will tell nobody of it."),
        turn_in("weather", "333", Some("Bob"), "It rained all day long."),
    ];
    let operations = [0, 1, 2].map(|n: usize| operation(&turns[n], 0, &format!("Iris likes turn{n}")));
    say(store, turns.to_vec()).await;
    extract(store, &[&turns[0], &turns[1], &turns[2]], Vec::new(), operations.to_vec()).await;
    roll_up_all(store, By::Quoting).await;
    seal(store, DAY).await;
    (turns, operations)
}

async fn text(store: &dyn Store, label: &str) -> Option<String> {
    summary_of(store, label).await.map(|summary| summary.text)
}

pub(super) async fn conversation_selects_its_pruned_turns(store: &dyn Store) {
    let (turns, operations) = store_conversations(store).await;
    assert_eq!(erase(store, Target::Conversation("Secret".into())).await, ErasureReport::default());
    let done = erase(store, Target::Conversation("secret".into())).await;
    assert_eq!((done.turns, done.pruned), (Vec::new(), ids(&[&turns[0].id, &turns[1].id])));
    let mut gone = vec![operations[0].id.clone(), operations[1].id.clone()];
    gone.sort();
    assert_eq!((done.operations, done.cut), (gone, periods(&[DAY])));
    assert_eq!((done.unresolved, done.unread), (0, 0));
    assert_eq!(text(store, DAY).await.unwrap(), "It rained all day long.");
    assert_eq!(base_of(store, DAY).await.unwrap().text, "It rained all day long.");
    assert_eq!(erase(store, Target::Conversation("secret".into())).await, ErasureReport::default());
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

pub(super) async fn forgotten_pruned_turns_are_not_stored_again(store: &dyn Store) {
    let (turns, _) = store_conversations(store).await;
    erase(store, Target::Conversation("secret".into())).await;
    let elsewhere = turn_of(&me(), Message { client_id: Some("77".into()), ..turns[0].message.clone() });
    for on_conflict in [OnConflict::Refuse, OnConflict::Revise] {
        let again = vec![turns[0].clone(), turns[1].clone(), elsewhere.clone()];
        let done = store.ingest(&me(), again, on_conflict, later()).await.unwrap();
        assert_eq!((done.accepted, done.duplicate, done.revised, done.forgotten), (0, 0, 0, 3), "{on_conflict:?}");
    }
    // A turn that was only pruned is a duplicate, and late input once its text is revised.
    assert_eq!(store.ingest(&me(), vec![turns[2].clone()], OnConflict::Revise, later()).await.unwrap().duplicate, 1);
    let revised = Message { content: "It hailed all day long.".into(), ..turns[2].message.clone() };
    let revised = Turn { message: revised, ..turns[2].clone() };
    assert_eq!(store.ingest(&me(), vec![revised.clone()], OnConflict::Refuse, later()).await.unwrap().duplicate, 1);
    assert_eq!(store.ingest(&me(), vec![revised], OnConflict::Revise, later()).await.unwrap().accepted, 1);
    store.unforget(&me(), &[named(&turns[0])]).await.unwrap();
    assert_eq!(store.ingest(&me(), vec![turns[0].clone()], OnConflict::Refuse, later()).await.unwrap().accepted, 1);
}

pub(super) async fn subject_selects_pruned_turns_by_speaker_and_remaining_text(store: &dyn Store) {
    let (turns, operations) = store_conversations(store).await;
    // The speaker is Ann, ignoring case and accents.
    let done = erase(store, Target::Subject("ÁNN".into())).await;
    assert_eq!((done.pruned, done.operations), (ids(&[&turns[0].id]), vec![operations[0].id.clone()]));
    assert_eq!((done.unread, done.cut), (2, periods(&[DAY])));
    // Only an operation names the subject: the sentence of its turn is removed as well.
    let done = erase(store, Target::Subject("turn1".into())).await;
    assert_eq!((done.pruned, done.unread), (ids(&[&turns[1].id]), 1));
    assert_eq!(text(store, DAY).await.unwrap(), "It rained all day long.");
    // A sentence that names the subject selects the turn, and so everything else made from it.
    let done = erase(store, Target::Subject("all day".into())).await;
    assert_eq!((done.pruned, done.operations), (ids(&[&turns[2].id]), vec![operations[2].id.clone()]));
    assert_eq!((done.unread, done.lost), (0, periods(&[DAY])));
}

/// Stores two days, writes week to year with `by`, and seals everything up to and including the year.
async fn years(store: &dyn Store, by: By) -> [Turn; 2] {
    let turns = [user_turn("1", "2026-03-04T10:00:00Z", "tea"), user_turn("2", "2026-03-05T10:00:00Z", "home")];
    say(store, turns.to_vec()).await;
    roll_up_all(store, By::Quoting).await;
    for label in ["2026-W10", "2026-03", "2026-Q1", "2026"] {
        roll_up(store, label, by).await;
    }
    for label in [DAY, "2026-03-05", "2026-W10", "2026-03", "2026-Q1", "2026"] {
        seal(store, label).await;
    }
    turns
}

pub(super) async fn model_text_above_days_is_removed_with_any_of_its_turns(store: &dyn Store) {
    let [tea, _] = years(store, By::Model).await;
    let done = erase(store, by_id(&[&tea.id])).await;
    assert_eq!((done.pruned, done.lost), (ids(&[&tea.id]), periods(&["2026"])));
    assert_eq!(text(store, "2026").await, None);
    assert_eq!(base_of(store, "2026").await, None);
}

/// A week that quotes days written by a model is lost as well, because a model may name no source for a sentence.
pub(super) async fn quotes_of_a_model_are_removed_like_its_own_text(store: &dyn Store) {
    let turns = [user_turn("1", "2026-03-04T10:00:00Z", "tea"), user_turn("2", "2026-03-05T10:00:00Z", "home")];
    say(store, turns.to_vec()).await;
    roll_up_all(store, By::Model).await;
    roll_up(store, "2026-W10", By::Quoting).await;
    for label in [DAY, "2026-03-05", "2026-W10"] {
        seal(store, label).await;
    }
    assert_eq!(erase(store, by_id(&[&turns[0].id])).await.lost, periods(&["2026-W10"]));
}

pub(super) async fn late_turn_is_not_in_an_earlier_seal(store: &dyn Store) {
    years(store, By::Model).await;
    let rain = user_turn("9", "2026-03-04T12:00:00Z", "rain");
    say(store, vec![rain.clone()]).await;
    let base = base_of(store, "2026").await;
    let done = erase(store, by_id(&[&rain.id])).await;
    assert_eq!((done.turns, done.lost), (ids(&[&rain.id]), Vec::new()));
    // After the roll-up, the turn is in the present summary of the year but not in its base.
    say(store, vec![user_turn("8", "2026-03-04T12:00:00Z", "snow")]).await;
    roll_up_all(store, By::Model).await;
    let done = erase(store, by_id(&[&user_turn("8", "2026-03-04T12:00:00Z", "").id])).await;
    assert_eq!((done.lost, done.rebuilt.last()), (Vec::new(), periods(&["2026"]).last()));
    assert_eq!((base_of(store, "2026").await, text(store, "2026").await), (base, None));
}

/// Restores the records with pruned turns of which only the ids are known.
async fn known_only_by_id(store: &dyn Store) -> ([Turn; 3], [FactOperation; 3]) {
    let memory = MemoryCatalog::new();
    let all = store_conversations(&memory).await;
    let mut records = all_records(&memory, &me()).await;
    for record in &mut records {
        if let Record::Gone { day, at, .. } = record {
            (*day, *at) = (None, None);
        }
    }
    restore_records(store, &me(), records, now()).await.unwrap();
    all
}

pub(super) async fn turns_known_only_by_id_are_selected(store: &dyn Store) {
    let (turns, operations) = known_only_by_id(store).await;
    let report = async |target: Target| store.preview(&me(), &target).await.unwrap();
    let done = report(Target::Conversation("secret".into())).await;
    assert_eq!((done.pruned, done.operations, done.cut), (Vec::new(), Vec::new(), Vec::new()));
    assert_eq!((done.unresolved, done.unresolved_in), (3, periods(&[DAY])));
    // An id, a speaker, a day or an operation of the log is enough to select a turn.
    let done = report(by_id(&[&turns[0].id])).await;
    assert_eq!((done.pruned, done.cut, done.unresolved), (ids(&[&turns[0].id]), periods(&[DAY]), 0));
    let done = report(Target::Subject("Ann".into())).await;
    assert_eq!(
        (done.pruned, done.operations, done.unresolved),
        (ids(&[&turns[0].id]), vec![operations[0].id.clone()], 0)
    );
    let day =
        annals_core::Interval { start: crate::at("2026-03-04T00:00:00Z"), end: crate::at("2026-03-05T00:00:00Z") };
    let done = report(Target::Range(day)).await;
    assert_eq!((done.pruned.len(), done.lost, done.unresolved), (3, periods(&[DAY]), 0));
    let done = store.erase(&me(), &by_id(&[&turns[0].id]), now()).await.unwrap();
    assert_eq!(done.pruned, ids(&[&turns[0].id]));
    let again = store.ingest(&me(), vec![turns[0].clone()], OnConflict::Revise, later()).await.unwrap();
    assert_eq!(again.forgotten, 1);
}

pub(super) async fn forgotten_turns_leave_no_record(store: &dyn Store) {
    let (turns, _) = store_conversations(store).await;
    let rain = user_turn("9", "2026-03-05T12:00:00Z", "rain");
    say(store, vec![rain.clone()]).await;
    erase(store, by_id(&[&turns[0].id, &rain.id])).await;
    let records = all_records(store, &me()).await;
    let gone = records.iter().filter_map(|record| if let Record::Gone { id, .. } = record { Some(id) } else { None });
    assert_eq!(ids(&gone.collect::<Vec<_>>()), ids(&[&turns[1].id, &turns[2].id]));
    // The table still has to apply the deletions. After that, nothing remains of them.
    let last = all_changes(store, Grain::Working).await.last().unwrap().seq();
    let watermark = made(1, last);
    crate::set_watermark(store, &me(), Grain::Working, watermark).await;
    assert_eq!(all_changes(store, Grain::Working).await, []);
    assert_eq!(store.forgotten(&me(), &[named(&rain), named(&turns[0])]).await.unwrap(), [true, true]);
}
