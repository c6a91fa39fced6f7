//! Tests that run on local files and on another store, and tests of behaviour that only local files have.

mod check;

use std::io::Read;
use std::path::PathBuf;

use object_store::memory::InMemory;
use tempfile::TempDir;

use super::*;

fn name(name: &str) -> Path {
    Path::parse(name).unwrap()
}

/// Returns the names of all objects, sorted.
async fn names(objects: &Objects) -> Vec<String> {
    objects.sorted(&Path::default()).await.unwrap().iter().map(ToString::to_string).collect()
}

async fn put(objects: &Objects, names: &[&str]) {
    for object in names {
        objects.put(&name(object), object.as_bytes().to_vec()).await.unwrap();
    }
}

async fn holding(objects: &Objects, below: &str, word: &'static str) -> Vec<String> {
    let contains_phrase = move |_: &str, content: &mut dyn Read| {
        let mut text = String::new();
        content.read_to_string(&mut text)?;
        Ok(text.contains(word))
    };
    objects.find(&name(below), contains_phrase).await.unwrap()
}

/// Runs a test on local files and on other stores, one after the other.
async fn on_each_store(test: impl AsyncFn(Objects)) {
    let folder = TempDir::new().unwrap();
    test(Objects::local(&folder.path().join("a #1 [folder] %20")).unwrap()).await;
    test(Objects::over(Arc::new(InMemory::new()), Path::default())).await;
    let shared: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let other = Objects::over(shared.clone(), name("v1/other"));
    put(&other, &["a/x"]).await;
    test(Objects::over(shared, name("v1/tables"))).await;
    assert_eq!(names(&other).await, ["a/x"], "another prefix is left alone");
}

#[tokio::test]
async fn objects_are_stored_replaced_listed_and_deleted() {
    on_each_store(async |objects| {
        assert!(is_missing(&objects.get(&name("a/x")).await.unwrap_err()));
        assert_eq!(objects.children(&name("a")).await.unwrap(), Children::default());
        put(&objects, &["a/x", "a/b/y", "b~c/z%41"]).await;
        objects.put(&name("a/x"), b"new".to_vec()).await.unwrap();
        assert_eq!(objects.get(&name("a/x")).await.unwrap(), b"new");
        assert_eq!(names(&objects).await, ["a/b/y", "a/x", "b~c/z%41"]);
        assert_eq!(objects.get(&name("b~c/z%41")).await.unwrap(), b"b~c/z%41");
        let children = Children { folders: vec![name("a/b")], objects: vec![name("a/x")] };
        assert_eq!(objects.children(&name("a")).await.unwrap(), children);
        objects.delete(&name("a/x")).await.unwrap();
        objects.sync_deletions(&name("a")).await.unwrap();
        assert_eq!(names(&objects).await, ["a/b/y", "b~c/z%41"]);
    })
    .await;
}

#[tokio::test]
async fn objects_below_a_name_are_moved() {
    on_each_store(async |objects| {
        put(&objects, &["a/t/1", "a/t/deep/2", "a/tt/3"]).await;
        objects.rename(&name("a/t"), &name("a/aside/t-1")).await.unwrap();
        assert_eq!(names(&objects).await, ["a/aside/t-1/1", "a/aside/t-1/deep/2", "a/tt/3"]);
        assert_eq!(objects.get(&name("a/aside/t-1/deep/2")).await.unwrap(), b"a/t/deep/2");
        let there = [objects.exists(&name("a/t")).await.unwrap(), objects.exists(&name("a/aside/t-1")).await.unwrap()];
        assert_eq!(there, [false, true]);
    })
    .await;
}

#[tokio::test]
async fn objects_below_a_name_are_removed() {
    on_each_store(async |objects| {
        put(&objects, &["a/t/1", "a/t/deep/2", "a/tt/3"]).await;
        assert!(objects.remove(&name("a/t")).await.unwrap());
        assert!(!objects.remove(&name("a/t")).await.unwrap());
        assert_eq!(names(&objects).await, ["a/tt/3"]);
    })
    .await;
}

#[tokio::test]
async fn content_is_searched_below_a_name() {
    on_each_store(async |objects| {
        put(&objects, &["a/t/1", "a/u", "b/t"]).await;
        assert_eq!(holding(&objects, "a", "t").await, ["a/t/1"]);
        assert_eq!(holding(&objects, "", "t").await, ["a/t/1", "b/t"]);
        assert_eq!(holding(&objects, "absent", "t").await, [""; 0]);
        let by_name = objects.find(&name("a"), |name, _| Ok(name.ends_with("/u"))).await.unwrap();
        assert_eq!(by_name, ["a/u"]);
    })
    .await;
}

fn local() -> (TempDir, Objects, PathBuf) {
    let folder = TempDir::new().unwrap();
    let objects = Objects::local(folder.path()).unwrap();
    let root = folder.path().canonicalize().unwrap();
    (folder, objects, root)
}

#[tokio::test]
async fn half_written_file_is_no_object_but_is_searched_and_removed() {
    let (_folder, objects, root) = local();
    put(&objects, &["a/x", "b/deep/y"]).await;
    let half = ["a/x#1", "a/z#12", "b/deep/y#1"].map(|half| root.join(half));
    half.iter().for_each(|half| std::fs::write(half, "half").unwrap());
    std::fs::write(root.join("a/x#old"), "whole").unwrap();
    assert_eq!(names(&objects).await, ["a/x", "a/x#old", "b/deep/y"]);
    assert_eq!(holding(&objects, "", "half").await, ["a/x#1", "a/z#12", "b/deep/y#1"]);
    objects.remove_half_written().unwrap();
    assert_eq!(half.each_ref().map(|half| half.exists()), [false, false, true], "those of tables go with their table");
    objects.remove(&name("b")).await.unwrap();
    assert_eq!(names(&objects).await, ["a/x", "a/x#old"]);
    assert!(!root.join("b").exists());
}

#[tokio::test]
async fn interrupted_removal_is_finished_by_the_next() {
    let (_folder, objects, root) = local();
    put(&objects, &["a/t.lance.removed/1"]).await;
    assert!(!objects.remove(&name("a/t.lance")).await.unwrap());
    assert_eq!(names(&objects).await, [""; 0]);
    put(&objects, &["a/t.lance.removed/1", "a/t.lance/2"]).await;
    assert!(objects.remove(&name("a/t.lance")).await.unwrap());
    assert_eq!(std::fs::read_dir(root.join("a")).unwrap().count(), 0);
}

#[tokio::test]
async fn empty_folder_goes_with_its_last_object_and_the_root_stays() {
    let (_folder, objects, root) = local();
    put(&objects, &["a/x"]).await;
    objects.sync_deletions(&name("a")).await.unwrap();
    assert!(root.join("a/x").exists());
    objects.delete(&name("a/x")).await.unwrap();
    objects.sync_deletions(&name("a")).await.unwrap();
    objects.sync_deletions(&name("absent/deep")).await.unwrap();
    objects.sync_deletions(&Path::default()).await.unwrap();
    assert_eq!(std::fs::read_dir(&root).unwrap().count(), 0);
}

#[tokio::test]
async fn rename_to_an_existing_folder_fails_and_loses_nothing() {
    let (_folder, objects, _) = local();
    put(&objects, &["a/1", "b/2"]).await;
    objects.rename(&name("a"), &name("b")).await.unwrap_err();
    assert_eq!(names(&objects).await, ["a/1", "b/2"]);
}
