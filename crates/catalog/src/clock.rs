//! Observations of the machine's clock: one row for the file.

use annals_core::ports::ClockNote;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::columns::{instant, micros};
use crate::failure::Result;

pub(crate) fn clock(connection: &Connection) -> Result<Option<ClockNote>> {
    Ok(connection.prepare_cached("SELECT seen, steady_since FROM clock")?.query_row([], read).optional()?)
}

pub(crate) fn save_clock(connection: &Connection, note: ClockNote) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO clock (only, seen, steady_since) VALUES (1, ?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![micros(note.seen), micros(note.steady_since)])?;
    Ok(())
}

fn read(row: &Row) -> rusqlite::Result<ClockNote> {
    Ok(ClockNote { seen: instant(row, "seen")?, steady_since: instant(row, "steady_since")? })
}
