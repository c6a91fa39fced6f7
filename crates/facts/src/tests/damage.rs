//! Tests of a bad disk: a damaged file is reported as damaged, never read as other facts, and a replacement repairs the
//! table.

use annals_core::Error;

use super::*;

/// Damages the file of a table, and checks that every query reports it until the table is replaced.
async fn check(what: &str, damage: impl Fn(&Path, Vec<u8>)) {
    let folder = TempDir::new().unwrap();
    let facts = vec![fact("Ann", "likes", "tea"), fact("Ann", "likes", "jazz")];
    DuckFacts::open(folder.path()).unwrap().replace(&me(), facts.clone(), 5).await.unwrap();
    let file = files(folder.path(), &me()).remove(0);
    damage(&file, std::fs::read(&file).unwrap());
    let tables = DuckFacts::open(folder.path()).unwrap();
    let errors = [
        tables.version(&me()).await.err(),
        tables.find(&me(), &FactQuery::default()).await.err(),
        tables.predicates(&me(), 1).await.err(),
        tables.export(&me(), &folder.path().join("out.parquet")).await.err(),
        tables.find_leftovers(&me(), &["absent".into()]).await.err(),
    ];
    for (number, error) in errors.into_iter().enumerate() {
        assert!(matches!(error, Some(Error::Damaged { .. })), "{what}, question {number}: {error:?}");
    }
    assert!(!folder.path().join("out.parquet").exists());
    match tables.replace(&me(), facts.clone(), 5).await {
        // A later version is not replaced. The writer removes it if the log has no such version.
        Err(Error::Stale { .. }) if what == "another version" => {
            tables.remove(&me()).await.unwrap();
            tables.replace(&me(), facts.clone(), 5).await.unwrap();
        }
        replaced => replaced.unwrap(),
    }
    assert_eq!(tables.version(&me()).await.unwrap(), 5);
    assert_eq!(found(&tables).await.len(), 2);
    assert_eq!(files(folder.path(), &me()), [file]);
}

#[tokio::test]
async fn damaged_file_is_reported_and_never_read() {
    check("empty, as after a power cut", |file, _| std::fs::write(file, "").unwrap()).await;
    check("zeros", |file, bytes| std::fs::write(file, vec![0; bytes.len()]).unwrap()).await;
    check("cut", |file, bytes| std::fs::write(file, &bytes[..bytes.len() - 1]).unwrap()).await;
    check("longer", |file, bytes| std::fs::write(file, [bytes, vec![0]].concat()).unwrap()).await;
    check("text", |file, _| std::fs::write(file, "id,subject\n1,Ann\n").unwrap()).await;
    check("another version", |file, _| {
        let name = file.file_name().unwrap().to_str().unwrap().replace("facts-5-", "facts-6-");
        std::fs::rename(file, file.with_file_name(name)).unwrap();
    })
    .await;
}

#[tokio::test]
async fn flipped_bit_anywhere_is_detected() {
    let folder = TempDir::new().unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    tables.replace(&me(), vec![fact("Ann", "likes", "tea")], 1).await.unwrap();
    let file = files(folder.path(), &me()).remove(0);
    let bytes = std::fs::read(&file).unwrap();
    for place in (0..bytes.len()).step_by(7) {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1 << (place % 8);
        std::fs::write(&file, flipped).unwrap();
        let error = DuckFacts::open(folder.path()).unwrap().version(&me()).await.unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{place}: {error}");
    }
}

#[tokio::test]
async fn other_files_are_ignored_but_searched_and_removed() {
    let folder = TempDir::new().unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    tables.replace(&me(), vec![fact("Ann", "likes", "tea")], 1).await.unwrap();
    let home = folder.path().join(me().folder());
    for name in ["facts-x-y.parquet", "facts-99.parquet", "notes.txt"] {
        std::fs::write(home.join(name), "a secret word").unwrap();
    }
    let tables = DuckFacts::open(folder.path()).unwrap();
    assert_eq!(tables.version(&me()).await.unwrap(), 1);
    assert_eq!(tables.find_leftovers(&me(), &["secret".into()]).await.unwrap().len(), 3);
    tables.replace(&me(), Vec::new(), 2).await.unwrap();
    assert_eq!(files(folder.path(), &me()).len(), 1);
}

#[tokio::test]
async fn errors_do_not_quote_facts() {
    let folder = TempDir::new().unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    tables.replace(&me(), vec![fact("secret", "secret", "secret")], 1).await.unwrap();
    let file = files(folder.path(), &me()).remove(0);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 9]).unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    let error = tables.find(&me(), &FactQuery::default()).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"));
}

#[tokio::test]
async fn removed_folder_counts_as_never_written_and_is_written_again() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("facts");
    let (tables, facts) = (DuckFacts::open(&root).unwrap(), vec![fact("Ann", "likes", "tea")]);
    tables.replace(&me(), facts.clone(), 1).await.unwrap();
    std::fs::remove_dir_all(&root).unwrap();
    tables.find_leftovers(&me(), &["tea".into()]).await.unwrap();
    tables.replace(&me(), facts, 2).await.unwrap();
    assert_eq!(found(&tables).await.len(), 1);
    std::fs::remove_dir_all(&root).unwrap();
    tables.remove(&me()).await.unwrap();
    assert_eq!(tables.version(&me()).await.unwrap(), 0);
}
