//! Writes: batches, generations, and scans.

use annals_core::ports::{Batch, Part, Probe, Table, TableStats};
use annals_core::{Agent, Error, Grain, MemoryId, Strata};

use super::{STRATA_DIMENSION, part, rows, table, towards, upsert};
use crate::agent;

async fn delete(strata: &dyn Strata, ids: &[&str]) {
    let deletes = ids.iter().map(|id| MemoryId::from_text(*id)).collect();
    strata.apply(&table(), Batch { dimension: STRATA_DIMENSION, upserts: Vec::new(), deletes }).await.unwrap();
}

pub(super) async fn unwritten_table_is_empty(strata: &dyn Strata) {
    assert_eq!(strata.scan(&table()).await.unwrap(), []);
    let probe = Probe { vector: Some(towards(0, 0.0)), text: Some("tea".into()), limit: 5, ..Probe::default() };
    assert_eq!(strata.search(&table(), &probe).await.unwrap().hits, []);
    strata.remove(&table()).await.unwrap();
    assert_eq!(strata.quarantine(&table()).await.unwrap(), None);
    delete(strata, &["t-absent"]).await;
    assert_eq!(strata.scan(&table()).await.unwrap(), []);
}

pub(super) async fn table_exists_from_first_batch_until_removed(strata: &dyn Strata) {
    let is_lost = async |applied| matches!(strata.require(&table(), applied).await, Err(Error::Damaged { .. }));
    assert_eq!((strata.exists(&table()).await.unwrap(), is_lost(0).await, is_lost(1).await), (false, false, true));
    delete(strata, &["t-absent"]).await;
    assert_eq!((strata.exists(&table()).await.unwrap(), is_lost(1).await), (true, false), "after a batch without rows");
    strata.remove(&table()).await.unwrap();
    assert!(!strata.exists(&table()).await.unwrap());
    upsert(strata, vec![part("t-a", 0, 0, "a")]).await;
    assert!(strata.exists(&table()).await.unwrap());
    strata.quarantine(&table()).await.unwrap();
    assert!(is_lost(1).await);
}

pub(super) async fn applying_twice_changes_nothing(strata: &dyn Strata) {
    let batch = Batch {
        dimension: STRATA_DIMENSION,
        upserts: vec![part("t-a", 0, 0, "tea"), part("t-a", 1, 1, "cake"), part("t-b", 0, 2, "rain")],
        deletes: vec![MemoryId::from_text("t-c")],
    };
    upsert(strata, vec![part("t-c", 0, 3, "snow")]).await;
    strata.apply(&table(), batch.clone()).await.unwrap();
    let once = strata.scan(&table()).await.unwrap();
    assert_eq!(rows(strata, &table()).await, ["t-a/0", "t-a/1", "t-b/0"]);
    strata.apply(&table(), batch).await.unwrap();
    assert_eq!(strata.scan(&table()).await.unwrap(), once);
}

/// During a change of model, generations of two models exist at the same time.
pub(super) async fn generations_keep_their_own_dimension(strata: &dyn Strata) {
    let next = |generation| Table { generation, ..table() };
    let short = |angle: f32| vec![angle.cos(), angle.sin(), 0.0];
    let of = |name: &str, angle| Part { vector: short(angle), ..part(name, 0, 0, "tea") };
    upsert(strata, vec![part("t-a", 0, 0, "tea"), part("t-b", 0, 1, "tea")]).await;
    let batch = Batch { dimension: 3, upserts: vec![of("t-a", 0.0), of("t-b", 1.0)], deletes: Vec::new() };
    strata.apply(&next(1), batch.clone()).await.unwrap();
    strata.rewrite(&next(1), 2).await.unwrap();
    let nearest = async |table: &Table, vector: Vec<f32>| {
        let probe = Probe { vector: Some(vector), limit: 1, ..Probe::default() };
        strata.search(table, &probe).await.map(|findings| findings.hits[0].memory.to_string())
    };
    for (table, first, second) in [
        (table(), towards(0, 0.1), towards(1, 0.1)),
        (next(1), short(0.1), short(0.9)),
        (next(2), short(0.1), short(0.9)),
    ] {
        assert_eq!(nearest(&table, first).await.unwrap(), "t-a", "{table:?}");
        assert_eq!(nearest(&table, second).await.unwrap(), "t-b", "{table:?}");
        assert_eq!(strata.scan(&table).await.unwrap().len(), 2);
    }
    assert!(matches!(nearest(&table(), short(0.0)).await, Err(Error::Invalid(_))));
    assert!(matches!(nearest(&next(1), towards(0, 0.0)).await, Err(Error::Invalid(_))));
    assert!(matches!(strata.apply(&table(), batch.clone()).await, Err(Error::Damaged { .. })));
    let mixed = Batch { dimension: STRATA_DIMENSION, ..batch };
    assert!(matches!(strata.apply(&next(3), mixed).await, Err(Error::Invalid(_))));
    assert_eq!(strata.scan(&table()).await.unwrap().len(), 2, "nothing is mixed");
}

