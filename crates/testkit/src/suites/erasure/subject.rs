//! Erasure of a subject: everything that names a person.

use annals_core::ports::{ErasureReport, OnConflict, Select, Target, Turn};
use annals_core::{FactOperation, Grain, Memory, Message, Statement, Verb};

use super::{erase, ids, periods};
use crate::suites::Store;
use crate::suites::catalog::{dirty, me, now, say, user_turn};
use crate::suites::history::{By, base_of, extract, roll_up_all, seal, sorted, summary_of};
use crate::{entry, message, operation, statement, turn_of};

fn subject(name: &str) -> Target {
    Target::Subject(name.into())
}

fn turn_by(id: u32, name: Option<&str>, text: &str) -> Turn {
    let instant = format!("2026-03-04T10:00:{id:02}Z");
    let (client_id, name) = (Some(id.to_string()), name.map(Into::into));
    turn_of(&me(), Message { client_id, name, ..message(&instant, text) })
}

/// Returns the remaining texts of the working grain, sorted.
async fn left(store: &dyn Store) -> Vec<String> {
    let memories = store.list(&me(), &Select::all(Grain::Working)).await.unwrap();
    sorted(memories.into_iter().map(|memory: Memory| memory.text).collect())
}

pub(super) async fn turns_of_the_subject_are_erased(store: &dyn Store) {
    let turns = [
        turn_by(1, Some("José García"), "a"),
        turn_by(2, Some("JOSE  GARCIA"), "b"),
        turn_by(3, Some("José"), "c"),
        turn_by(4, Some("José García Junior"), "d"),
        turn_by(5, None, "e"),
    ];
    say(store, turns.to_vec()).await;
    let done = erase(store, subject("jose garcia.")).await;
    assert_eq!(done.turns, ids(&[&turns[0].id, &turns[1].id]));
    assert_eq!(done.unfollowed, ["José García Junior"], "perhaps the same person");
    assert_eq!(left(store).await, ["c", "d", "e"]);
    // The speaker of a message without a name is its role.
    assert_eq!(erase(store, subject("User")).await.turns, ids(&[&turns[4].id]));
}

pub(super) async fn turns_that_name_the_subject_as_whole_words_are_erased(store: &dyn Store) {
    let texts = [
        ("Ann came.", true),
        ("Then ANN's brother came", true),
        ("«Ánn»", true),
        ("(Ann)", true),
        ("Joann and ann", true),
        ("Anna came.", false),
        ("Joann came.", false),
        ("ann2 came.", false),
        ("A n n", false),
        ("", false),
    ];
    let turns = texts.iter().zip(1..).map(|((text, _), id)| turn_by(id, None, text)).collect();
    say(store, turns).await;
    erase(store, subject("Ann")).await;
    let kept = texts.iter().filter(|(_, named)| !named).map(|(text, _)| (*text).to_owned());
    assert_eq!(left(store).await, sorted(kept.collect::<Vec<_>>()));
    // Names of several words, with any whitespace between them, and scripts without spaces.
    let texts = [
        "With Mary\n  Ann Smith!",
        "Mary Anna Smith",
        "昨日東京に行った",
        "민수가 왔다",
        "C++ is fun",
        "the C",
        "민숙이 왔다",
        "ガスがない",
    ];
    let turns: Vec<_> = texts.iter().zip(20..).map(|(text, id)| turn_by(id, None, text)).collect();
    say(store, turns.clone()).await;
    for (name, index) in [("mary ann smith", 0), ("東京", 2), ("민수", 3), ("C++", 4), ("ガス", 7)] {
        assert_eq!(erase(store, subject(name)).await.turns, ids(&[&turns[index].id]), "{name}");
    }
    // Diacritics of scripts other than Latin, Greek and Cyrillic make different names.
    assert_eq!(erase(store, subject("カス")).await, ErasureReport::default());
}

