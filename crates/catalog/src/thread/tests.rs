//! Tests of group commit, of failed jobs and of a full disk.

use super::*;
use crate::SqliteCatalog;
use crate::fixture::{Folder, user_turn};
use crate::power_cut::{Drive, open};
use annals_core::Agent;
use annals_core::ports::OnConflict;
use annals_core::prelude::*;
use annals_testkit::{agent, at};
use futures::FutureExt;
use futures::future::{join, join_all};
use std::sync::mpsc as blocking;

async fn say(catalog: &SqliteCatalog, agent: &Agent, id: &str, text: &str) -> annals_core::Result<()> {
    let turns = vec![user_turn(agent, id, text)];
    catalog.ingest(agent, turns, OnConflict::Refuse, at("2026-06-01T00:00:00Z")).await.map(|_| ())
}

async fn turns(catalog: &SqliteCatalog, agent: &Agent) -> u64 {
    catalog.counts(agent).await.unwrap().memories[0]
}

/// Sends all the messages while the thread is busy, so that they wait together.
async fn say_together(
    catalog: &SqliteCatalog,
    agent: &Agent,
    messages: &[(String, &str)],
) -> Vec<annals_core::Result<()>> {
    let (started, start) = blocking::channel();
    let (release, released) = blocking::channel::<()>();
    let mut busy = Box::pin(catalog.thread.read("waiting", move |_| {
        started.send(()).unwrap();
        released.recv().unwrap();
        Ok(())
    }));
    assert!(futures::poll!(busy.as_mut()).is_pending());
    start.recv().unwrap();
    // Polled in order: all messages are submitted before the thread is released.
    let sending = join_all(messages.iter().map(|(id, text)| say(catalog, agent, id, text)));
    let answers = join(sending, async { release.send(()).unwrap() }).await.0;
    busy.await.unwrap();
    answers
}

fn crowd(count: usize) -> Vec<(String, &'static str)> {
    (0..count).map(|index| (index.to_string(), "tea")).collect()
}

#[tokio::test]
async fn waiting_writes_share_one_sync() {
    let drive = Drive::new();
    let (catalog, me) = (open(&drive, None).unwrap(), agent("me"));
    say(&catalog, &me, "before", "tea").await.unwrap();
    let before = drive.disk().milestones().len();
    let answers = say_together(&catalog, &me, &crowd(50)).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(drive.disk().milestones().len() - before, 1);
    assert_eq!(turns(&catalog, &me).await, 51);
}

#[tokio::test]
async fn failed_write_rolls_back_only_itself() {
    let folder = Folder::new();
    let (catalog, me) = (folder.open(), agent("me"));
    let mut messages = crowd(5);
    messages.insert(3, ("0".into(), "coffee"));
    let answers = say_together(&catalog, &me, &messages).await;
    let failed: Vec<usize> = (0..6).filter(|index| answers[*index].is_err()).collect();
    assert_eq!(failed, [3], "{answers:?}");
    assert!(matches!(answers[3], Err(Error::Conflict { .. })));
    assert_eq!(turns(&catalog, &me).await, 5);
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn failed_commit_fails_every_write_of_the_batch() {
    let drive = Drive::new();
    let (catalog, me) = (open(&drive, None).unwrap(), agent("me"));
    drive.disk().power_goes_at(drive.disk().steps());
    let mut messages = crowd(5);
    messages.push(("0".into(), "coffee"));
    for answer in say_together(&catalog, &me, &messages).await {
        assert!(matches!(&answer, Err(Error::Storage { what, .. }) if what == "storing messages"), "{answer:?}");
    }
    assert_eq!(turns(&catalog, &me).await, 0);
}

#[tokio::test]
async fn panicking_job_is_rolled_back_and_thread_continues() {
    let folder = Folder::new();
    let (catalog, me) = (folder.open(), agent("me"));
    let panics = |db: &dyn Db| -> Result<()> {
        db.execute("INSERT INTO agent (workspace, name, settings) VALUES ('w', 'n', '{}')", &[])?;
        panic!("planted")
    };
    let error = catalog.thread.write("testing", panics).await.unwrap_err();
    assert_eq!(error.to_string(), "testing: the job panicked");
    assert_eq!(catalog.all_agents().await.unwrap(), []);
    say(&catalog, &me, "1", "tea").await.unwrap();
    assert_eq!(turns(&catalog, &me).await, 1);
}

#[tokio::test]
async fn panicking_job_in_pieces_fails_and_thread_continues() {
    let folder = Folder::new();
    let (catalog, me) = (folder.open(), agent("me"));
    let panics = |_: &crate::sqlite::Sqlite, between: &mut dyn FnMut()| -> annals_core::Result<()> {
        between();
        panic!("planted")
    };
    let error = catalog.thread.in_pieces("testing", panics).await.unwrap_err();
    assert_eq!(error.to_string(), "testing: the job panicked");
    say(&catalog, &me, "1", "tea").await.unwrap();
    assert_eq!(turns(&catalog, &me).await, 1);
}

#[tokio::test]
async fn full_disk_is_an_error_until_space_returns() {
    let folder = Folder::new();
    let (catalog, me) = (folder.open(), agent("me"));
    let room = async |pages: i64| {
        let set = move |db: &crate::sqlite::Sqlite| Ok(db.batch(&format!("PRAGMA max_page_count = {pages}"))?);
        catalog.thread.alone("testing", set).await.unwrap();
    };
    room(1).await; // No pages beyond those in use.
    let long = "tea ".repeat(100_000);
    let error = say(&catalog, &me, "1", &long).await.unwrap_err();
    assert!(matches!(&error, Error::Storage { .. }), "{error}");
    assert!(error.to_string().contains("full"), "{error}");
    assert_eq!(turns(&catalog, &me).await, 0);
    room(1_000_000).await;
    say(&catalog, &me, "1", &long).await.unwrap();
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn dropping_the_handle_finishes_submitted_jobs() {
    let folder = Folder::new();
    let (catalog, me) = (folder.open(), agent("me"));
    for id in 0..20 {
        // Submitted by the first poll; nobody awaits the answer.
        let _ = say(&catalog, &me, &id.to_string(), "tea").now_or_never();
    }
    drop(catalog);
    assert_eq!(turns(&folder.open(), &me).await, 20);
}
