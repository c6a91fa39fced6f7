//! Checks the SQLite file, overwrites deleted data in it, searches its unused parts, and reads whole tables.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_core::Error;
use async_trait::async_trait;

use crate::backend::Backend;
use crate::check::{invariants, lines};
use crate::db::{Db, Result, Row, Sql};
use crate::erasure::phrases;
use crate::passes::Passes;
use crate::sqlite::{Sqlite, copy, pages, scrub};
use crate::thread::Thread;

const MISSING_REFERENCES: &str =
    "SELECT 'a row of ' || \"table\" || ' lacks its ' || \"parent\" FROM pragma_foreign_key_check";

/// The operations of [`Backend`] for one SQLite file.
pub struct FileBackend {
    pub(crate) scrubs: Passes,
    /// Path of the copy that a check reads, without the suffix `.part`: a file beside the catalog, not a folder. `None` with a
    /// test VFS, where the open file itself is checked.
    copies: Option<PathBuf>,
    /// Allows one check at a time.
    checking: tokio::sync::Mutex<()>,
}

impl FileBackend {
    pub(crate) fn new(copies: Option<PathBuf>) -> annals_core::Result<FileBackend> {
        // A copy left by a killed process may hold text that has been forgotten since: remove it.
        copies.as_deref().map(copy::Pages::beside).transpose()?;
        Ok(FileBackend { scrubs: Passes::default(), copies, checking: tokio::sync::Mutex::default() })
    }
}

#[async_trait]
impl Backend for FileBackend {
    type Connection = Sqlite;

    /// Checks every page of a copy of the file, so that other work continues.
    async fn check(&self, thread: &Thread<Sqlite>) -> annals_core::Result<Vec<String>> {
        const DOING: &str = "checking the catalog";
        // If the folder was removed while the catalog is open, there is no place for a copy: check the open file
        // itself.
        let is_there = |file: &&PathBuf| file.parent().is_some_and(Path::is_dir);
        let Some(file) = self.copies.as_ref().filter(is_there) else {
            return thread.read(DOING, check).await;
        };
        let _one_at_a_time = self.checking.lock().await;
        let pages = copy::Pages::beside(file)?;
        pages.fill(thread).await?;
        let checked = tokio::task::spawn_blocking(move || pages.check()).await;
        checked.map_err(|error| Error::storage(DOING, error))?
    }

    async fn scrub(&self, thread: &Thread<Sqlite>) -> annals_core::Result<()> {
        self.scrubs.share(scrub::scrub(thread)).await
    }

    async fn unused_space_contains(&self, thread: &Thread<Sqlite>, words: &[String]) -> annals_core::Result<bool> {
        const DOING: &str = "searching the catalog's free space for words";
        if words.is_empty() || !thread.alone(DOING, |db| pages::can_be_cleaned(&db.0)).await? {
            return Ok(false);
        }
        let phrases = phrases(words);
        let mut from = Some(1);
        while let Some(page) = from {
            let phrases = phrases.clone();
            let search = move |db: &Sqlite| pages::unused_space_contains(&db.0, &phrases, page);
            let (is_found, progress) = thread.alone(DOING, search).await?;
            if is_found {
                return Ok(true);
            }
            from = progress.next;
        }
        Ok(false)
    }

    fn for_each_row(db: &Sqlite, table: &str, read: &mut dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>>) -> Result<()> {
        db.read(Sql::Once(&format!("SELECT * FROM {table}")), &[], read)
    }

    /// Does nothing: SQLite goes on behind the highest number of a table by itself.
    fn continue_numbers(_: &Sqlite) -> Result<()> {
        Ok(())
    }
}

/// Returns one description for each fault; empty if the file is sound. Reads every page.
pub(crate) fn check(db: &dyn Db) -> Result<Vec<String>> {
    let mut faults = lines(db, "PRAGMA integrity_check")?;
    faults.retain(|line| line != "ok");
    faults.append(&mut lines(db, MISSING_REFERENCES)?);
    faults.append(&mut invariants(db)?);
    Ok(faults)
}
