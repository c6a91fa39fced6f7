//! Tests that damaged files are reported as damaged, without a panic or a wrong row, and that a quarantined table can
//! be rebuilt.

use super::*;
use annals_core::Error;

/// A kind of damage to a file.
#[derive(Clone, Copy, Debug)]
enum Harm {
    Emptied,
    Halved,
    Zeroed,
    Deleted,
    /// One byte in the middle is changed.
    Flipped,
}

const HARMS: [Harm; 5] = [Harm::Emptied, Harm::Halved, Harm::Zeroed, Harm::Deleted, Harm::Flipped];

#[tokio::test]
async fn scan_reports_damage_to_any_data_file() {
    for harm in HARMS {
        let found = after(harm, "data").await;
        assert!(found.iter().all(|found| *found == Found::Damaged), "{harm:?}: {found:?}");
    }
}

#[tokio::test]
async fn commit_of_another_process_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let table = table("me");
    let (ours, theirs) = (open(folder.path()).await, open(folder.path()).await);
    ours.apply(&table, upserts([part("t-1", 1, "tea")])).await.unwrap();
    ours.apply(&table, upserts([part("t-2", 2, "tea")])).await.unwrap();
    theirs.apply(&table, upserts([part("t-3", 3, "coffee")])).await.unwrap();
    let error = ours.apply(&table, upserts([part("t-4", 4, "tea")])).await.unwrap_err();
    assert!(matches!(&error, Error::Damaged { why, .. } if why.contains("another process")), "{error}");
}

#[tokio::test]
async fn scan_reports_damage_to_the_newest_manifest() {
    for harm in [Harm::Emptied, Harm::Halved, Harm::Zeroed] {
        let found = after(harm, "_versions").await;
        assert!(found.contains(&Found::Damaged), "{harm:?}: {found:?}");
    }
}

/// A changed byte in the index may go unnoticed, because LanceDB keeps no checksums; the rows do not depend on the
/// index.
#[tokio::test]
async fn scan_reports_damage_to_the_text_index() {
    for harm in [Harm::Emptied, Harm::Halved, Harm::Zeroed, Harm::Deleted] {
        let found = after(harm, "_indices").await;
        assert!(found.iter().all(|found| *found == Found::Damaged), "{harm:?}: {found:?}");
    }
    after(Harm::Flipped, "_indices").await;
}

#[derive(Debug, PartialEq)]
enum Found {
    Damaged,
    /// The rows are unchanged: the file was not needed.
    AllRows,
}

/// Damages each file in one of the table's folders in turn, and scans the table. The table has joined and new fragments
/// and an index.
async fn after(harm: Harm, kind: &str) -> Vec<Found> {
    let whole = tempfile::tempdir().unwrap();
    let strata = open(whole.path()).await;
    for first in (0..1_260).step_by(60) {
        let row = |number: i64| part(&format!("t-{number:04}"), number, "some words");
        strata.apply(&table("a"), upserts((first..first + 60).map(row))).await.unwrap();
    }
    let expect = strata.scan(&table("a")).await.unwrap();
    let folder = whole.path().join(table("a").agent.folder()).join("working-g1.lance").join(kind);
    let mut found = Vec::new();
    for file in files(&folder) {
        let bytes = std::fs::read(&file).unwrap();
        inflict(harm, &file, &bytes);
        found.push(scan_and_rebuild(whole.path(), &expect).await);
        std::fs::write(&file, bytes).unwrap();
    }
    assert!(!found.is_empty(), "no files in {kind}");
    found
}

fn inflict(harm: Harm, file: &Path, bytes: &[u8]) {
    let mut flipped = bytes.to_vec();
    flipped[bytes.len() / 2] ^= 0x55;
    match harm {
        Harm::Emptied => std::fs::write(file, []).unwrap(),
        Harm::Halved => std::fs::write(file, &bytes[..bytes.len() / 2]).unwrap(),
        Harm::Zeroed => std::fs::write(file, vec![0; bytes.len()]).unwrap(),
        Harm::Deleted => std::fs::remove_file(file).unwrap(),
        Harm::Flipped => std::fs::write(file, flipped).unwrap(),
    }
}

async fn scan_and_rebuild(root: &Path, expect: &[annals_core::ports::Stored]) -> Found {
    let strata = open(root).await;
    // A search may not need all files. If it fails, the error must be `Damaged`.
    let probe = Probe { limit: 2_000, text: Some("words".into()), ..near(0, Filter::default()) };
    if let Err(error) = strata.search(&table("a"), &probe).await {
        assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
    }
    match strata.scan(&table("a")).await {
        Ok(rows) => {
            assert_eq!(rows, expect);
            Found::AllRows
        }
        Err(Error::Damaged { what, why }) => {
            assert!(what.contains("working-g1") && what.contains(&table("a").agent.folder()) && !why.is_empty());
            Found::Damaged
        }
        Err(error) => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn damaged_table_is_quarantined_and_rebuilt_under_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    strata.apply(&table("a"), upserts([part("t-1", 0, "tea")])).await.unwrap();
    let data = folder.path().join(table("a").agent.folder()).join("working-g1.lance/data");
    files(&data).iter().for_each(|file| std::fs::write(file, []).unwrap());
    let strata = open(folder.path()).await;
    assert!(matches!(strata.scan(&table("a")).await.unwrap_err(), Error::Damaged { .. }));
    strata.quarantine(&table("a")).await.unwrap().unwrap();
    strata.apply(&table("a"), upserts([part("t-1", 0, "tea")])).await.unwrap();
    assert_eq!(rows(&strata, &table("a")).await, ["t-1#0"]);
    assert_eq!(names(&strata.search(&table("a"), &words("tea")).await.unwrap().hits), ["t-1#0"]);
}

#[tokio::test]
async fn unwritable_folder_is_a_storage_error() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    // With a file at the path of the agent's folder, the system refuses to create the folder, whatever the user's
    // rights.
    std::fs::write(folder.path().join(table("a").agent.folder()), "in the way").unwrap();
    let error = strata.apply(&table("a"), upserts([part("t-1", 0, "tea")])).await.unwrap_err();
    assert!(matches!(error, Error::Storage { .. }), "{error:?}");
}

/// Without the check, LanceDB would open the previous version, which has one row.
#[tokio::test]
async fn lost_newest_version_is_reported_as_damage() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    for (number, id) in [(0, "t-1"), (1, "t-2")] {
        strata.apply(&table("a"), upserts([part(id, number, "tea")])).await.unwrap();
    }
    drop(strata);
    let place = folder.path().join(table("a").agent.folder()).join("working-g1.lance");
    // LanceDB's manifest names count down: the first is the newest.
    std::fs::remove_file(&files(&place.join("_versions"))[0]).unwrap();
    let strata = open(folder.path()).await;
    assert!(matches!(strata.scan(&table("a")).await, Err(Error::Damaged { .. })));
    assert!(matches!(strata.search(&table("a"), &words("tea")).await, Err(Error::Damaged { .. })));
    std::fs::remove_file(place.join("head")).unwrap();
    assert_eq!(rows(&open(folder.path()).await, &table("a")).await, ["t-1#0"], "it is the file that tells");
}