pub(super) async fn aliases_of_the_subject_are_followed(store: &dyn Store) {
    let names = ["Robert", "Bob", "Bobby", "Rob", "Roberta", "Ann"];
    let turns: Vec<_> = names.iter().zip(1..).map(|(name, id)| turn_by(id, None, &format!("{name} came."))).collect();
    say(store, turns.clone()).await;
    let log = ["Bob also_known_as ROBERT", "Robert also_known_as Rob", "Bobby also_known_as Bob", "Ann likes Bob"];
    let log = log.iter().map(|fact| entry(&me(), fact, "2026-03-04T10:00:00Z")).collect();
    store.add_operations(&me(), log).await.unwrap();
    let done = erase(store, subject("robert")).await;
    assert_eq!(done.turns, ids(&[&turns[0].id, &turns[1].id, &turns[2].id, &turns[3].id]));
    assert_eq!((left(store).await, done.operations.len()), (vec!["Ann came.".into(), "Roberta came.".to_owned()], 4));
}

pub(super) async fn statements_and_operations_about_the_subject_are_erased(store: &dyn Store) {
    let turn = turn_by(1, Some("Iris"), "She came with him.");
    say(store, vec![turn.clone()]).await;
    let about = |text: &str, who: &[&str]| Statement {
        who: who.iter().map(|name| (*name).to_owned()).collect(),
        ..statement(&me(), &turn, text)
    };
    let statements = [about("a", &["Carl", "Ann"]), about("It is Ann's.", &[]), about("c", &["Anna"])];
    let replaced =
        FactOperation { verb: Verb::Update, replaces: Some("ann".into()), ..operation(&turn, 4, "Bob likes Eve") };
    let operations = [
        operation(&turn, 0, "ANN likes tea"),
        operation(&turn, 1, "Bob likes Ánn"),
        operation(&turn, 2, "Bob likes Anna"),
        operation(&turn, 3, "Bob likes Ann's"),
        replaced,
    ];
    extract(store, &[&turn], statements.to_vec(), operations.to_vec()).await;
    let done = erase(store, subject("Ann")).await;
    assert_eq!(done.turns, []);
    assert_eq!(done.statements, ids(&[&statements[0].id, &statements[1].id]));
    let gone = [0, 1, 3, 4].map(|index: usize| operations[index].id.clone());
    assert_eq!(done.operations, sorted(gone.to_vec()));
    assert_eq!(left(store).await, ["She came with him.", "c"]);
}

pub(super) async fn operations_that_name_the_subject_in_any_field_are_erased(store: &dyn Store) {
    let turn = turn_by(1, Some("Iris"), "She came with him.");
    say(store, vec![turn.clone()]).await;
    let fact = |position: u32| operation(&turn, position, "Bob likes bread");
    let with = |position: u32, details: serde_json::Value| {
        let properties = details.as_object().unwrap().clone();
        FactOperation { properties, ..fact(position) }
    };
    let cases = [
        (FactOperation { object: "Zelda Quist's bread".into(), ..fact(0) }, true),
        (FactOperation { subject: "the house of zelda  QUIST".into(), ..fact(1) }, true),
        (FactOperation { replaces: Some("what Zelda Quist made".into()), ..fact(2) }, true),
        (FactOperation { predicate: "knows_zelda_quist".into(), ..fact(3) }, true),
        (with(4, serde_json::json!({ "with": "Zelda Quist and others" })), true),
        (with(5, serde_json::json!({ "guests": ["Ann", { "name": "Zelda Quist" }] })), true),
        (with(6, serde_json::json!({ "zelda_quist": 1 })), true),
        (FactOperation { object: "Zelda".into(), ..fact(7) }, false),
        (FactOperation { object: "Zelda Quistgard".into(), ..fact(8) }, false),
        (with(9, serde_json::json!({ "with": "Quist, Zelda", "times": 2 })), false),
    ];
    extract(store, &[&turn], Vec::new(), cases.iter().map(|(operation, _)| operation.clone()).collect()).await;
    let done = erase(store, subject("Zelda Quist")).await;
    let expected = cases.iter().filter(|(_, goes)| *goes).map(|(operation, _)| operation.id.clone());
    assert_eq!(done.operations, sorted(expected.collect::<Vec<_>>()));
}

