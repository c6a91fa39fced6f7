//! Blocks that name a person to be forgotten.

use annals_core::ports::{Block, Target};
use annals_core::{Message, Settings};

use super::{erase, everything};
use crate::suites::Store;
use crate::suites::catalog::{me, now, say, user_turn};
use crate::suites::history::extract;
use crate::{operation, turn_of};

async fn save(store: &dyn Store, blocks: &[(&str, &str)]) {
    for (name, text) in blocks {
        let block = Block { name: (*name).into(), text: (*text).into(), updated_at: now() };
        crate::save_block(store, &me(), block).await.unwrap();
    }
}

async fn names(store: &dyn Store) -> Vec<String> {
    store.blocks(&me()).await.unwrap().into_iter().map(|block| block.name).collect()
}

pub(super) async fn blocks_that_name_the_subject_are_removed(store: &dyn Store) {
    let message = user_turn("1", "2026-03-04T10:00:00Z", "It rains.").message;
    let turn = turn_of(&me(), Message { client_id: Some("1".into()), name: Some("Zelda".into()), ..message });
    say(store, vec![turn.clone()]).await;
    extract(store, &[&turn], Vec::new(), vec![operation(&turn, 0, "Zelda also_known_as Zed")]).await;
    let blocks = [
        ("human", "You talk to ZELDA Quist. She likes the opera."),
        ("a friend: zelda", "Lives in Oslo by the sea."),
        ("notes", "Zed owes us ten crowns."),
        ("persona", "You are kind. She likes the opera."),
        ("other", "Zeldas are many; zedlike things too."),
    ];
    save(store, &blocks).await;
    let done = erase(store, Target::Subject("zelda".into())).await;
    assert_eq!(done.blocks, ["a friend: zelda", "human", "notes"]);
    let expected = ["Lives in Oslo by the sea", "You talk to ZELDA Quist", "Zed owes us ten crowns"];
    assert_eq!(done.words, expected, "what another block says too is not gone");
    assert_eq!(names(store).await, ["other", "persona"]);
    assert_eq!(store.find_leftovers(&me(), &done.words).await.unwrap(), Vec::<String>::new());
}

pub(super) async fn prompts_that_name_the_subject_are_reported_and_stay(store: &dyn Store) {
    let prompt = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let prompts = [
        prompt("daily", "Write of ZELDA Quist first."),
        prompt("weekly", "Write of nobody."),
        prompt("yearly", "Zelda: the best."),
    ];
    let settings = Settings { prompts: prompts.into(), ..Settings::default() };
    store.save_settings(&me(), &settings).await.unwrap();
    for (subject, expect) in [("zelda", vec!["daily", "yearly"]), ("Quist", vec!["daily"]), ("Bob", vec![])] {
        let target = Target::Subject(subject.into());
        assert_eq!(store.preview(&me(), &target).await.unwrap().prompts, expect, "{subject}");
        assert_eq!(erase(store, target).await.prompts, expect, "{subject}");
    }
    assert_eq!(erase(store, Target::Conversation("zelda".into())).await.prompts, Vec::<String>::new());
    assert_eq!(store.settings(&me()).await.unwrap(), settings);
}

pub(super) async fn leftovers_are_found_in_names_and_texts(store: &dyn Store) {
    save(store, &[("word-in-name", "word-in-text")]).await;
    for word in ["word-in-name", "word-in-text"] {
        assert!(!store.find_leftovers(&me(), &["absent".into(), word.into()]).await.unwrap().is_empty(), "{word}");
    }
}

/// Blocks have no speaker and no day, so conversations, ranges and ids select no blocks.
pub(super) async fn blocks_stay_when_other_targets_are_erased(store: &dyn Store) {
    say(store, vec![user_turn("1", "2026-03-04T10:00:00Z", "We met at the opera.")]).await;
    save(store, &[("human", "We met at the opera.")]).await;
    let done = erase(store, Target::Conversation("talk".into())).await;
    assert_eq!((done.blocks, done.words), (Vec::new(), Vec::<String>::new()), "its words still stand in the block");
    let always = annals_core::Interval::ALWAYS;
    for target in [Target::Range(always), Target::Memories(Vec::new()), Target::Subject("Nobody".into())] {
        let before = everything(store).await;
        assert_eq!(erase(store, target).await.blocks, Vec::<String>::new());
        assert_eq!(everything(store).await, before);
    }
    assert_eq!(names(store).await, ["human"]);
}
