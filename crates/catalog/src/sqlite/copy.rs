//! Copies the whole file while it is in use, for backups and checks.
//!
//! There are two parts. The thread that owns the connection copies the pages as they are, some at a time, with other
//! work between; SQLite applies changes made meanwhile to the copy too, because they go over the backup's source
//! connection. Then VACUUM INTO writes the requested file on another thread, so that it contains no deleted data: until
//! the scrub after an erasure has ended, split pages may still hold forgotten text.

use std::fs::File;
use std::path::{Path, PathBuf};

use annals_core::Error;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::changes;
use crate::db::Result;
use crate::sqlite::{Sqlite, backend};
use crate::thread::Thread;

const DOING: &str = "copying the catalog";

/// Pages of 4 KiB per piece. A piece is the longest wait of other work: 1.6 ms at the 95th percentile (`--example
/// measure`).
const PIECE: i32 = 256;

/// A temporary file for the copied pages. Removed when dropped.
pub(crate) struct Pages(PathBuf);

impl Pages {
    /// Makes the temporary path beside the requested file, and removes a file that a killed process left there.
    pub(crate) fn beside(path: &Path) -> annals_core::Result<Pages> {
        let mut name = path.as_os_str().to_owned();
        name.push(".part");
        let pages = Pages(PathBuf::from(name));
        // A leftover of a killed process.
        if pages.0.exists() {
            std::fs::remove_file(&pages.0).map_err(|cause| failed(path, cause))?;
        }
        Ok(pages)
    }

    /// Copies all pages of the catalog, with other jobs between the pieces. Returns the highest sequence number in the
    /// copy, which contains everything that was acknowledged before this call.
    pub(crate) async fn fill(&self, thread: &Thread<Sqlite>) -> annals_core::Result<i64> {
        let path = self.0.clone();
        let copy = move |db: &Sqlite, between: &mut dyn FnMut()| {
            copy_pages(db, &path, between)?;
            // Read directly after the last piece: no write can come between.
            changes::highest_seq(db).map_err(|failure| failure.context("reading the sequences"))
        };
        thread.in_pieces(DOING, copy).await
    }

    /// Checks the copied pages. Returns one description for each fault.
    pub(crate) fn check(&self) -> annals_core::Result<Vec<String>> {
        let check = || -> Result<Vec<String>> {
            backend::check(&Sqlite(Connection::open_with_flags(&self.0, OpenFlags::SQLITE_OPEN_READ_WRITE)?))
        };
        check().map_err(|failure| failure.context("checking the catalog"))
    }

    /// Writes the live content of the pages into a new file, and syncs it.
    pub(crate) fn write_anew(&self, path: &Path) -> annals_core::Result<()> {
        let name = path.to_str().ok_or_else(|| Error::invalid("the path of the copy", "is not UTF-8"))?;
        let write = || -> Result<()> {
            Connection::open_with_flags(&self.0, OpenFlags::SQLITE_OPEN_READ_WRITE)?
                .execute("VACUUM INTO ?1", [name])?;
            Ok(())
        };
        write().map_err(|failure| failure.context(&format!("{DOING} to {}", path.display())))?;
        // SQLite does not sync the file that VACUUM INTO writes.
        File::open(path).and_then(|file| file.sync_all()).map_err(|cause| failed(path, cause))
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            let mut name = self.0.clone().into_os_string();
            name.push(suffix);
            // The next copy to this path removes what is left.
            let _ = std::fs::remove_file(name);
        }
    }
}

fn failed(path: &Path, cause: std::io::Error) -> Error {
    Error::storage(format!("{DOING} to {}", path.display()), cause)
}

