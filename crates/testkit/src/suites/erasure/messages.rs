//! Forgotten messages stay forgotten.

use annals_core::ports::{OnConflict, Target, Turn};
use annals_core::{Digest, IngestReceipt, Message, TurnKey};

use super::{by_id, erase, everything, ids};
use crate::suites::Store;
use crate::suites::catalog::{dirty, later, me, row, say, user_turn};
use crate::suites::history::{By, roll_up_all, seal};
use crate::{agent, turn_of};

fn tea() -> Turn {
    user_turn("1", "2026-03-04T10:00:00Z", "tea")
}

fn cake() -> Turn {
    user_turn("2", "2026-03-04T11:00:00Z", "cake")
}

async fn forget_tea(store: &dyn Store) {
    say(store, vec![tea(), cake()]).await;
    erase(store, by_id(&[&tea().id])).await;
}

fn named(turn: &Turn) -> (TurnKey, Digest) {
    (turn.key.clone(), turn.message.digest())
}

async fn is_forgotten(store: &dyn Store, turn: &Turn) -> bool {
    store.forgotten(&me(), &[named(turn)]).await.unwrap() == [true]
}

/// Builds the message of `tea` with another id, or in another conversation.
fn tea_at(conversation: &str, id: &str) -> Turn {
    let (conversation, client_id) = (conversation.into(), Some(id.into()));
    turn_of(&me(), Message { conversation, client_id, ..tea().message })
}

pub(super) async fn forgotten_messages_are_recognized_by_place_and_content(store: &dyn Store) {
    say(store, vec![tea(), cake()]).await;
    assert!(!is_forgotten(store, &tea()).await);
    erase(store, by_id(&[&tea().id])).await;
    let at_its_place = user_turn("1", "2026-03-09T10:00:00Z", "something else");
    for (turn, expect) in [
        (tea(), true),
        (at_its_place.clone(), true),
        (tea_at("talk", "77"), true),
        (tea_at("other", "1"), false),
        (user_turn("77", "2026-03-04T10:00:00.000001Z", "tea"), false),
        (user_turn("77", "2026-03-04T10:00:00Z", "Tea"), false),
        (cake(), false),
    ] {
        assert_eq!(is_forgotten(store, &turn).await, expect, "{:?} {:?}", turn.key, turn.message);
    }
    let several = [named(&cake()), named(&tea()), named(&at_its_place), named(&cake())];
    assert_eq!(store.forgotten(&me(), &several).await.unwrap(), [false, true, true, false]);
    assert_eq!(store.forgotten(&me(), &[]).await.unwrap(), Vec::<bool>::new());
}

pub(super) async fn forgotten_messages_are_not_stored_again(store: &dyn Store) {
    forget_tea(store).await;
    roll_up_all(store, By::Quoting).await;
    let before = everything(store).await;
    for on_conflict in [OnConflict::Refuse, OnConflict::Revise] {
        for turns in [vec![tea()], vec![tea(), tea()], vec![tea_at("talk", "77"), cake()]] {
            let forgotten = turns.iter().filter(|turn| **turn != cake()).count() as u64;
            let duplicate = turns.len() as u64 - forgotten;
            let done = store.ingest(&me(), turns, on_conflict, later()).await.unwrap();
            let counts = (done.accepted, done.duplicate, done.revised, done.forgotten);
            assert_eq!(counts, (0, duplicate, 0, forgotten));
            assert_eq!(store.operation(&me(), &done.id).await.unwrap(), Some(done));
            assert_eq!(everything(store).await, before);
        }
    }
    // The rest of the request is stored, and the operation has its sequence number.
    let done = say(store, vec![tea(), user_turn("3", "2026-03-05T10:00:00Z", "home"), tea_at("talk", "78")]).await;
    assert_eq!((done.accepted, done.forgotten), (1, 2));
    assert_eq!(done.seq, row(store, "2026-03-05").await.dirty_seq);
    assert_eq!(dirty(store).await, ["2026-03-05"]);
    let nothing = say(store, vec![tea()]).await;
    assert_eq!(nothing, IngestReceipt { id: nothing.id.clone(), forgotten: 1, ..IngestReceipt::default() });
}

