//! The sentences that must not be found after an erasure.

use annals_core::ports::{OnConflict, Target, Turn};
use annals_core::{CacheTokens, Digest, FactOperation, Purpose, Reply};

use super::{by_id, erase};
use crate::suites::Store;
use crate::suites::catalog::{me, now, say, user_turn};
use crate::suites::history::{By, extract, roll_up_all, seal};
use crate::{entry, statement};

fn turn(id: &str, text: &str) -> Turn {
    user_turn(id, "2026-03-04T10:00:00Z", text)
}

async fn words_of(store: &dyn Store, text: &str) -> Vec<String> {
    let turn = turn(text, text);
    say(store, vec![turn.clone()]).await;
    erase(store, by_id(&[&turn.id])).await.words
}

pub(super) async fn searched_phrases_are_the_erased_sentences(store: &dyn Store) {
    for (text, expect) in [
        (
            "We went to Kyoto. It rained all day!  Did it stop then?\nNo it did not",
            "Did it stop then|It rained all day|No it did not|We went to Kyoto",
        ),
        ("Exactly 12 c", "Exactly 12 c"),
        ("Exactly 11.", ""),
        (
            "今日は東京駅で友達に会いました。楽しかった！また会いたいとみんなが言った？",
            "また会いたいとみんなが言った|今日は東京駅で友達に会いました",
        ),
        ("  padded at both ends  ", "padded at both ends"),
        ("The version is 3.14 for everybody, as agreed", "14 for everybody, as agreed|The version is 3"),
        ("Twice the same. Twice the same.", "Twice the same"),
        ("", ""),
    ] {
        assert_eq!(words_of(store, text).await.join("|"), expect, "{text:?}");
    }
}

pub(super) async fn phrases_that_remain_elsewhere_are_not_searched(store: &dyn Store) {
    let text = "One is in a turn. Two is in a statement. Three is in an entry. Four is in a base. Five is nowhere. ONE IS IN A TURN";
    let sealed = user_turn("0", "2026-03-02T10:00:00Z", "Four is in a base");
    say(store, vec![sealed]).await;
    roll_up_all(store, By::Quoting).await;
    seal(store, "2026-03-02").await;
    let other = turn("1", "So: One is in a turn, and that is all");
    say(store, vec![other.clone()]).await;
    let extracted = vec![statement(&me(), &other, "Two is in a statement")];
    extract(store, &[&other], extracted, Vec::new()).await;
    let extracted = entry(&me(), "Ann said Three is in an entry", "2026-03-04T10:00:00Z");
    store.add_operations(&me(), vec![extracted]).await.unwrap();
    assert_eq!(words_of(store, text).await, ["Five is nowhere", "ONE IS IN A TURN"]);
}

pub(super) async fn phrases_of_statements_and_entries_are_searched(store: &dyn Store) {
    let kept = turn("1", "She said so, at last.");
    say(store, vec![kept.clone()]).await;
    let extracted = statement(&me(), &kept, "Ann goes to Rome in April. So there.");
    extract(store, &[&kept], vec![extracted.clone()], Vec::new()).await;
    let replaces = Some("dinner at the old place".to_owned());
    let by_hand = FactOperation {
        subject: "Ann Wilhelmina".into(),
        replaces,
        ..entry(&me(), "Ann likes dinner at noon. Or tea", "2026-03-04T10:00:00Z")
    };
    store.add_operations(&me(), vec![by_hand.clone()]).await.unwrap();
    let done = erase(store, by_id(&[&extracted.id, &by_hand.source])).await;
    let expected = ["Ann Wilhelmina", "Ann goes to Rome in April", "dinner at noon", "dinner at the old place"];
    assert_eq!(done.words, expected);
}

async fn find_leftovers(store: &dyn Store, words: &[&str]) -> Vec<String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    store.find_leftovers(&me(), &words).await.unwrap()
}

pub(super) async fn leftovers_are_searched_per_agent(store: &dyn Store) {
    let (ann, bob) = (me(), crate::agent("bob"));
    for agent in [&ann, &bob] {
        let message = crate::message("2026-03-04T10:00:00Z", "We share this sentence.");
        store.ingest(agent, vec![crate::turn_of(agent, message)], OnConflict::Refuse, now()).await.unwrap();
    }
    let done = erase(store, Target::Conversation("talk".into())).await;
    assert_eq!(done.words, ["We share this sentence"]);
    store.scrub().await.unwrap();
    assert_eq!(store.find_leftovers(&ann, &done.words).await.unwrap(), Vec::<String>::new());
    assert!(!store.find_leftovers(&bob, &done.words).await.unwrap().is_empty());
    assert!(!store.unused_space_contains(&done.words).await.unwrap());
}

pub(super) async fn no_leftovers_after_erasure(store: &dyn Store) {
    let secret = turn("1", "The 'gold' is \"under\" the\told oak");
    say(store, vec![secret.clone(), turn("2", "It rains.")]).await;
    extract(store, &[&secret], vec![statement(&me(), &secret, "The 'gold' is \"under\" the\told oak")], Vec::new())
        .await;
    roll_up_all(store, By::Quoting).await;
    assert!(!find_leftovers(store, &["The 'gold' is \"under\" the\told oak"]).await.is_empty());
    let done = erase(store, by_id(&[&secret.id])).await;
    assert_eq!(done.words, ["The 'gold' is \"under\" the\told oak"]);
    store.scrub().await.unwrap();
    assert!(!store.unused_space_contains(&done.words).await.unwrap());
    assert_eq!(store.find_leftovers(&me(), &done.words).await.unwrap(), Vec::<String>::new());
    assert!(!find_leftovers(store, &["It rains."]).await.is_empty());
}

pub(super) async fn leftovers_are_searched_in_every_column(store: &dyn Store) {
    let turns = [turn("1", "word-in-turn"), user_turn("2", "2026-03-12T10:00:00Z", "word-in-summary and base")];
    say(store, turns.to_vec()).await;
    roll_up_all(store, By::Quoting).await;
    seal(store, "2026-03-12").await;
    extract(store, &[&turns[0]], vec![statement(&me(), &turns[0], "word-in-statement")], Vec::new()).await;
    let extracted = entry(&me(), "Ann likes word-in-entry", "2026-03-04T10:00:00Z");
    store.add_operations(&me(), vec![extracted]).await.unwrap();
    store.ingest(&me(), vec![turn("1", "revised word-in-turn")], OnConflict::Revise, now()).await.unwrap();
    store.ingest(&me(), vec![turn("1", "revised")], OnConflict::Revise, now()).await.unwrap();
    let reply = Reply {
        key: Digest::of(["q"]),
        purpose: Purpose::Daily,
        model: "m".into(),
        text: "{\"text\": \"word-in-reply\"}".into(),
        tokens_in: 1,
        cache: CacheTokens::default(),
        tokens_out: 1,
        read_seq: 1_000,
        reservation: None,
        access_key: None,
    };
    store.save_reply(&me(), reply, now()).await.unwrap();
    for word in
        ["word-in-statement", "word-in-entry", "word-in-summary", "revised word-in-turn", "word-in-reply", "d-in-t"]
    {
        assert!(!find_leftovers(store, &["absent", word]).await.is_empty(), "{word}");
    }
    for words in [&["absent", "WORD-IN-REPLY"][..], &[], &["word%"], &["word_in_turn"]] {
        assert_eq!(find_leftovers(store, words).await, Vec::<String>::new(), "{words:?}");
    }
    erase(store, Target::Conversation("talk".into())).await;
    assert!(find_leftovers(store, &["word-in-turn", "word-in-summary"]).await.is_empty());
}
