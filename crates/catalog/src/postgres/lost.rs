//! Tests of lost connections and conflicts: uncommitted work is repeated as a whole, committed work is not repeated.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use annals_core::ports::OnConflict;
use annals_core::prelude::*;
use annals_core::{Agent, Error};
use annals_testkit::postgres_server::Schema;
use annals_testkit::{agent, at};
use futures::future::join_all;

use super::proxy::{Cut, Proxy};
use crate::PostgresCatalog;
use crate::db::{Db, Result, Sql};
use crate::fixture::{open_schema, user_turn};

async fn say(catalog: &PostgresCatalog, agent: &Agent, id: &str, text: &str) -> annals_core::Result<()> {
    let turns = vec![user_turn(agent, id, text)];
    catalog.ingest(agent, turns, OnConflict::Refuse, at("2026-06-01T00:00:00Z")).await.map(|_| ())
}

async fn turns(catalog: &PostgresCatalog, agent: &Agent) -> u64 {
    catalog.counts(agent).await.unwrap().memories[0]
}

/// Counts the runs of a job.
#[derive(Clone, Default)]
struct Runs(Arc<AtomicUsize>);

impl Runs {
    /// Returns the number of this run, from 1.
    fn next(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Inserts one row, so that the number of rows shows how often the write was committed.
fn add_one(db: &dyn Db) -> Result<u64> {
    db.execute("INSERT INTO version (agent_id, id, text, replaced_at) SELECT agent_id, 'v', 'x', 0 FROM agent", &[])
}

async fn added(catalog: &PostgresCatalog) -> i64 {
    let count = |db: &dyn Db| db.query_one("SELECT count(*) FROM version", &[], |row| row.get(0));
    catalog.thread.read("testing", count).await.unwrap()
}

#[tokio::test]
async fn work_after_a_lost_connection_connects_again() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me, cut) = (open_schema(&schema), agent("me"), schema.cutter());
    for id in ["1", "2", "3"] {
        say(&catalog, &me, id, "tea").await.unwrap();
        cut();
    }
    assert_eq!(turns(&catalog, &me).await, 3);
    cut();
    assert_eq!(turns(&catalog, &me).await, 3, "a read connects again too");
}

#[tokio::test]
async fn transaction_is_repeated_as_a_whole_if_the_connection_is_lost_in_it() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me, cut, runs) = (open_schema(&schema), agent("me"), schema.cutter(), Runs::default());
    say(&catalog, &me, "1", "tea").await.unwrap();
    let counted = runs.clone();
    let lost_once = move |db: &dyn Db| {
        add_one(db)?;
        if counted.next() == 1 {
            cut();
        }
        add_one(db)
    };
    let lost = catalog.thread.write("testing", lost_once);
    let (lost, others) = futures::join!(lost, join_all(["2", "3"].map(|id| say(&catalog, &me, id, "tea"))));
    lost.unwrap();
    others.into_iter().for_each(|other| other.unwrap());
    assert_eq!((runs.count(), added(&catalog).await, turns(&catalog, &me).await), (2, 2, 3));
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn connection_lost_in_every_attempt_is_an_error_and_stores_nothing() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me, cut, runs) = (open_schema(&schema), agent("me"), schema.cutter(), Runs::default());
    say(&catalog, &me, "1", "tea").await.unwrap();
    let counted = runs.clone();
    let lost = move |db: &dyn Db| {
        counted.next();
        db.execute("UPDATE turn SET content = 'lost'", &[])?;
        cut();
        db.execute("UPDATE turn SET content = 'lost too'", &[])
    };
    let error = catalog.thread.write("testing", lost).await.unwrap_err();
    assert!(matches!(error, Error::Storage { .. }), "{error}");
    assert!(error.to_string().contains("the connection to PostgreSQL was lost"), "{error}");
    assert!(runs.count() > 1);
    let text = "SELECT content FROM turn";
    let content = catalog.thread.read("testing", move |db| db.query_one(text, &[], |row| row.get::<String>(0))).await;
    assert_eq!(content.unwrap(), "tea");
}

