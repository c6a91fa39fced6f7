//! Copies a whole catalog into another one, between files and databases in any direction.
//!
//! Relies on both having the schema of this version, with the same tables and columns. Copies rows unchanged, so ids, keys, and the
//! hashes of forgotten messages stay valid. Uses one transaction of the target, which then has everything or nothing.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use parking_lot::Mutex;

use crate::backend::Backend;
use crate::db::{Db, Error, Result, Row, Sql, ToValue, Value};
use crate::{SqlCatalog, check};

/// The tables, each behind those that it refers to. The table `closed` and those of PostgreSQL alone concern one catalog and are
/// not copied.
const TABLES: [&str; 36] = [
    "sequence_floor",
    "agent",
    "agent_name",
    "turn",
    "statement",
    "statement_source",
    "fact_operation",
    "journal",
    "summary",
    "source",
    "tombstone",
    "pruned",
    "access",
    "version",
    "ledger",
    "base",
    "watermark",
    "operation",
    "request",
    "block",
    "document",
    "passage",
    "dead_letter",
    "reply",
    "usage",
    "access_key",
    "key_usage",
    "batch",
    "batch_request",
    "price",
    "refusal",
    "reservation",
    "forgotten",
    "secret",
    "cleaning",
    "clock",
];

/// Largest number of rows, of values and of bytes in one statement. SQLite allows 32,766 values.
const ROWS_AT_ONCE: usize = 500;
const VALUES_AT_ONCE: usize = 30_000;
const BYTES_AT_ONCE: usize = 1 << 20;

/// Number of pieces that are read before they are written.
const AHEAD: usize = 4;

/// Some rows of a table, or the end of all tables. Without an end, reading has failed.
enum Piece {
    Rows(Rows),
    End,
}

struct Rows {
    table: &'static str,
    columns: Vec<String>,
    /// The values of one row after another.
    values: Vec<Box<dyn ToValue + Send>>,
    bytes: usize,
}

impl<B: Backend> SqlCatalog<B> {
    /// Replaces all rows of another catalog by copies of these. Returns their number. After an error the other catalog is
    /// unchanged, unless the error says that the outcome is unknown.
    pub async fn copy_all_to<T: Backend>(&self, target: &SqlCatalog<T>) -> annals_core::Result<u64> {
        const READING: &str = "reading the catalog to copy";
        let (send, received) = sync_channel(AHEAD);
        let reading = move |db: &B::Connection, _: &mut dyn FnMut()| {
            read_all::<B>(db, &send).map_err(|failure| failure.context(READING))
        };
        let received = Mutex::new(Some(received));
        let writing = move |db: &T::Connection| write_all::<T>(db, &received);
        let (read, written) = tokio::join!(
            self.thread.in_pieces(READING, reading),
            target.thread.write_directly("copying the catalog", writing)
        );
        read.and(written)
    }

    /// Returns whether there is neither an agent nor a key.
    pub async fn is_empty(&self) -> annals_core::Result<bool> {
        self.thread.read("looking whether there is a memory", |db| is_empty(db)).await
    }
}

fn is_empty(db: &dyn Db) -> Result<bool> {
    Ok(!db.exists(Sql::Once("SELECT 1 FROM agent"), &[])? && !db.exists(Sql::Once("SELECT 1 FROM access_key"), &[])?)
}

