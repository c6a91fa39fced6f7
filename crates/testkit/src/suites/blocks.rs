//! Conformance suite of port `Blocks`.

use annals_core::Agent;
use annals_core::ports::{Block, Target};

use super::catalog::{later, me, now};
use super::{Case, Store, cases, run};
use crate::agent;

/// Runs every case, each on a new empty store from `make`.
pub async fn blocks_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<Case<dyn Store>> = cases![
        are_listed_by_name,
        the_same_name_again_replaces_the_text,
        any_name_and_text_come_back_as_they_were,
        removing_says_whether_there_was_one,
        agents_do_not_share_blocks,
        an_agent_is_known_by_its_blocks,
        they_are_no_memories,
        they_go_with_the_agent,
    ];
    run("blocks", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

fn block(name: &str, text: &str) -> Block {
    Block { name: name.into(), text: text.into(), updated_at: now() }
}

async fn save(store: &dyn Store, name: &str, text: &str) {
    store.save_block(&me(), block(name, text)).await.unwrap();
}

async fn names(store: &dyn Store, agent: &Agent) -> Vec<String> {
    store.blocks(agent).await.unwrap().into_iter().map(|block| block.name).collect()
}

async fn are_listed_by_name(store: &dyn Store) {
    assert_eq!(store.blocks(&me()).await.unwrap(), []);
    for name in ["project", "human", "Persona", "persona", "Ωmega"] {
        save(store, name, "text").await;
    }
    assert_eq!(names(store, &me()).await, ["Persona", "human", "persona", "project", "Ωmega"]);
}

async fn the_same_name_again_replaces_the_text(store: &dyn Store) {
    save(store, "human", "Ann likes tea.").await;
    let changed = Block { updated_at: later(), ..block("human", "Ann likes rye.") };
    store.save_block(&me(), changed.clone()).await.unwrap();
    assert_eq!(store.blocks(&me()).await.unwrap(), [changed]);
}

async fn any_name_and_text_come_back_as_they_were(store: &dyn Store) {
    for text in ["", "'; DROP TABLE block; --", "a\0b", "\r\n\t", "e\u{301} \u{feff}東京", &"long ".repeat(4_000)] {
        let name: String = text.chars().take(20).collect();
        save(store, &name, text).await;
        let all = store.blocks(&me()).await.unwrap();
        assert!(all.contains(&block(&name, text)), "{name:?}");
    }
}

async fn removing_says_whether_there_was_one(store: &dyn Store) {
    assert!(!store.remove_block(&me(), "human").await.unwrap());
    save(store, "human", "Ann likes tea.").await;
    save(store, "Human", "Bob").await;
    assert!(store.remove_block(&me(), "human").await.unwrap());
    assert!(!store.remove_block(&me(), "human").await.unwrap());
    assert_eq!(names(store, &me()).await, ["Human"]);
}

async fn agents_do_not_share_blocks(store: &dyn Store) {
    let other = agent("other");
    save(store, "human", "Ann likes tea.").await;
    assert_eq!(store.blocks(&other).await.unwrap(), []);
    assert!(!store.remove_block(&other, "human").await.unwrap());
    store.save_block(&other, block("human", "Bob likes rye.")).await.unwrap();
    assert_eq!(store.blocks(&me()).await.unwrap(), [block("human", "Ann likes tea.")]);
    store.erase(&other, &Target::Agent, now()).await.unwrap();
    assert_eq!(names(store, &me()).await, ["human"]);
}

async fn an_agent_is_known_by_its_blocks(store: &dyn Store) {
    assert!(!store.remove_block(&me(), "human").await.unwrap());
    assert_eq!(store.all_agents().await.unwrap(), []);
    save(store, "human", "").await;
    assert_eq!(store.all_agents().await.unwrap(), [me()]);
    store.remove_block(&me(), "human").await.unwrap();
    assert_eq!(store.all_agents().await.unwrap(), []);
}

async fn they_are_no_memories(store: &dyn Store) {
    save(store, "human", "Ann likes tea.").await;
    assert_eq!(store.counts(&me()).await.unwrap().memories, [0; 6]);
    assert_eq!(store.ledger(&me()).await.unwrap(), []);
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

async fn they_go_with_the_agent(store: &dyn Store) {
    save(store, "human", "Ann likes tea a lot.").await;
    let gone = store.erase(&me(), &Target::Agent, now()).await.unwrap();
    assert_eq!((gone.blocks, gone.words), (vec!["human".into()], vec!["Ann likes tea a lot".to_owned()]));
    assert_eq!(store.blocks(&me()).await.unwrap(), []);
    assert_eq!(store.all_agents().await.unwrap(), []);
}
