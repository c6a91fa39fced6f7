//! Overwrites the remains of deleted rows in the file and its log, while other work continues.
//!
//! A pass walks over all pages in pieces ([`pages`]). Writes between two pieces may move the remains of a row to a page
//! that the pass has already cleaned, so a second pass follows if there were writes, and the proof of an erasure checks
//! all pages once more. Finally the log, which holds former pages, is truncated to nothing. The file keeps its size:
//! free pages are zeros, and are reused.

use annals_core::Error;

use crate::db::Result;
use crate::sqlite::open::VERSION;
use crate::sqlite::{Sqlite, pages};
use crate::thread::Thread;

/// The most passes over the file, however busy other writers are.
const PASSES: usize = 2;

const DOING: &str = "overwriting what was deleted in the catalog";

/// Overwrites the remains of rows deleted before this call. If other writers move rows during both passes, some remains may be
/// left. Rewrites the whole file with VACUUM if its pages cannot be cleaned one by one.
pub(super) async fn scrub(thread: &Thread<Sqlite>) -> annals_core::Result<()> {
    if thread.alone(DOING, |db| pages::can_be_cleaned(&db.0)).await? {
        for _ in 0..PASSES {
            if clean_all(thread).await? {
                break;
            }
        }
    } else {
        thread.alone(DOING, |db| Ok(db.batch("VACUUM")?)).await?;
    }
    thread.alone("emptying the catalog's log", empty_log).await
}

/// Runs one pass; returns whether no other write happened between its pieces.
async fn clean_all(thread: &Thread<Sqlite>) -> annals_core::Result<bool> {
    let (mut from, mut changes, mut alone) = (1, None, true);
    loop {
        let (before, progress) =
            thread.write_directly(DOING, move |db| Ok((db.0.total_changes(), pages::clean(&db.0, from)?))).await?;
        alone &= changes.is_none_or(|changes| changes == before);
        changes = Some(progress.changes);
        match progress.next {
            Some(next) => from = next,
            None => return Ok(alone),
        }
    }
}

fn empty_log(db: &Sqlite) -> Result<()> {
    let busy: bool = db.0.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy {
        return Err(Error::storage("emptying the log", "another connection reads it").into());
    }
    // SQLite does not sync the truncation, so a power cut could bring the former log back. It syncs every commit, and
    // with it the log's new length; writing the same version again is a commit that changes nothing.
    Ok(db.0.pragma_update(None, "user_version", VERSION)?)
}
