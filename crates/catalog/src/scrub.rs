//! Rewrites the file, so that nothing of what was deleted is left in it or in its log.

use annals_core::Error;
use rusqlite::Connection;

use crate::failure::Result;
use crate::open::VERSION;

/// Deleted rows are overwritten with zeros when they go, but free pages are kept and the log holds former pages until it is
/// emptied: so all pages are written anew, and the log is cut to nothing.
pub(crate) fn scrub(connection: &Connection) -> Result<()> {
    connection.execute_batch("VACUUM")?;
    let busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy {
        return Err(Error::storage("emptying the log", "another connection reads it").into());
    }
    // SQLite does not sync the cut, so a power cut could bring the former log back. It syncs every commit, and with it the
    // log's new length; writing the version again is one that changes nothing.
    Ok(connection.pragma_update(None, "user_version", VERSION)?)
}
