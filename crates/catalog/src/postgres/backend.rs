//! Checks a PostgreSQL database, and removes the remains of deleted rows. The write-ahead log, standbys and backups belong to
//! the server: the catalog neither searches nor overwrites them.
//!
//! `VACUUM (FULL)` copies a deleted row as long as any session may still see it, for example a `pg_dump` that began before. So
//! the rewrite waits until no such session is left.

use std::ops::ControlFlow;
use std::time::Duration;

use async_trait::async_trait;

use super::Postgres;
use crate::backend::Backend;
use crate::check::{invariants, lines};
use crate::db::{Db, Result, Row, Sql, params};
use crate::passes::Passes;
use crate::thread::Thread;

const VACUUMING: &str = "writing the tables of the catalog anew without deleted rows";

/// A transaction number above those of all deletions so far.
const PRESENT: &str = "SELECT pg_current_xact_id()::xid::text";

/// Number of holders of a view from before the transaction ?1: sessions of this database, processes that send the log to a
/// standby with `hot_standby_feedback`, slots, and every transaction of the server that has written or is prepared. The rewrite
/// keeps what those of other databases might see. A plain vacuum holds nothing, and neither do sessions of other databases that
/// only read.
const OLDER_VIEWS: &str = "SELECT count(*) FROM (
    SELECT backend_xmin AS held FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND (datname = current_database() OR datname IS NULL)
        AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
    UNION ALL SELECT backend_xid FROM pg_stat_activity WHERE pid <> pg_backend_pid()
    UNION ALL SELECT transaction FROM pg_prepared_xacts
    UNION ALL SELECT xmin FROM pg_replication_slots
) AS views WHERE held IS NOT NULL AND age(held) > age(CAST(?1 AS text)::xid)";

/// Number of times that older views are looked for, and the pause between: thirty seconds in all, as long as a lock is waited
/// for.
const LOOKS: usize = 60;
const PAUSE: Duration = Duration::from_millis(500);

const TABLES: &str = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename";

const FETCH: &str = "FETCH 500 FROM whole_table";

/// Returns a statement for each column whose numbers the database gives. It lets them begin above the highest one in use.
const CONTINUE: &str = "SELECT format(
        'SELECT setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 0) + 1, false) FROM %I',
        quote_ident(table_name), column_name, column_name, table_name)
    FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'";

/// The operations of [`Backend`] for a PostgreSQL database.
#[derive(Default)]
pub struct ServerBackend {
    vacuums: Passes,
}

#[async_trait]
impl Backend for ServerBackend {
    type Connection = Postgres;

    /// Checks the invariants between the tables. The structure is checked by `pg_amcheck`, references by the server.
    async fn check(&self, thread: &Thread<Postgres>) -> annals_core::Result<Vec<String>> {
        thread.read("checking the catalog", |db| invariants(db)).await
    }

    /// Rewrites the tables and removes their former files, one table after another, with other work in between. Fails if another
    /// session still sees the deleted rows after thirty seconds. The write-ahead log and backups keep the former data until they
    /// are removed.
    async fn scrub(&self, thread: &Thread<Postgres>) -> annals_core::Result<()> {
        // Before the shared pass, so that callers wait together and not one after the other.
        wait_for_older_views(thread, LOOKS).await?;
        self.vacuums.share(vacuum(thread)).await
    }

    /// Returns `false`: a rewritten table has no remains, and other files of the server cannot be searched through a
    /// connection.
    async fn unused_space_contains(&self, _: &Thread<Postgres>, _: &[String]) -> annals_core::Result<bool> {
        Ok(false)
    }

    /// Reads through a cursor, because the driver keeps all rows of a query in memory. The server writes the rows to its disk
    /// first, because the cursor is used outside a transaction.
    fn for_each_row(
        db: &Postgres,
        table: &str,
        read: &mut dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        db.batch(&format!("DECLARE whole_table CURSOR WITH HOLD FOR SELECT * FROM {table}"))?;
        let done = fetch_all(db, read);
        // Also after an error: the session lives on, and the next table is read through a cursor of the same name.
        let closed = db.batch("CLOSE whole_table");
        done.and_then(|()| Ok(closed?))
    }

    fn continue_numbers(db: &Postgres) -> Result<()> {
        let db: &dyn Db = db;
        for statement in lines(db, CONTINUE)? {
            db.exists(Sql::Once(&statement), &[])?;
        }
        Ok(())
    }
}

/// Reads the rows of the cursor, until there are no more or none is wanted.
fn fetch_all(db: &Postgres, read: &mut dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>>) -> Result<()> {
    let (mut has_more, mut is_wanted) = (true, true);
    while has_more && is_wanted {
        has_more = false;
        db.read(Sql::Once(FETCH), &[], &mut |row| {
            has_more = true;
            let flow = read(row)?;
            is_wanted = flow.is_continue();
            Ok(flow)
        })?;
    }
    Ok(())
}

/// Waits until no session sees rows that are deleted now. Fails after so many looks.
pub(super) async fn wait_for_older_views(thread: &Thread<Postgres>, looks: usize) -> annals_core::Result<()> {
    let present: Vec<String> = thread.read(VACUUMING, |db| lines(db, PRESENT)).await?;
    let present = present.into_iter().next().unwrap_or_default();
    for look in 0..looks {
        if look > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        let present = present.clone();
        let count = move |db: &dyn Db| db.query(Sql::Once(OLDER_VIEWS), params![present], |row| row.get::<i64>(0));
        if thread.read(VACUUMING, count).await? == [0] {
            return Ok(());
        }
    }
    let why = "another session still sees rows from before the deletion, perhaps a backup or a transaction that was left open; \
               pg_stat_activity names it (backend_xmin)";
    Err(annals_core::Error::storage(VACUUMING, why))
}

async fn vacuum(thread: &Thread<Postgres>) -> annals_core::Result<()> {
    for table in thread.read(VACUUMING, |db| lines(db, TABLES)).await? {
        let sql = format!("VACUUM (FULL, ANALYZE) \"{table}\"");
        thread.alone(VACUUMING, move |db| Ok(db.batch(&sql)?)).await?;
    }
    Ok(())
}
