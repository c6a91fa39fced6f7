//! Tests of a replica: it agrees with the tables that another process writes, whatever that process does in between.

use proptest::prelude::*;

use super::memory::{Write, batch, check_all, probes, search, write};
use super::*;
use crate::ReplicaStrata;

async fn replica(folder: &Path) -> ReplicaStrata {
    ReplicaStrata::over(local(folder), CacheLimits::of(64 << 20)).await.unwrap()
}

/// Requires a change, and waits while the table is being read.
async fn require(replica: &ReplicaStrata, table: &Table, seq: u64) {
    while let Err(error) = replica.require(table, seq).await {
        assert!(error.to_string().contains("is being read"), "{error}");
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
}

/// Returns the batch of a change with this sequence number.
fn at_seq(mut batch: Batch, seq: u64) -> Batch {
    batch.upserts.iter_mut().for_each(|part| part.seq = seq);
    batch
}

/// Checks that a replica that has required the last change finds what a process finds that opens the table now.
async fn check_same(replica: &ReplicaStrata, folder: &Path, seq: u64) {
    require(replica, &table("a"), seq).await;
    for probe in probes() {
        let (found, anew) = (search(replica, &probe).await, search(&open(folder).await, &probe).await);
        check_all(&found.all_conversations, &anew.all_conversations);
        // Which of equal hits are among the best is not specified.
        let same = (&found.hits, &found.conversations) == (&anew.hits, &anew.conversations);
        assert!(probe.exact == 0 || same, "{found:?} or {anew:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn replica_finds_what_the_writer_has_written(
        batches in prop::collection::vec((prop::collection::vec(write(), 1..30), any::<bool>()), 1..8)
    ) {
        tokio::runtime::Runtime::new().unwrap().block_on(follow(batches));
    }
}

/// Writes batches, and looks at the table through one replica after some of them. The writer compacts and prunes meanwhile.
async fn follow(batches: Vec<(Vec<Write>, bool)>) {
    let folder = tempfile::tempdir().unwrap();
    let (writer, replica) = (open_busy(local(folder.path())).await.unwrap(), replica(folder.path()).await);
    let last = batches.len() as u64;
    for ((writes, looks), seq) in batches.into_iter().zip(1..) {
        writer.apply(&table("a"), at_seq(batch(&writes), seq)).await.unwrap();
        if looks || seq == last {
            check_same(&replica, folder.path(), seq).await;
        }
    }
}

#[tokio::test]
async fn only_changed_rows_are_read_unless_they_are_many() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, replica, me) = (open(folder.path()).await, replica(folder.path()).await, table("a"));
    let names = async || names(&replica.search(&me, &words("tea")).await.unwrap().hits);
    let say = async |memory: &str, seq| {
        writer.apply(&me, at_seq(upserts([part(memory, 0, "tea")]), seq)).await.unwrap();
    };
    say("1", 1).await;
    require(&replica, &me, 1).await;
    let copy = || replica.tables().in_memory.get(&me).unwrap();
    let first = copy();
    say("2", 2).await;
    assert_eq!(names().await, ["1#0"], "nothing has required the second change");
    replica.require(&me, 2).await.unwrap();
    assert_eq!(names().await, ["1#0", "2#0"]);
    assert!(std::sync::Arc::ptr_eq(&first, &copy()), "the copy was changed");

    let gone = Batch { dimension: DIMENSION, upserts: Vec::new(), deletes: vec![MemoryId::from_text("1")] };
    writer.apply(&me, gone).await.unwrap();
    say("3", 4).await;
    replica.require(&me, 4).await.unwrap();
    assert_eq!(names().await, ["2#0", "3#0"]);
    assert!(std::sync::Arc::ptr_eq(&first, &copy()), "the removed row was removed from the copy");
    let many = (0..5_001).map(|number| part(&format!("m{number}"), 0, "tea"));
    writer.apply(&me, at_seq(upserts(many), 5)).await.unwrap();
    require(&replica, &me, 5).await;
    assert!(!std::sync::Arc::ptr_eq(&first, &copy()), "the table was read anew");
    assert_eq!(annals_index::read(&copy()).live_rows(), 5_003);
}

#[tokio::test]
async fn table_that_was_removed_and_written_again_at_its_path_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, replica, me) = (open(folder.path()).await, replica(folder.path()).await, table("a"));
    for (memory, seq) in [("1", 1), ("2", 2), ("3", 3)] {
        writer.remove(&me).await.unwrap();
        writer.apply(&me, at_seq(upserts([part(memory, 0, "tea")]), seq)).await.unwrap();
        require(&replica, &me, seq).await;
        assert_eq!(names(&replica.search(&me, &words("tea")).await.unwrap().hits), [format!("{memory}#0")]);
    }
}

#[tokio::test]
async fn search_fails_if_its_copy_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, replica) = (open(folder.path()).await, replica(folder.path()).await);
    for agent in ["a", "b"] {
        writer.apply(&table(agent), at_seq(upserts([part("1", 0, "tea")]), 1)).await.unwrap();
        require(&replica, &table(agent), 1).await;
    }
    replica.drop_copy(&table("a"));
    assert_eq!(replica.copies(), [table("b")]);
    assert!(replica.search(&table("a"), &words("tea")).await.is_err(), "an empty answer would be wrong");
    require(&replica, &table("a"), 1).await;
    assert_eq!(replica.search(&table("a"), &words("tea")).await.unwrap().hits.len(), 1);
}

#[tokio::test]
async fn table_that_is_lost_or_too_large_is_an_error_and_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let lost = replica(folder.path()).await;
    let unreadable = async |replica: &ReplicaStrata| {
        loop {
            let error = replica.require(&table("a"), 1).await.unwrap_err();
            assert!(matches!(&error, annals_core::Error::Storage { .. }), "{error}");
            if !error.to_string().contains("is being read") {
                return error.to_string();
            }
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
    };
    assert!(unreadable(&lost).await.contains("working-g1"));
    assert_eq!(lost.search(&table("b"), &words("tea")).await.unwrap().hits, [], "nothing was applied yet");

    let writer = open(folder.path()).await;
    writer.apply(&table("a"), at_seq(upserts((0..30).map(|day| part(&day.to_string(), day, "tea"))), 1)).await.unwrap();
    let small = ReplicaStrata::over(local(folder.path()), CacheLimits::of(1 << 10)).await.unwrap();
    assert!(unreadable(&small).await.contains("cannot be held in memory"));
    lost.retry_unreadable();
    require(&lost, &table("a"), 1).await;
    assert_eq!(lost.search(&table("a"), &words("tea")).await.unwrap().hits.len(), 10);
    assert!(small.apply(&table("a"), upserts([part("x", 0, "tea")])).await.is_err());
}