#[tokio::test]
async fn read_is_repeated_if_the_connection_is_lost_in_it() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me, cut, runs) = (open_schema(&schema), agent("me"), schema.cutter(), Runs::default());
    say(&catalog, &me, "1", "tea").await.unwrap();
    let counted = runs.clone();
    let read = move |db: &dyn Db| {
        if counted.next() == 1 {
            cut();
        }
        db.query_one("SELECT content FROM turn", &[], |row| row.get::<String>(0))
    };
    assert_eq!(catalog.thread.read("testing", read).await.unwrap(), "tea");
    assert_eq!(runs.count(), 2);
}

#[tokio::test]
async fn transaction_with_a_conflict_is_repeated_on_the_same_connection() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me) = (open_schema(&schema), agent("me"));
    say(&catalog, &me, "1", "tea").await.unwrap();
    let session = |db: &dyn Db| db.query_one(Sql::Once("SELECT pg_backend_pid()"), &[], |row| row.get::<i64>(0));
    let before = catalog.thread.read("testing", session).await.unwrap();
    for (code, expect_runs) in [("40001", 2), ("40P01", 2), ("23505", 1)] {
        let (runs, stored) = (Runs::default(), added(&catalog).await);
        let counted = runs.clone();
        let conflict = move |db: &dyn Db| {
            add_one(db)?;
            if counted.next() == 1 {
                let raise = format!("DO $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '{code}'; END $$");
                db.execute(Sql::Once(&raise), &[])?;
            }
            Ok(())
        };
        let done = catalog.thread.write("testing", conflict).await;
        assert_eq!(done.is_ok(), expect_runs == 2, "{code}: {done:?}");
        assert_eq!(runs.count(), expect_runs, "{code}");
        assert_eq!(added(&catalog).await - stored, i64::from(done.is_ok()), "{code}");
    }
    assert_eq!(catalog.thread.read("testing", session).await.unwrap(), before);
}

/// Opens a catalog with an agent through a proxy that closes the connection of the next commits.
fn through_proxy(schema: &Schema, cut: Cut, cuts: usize) -> Option<(PostgresCatalog, Proxy)> {
    let proxy = Proxy::new(&schema.folder()?, "; COMMIT", cut);
    let catalog = PostgresCatalog::open(&schema.url_at(&proxy.folder())).unwrap();
    schema.sql("INSERT INTO agent (workspace, name) VALUES ('w', 'n')");
    proxy.cut_next(cuts);
    Some((catalog, proxy))
}

#[tokio::test]
async fn commit_without_an_answer_is_stored_once() {
    for cut in [Cut::Before, Cut::After] {
        for cuts in 1..=2 {
            let Some(schema) = Schema::new() else { return };
            let Some((catalog, proxy)) = through_proxy(&schema, cut, cuts) else { return };
            let runs = Runs::default();
            let counted = runs.clone();
            let add = move |db: &dyn Db| {
                counted.next();
                add_one(db)
            };
            for stored in 1..=3 {
                catalog.thread.write("testing", add.clone()).await.unwrap();
                assert_eq!(added(&catalog).await, stored, "{cut:?}, {cuts} cuts");
            }
            assert_eq!(proxy.cuts_left(), 0);
            let repeated = if cut == Cut::Before { cuts } else { 0 };
            assert_eq!(runs.count(), 3 + repeated, "{cut:?}, {cuts} cuts");
        }
    }
}

/// The trigger removes the mark, as another service does that opens the database before this one connects again.
#[tokio::test]
async fn commit_of_unknown_outcome_is_an_error_that_says_so() {
    let Some(schema) = Schema::new() else { return };
    let Some((catalog, _proxy)) = through_proxy(&schema, Cut::After, 1) else { return };
    schema.sql(
        "CREATE FUNCTION remove() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM commit_mark; RETURN NULL; END';
        CREATE TRIGGER remove AFTER INSERT OR UPDATE ON commit_mark EXECUTE FUNCTION remove()",
    );
    let error = catalog.thread.write("testing", add_one).await.unwrap_err().to_string();
    assert!(error.contains("may be stored or not"), "{error}");
    assert_eq!(added(&catalog).await, 1);
    schema.sql("DROP TRIGGER remove ON commit_mark");
    catalog.thread.write("testing", add_one).await.unwrap();
    assert_eq!(added(&catalog).await, 2);
}