/// Copies all pages into a new file, and calls `between` after each piece but the last. The copy shows the catalog at
/// the moment when this returns.
pub(crate) fn copy_pages(db: &Sqlite, path: &Path, mut between: impl FnMut()) -> annals_core::Result<()> {
    let mut copy = || -> Result<()> {
        let mut target = Connection::open(path)?;
        // After a power cut the copy is discarded, so it need not be synced.
        target.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")?;
        let backup = Backup::new(&db.0, &mut target)?;
        loop {
            match backup.step(PIECE)? {
                StepResult::Done => return Ok(()),
                StepResult::More => between(),
                // Nobody else has either file open.
                other => return Err(Error::storage(DOING, format!("SQLite returned {other:?}")).into()),
            }
        }
    };
    copy().map_err(|failure| failure.context(&format!("{DOING} to {}", path.display())))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use annals_core::ports::{OnConflict, Select, Target};
    use annals_core::prelude::*;
    use annals_core::{Agent, Grain};
    use annals_testkit::{agent, at};
    use futures::FutureExt;
    use rusqlite::Connection;

    use super::{PIECE, copy_pages};
    use crate::fixture::{Folder, user_turn};
    use crate::sqlite::open::{Options, open};
    use crate::sqlite::pages;
    use crate::{SqliteCatalog, agents, changes, erasure, ingest};

    /// Stores messages of 1 MiB, the size of a piece, for each of `pieces`.
    async fn fill(catalog: &SqliteCatalog, agent: &Agent, pieces: usize) {
        let text = "x".repeat(1024 * 1024 / 16);
        for piece in 0..pieces {
            let turns = (0..16).map(|id| user_turn(agent, &format!("{piece}-{id}"), &text)).collect();
            catalog.ingest(agent, turns, OnConflict::Refuse, at("2026-06-01T00:00:00Z")).await.unwrap();
        }
        assert_eq!(PIECE * 4096, 1024 * 1024);
    }

    /// Checks that a copy is sound; returns its last sequence number and its number of turns.
    async fn within(copy: &Path, agent: &Agent) -> (i64, u64) {
        let copied = SqliteCatalog::open(copy).unwrap();
        assert_eq!(copied.check().await.unwrap(), Vec::<String>::new());
        (copied.last_sequence().await.unwrap(), copied.counts(agent).await.unwrap().memories[0])
    }

    /// Scrubs the whole file in one transaction.
    fn scrub_at_once(connection: &Connection) {
        let transaction = connection.unchecked_transaction().unwrap();
        let mut from = Some(1);
        while let Some(page) = from {
            from = pages::clean(connection, page).ok().unwrap().next;
        }
        transaction.commit().unwrap();
    }

    #[tokio::test]
    async fn changes_between_pieces_are_in_the_copy() {
        let (folder, me, now) = (Folder::new(), agent("me"), at("2026-06-01T00:00:00Z"));
        let catalog = folder.open();
        fill(&catalog, &me, 8).await;
        drop(catalog);
        let db = open(&folder.path(), &Options::default()).unwrap();
        let copy = folder.path().with_file_name("copy.sqlite");
        let mut pieces = 0;
        let between = || {
            pieces += 1;
            if pieces == 2 {
                let undone = db.0.unchecked_transaction().unwrap();
                // More than the cache holds, so that a part reaches the disk before the rollback: the copy starts over.
                let turns: Vec<_> =
                    (0..80).map(|id| user_turn(&me, &format!("u{id}"), &"undone ".repeat(20_000))).collect();
                ingest::ingest(&db, &me, &turns, OnConflict::Refuse, now).ok().unwrap();
                undone.rollback().unwrap();
            }
            if pieces == 4 {
                let first = Target::Memories((0..16).map(|id| user_turn(&me, &format!("0-{id}"), "").id).collect());
                erasure::erase(&db, &me, &first, None, now).ok().unwrap();
                scrub_at_once(&db.0);
            }
            let turn = user_turn(&me, &format!("between {pieces}"), &"tea ".repeat(2000));
            ingest::ingest(&db, &me, &[turn], OnConflict::Refuse, now).ok().unwrap();
        };
        copy_pages(&db, &copy, between).unwrap();
        let last = changes::highest_seq(&db).ok().unwrap();
        let counted = agents::counts(&db, &me).ok().unwrap().memories[0];
        assert!(pieces >= 8, "{pieces}");
        assert_eq!(counted, 7 * 16 + pieces);
        assert_eq!(within(&copy, &me).await, (last, counted));
    }

    #[tokio::test]
    async fn commits_are_answered_while_a_copy_is_made() {
        let (folder, me, now) = (Folder::new(), agent("me"), at("2026-06-01T00:00:00Z"));
        let catalog = folder.open();
        fill(&catalog, &me, 24).await;
        let (mut stored, mut meanwhile) = (24 * 16, 0);
        // Whether a commit falls between two pieces depends on timing; in 20 copies one does.
        for round in 0..20 {
            let path = folder.path().with_file_name(format!("{round}.sqlite"));
            let (before, mut copy) = (stored, Box::pin(catalog.copy_to(&path)));
            let last = loop {
                if let Some(last) = copy.as_mut().now_or_never() {
                    break last.unwrap();
                }
                catalog
                    .ingest(&me, vec![user_turn(&me, &stored.to_string(), "tea")], OnConflict::Refuse, now)
                    .await
                    .unwrap();
                stored += 1;
            };
            let (found, turns) = within(&path, &me).await;
            assert_eq!(found, last);
            assert!((before..=stored).contains(&turns), "{before}..={stored}: {turns}");
            meanwhile += turns - before;
            if meanwhile > 1 {
                return;
            }
        }
        panic!("nothing was answered while a copy was made");
    }

    #[tokio::test]
    async fn copy_holds_acknowledged_writes_and_no_later_ones() {
        let (folder, me, now) = (Folder::new(), agent("me"), at("2026-06-01T00:00:00Z"));
        let catalog = folder.open();
        let first = catalog.ingest(&me, vec![user_turn(&me, "1", "tea")], OnConflict::Refuse, now).await.unwrap();
        let copy = folder.path().with_file_name("copy.sqlite");
        assert_eq!(catalog.copy_to(&copy).await.unwrap(), i64::try_from(first.seq).unwrap());
        catalog.ingest(&me, vec![user_turn(&me, "2", "coffee")], OnConflict::Refuse, now).await.unwrap();

        let copied = SqliteCatalog::open(&copy).unwrap();
        let all = Select { limit: 9, ..Select::all(Grain::Working) };
        let texts: Vec<String> = copied.list(&me, &all).await.unwrap().into_iter().map(|memory| memory.text).collect();
        assert_eq!(texts, ["tea"]);
        assert_eq!(copied.check().await.unwrap(), Vec::<String>::new());
        assert_eq!(copied.last_sequence().await.unwrap(), i64::try_from(first.seq).unwrap());
    }

    #[tokio::test]
    async fn each_copy_is_consistent_during_writes() {
        let (folder, me, now) = (Folder::new(), agent("me"), at("2026-06-01T00:00:00Z"));
        let catalog = folder.open();
        let writes = async {
            for id in 0..60 {
                catalog
                    .ingest(&me, vec![user_turn(&me, &id.to_string(), "tea")], OnConflict::Refuse, now)
                    .await
                    .unwrap();
            }
        };
        let copies = async {
            for id in 0..6 {
                let path = folder.path().with_file_name(format!("{id}.sqlite"));
                let last = catalog.copy_to(&path).await.unwrap();
                let copied = SqliteCatalog::open(&path).unwrap();
                assert_eq!(copied.last_sequence().await.unwrap(), last);
                assert_eq!(copied.check().await.unwrap(), Vec::<String>::new());
            }
        };
        futures::join!(writes, copies);
    }

    #[tokio::test]
    async fn existing_file_is_not_overwritten() {
        let folder = Folder::new();
        let catalog = folder.open();
        let existing = folder.path().with_file_name("taken");
        std::fs::write(&existing, "a letter").unwrap();
        assert!(catalog.copy_to(&existing).await.is_err());
        assert_eq!(std::fs::read(&existing).unwrap(), b"a letter");
        assert!(catalog.copy_to(&folder.path().with_file_name("none/copy")).await.is_err());
    }
}
