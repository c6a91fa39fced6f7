//! Observations of the machine's clock: one row for the file.

use annals_core::ports::ClockNote;

use crate::columns::{instant, micros};
use crate::db::{Db, Row, params};
use crate::failure::Result;

pub(crate) fn clock(db: &dyn Db) -> Result<Option<ClockNote>> {
    db.query_optional("SELECT seen, steady_since FROM clock", &[], read)
}

pub(crate) fn save_clock(db: &dyn Db, note: ClockNote) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO clock (only, seen, steady_since) VALUES (1, ?1, ?2)";
    db.execute(sql, params![micros(note.seen), micros(note.steady_since)])?;
    Ok(())
}

fn read(row: &Row) -> Result<ClockNote> {
    Ok(ClockNote { seen: instant(row, "seen")?, steady_since: instant(row, "steady_since")? })
}
