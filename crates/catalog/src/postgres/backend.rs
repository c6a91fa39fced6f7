//! Checks a PostgreSQL database, and removes the remains of deleted rows. The write-ahead log, standbys and backups belong to
//! the server: the catalog neither searches nor overwrites them.

use async_trait::async_trait;

use super::Postgres;
use crate::backend::Backend;
use crate::check::{invariants, lines};
use crate::passes::Passes;
use crate::thread::Thread;

const VACUUMING: &str = "writing the tables of the catalog anew without deleted rows";

const TABLES: &str = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename";

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

    /// Rewrites the tables and removes their former files, one table after another, with other work in between. The write-ahead
    /// log and backups keep the former data until they are removed.
    async fn scrub(&self, thread: &Thread<Postgres>) -> annals_core::Result<()> {
        self.vacuums.share(vacuum(thread)).await
    }

    /// Returns `false`: a rewritten table has no remains, and other files of the server cannot be searched through a
    /// connection.
    async fn unused_space_contains(&self, _: &Thread<Postgres>, _: &[String]) -> annals_core::Result<bool> {
        Ok(false)
    }
}

async fn vacuum(thread: &Thread<Postgres>) -> annals_core::Result<()> {
    for table in thread.read(VACUUMING, |db| lines(db, TABLES)).await? {
        let sql = format!("VACUUM (FULL, ANALYZE) \"{table}\"");
        thread.alone(VACUUMING, move |db| Ok(db.batch(&sql)?)).await?;
    }
    Ok(())
}