pub(super) async fn upsert_replaces_all_parts(strata: &dyn Strata) {
    upsert(strata, vec![part("t-a", 0, 0, "a"), part("t-a", 1, 1, "b"), part("t-a", 2, 2, "c")]).await;
    upsert(strata, vec![part("t-b", 0, 0, "other"), part("t-b", 1, 0, "other")]).await;
    upsert(strata, vec![part("t-a", 0, 3, "d"), part("t-a", 1, 4, "e")]).await;
    assert_eq!(rows(strata, &table()).await, ["t-a/0", "t-a/1", "t-b/0", "t-b/1"]);
    upsert(strata, vec![part("t-a", 0, 3, "d")]).await;
    assert_eq!(rows(strata, &table()).await, ["t-a/0", "t-b/0", "t-b/1"]);
    upsert(strata, (0..5).map(|number| part("t-a", number, 3, "f")).collect()).await;
    assert_eq!(strata.scan(&table()).await.unwrap().len(), 7);
}

pub(super) async fn delete_removes_all_parts(strata: &dyn Strata) {
    upsert(strata, vec![part("t-a", 0, 0, "a"), part("t-a", 1, 1, "b"), part("t-b", 0, 2, "c")]).await;
    delete(strata, &["t-a", "t-absent", "t-' OR '1'='1"]).await;
    assert_eq!(rows(strata, &table()).await, ["t-b/0"]);
    delete(strata, &["t-b"]).await;
    assert_eq!(rows(strata, &table()).await, Vec::<String>::new());
}

pub(super) async fn empty_batch_is_accepted(strata: &dyn Strata) {
    upsert(strata, Vec::new()).await;
    upsert(strata, vec![part("t-a", 0, 0, "a")]).await;
    upsert(strata, Vec::new()).await;
    assert_eq!(rows(strata, &table()).await, ["t-a/0"]);
}

pub(super) async fn one_batch_upserts_and_deletes(strata: &dyn Strata) {
    upsert(strata, vec![part("t-a", 0, 0, "a"), part("t-b", 0, 1, "b")]).await;
    let batch = Batch {
        dimension: STRATA_DIMENSION,
        upserts: vec![part("t-c", 0, 2, "c")],
        deletes: vec![MemoryId::from_text("t-a")],
    };
    strata.apply(&table(), batch).await.unwrap();
    assert_eq!(rows(strata, &table()).await, ["t-b/0", "t-c/0"]);
}

pub(super) async fn scan_is_sorted_and_digests_ignore_sequence_numbers(strata: &dyn Strata) {
    upsert(strata, vec![part("t-b", 0, 1, "b"), part("t-a", 1, 0, "a"), part("t-a", 0, 0, "a")]).await;
    let first = strata.scan(&table()).await.unwrap();
    assert!(first.is_sorted(), "{first:?}");
    assert_eq!(first.len(), 3);
    let base = part("t-b", 0, 1, "b");
    let digest = async |part: Part| {
        upsert(strata, vec![part]).await;
        let row = strata.scan(&table()).await.unwrap().pop().unwrap();
        (row.digest, row.seq)
    };
    assert_eq!(digest(Part { seq: 9, ..base.clone() }).await, (first[2].digest, 9));
    for other in [
        Part { text: "c".into(), ..base.clone() },
        Part { vector: towards(1, 0.01), ..base.clone() },
        Part { speaker: None, ..base.clone() },
        Part { conversation: Some("Ann".into()), ..base.clone() },
    ] {
        assert_ne!(digest(other.clone()).await.0, first[2].digest, "{other:?}");
    }
    assert_eq!(digest(base).await, (first[2].digest, 1));
}

