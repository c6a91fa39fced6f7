//! What a crash leaves at each step of a replacement, and that it counts for nothing afterwards.

use super::*;

/// Writes two versions and returns the files of both.
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
async fn between_writing_and_deleting_the_newer_counts_and_the_older_goes_with_the_next() {
    let folder = TempDir::new().unwrap();
    let (former, bytes, _) = two_versions(folder.path()).await;
    std::fs::write(&former, bytes).unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    assert_eq!(tables.version(&me()).await.unwrap(), 2);
    assert_eq!(found(&tables).await, [fact("Ann", "likes", "jazz")]);
    assert_eq!(tables.holds(&me(), &["tea".into()]).await.unwrap().len(), 1, "it still lies there");
    tables.replace(&me(), vec![fact("Ann", "likes", "rain")], 3).await.unwrap();
    assert_eq!(files(folder.path(), &me()).len(), 1);
    assert_eq!(tables.holds(&me(), &["tea".into(), "jazz".into()]).await.unwrap(), Vec::<String>::new());
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
async fn half_written_files_are_swept_at_the_start() {
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
async fn nothing_is_left_in_the_scratch_folder_by_work() {
    let folder = TempDir::new().unwrap();
    let (.., newest) = two_versions(folder.path()).await;
    let tables = DuckFacts::open(folder.path()).unwrap();
    found(&tables).await;
    tables.holds(&me(), &["tea".into()]).await.unwrap();
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
async fn a_table_that_cannot_be_stored_leaves_the_former_one() {
    let folder = TempDir::new().unwrap();
    let elsewhere = TempDir::new().unwrap();
    let next = vec![fact("Ann", "likes", "rain")];
    DuckFacts::open(elsewhere.path()).unwrap().replace(&me(), next.clone(), 3).await.unwrap();
    let name = files(elsewhere.path(), &me()).remove(0);
    two_versions(folder.path()).await;
    // A folder in the place of the file to come, with something inside so that it stays.
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
