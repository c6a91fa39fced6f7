//! Tests of the port with loaded tables, across restarts and on another object store; and of what only this store has:
//! its file, its limits, and its behaviour after a crash or on a bad disk.

mod crash;
mod damage;
mod file;
mod isolation;
mod model;
mod together;

use std::path::{Path, PathBuf};

use annals_core::{Agent, Fact, FactQuery, Facts, Interval, MemoryId, Reached, Result, Route, Timestamp, Walk};
use annals_objects::{Bucket, Objects};
use annals_testkit::{TestBucket, agent, at, facts_suite};
use async_trait::async_trait;
use tempfile::TempDir;

use crate::DuckFacts;

#[tokio::test]
async fn keeps_the_promises_of_the_port() {
    let folder = TempDir::new().unwrap();
    let mut number = 0;
    facts_suite(async || {
        number += 1;
        DuckFacts::open(&folder.path().join(number.to_string())).unwrap()
    })
    .await;
}

/// A question about an agent without facts must not list its objects again. So a table that something else writes is not noticed.
#[tokio::test]
async fn absence_of_a_table_is_remembered() {
    let (folder, ann) = (TempDir::new().unwrap(), agent("ann"));
    let (first, second) = (DuckFacts::open(folder.path()).unwrap(), DuckFacts::open(folder.path()).unwrap());
    assert_eq!(first.version(&ann).await.unwrap(), 0);
    second.replace(&ann, Vec::new(), 7).await.unwrap();
    assert_eq!(first.version(&ann).await.unwrap(), 0);
    first.replace(&ann, Vec::new(), 8).await.unwrap();
    assert_eq!(first.version(&ann).await.unwrap(), 8);
}

#[tokio::test]
async fn passes_the_conformance_suite_on_another_object_store() {
    let folder = TempDir::new().unwrap();
    let mut number = 0;
    facts_suite(async || {
        number += 1;
        let store = std::sync::Arc::new(object_store::memory::InMemory::new());
        let objects = Objects::over(store, "v1/facts".into());
        DuckFacts::over(objects, &folder.path().join(number.to_string())).unwrap()
    })
    .await;
}

#[tokio::test]
async fn passes_the_conformance_suite_in_a_bucket() {
    let Some(bucket) = TestBucket::new() else { return };
    let folder = TempDir::new().unwrap();
    let mut number = 0;
    facts_suite(async || {
        number += 1;
        let url = format!("{}/{}", bucket.url, number);
        let bucket = Bucket { endpoint: Some(bucket.endpoint.clone()), ..Bucket::parse(&url).unwrap() };
        DuckFacts::over(Objects::in_bucket(&bucket, None).unwrap(), &folder.path().join(number.to_string())).unwrap()
    })
    .await;
}

/// Reopens the tables for every call, so that everything is read from files.
struct Restarted(PathBuf);

impl Restarted {
    fn open(&self) -> DuckFacts {
        DuckFacts::open(&self.0).unwrap()
    }
}

#[async_trait]
impl Facts for Restarted {
    async fn version(&self, agent: &Agent) -> Result<u64> {
        self.open().version(agent).await
    }
    async fn replace(&self, agent: &Agent, facts: Vec<Fact>, version: u64) -> Result<()> {
        self.open().replace(agent, facts, version).await
    }
    async fn find(&self, agent: &Agent, query: &FactQuery) -> Result<Vec<Fact>> {
        self.open().find(agent, query).await
    }
    async fn walk(&self, agent: &Agent, walk: &Walk) -> Result<Vec<Reached>> {
        self.open().walk(agent, walk).await
    }
    async fn path(&self, agent: &Agent, route: &Route) -> Result<Option<Vec<Fact>>> {
        self.open().path(agent, route).await
    }
    async fn known(&self, agent: &Agent, names: &[String]) -> Result<Vec<String>> {
        self.open().known(agent, names).await
    }
    async fn predicates(&self, agent: &Agent, limit: usize) -> Result<Vec<String>> {
        self.open().predicates(agent, limit).await
    }
    async fn export(&self, agent: &Agent, target: &Path) -> Result<()> {
        self.open().export(agent, target).await
    }
    async fn remove(&self, agent: &Agent) -> Result<()> {
        self.open().remove(agent).await
    }
    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        self.open().find_leftovers(agent, words).await
    }
}

#[tokio::test]
async fn passes_the_conformance_suite_across_restarts() {
    let folder = TempDir::new().unwrap();
    let mut number = 0;
    facts_suite(async || {
        number += 1;
        Restarted(folder.path().join(number.to_string()))
    })
    .await;
}

fn me() -> Agent {
    agent("tester")
}

/// Returns a fact with these names; its id is the object.
pub(crate) fn fact(subject: &str, predicate: &str, object: &str) -> Fact {
    let from = at("2026-03-04T10:00:00Z");
    Fact {
        id: object.into(),
        subject: subject.into(),
        predicate: predicate.into(),
        object: object.into(),
        properties: Default::default(),
        confidence: 0.9,
        valid_from: from,
        valid_to: None,
        recorded_at: from,
        mentioned: Interval { start: from, end: Timestamp::from_microsecond(from.as_microsecond() + 1).unwrap() },
        sources: vec![MemoryId::from_text("t-1")],
        superseded_by: None,
    }
}

async fn found(tables: &DuckFacts) -> Vec<Fact> {
    tables.find(&me(), &FactQuery::default()).await.unwrap()
}

/// Returns the files of an agent, sorted.
fn files(root: &Path, agent: &Agent) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(root.join(agent.folder())) else { return Vec::new() };
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// Returns all files below the scratch folder.
fn scratch_files(root: &Path) -> Vec<PathBuf> {
    let mut open = vec![root.join(crate::SCRATCH)];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files
}