pub(super) async fn tables_are_per_agent_grain_and_generation(strata: &dyn Strata) {
    let tables = [
        table(),
        Table { generation: 1, ..table() },
        Table { grain: Grain::Daily, ..table() },
        Table { agent: agent("other"), ..table() },
        Table { agent: agent("../tester"), ..table() },
        Table { agent: Agent::in_workspace("elsewhere", "tester").unwrap(), ..table() },
    ];
    for (index, table) in tables.iter().enumerate() {
        let upserts = vec![part(&format!("t-{index}"), 0, 0, "tea")];
        strata.apply(table, Batch { dimension: STRATA_DIMENSION, upserts, deletes: Vec::new() }).await.unwrap();
    }
    let probe = Probe { vector: Some(towards(0, 0.0)), text: Some("tea".into()), limit: 9, ..Probe::default() };
    for (index, table) in tables.iter().enumerate() {
        assert_eq!(rows(strata, table).await, [format!("t-{index}/0")], "{table:?}");
        assert_eq!(strata.search(table, &probe).await.unwrap().hits.len(), 1, "{table:?}");
    }
    strata.remove(&tables[0]).await.unwrap();
    for (index, table) in tables.iter().enumerate() {
        assert_eq!(rows(strata, table).await.len(), usize::from(index > 0), "{table:?}");
    }
}

pub(super) async fn many_small_batches_add_up(strata: &dyn Strata) {
    // Enough batches for a store to compact in between.
    for round in 0..50_u64 {
        let upserts =
            vec![Part { seq: round, ..part(&format!("t-{:02}", round % 20), 0, 0, &format!("round {round}")) }];
        let deletes = vec![MemoryId::from_text(format!("t-{:02}", (round + 10) % 20))];
        strata.apply(&table(), Batch { dimension: STRATA_DIMENSION, upserts, deletes }).await.unwrap();
    }
    let seqs: Vec<_> = strata.scan(&table()).await.unwrap().iter().map(|row| row.seq).collect();
    assert_eq!(seqs, (40..50).collect::<Vec<_>>());
}

pub(super) async fn removed_table_is_empty_and_writable(strata: &dyn Strata) {
    upsert(strata, vec![part("t-a", 0, 0, "a")]).await;
    strata.remove(&table()).await.unwrap();
    strata.remove(&table()).await.unwrap();
    assert_eq!(strata.scan(&table()).await.unwrap(), []);
    upsert(strata, vec![part("t-b", 0, 0, "b")]).await;
    assert_eq!(rows(strata, &table()).await, ["t-b/0"]);
}

pub(super) async fn quarantined_table_is_moved_aside(strata: &dyn Strata) {
    for _ in 0..2 {
        upsert(strata, vec![part("t-a", 0, 0, "a")]).await;
        let aside = strata.quarantine(&table()).await.unwrap();
        assert!(aside.is_some_and(|place| !place.is_empty()));
        assert_eq!(strata.scan(&table()).await.unwrap(), []);
        assert_eq!(strata.quarantine(&table()).await.unwrap(), None);
    }
}

pub(super) async fn any_text_round_trips(strata: &dyn Strata) {
    let odd = ["", " ", "'; DROP TABLE parts; --", "a\0b", "👩‍👩‍👧", "\u{feff}\r\n", &"word ".repeat(20_000)];
    let parts = odd.iter().enumerate().map(|(index, text)| part(&format!("t-{index}"), 0, index, text));
    upsert(strata, parts.collect()).await;
    assert_eq!(strata.scan(&table()).await.unwrap().len(), odd.len());
}

pub(super) async fn compaction_changes_no_row(strata: &dyn Strata) {
    strata.compact(&table()).await.unwrap();
    assert_eq!(strata.table_stats(&table()).await.unwrap(), TableStats::default());
    for number in 0..5 {
        upsert(strata, vec![part(&format!("t-{number}"), 0, number, "tea")]).await;
    }
    delete(strata, &["t-1"]).await;
    let before = strata.scan(&table()).await.unwrap();
    strata.compact(&table()).await.unwrap();
    assert_eq!(strata.scan(&table()).await.unwrap(), before);
    let table_stats = strata.table_stats(&table()).await.unwrap();
    assert!(table_stats.versions <= 1 && table_stats.fragments <= 1, "{table_stats:?}");
}
