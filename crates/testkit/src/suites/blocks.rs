//! Conformance suite of port `Blocks`.

use annals_core::Agent;
use annals_core::ports::{Block, Target};

use super::catalog::{later, me, now};
use super::{Store, SuiteTest, cases, run};
use crate::agent;

/// Runs every case, each on a new empty store from `make`.
pub async fn blocks_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Store>> = cases![
        blocks_are_listed_by_name,
        same_name_replaces_the_text,
        any_name_and_text_round_trip,
        removal_reports_whether_the_block_existed,
        agents_do_not_share_blocks,
        agent_with_only_blocks_exists,
        blocks_are_not_memories,
        forgetting_the_agent_removes_blocks,
        one_call_writes_and_removes_several_blocks,
        too_many_blocks_change_nothing,
    ];
    run("blocks", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

fn block(name: &str, text: &str) -> Block {
    Block { name: name.into(), text: text.into(), updated_at: now() }
}

async fn save(store: &dyn Store, name: &str, text: &str) {
    crate::save_block(store, &me(), block(name, text)).await.unwrap();
}

async fn names(store: &dyn Store, agent: &Agent) -> Vec<String> {
    store.blocks(agent).await.unwrap().into_iter().map(|block| block.name).collect()
}

async fn blocks_are_listed_by_name(store: &dyn Store) {
    assert_eq!(store.blocks(&me()).await.unwrap(), []);
    for name in ["project", "human", "Persona", "persona", "Ωmega"] {
        save(store, name, "text").await;
    }
    assert_eq!(names(store, &me()).await, ["Persona", "human", "persona", "project", "Ωmega"]);
}

async fn same_name_replaces_the_text(store: &dyn Store) {
    save(store, "human", "Ann likes tea.").await;
    let changed = Block { updated_at: later(), ..block("human", "Ann likes rye.") };
    crate::save_block(store, &me(), changed.clone()).await.unwrap();
    assert_eq!(store.blocks(&me()).await.unwrap(), [changed]);
}

async fn any_name_and_text_round_trip(store: &dyn Store) {
    for text in ["", "'; DROP TABLE block; --", "a\0b", "\r\n\t", "e\u{301} \u{feff}東京", &"long ".repeat(4_000)] {
        let name: String = text.chars().take(20).collect();
        save(store, &name, text).await;
        let all = store.blocks(&me()).await.unwrap();
        assert!(all.contains(&block(&name, text)), "{name:?}");
    }
}

async fn removal_reports_whether_the_block_existed(store: &dyn Store) {
    assert!(!crate::remove_block(store, &me(), "human").await.unwrap());
    save(store, "human", "Ann likes tea.").await;
    save(store, "Human", "Bob").await;
    assert!(crate::remove_block(store, &me(), "human").await.unwrap());
    assert!(!crate::remove_block(store, &me(), "human").await.unwrap());
    assert_eq!(names(store, &me()).await, ["Human"]);
}

async fn agents_do_not_share_blocks(store: &dyn Store) {
    let other = agent("other");
    save(store, "human", "Ann likes tea.").await;
    assert_eq!(store.blocks(&other).await.unwrap(), []);
    assert!(!crate::remove_block(store, &other, "human").await.unwrap());
    crate::save_block(store, &other, block("human", "Bob likes rye.")).await.unwrap();
    assert_eq!(store.blocks(&me()).await.unwrap(), [block("human", "Ann likes tea.")]);
    store.erase(&other, &Target::Agent, now()).await.unwrap();
    assert_eq!(names(store, &me()).await, ["human"]);
}

async fn agent_with_only_blocks_exists(store: &dyn Store) {
    assert!(!crate::remove_block(store, &me(), "human").await.unwrap());
    assert_eq!(store.all_agents().await.unwrap(), []);
    save(store, "human", "").await;
    assert_eq!(store.all_agents().await.unwrap(), [me()]);
    crate::remove_block(store, &me(), "human").await.unwrap();
    assert_eq!(store.all_agents().await.unwrap(), []);
}

async fn blocks_are_not_memories(store: &dyn Store) {
    save(store, "human", "Ann likes tea.").await;
    assert_eq!(store.counts(&me()).await.unwrap().memories, [0; 6]);
    assert_eq!(store.ledger(&me()).await.unwrap(), []);
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

async fn forgetting_the_agent_removes_blocks(store: &dyn Store) {
    save(store, "human", "Ann likes tea a lot.").await;
    let gone = store.erase(&me(), &Target::Agent, now()).await.unwrap();
    assert_eq!((gone.blocks, gone.words), (vec!["human".into()], vec!["Ann likes tea a lot".to_owned()]));
    assert_eq!(store.blocks(&me()).await.unwrap(), []);
    assert_eq!(store.all_agents().await.unwrap(), []);
}

async fn one_call_writes_and_removes_several_blocks(store: &dyn Store) {
    for name in ["human", "persona", "project"] {
        save(store, name, "old").await;
    }
    let written = vec![block("human", "new"), block("task", "new")];
    let removed = vec!["project".to_owned(), "none".to_owned()];
    let all = store.write_blocks(&me(), written, removed, 3).await.unwrap();
    assert_eq!(all, [block("human", "new"), block("persona", "old"), block("task", "new")]);
    assert_eq!(store.blocks(&me()).await.unwrap(), all);
}

async fn too_many_blocks_change_nothing(store: &dyn Store) {
    save(store, "human", "old").await;
    save(store, "persona", "old").await;
    let written = vec![block("human", "new"), block("project", "new"), block("task", "new")];
    let error = store.write_blocks(&me(), written, vec!["persona".to_owned()], 2).await.unwrap_err();
    assert_eq!(error.to_string(), "blocks would be 3; 2 are allowed");
    assert_eq!(store.blocks(&me()).await.unwrap(), [block("human", "old"), block("persona", "old")]);
}
