//! Tests that a batch that `apply` has returned from survives a power cut at any moment: while a table is created,
//! while rows are written, and while the table is compacted, indexed and pruned.
//!
//! The same check must fail for two planted bugs: a store that does not sync, and a batch that is recorded as applied
//! too early.

use std::sync::Arc;

use object_store::local::LocalFileSystem;

use super::forgetful::Forgetful;
use super::*;

/// When a batch counts as applied.
#[derive(Clone, Copy, PartialEq)]
enum Recorded {
    WhenApplyReturns,
    /// A planted bug: the batch is recorded before the call of `apply`.
    BeforeApply,
}

/// Number of batches before the first interrupted one, so that there are fragments and versions to join, index, merge
/// and prune.
const BEFORE: i64 = 15;

#[tokio::test]
async fn applied_batches_survive_a_power_cut_at_any_step() {
    let from_nothing = survive(local, Recorded::WhenApplyReturns, 0).await.unwrap();
    assert!(from_nothing > 10, "cut only {from_nothing} times");
    let during_maintenance = survive(local, Recorded::WhenApplyReturns, BEFORE).await.unwrap();
    assert!(during_maintenance > 60, "cut only {during_maintenance} times");
}

#[tokio::test]
async fn missing_sync_is_detected() {
    let lost = survive(unsynced, Recorded::WhenApplyReturns, 0).await;
    lost.unwrap_err();
}

#[tokio::test]
async fn early_record_is_detected() {
    let lost = survive(local, Recorded::BeforeApply, 0).await.unwrap_err();
    assert!(lost.contains("lost"), "{lost}");
}

/// Returns objects in a local folder that are written without a sync: a planted bug.
fn unsynced(folder: &Path) -> Objects {
    local(folder).through(Arc::new(LocalFileSystem::new()))
}

/// Applies six batches after `before` others, repeatedly, and cuts the power one step later each time. Returns the
/// number of cuts, or an error that says what was lost.
async fn survive(open: fn(&Path) -> Objects, recorded: Recorded, before: i64) -> Result<usize, String> {
    let start = tempfile::tempdir().unwrap();
    let strata = open_busy(open(start.path())).await.unwrap();
    for number in 0..before {
        strata.apply(&table("a"), batch(number)).await.unwrap();
    }
    for step in 0.. {
        let folder = copy(start.path());
        let objects = open(folder.path());
        let disk = Forgetful::until(objects.store(), step);
        let mut applied = before;
        if let Ok(strata) = open_busy(objects.through(Arc::new(disk.clone()))).await {
            for number in before..before + 6 {
                let early = i64::from(recorded == Recorded::BeforeApply);
                applied += early;
                if strata.apply(&table("a"), batch(number)).await.is_err() || disk.is_off() {
                    break;
                }
                applied += 1 - early;
            }
        }
        let ran_through = !disk.is_off();
        disk.lose_power(step % 2 == 0);
        check(folder.path(), applied).await.map_err(|lost| format!("after step {step}: {lost}"))?;
        if ran_through {
            return Ok(step);
        }
    }
    unreachable!("the batches are finite")
}

/// Checks the disk after the power is back: all recorded batches exist, the next one completely or not at all, and
/// further batches can be applied.
async fn check(root: &Path, applied: i64) -> Result<(), String> {
    let strata = open_busy(local(root)).await.unwrap();
    let found = strata.scan(&table("a")).await.map_err(|error| error.to_string())?;
    let found: Vec<String> = found.iter().map(|row| format!("{}#{}", row.memory, row.part)).collect();
    if found != expected(applied) && found != expected(applied + 1) {
        return Err(format!("lost: {applied} batches were applied, but there is {found:?}"));
    }
    for number in applied..applied + 2 {
        strata.apply(&table("a"), batch(number)).await.map_err(|error| error.to_string())?;
    }
    assert_eq!(rows(&strata, &table("a")).await, expected(applied + 2));
    let hits = strata.search(&table("a"), &words("tea")).await.map_err(|error| error.to_string())?.hits;
    assert_eq!(names(&hits).len(), expected(applied + 2).len().min(10));
    Ok(())
}

/// Returns batch `number`, which writes a memory of two parts and deletes the memory of the third batch before it.
fn batch(number: i64) -> Batch {
    let parts = (0..2).map(|part_number| Part { part: part_number, ..part(&name(number), number, "tea") });
    Batch { dimension: DIMENSION, upserts: parts.collect(), deletes: vec![MemoryId::from_text(name(number - 3))] }
}

fn expected(applied: i64) -> Vec<String> {
    let memories = (applied - 3).max(0)..applied;
    memories.flat_map(|number| (0..2).map(move |part| format!("{}#{part}", name(number)))).collect()
}

fn name(number: i64) -> String {
    format!("t-{number:03}")
}

fn copy(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    for file in files(from) {
        let copy = to.path().join(file.strip_prefix(from).unwrap());
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(file, copy).unwrap();
    }
    to
}
