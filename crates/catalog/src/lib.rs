//! Implements the port `Store` on a SQL database, the source of truth: one SQLite file, or a PostgreSQL database. Each
//! part of the port has a file with its methods and its SQL.
//!
//! Relies on being the only process that uses the database (the lock of the data folder and a lock in PostgreSQL ensure
//! this) and on storage that keeps what it reports as synced. One thread owns the one connection; see `thread.rs` for group
//! commit. Never acknowledges a write before its commit is durable, never reads a clock for what it stores, and never puts the
//! text of a memory into an error.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod accesses;
mod agents;
mod archive;
mod backend;
mod bases;
mod batches;
mod blocks;
mod changes;
mod check;
mod closed;
mod columns;
mod db;
mod dead_letters;
mod documents;
mod erasure;
mod forgotten;
mod idempotency;
mod ingest;
mod journal;
mod key_tokens;
mod keys;
mod ledger;
mod memories;
mod names;
mod passages;
mod passes;
mod postgres;
mod pruned;
mod replies;
mod seals;
mod sqlite;
mod statements;
mod summaries;
mod thread;
mod totals;
mod transfer;
mod turns;
mod versions;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod migration;
#[cfg(test)]
mod model;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod power_cut;
#[cfg(test)]
mod scrubbed;

pub use closed::Closed;
pub use postgres::{Claimed, Durability, Lease, Node, PostgresServer, TakenLease, is_url as is_postgres_url};
pub use sqlite::ahead::read_ahead;
pub use sqlite::open::Options;

use std::path::Path;

use annals_core::{Error, Result};

use backend::Backend;
use postgres::{Access, ServerBackend};
use sqlite::{FileBackend, copy, open};
use thread::Thread;

/// The catalog in a database. Dropping the value finishes all submitted work and closes the connection. A catalog that was opened
/// to be read is closed in the background.
pub struct SqlCatalog<B: Backend> {
    thread: Thread<B::Connection>,
    backend: B,
}

/// The catalog in a SQLite file.
pub type SqliteCatalog = SqlCatalog<FileBackend>;

/// The catalog in a PostgreSQL database.
pub type PostgresCatalog = SqlCatalog<ServerBackend>;

impl PostgresCatalog {
    /// Opens the catalog in the database of a URL such as `postgres://annals@localhost/annals`. Creates its tables if there are
    /// none, and migrates those of an older version. Fails while another service or command uses the database.
    ///
    /// [`annals_core::Error::Invalid`] if the URL is not valid, [`annals_core::Error::Storage`] if the database cannot be used
    /// now or was written by a newer version.
    pub fn open(url: &str) -> Result<PostgresCatalog> {
        PostgresCatalog::open_with(url, Access::Only)
    }

    /// Does the same as [`PostgresCatalog::open`] for a node of a cluster, which has taken this lease. Once another node has
    /// taken it, every operation fails.
    pub fn open_as_node(url: &str, lease: TakenLease) -> Result<PostgresCatalog> {
        PostgresCatalog::open_with(url, Access::Node(lease))
    }

    /// Opens the catalog to read it while a service uses it. Each call sees one state of the catalog; calls that write fail.
    /// [`annals_core::Error::Storage`] if there is no catalog, or its schema has another version.
    pub fn open_to_read(url: &str) -> Result<PostgresCatalog> {
        PostgresCatalog::open_with(url, Access::ReadOnly)
    }

    fn open_with(url: &str, access: Access) -> Result<PostgresCatalog> {
        let only_reads = matches!(access, Access::ReadOnly);
        let db = outside_a_runtime(|| postgres::open(url, access))?;
        let thread = if only_reads { Thread::start_to_read(db)? } else { Thread::start(db)? };
        Ok(SqlCatalog { thread, backend: ServerBackend::default() })
    }

    /// Connects to the server at the URL, and returns its version and the settings that decide about durability. A service may
    /// use the database meanwhile.
    pub fn examine(url: &str) -> Result<PostgresServer> {
        outside_a_runtime(|| postgres::examine(url))
    }
}

/// Runs `work` on a new thread. The PostgreSQL client starts an async runtime of its own, which is not possible inside another
/// runtime.
fn outside_a_runtime<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let done = std::thread::scope(|scope| scope.spawn(work).join());
    done.map_err(|_| Error::storage("connecting to PostgreSQL", "its thread panicked"))?
}

impl SqliteCatalog {
    /// Opens the catalog at `path`, or creates it if the file does not exist. Migrates a file of an older version.
    ///
    /// [`annals_core::Error::Damaged`] if the file is not a catalog, [`annals_core::Error::Storage`] if it cannot be
    /// opened or was written by a newer version.
    pub fn open(path: &Path) -> Result<SqliteCatalog> {
        SqliteCatalog::open_with(path, &Options::default())
    }

    /// Does the same as [`SqliteCatalog::open`], with options for tests, such as another VFS.
    pub fn open_with(path: &Path, options: &Options) -> Result<SqliteCatalog> {
        let db = open::open(path, options)?;
        let copies = options.vfs.is_none().then(|| path.with_file_name("annals-scratch-check"));
        let backend = FileBackend::new(copies)?;
        #[cfg(test)]
        if options.bug == Some(open::Bug::AnswerBeforeCommit) {
            return Ok(SqlCatalog { thread: Thread::answering_before_commit(db)?, backend });
        }
        Ok(SqlCatalog { thread: Thread::start(db)?, backend })
    }

    /// Writes everything that is committed into a new file at `path`, syncs it, and returns the highest sequence number in it.
    /// Other work continues meanwhile. The file shows the state at the moment when the last piece was read. Until the end a
    /// second file beside it, with the suffix `.part`, holds the copied pages. A killed process leaves that file behind; the
    /// next copy to `path` removes it. Fails if the file at `path` exists and is not empty.
    pub async fn copy_to(&self, path: &Path) -> Result<i64> {
        let pages = copy::Pages::beside(path)?;
        let last = pages.fill(&self.thread).await?;
        let path = path.to_owned();
        let written = tokio::task::spawn_blocking(move || pages.write_anew(&path)).await;
        written.map_err(|error| Error::storage("copying the catalog", error))??;
        Ok(last)
    }

    /// Returns the highest sequence number that any agent has, or had before it was erased.
    pub async fn last_sequence(&self) -> Result<i64> {
        self.thread.read("reading the sequences", changes::highest_seq).await
    }
}