/// Sends all rows. Ends early, without an error, if nobody receives them any more.
fn read_all<B: Backend>(db: &B::Connection, send: &SyncSender<Piece>) -> Result<()> {
    for table in TABLES {
        let mut rows: Option<Rows> = None;
        let mut is_received = true;
        B::for_each_row(db, table, &mut |row| {
            let piece = rows.get_or_insert_with(|| Rows::of(table, row));
            piece.add(row)?;
            if piece.is_full() {
                is_received = rows.take().is_none_or(|rows| send.send(Piece::Rows(rows)).is_ok());
            }
            Ok(if is_received { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        if !is_received || rows.is_some_and(|rows| send.send(Piece::Rows(rows)).is_err()) {
            return Ok(());
        }
    }
    // The receiver fails without this, so an error to send it needs no answer.
    let _ = send.send(Piece::End);
    Ok(())
}

/// Replaces all rows by those that are sent. Returns their number.
fn write_all<B: Backend>(db: &B::Connection, received: &Mutex<Option<Receiver<Piece>>>) -> Result<u64> {
    let received = received.lock().take();
    // The thread repeats work if the connection was lost, but the rows were read once.
    let received = received.ok_or_else(|| Error::other("the connection was lost; nothing was copied"))?;
    for table in TABLES.iter().rev() {
        db.run(Sql::Once(&format!("DELETE FROM {table}")), &[])?;
    }
    let mut written = 0;
    loop {
        match received.recv() {
            Ok(Piece::Rows(rows)) => written += rows.insert(db)?,
            Ok(Piece::End) => break,
            Err(_) => return Err(Error::other("the other catalog could not be read to its end").into()),
        }
    }
    B::continue_numbers(db)?;
    match check::invariants(db)?.as_slice() {
        [] => Ok(written),
        [fault, ..] => Err(Error::damage(format!("the copy is not sound: {fault}")).into()),
    }
}

impl Rows {
    fn of(table: &'static str, row: &Row<'_>) -> Rows {
        let columns = (0..row.0.count()).map(|position| row.0.name(position)).collect();
        Rows { table, columns, values: Vec::new(), bytes: 0 }
    }

    fn add(&mut self, row: &Row<'_>) -> Result<()> {
        for position in 0..self.columns.len() {
            let value = row.value(position)?;
            if let Value::Text(bytes) | Value::Blob(bytes) = value {
                self.bytes += bytes.len();
            }
            self.values.push(value.to_owned()?);
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        let rows = self.values.len() / self.columns.len();
        rows >= ROWS_AT_ONCE || self.values.len() + self.columns.len() > VALUES_AT_ONCE || self.bytes >= BYTES_AT_ONCE
    }

    fn insert(&self, db: &dyn Db) -> Result<u64> {
        let names: Vec<String> = self.columns.iter().map(|column| format!("\"{column}\"")).collect();
        let rows = self.values.len() / self.columns.len();
        let row = |row: usize| {
            let parameters = (1..=self.columns.len()).map(|column| format!("?{}", row * self.columns.len() + column));
            format!("({})", parameters.collect::<Vec<_>>().join(", "))
        };
        let values = (0..rows).map(row).collect::<Vec<_>>().join(", ");
        let sql = format!("INSERT INTO {} ({}) VALUES {values}", self.table, names.join(", "));
        let values: Vec<&dyn ToValue> = self.values.iter().map(|value| &**value as &dyn ToValue).collect();
        db.run(Sql::Once(&sql), &values)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use annals_core::Agent;
    use annals_core::ports::{Block, Journal, OnConflict};
    use annals_core::prelude::*;
    use annals_testkit::postgres_server::Schema;
    use annals_testkit::{agent, at, entry, summary};

    use super::*;
    use crate::fixture::{Folder, open_schema, user_turn};

    async fn tables<B: Backend>(catalog: &SqlCatalog<B>, sql: &'static str) -> BTreeSet<String> {
        catalog.thread.read("testing", |db| check::lines(db, sql)).await.unwrap().into_iter().collect()
    }

    /// A new table must be copied, or be named here.
    #[tokio::test]
    async fn all_tables_are_copied() {
        let listed: BTreeSet<String> = TABLES.map(str::to_owned).into();
        let folder = Folder::new();
        let in_file = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let mut found = tables(&folder.open(), in_file).await;
        assert!(found.remove("closed"));
        assert_eq!(found, listed);
        let Some(schema) = Schema::new() else { return };
        let in_database = "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()";
        let mut found = tables(&open_schema(&schema), in_database).await;
        for own in ["closed", "commit_mark", "data_folder", "schema_version"] {
            assert!(found.remove(own), "{own}");
        }
        assert_eq!(found, listed);
    }

    /// Returns the content of all tables, a line for each row.
    async fn content<B: Backend>(catalog: &SqlCatalog<B>) -> BTreeSet<String> {
        let read = |db: &B::Connection, _: &mut dyn FnMut()| {
            let mut lines = BTreeSet::new();
            for table in TABLES {
                let read = B::for_each_row(db, table, &mut |row| {
                    let columns =
                        (0..row.0.count()).map(|column| Ok((row.0.name(column), row.value(column)?.to_owned()?)));
                    let mut columns = columns.collect::<Result<Vec<_>>>()?;
                    columns.sort_by(|one, other| one.0.cmp(&other.0));
                    let values = columns.iter().map(|(name, value)| format!("{name} {:?}", value.to_value()));
                    lines.insert(format!("{table}: {}", values.collect::<Vec<_>>().join(", ")));
                    Ok(ControlFlow::Continue(()))
                });
                read.map_err(|failure| failure.context("testing"))?;
            }
            Ok(lines)
        };
        catalog.thread.in_pieces("testing", read).await.unwrap()
    }

    /// Stores something in many tables: more turns than one statement takes, with a NUL in a text, and a forgotten one.
    async fn fill<B: Backend>(catalog: &SqlCatalog<B>, me: &Agent) {
        let now = at("2026-06-01T00:00:00Z");
        let turns: Vec<_> = (0..1_200).map(|id| user_turn(me, &id.to_string(), &format!("tea \0 {id}"))).collect();
        let seq = catalog.ingest(me, turns.clone(), OnConflict::Refuse, now).await.unwrap().seq;
        let day = summary(&turns[0].day.to_string(), seq, &[turns[0].id.clone()], "They had tea.");
        catalog.save_summaries(me, vec![day], now).await.unwrap();
        catalog.add_operations(me, vec![entry(me, "Ann likes tea", "2026-03-04T10:00:00Z")]).await.unwrap();
        let block = Block { name: "note".into(), text: "Remember the milk.".into(), updated_at: now };
        catalog.write_blocks(me, vec![block], Vec::new(), 9).await.unwrap();
    }

    async fn copies<S: Backend, T: Backend>(source: &SqlCatalog<S>, target: &SqlCatalog<T>) {
        assert!(target.is_empty().await.unwrap());
        for _ in 0..2 {
            let copied = source.copy_all_to(target).await.unwrap();
            assert_eq!(copied, content(source).await.len() as u64);
            assert_eq!(content(target).await, content(source).await);
            assert_eq!(target.check().await.unwrap(), Vec::<String>::new());
        }
        assert!(!target.is_empty().await.unwrap());
    }

    #[tokio::test]
    async fn copy_equals_its_source_and_goes_on() {
        let (folder, other, me) = (Folder::new(), Folder::new(), agent("me"));
        let (source, back) = (folder.open(), other.open());
        fill(&source, &me).await;
        let Some(schema) = Schema::new() else { return copies(&source, &back).await };
        let database = open_schema(&schema);
        copies(&source, &database).await;
        // A new row gets a number that no copied row has.
        let more = vec![user_turn(&me, "more", "coffee")];
        database.ingest(&me, more, OnConflict::Refuse, at("2026-06-02T00:00:00Z")).await.unwrap();
        copies(&database, &back).await;
    }
}