pub(super) async fn forgotten_messages_are_neither_conflict_nor_revision(store: &dyn Store) {
    forget_tea(store).await;
    let at_its_place = user_turn("1", "2026-03-09T10:00:00Z", "something else");
    let done = say(store, vec![tea(), at_its_place]).await;
    assert_eq!((done.accepted, done.forgotten), (0, 2));
    // A stored turn cannot be revised into a forgotten message.
    let revised = turn_of(&me(), Message { client_id: Some("2".into()), ..tea().message });
    let done = store.ingest(&me(), vec![revised], OnConflict::Revise, later()).await.unwrap();
    assert_eq!((done.revised, done.forgotten), (0, 1));
    assert_eq!(store.get(&me(), &[cake().id]).await.unwrap()[0].text, "cake");
    // A real conflict remains one, and nothing is stored.
    let request =
        vec![tea(), user_turn("5", "2026-03-05T10:00:00Z", "home"), user_turn("2", "2026-03-04T11:00:00Z", "pie")];
    assert!(store.ingest(&me(), request, OnConflict::Refuse, later()).await.is_err());
    assert_eq!(store.counts(&me()).await.unwrap().memories[0], 1);
}

pub(super) async fn unforgotten_messages_may_be_stored_again(store: &dyn Store) {
    forget_tea(store).await;
    store.unforget(&me(), &[named(&cake())]).await.unwrap();
    assert!(is_forgotten(store, &tea()).await);
    store.unforget(&me(), &[named(&cake()), named(&tea())]).await.unwrap();
    for turn in [tea(), tea_at("talk", "77"), user_turn("1", "2026-03-09T10:00:00Z", "something else")] {
        assert!(!is_forgotten(store, &turn).await);
    }
    let done = say(store, vec![tea()]).await;
    assert_eq!((done.accepted, done.forgotten), (1, 0));
    assert_eq!(store.get(&me(), &[tea().id]).await.unwrap()[0].seq, done.seq);
    // Forgotten once more.
    erase(store, by_id(&[&tea().id])).await;
    assert!(is_forgotten(store, &tea()).await);
}

pub(super) async fn same_messages_of_other_agents_are_accepted(store: &dyn Store) {
    forget_tea(store).await;
    let other = agent("other");
    assert_eq!(store.forgotten(&other, &[named(&tea())]).await.unwrap(), [false]);
    store.unforget(&other, &[named(&tea())]).await.unwrap();
    assert!(is_forgotten(store, &tea()).await);
    let theirs = turn_of(&other, tea().message);
    assert_eq!(store.ingest(&other, vec![theirs], OnConflict::Refuse, later()).await.unwrap().accepted, 1);
}

pub(super) async fn pruned_messages_are_not_forgotten(store: &dyn Store) {
    say(store, vec![tea(), cake()]).await;
    roll_up_all(store, By::Quoting).await;
    seal(store, "2026-03-04").await;
    assert!(!is_forgotten(store, &tea()).await);
}

/// An erasure by subject also searches attachments. The proof finds their text as long as they are stored.
pub(super) async fn attachments_are_removed_with_their_messages(store: &dyn Store) {
    let attached = |id: &str, json: &str| Turn { attachment: Some(json.into()), ..tea_at("talk", id) };
    let [named, other] = [attached("1", r#"{"for":"Zelda Quist"}"#), attached("2", r#"{"for":"nobody else"}"#)];
    let more = [
        attached("3", r#"{"note":"First line.\nZelda Quist came by."}"#),
        attached("4", r#"{"by":{"zelda_quist":null}}"#),
        attached("5", r#"{"by":"Zelda Quistenberg"}"#),
    ];
    say(store, [vec![named.clone(), other.clone()], more.to_vec()].concat()).await;
    let words = ["Zelda Quist ".to_owned(), "zelda_quist".to_owned(), "Zelda Quist\"".to_owned()];
    assert!(!store.find_leftovers(&me(), &words).await.unwrap().is_empty());
    let done = erase(store, Target::Subject("zelda quist".into())).await;
    assert_eq!(done.turns, ids(&[&named.id, &more[0].id, &more[1].id]));
    // The proof searches for the sentences of attachments, except for single words.
    assert_eq!(done.words, ["Zelda Quist came by"]);
    assert_eq!(store.find_leftovers(&me(), &words).await.unwrap(), Vec::<String>::new());
    let stored = store.attachments(&me(), &[named.id, other.id]).await.unwrap();
    assert_eq!(stored, [None, other.attachment]);
}
