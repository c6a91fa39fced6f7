//! Tests that the leftovers of a crash at each step of a replacement have no effect afterwards.

use super::*;

/// Writes two versions; returns path and bytes of the former file, and the path of the newer one.
async fn two_versions(root: &Path) -> (PathBuf, Vec<u8>, PathBuf) {
    let tables = DuckFacts::open(root).unwrap();
    tables.replace(&me(), vec![fact("Ann", "likes", "tea")], 1).await.unwrap();
    let former = files(root, &me()).remove(0);
    let bytes = std::fs::read(&former).unwrap();
    tables.replace(&me(), vec![fact("Ann", "likes", "jazz")], 2).await.unwrap();
    let all = files(root, &me());
    assert_eq!(all.len(), 1);
    (former, bytes, all[0].clone())
}

#[tokio::test]
async fn after_a_crash_before_deletion_the_newer_file_counts_and_the_older_is_removed_later() {
    let folder = TempDir::new().unwrap();
    let (former, bytes, _) = two_versions(folder.path()).await;
    std::fs::write(&former, bytes).unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    assert_eq!(tables.version(&me()).await.unwrap(), 2);
    assert_eq!(found(&tables).await, [fact("Ann", "likes", "jazz")]);
    assert_eq!(tables.find_leftovers(&me(), &["tea".into()]).await.unwrap().len(), 1, "it still lies there");
    tables.replace(&me(), vec![fact("Ann", "likes", "rain")], 3).await.unwrap();
    assert_eq!(files(folder.path(), &me()).len(), 1);
    assert_eq!(tables.find_leftovers(&me(), &["tea".into(), "jazz".into()]).await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn versions_are_compared_as_numbers() {
    let folder = TempDir::new().unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    tables.replace(&me(), vec![fact("Ann", "likes", "tea")], 9).await.unwrap();
    let former = files(folder.path(), &me()).remove(0);
    let bytes = std::fs::read(&former).unwrap();
    tables.replace(&me(), vec![fact("Ann", "likes", "jazz")], 10).await.unwrap();
    std::fs::write(&former, bytes).unwrap();
    assert_eq!(DuckFacts::open(folder.path()).unwrap().version(&me()).await.unwrap(), 10);
}

#[tokio::test]
async fn half_written_files_are_removed_at_start() {
    let folder = TempDir::new().unwrap();
    let (_, bytes, newest) = two_versions(folder.path()).await;
    let staged = PathBuf::from(format!("{}#1", newest.display()));
    std::fs::write(&staged, &bytes[..bytes.len() / 2]).unwrap();
    let scratch = folder.path().join(crate::SCRATCH);
    std::fs::create_dir_all(scratch.join("left")).unwrap();
    std::fs::write(scratch.join("left/facts.parquet"), &bytes).unwrap();
    std::fs::write(scratch.join("loose"), &bytes).unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    assert_eq!(files(folder.path(), &me()), [newest]);
    assert_eq!(scratch_files(folder.path()), Vec::<PathBuf>::new());
    assert_eq!(found(&tables).await, [fact("Ann", "likes", "jazz")]);
}

#[tokio::test]
async fn operations_leave_the_scratch_folder_empty() {
    let folder = TempDir::new().unwrap();
    let (.., newest) = two_versions(folder.path()).await;
    let tables = DuckFacts::open(folder.path()).unwrap();
    found(&tables).await;
    tables.find_leftovers(&me(), &["tea".into()]).await.unwrap();
    tables.export(&me(), &folder.path().join("out.parquet")).await.unwrap();
    assert_eq!(scratch_files(folder.path()), Vec::<PathBuf>::new());
    std::fs::write(&newest, b"damaged").unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    tables.find(&me(), &FactQuery::default()).await.unwrap_err();
    assert_eq!(scratch_files(folder.path()), Vec::<PathBuf>::new());
    tables.remove(&me()).await.unwrap();
    assert!(!folder.path().join(me().folder()).exists());
}

#[tokio::test]
async fn failed_replacement_keeps_the_former_table() {
    let folder = TempDir::new().unwrap();
    let elsewhere = TempDir::new().unwrap();
    let next = vec![fact("Ann", "likes", "rain")];
    DuckFacts::open(elsewhere.path()).unwrap().replace(&me(), next.clone(), 3).await.unwrap();
    let name = files(elsewhere.path(), &me()).remove(0);
    two_versions(folder.path()).await;
    // A folder at the path of the new file, not empty, so that it stays.
    let obstacle = folder.path().join(me().folder()).join(name.file_name().unwrap());
    std::fs::create_dir_all(obstacle.join("x")).unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    found(&tables).await;
    let error = tables.replace(&me(), next.clone(), 3).await.unwrap_err();
    assert!(matches!(error, annals_core::Error::Storage { .. }), "{error}");
    assert_eq!(found(&tables).await, [fact("Ann", "likes", "jazz")]);
    assert_eq!(tables.version(&me()).await.unwrap(), 2);
    std::fs::remove_dir_all(&obstacle).unwrap();
    tables.replace(&me(), next.clone(), 3).await.unwrap();
    assert_eq!(found(&tables).await, next);
}
