//! Implements the port `Store` on one SQLite file, the source of truth. Each part of the port stands beside its SQL.
//!
//! Relies on being the only process that has the file open (the lock of the data folder ensures this) and on a disk
//! that keeps what it reports as synced. One thread owns the one connection; see `sqlite/thread.rs` for group commit. Never
//! acknowledges a write before its commit is on disk, never reads a clock, and never puts the text of a memory into an
//! error.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod accesses;
mod agents;
mod archive;
mod bases;
mod batches;
mod blocks;
mod changes;
mod columns;
mod db;
mod dead_letters;
mod documents;
mod erasure;
mod forgotten;
mod idempotency;
mod ingest;
mod journal;
mod keys;
mod ledger;
mod memories;
mod passages;
mod pruned;
mod replies;
mod seals;
mod sqlite;
mod statements;
mod summaries;
mod totals;
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

pub use sqlite::ahead::read_ahead;
pub use sqlite::open::Options;

use std::path::{Path, PathBuf};

use annals_core::{Error, Result};

use sqlite::{copy, open, scrub, thread};

/// The catalog in a SQLite file. Dropping it finishes all submitted work and closes the file.
pub struct SqliteCatalog {
    thread: thread::Thread,
    scrubs: scrub::Passes,
    /// Where copies of the file are placed for checks; `None` with a test VFS.
    copies: Option<PathBuf>,
    /// Allows one check at a time.
    checking: tokio::sync::Mutex<()>,
}

impl SqliteCatalog {
    /// Opens the catalog at `path`, or creates it if the file does not exist.
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
        // A copy left by a killed process may hold text that has been forgotten since: remove it.
        copies.as_deref().map(copy::Pages::beside).transpose()?;
        let (thread, scrubs) = (thread::Thread::start(db, options)?, scrub::Passes::default());
        Ok(SqliteCatalog { thread, scrubs, copies, checking: tokio::sync::Mutex::default() })
    }

    /// Writes everything that is committed into a new file at `path`, syncs it, and returns the highest sequence
    /// number in it. Other work continues meanwhile. The file shows the state at the moment its last piece was
    /// read. While this runs there is a second file beside it with the suffix `.part`; a killed process leaves it
    /// behind, and the next copy to `path` removes it.
    pub async fn copy_to(&self, path: &Path) -> Result<i64> {
        let pages = copy::Pages::beside(path)?;
        let last = self.thread.copy(pages.path()).await?;
        let path = path.to_owned();
        let written = tokio::task::spawn_blocking(move || pages.write_anew(&path)).await;
        written.map_err(|error| Error::storage("copying the catalog", error))??;
        Ok(last)
    }

    /// Returns the highest sequence number of any agent.
    pub async fn last_sequence(&self) -> Result<i64> {
        self.thread.read("reading the sequences", changes::highest_seq).await
    }
}