pub(super) async fn turns_with_the_name_in_conversation_or_id_are_erased(store: &dyn Store) {
    let turn = |conversation: &str, id: &str| {
        let (conversation, client_id) = (conversation.to_owned(), Some(id.to_owned()));
        turn_of(&me(), Message { conversation, client_id, ..message("2026-03-04T10:00:00Z", "Hello.") })
    };
    let turns =
        [turn("with-zelda_quist/3", "1"), turn("Zelda Quist", "1"), turn("zeldas", "1"), turn("c", "zelda.quist")];
    say(store, turns.to_vec()).await;
    assert_eq!(erase(store, subject("Zelda Quist")).await.turns, ids(&[&turns[0].id, &turns[1].id, &turns[3].id]));
}

/// Stores a turn by each speaker. The speaker at index `by` states the alias `fact`. Then forgets the name `forget`. Returns
/// the speakers of the erased turns, and the aliases that are not followed.
async fn joined(
    store: &dyn Store,
    speakers: &[&str],
    fact: &str,
    by: usize,
    forget: &str,
) -> (Vec<String>, Vec<String>) {
    let turns: Vec<_> = speakers.iter().zip(1..).map(|(name, id)| turn_by(id, Some(name), &format!("{id}"))).collect();
    say(store, turns.clone()).await;
    extract(store, &[&turns[by]], Vec::new(), vec![operation(&turns[by], 0, fact)]).await;
    let report = store.preview(&me(), &subject(forget)).await.unwrap();
    let reached = |turn: &Turn| report.turns.contains(&turn.id);
    let names = turns.iter().zip(speakers).filter(|(turn, _)| reached(turn)).map(|(_, name)| (*name).to_owned());
    let names = names.collect();
    store.erase(&me(), &Target::Agent, now()).await.unwrap();
    let keys: Vec<_> = turns.iter().map(|turn| (turn.key.clone(), turn.message.digest())).collect();
    store.unforget(&me(), &keys).await.unwrap();
    (names, report.unfollowed)
}

pub(super) async fn alias_is_followed_if_its_bearer_stated_it(store: &dyn Store) {
    for (speakers, fact, by, forget, reached, unfollowed) in [
        // A speaker with the name states the alias, and nobody else speaks under the other name.
        (&["Bob", "Ann"][..], "Bob also_known_as Robert", 0, "Robert", &["Bob"][..], &[][..]),
        (&["Bob", "Ann"], "Robert also_known_as Bob", 0, "Robert", &["Bob"], &[]),
        // A third party states it.
        (&["Bob", "Ann"], "Bob also_known_as Robert", 1, "Robert", &[], &["Bob"]),
        (&["Bob", "Ann", "Robert"], "Bob also_known_as Robert", 1, "Bob", &["Bob"], &["Robert"]),
        // The alias is the name of another speaker.
        (&["Mallory", "Ann"], "Mallory also_known_as Ann", 0, "Mallory", &["Mallory"], &["Ann"]),
        (&["Mallory", "Ann"], "Mallory also_known_as Ann", 0, "Ann", &["Ann"], &["Mallory"]),
    ] {
        let found = joined(store, speakers, fact, by, forget).await;
        assert_eq!(
            found,
            (
                reached.iter().map(|name| (*name).to_owned()).collect(),
                unfollowed.iter().map(|name| (*name).to_owned()).collect()
            ),
            "{fact}, said by {by}; forget {forget}"
        );
    }
}

pub(super) async fn retracted_alias_is_not_followed(store: &dyn Store) {
    let turns = [turn_by(1, Some("Bob"), "tea"), turn_by(2, Some("Rob"), "cake")];
    say(store, turns.to_vec()).await;
    let fact = entry(&me(), "Bob also_known_as Rob", "2026-03-04T10:00:00Z");
    store.add_operations(&me(), vec![fact.clone()]).await.unwrap();
    assert_eq!(store.preview(&me(), &subject("Rob")).await.unwrap().turns.len(), 2);
    let retracted =
        FactOperation { verb: Verb::Delete, ..entry(&me(), "Bob also_known_as Rob", "2026-03-05T10:00:00Z") };
    store.add_operations(&me(), vec![retracted]).await.unwrap();
    let done = store.preview(&me(), &subject("Rob")).await.unwrap();
    assert_eq!((done.turns, done.unfollowed), (vec![turns[1].id.clone()], Vec::new()));
}

