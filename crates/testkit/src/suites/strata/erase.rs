//! Rewriting, purging, and the search for deleted words.

use annals_core::ports::{Batch, Probe, Table};
use annals_core::{Grain, MemoryId, Strata};

use super::{STRATA_DIMENSION, part, rows, table, towards, upsert};
use crate::agent;

async fn delete(strata: &dyn Strata, memory: &str) {
    let deletes = vec![MemoryId::from_text(memory)];
    strata.apply(&table(), Batch { dimension: STRATA_DIMENSION, upserts: Vec::new(), deletes }).await.unwrap();
}

fn next() -> Table {
    Table { generation: 1, ..table() }
}

/// Returns the places of agent `tester` that contain the words.
async fn holders(strata: &dyn Strata, words: &str) -> Vec<String> {
    strata.find_leftovers(&agent("tester"), &[words.to_owned()]).await.unwrap()
}

pub(super) async fn rewritten_table_lacks_only_deleted_rows(strata: &dyn Strata) {
    upsert(strata, vec![part("t-a", 0, 0, "the grey heron left"), part("t-b", 0, 1, "the kettle sang")]).await;
    upsert(strata, vec![part("t-c", 0, 2, "rain on the roof"), part("t-c", 1, 3, "all night")]).await;
    delete(strata, "t-a").await;
    let before = strata.scan(&table()).await.unwrap();
    // Twice, as after a crash.
    for _ in 0..2 {
        strata.rewrite(&table(), 1).await.unwrap();
    }
    assert_eq!(strata.scan(&next()).await.unwrap(), before);
    let words = Some("kettle".into());
    let probe =
        Probe { vector: Some(towards(1, 0.0)), text: words, language: "en".into(), limit: 1, ..Probe::default() };
    let hits = strata.search(&next(), &probe).await.unwrap().hits;
    assert!(hits.iter().any(|hit| hit.memory.as_str() == "t-b" && hit.similarity.is_some() && hit.relevance.is_some()));
    strata.remove_below(&agent("tester"), &[next()]).await.unwrap();
    assert_eq!(holders(strata, "grey heron").await, [""; 0]);
    assert_eq!(rows(strata, &table()).await, [""; 0]);
    assert_eq!(rows(strata, &next()).await, ["t-b/0", "t-c/0", "t-c/1"]);
    strata
        .apply(
            &next(),
            Batch { dimension: STRATA_DIMENSION, upserts: vec![part("t-d", 0, 4, "morning")], deletes: Vec::new() },
        )
        .await
        .unwrap();
    assert_eq!(rows(strata, &next()).await.len(), 4);
}

pub(super) async fn rewriting_an_unwritten_table_does_nothing(strata: &dyn Strata) {
    strata.rewrite(&table(), 1).await.unwrap();
    assert_eq!(rows(strata, &next()).await, [""; 0]);
    strata.remove_agent(&agent("tester")).await.unwrap();
}

pub(super) async fn stored_words_are_found(strata: &dyn Strata) {
    upsert(strata, vec![part("t-a", 0, 0, "the grey heron left"), part("t-b", 0, 1, "the kettle sang")]).await;
    assert!(!holders(strata, "grey heron").await.is_empty());
    assert_eq!(holders(strata, "white heron").await, [""; 0]);
    assert_eq!(strata.find_leftovers(&agent("other"), &["grey heron".into()]).await.unwrap(), [""; 0]);
}

/// A writer that was paused may pass a generation that is no longer the present one. Later generations then stay.
pub(super) async fn removing_below_a_generation_keeps_later_ones(strata: &dyn Strata) {
    let generation = |generation| Table { generation, ..table() };
    let daily = Table { grain: Grain::Daily, ..table() };
    let strange = Table { agent: agent("other"), ..table() };
    let stored = [generation(1), generation(2), generation(4), daily.clone(), strange.clone()];
    for table in &stored {
        strata
            .apply(
                table,
                Batch { dimension: STRATA_DIMENSION, upserts: vec![part("t-a", 0, 0, "rain")], deletes: Vec::new() },
            )
            .await
            .unwrap();
    }
    let left = async || {
        let mut left = strata.generations(&agent("tester")).await.unwrap();
        left.sort_by_key(|table| (table.grain, table.generation));
        left.into_iter().map(|table| (table.grain, table.generation)).collect::<Vec<_>>()
    };
    let expect = |working: &[u32]| {
        let working = working.iter().map(|generation| (Grain::Working, *generation));
        working.chain([(Grain::Daily, 0)]).collect::<Vec<_>>()
    };
    for (below, expected) in [(1, &[1, 2, 4][..]), (3, &[4]), (2, &[4]), (4, &[4]), (9, &[])] {
        strata.remove_below(&agent("tester"), &[generation(below), daily.clone()]).await.unwrap();
        assert_eq!(left().await, expect(expected), "below {below}");
    }
    assert_eq!(rows(strata, &strange).await, ["t-a/0"]);
    assert_eq!(rows(strata, &generation(4)).await, [""; 0]);
}

pub(super) async fn purging_one_agent_keeps_the_others(strata: &dyn Strata) {
    upsert(strata, vec![part("t-a", 0, 0, "the grey heron left")]).await;
    strata.quarantine(&table()).await.unwrap();
    upsert(strata, vec![part("t-b", 0, 0, "the kettle sang")]).await;
    let other = Table { agent: agent("other"), ..table() };
    strata
        .apply(
            &other,
            Batch { dimension: STRATA_DIMENSION, upserts: vec![part("t-c", 0, 0, "rain")], deletes: Vec::new() },
        )
        .await
        .unwrap();
    strata.remove_agent(&agent("tester")).await.unwrap();
    assert_eq!(rows(strata, &table()).await, [""; 0]);
    assert_eq!(holders(strata, "heron").await, [""; 0]);
    assert_eq!(rows(strata, &other).await, ["t-c/0"]);
    upsert(strata, vec![part("t-d", 0, 0, "again")]).await;
    assert_eq!(rows(strata, &table()).await, ["t-d/0"]);
}