pub(super) async fn empty_subject_erases_nothing(store: &dyn Store) {
    say(store, vec![turn_by(1, None, "... came."), turn_by(2, None, "")]).await;
    let log = vec![entry(&me(), "Ann likes ...", "2026-03-04T10:00:00Z")];
    store.add_operations(&me(), log).await.unwrap();
    for name in ["", "  ", "...", "?!"] {
        assert_eq!(erase(store, subject(name)).await, ErasureReport::default(), "{name:?}");
    }
}

/// Stores turns in which Ann speaks, Bob names Ann, and Carl does neither. Seals their day, which prunes them.
async fn sealed(store: &dyn Store) {
    let turns =
        [turn_by(1, Some("Ann"), "tea"), turn_by(2, Some("Bob"), "Ann's tea"), turn_by(3, Some("Carl"), "cake")];
    say(store, turns.to_vec()).await;
    roll_up_all(store, By::Quoting).await;
    seal(store, "2026-03-04").await;
}

pub(super) async fn sealed_sentences_that_name_the_subject_are_cut(store: &dyn Store) {
    sealed(store).await;
    let done = erase(store, subject("Ann")).await;
    assert_eq!((done.turns, done.cut, done.lost), (Vec::new(), periods(&["2026-03-04"]), Vec::new()));
    assert_eq!(done.rebuilt, periods(&["2026-W10", "2026-03", "2026-Q1", "2026"]));
    assert_eq!(summary_of(store, "2026-03-04").await.unwrap().text, "cake");
    let base = base_of(store, "2026-03-04").await.unwrap();
    assert_eq!((base.text.as_str(), base.sentences.len()), ("cake", 1));
    assert_eq!(erase(store, subject("Carl")).await.lost, periods(&["2026-03-04"]));
}

pub(super) async fn summaries_and_former_texts_that_name_the_subject_are_erased(store: &dyn Store) {
    say(store, vec![user_turn("1", "2026-03-04T10:00:00Z", "He came."), user_turn("2", "2026-03-12T10:00:00Z", "Bob")])
        .await;
    roll_up_all(store, By::Quoting).await;
    // A person's text, which no turn contains.
    let week = summary_of(store, "2026-W10").await.unwrap().id;
    store.correct(&me(), &week, "Bob came.", now()).await.unwrap();
    let done = erase(store, subject("Bob")).await;
    let expected = ["2026-03-12", "2026-W10", "2026-W11", "2026-03", "2026-Q1", "2026"];
    assert_eq!((done.rebuilt, done.cut, done.lost), (periods(&expected), Vec::new(), Vec::new()));
    assert_eq!(dirty(store).await, expected);
    // Former texts name the subject, present ones do not.
    let day = summary_of(store, "2026-03-04").await.unwrap().id;
    for text in ["Eve came with a cake.", "She came."] {
        store.correct(&me(), &day, text, now()).await.unwrap();
    }
    store.ingest(&me(), vec![user_turn("1", "2026-03-04T10:00:00Z", "Eve!")], OnConflict::Revise, now()).await.unwrap();
    store.ingest(&me(), vec![user_turn("1", "2026-03-04T10:00:00Z", "She!")], OnConflict::Revise, now()).await.unwrap();
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "").id;
    let done = erase(store, subject("Eve")).await;
    assert_eq!((done.turns, done.former_texts), (vec![], ids(&[&day, &turn])));
    assert_eq!(done.words, ["Eve came with a cake"]);
    for id in [day, turn] {
        let former: Vec<_> =
            store.versions(&me(), &id).await.unwrap().into_iter().map(|version| version.text).collect();
        assert_eq!(former, ["He came."], "of {id}");
    }
}
