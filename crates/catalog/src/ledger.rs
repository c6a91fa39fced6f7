//! The ledger: what is known of each period.

use annals_core::{Agent, Error, LedgerRow, Period, Summary, Timestamp};
use rusqlite::{Connection, Row, params};

use crate::agents;
use crate::columns::{digest, grain_number, instant, micros, number, signed, word};
use crate::failure::Result;

/// Every period that ever had input, by grain and time.
pub(crate) fn ledger(connection: &Connection, agent: &Agent) -> Result<Vec<LedgerRow>> {
    let sql = "SELECT * FROM ledger WHERE agent_id = ?1 ORDER BY grain, period";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([agents::known(connection, agent)?], read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Notes that input came to the period with the change `seq`.
pub(crate) fn mark_dirty(
    connection: &Connection,
    agent_id: i64,
    period: Period,
    seq: i64,
    now: Timestamp,
) -> Result<()> {
    let mut statement = connection.prepare_cached(include_str!("sql/mark_dirty.sql"))?;
    statement.execute(params![agent_id, grain_number(period.grain()), period.to_string(), seq, micros(now)])?;
    Ok(())
}

/// Notes that the period was rolled up from what it had at `read_seq`.
pub(crate) fn mark_clean(connection: &Connection, agent_id: i64, summary: &Summary, now: Timestamp) -> Result<()> {
    connection.prepare_cached(include_str!("sql/mark_clean.sql"))?.execute(params![
        agent_id,
        grain_number(summary.period.grain()),
        summary.period.to_string(),
        signed(summary.read_seq),
        micros(now),
        summary.input_digest.0,
        summary.draft.is_some().then_some(summary.recipe.0),
        signed(summary.draft.as_ref().map_or(0, |draft| draft.tokens)),
    ])?;
    Ok(())
}

/// Notes that rolling up the period failed.
pub(crate) fn note_failure(
    connection: &Connection,
    agent: &Agent,
    period: Period,
    error: &str,
    not_before: Timestamp,
) -> Result<()> {
    let agent_id = agents::known(connection, agent)?;
    let mut statement = connection.prepare_cached(include_str!("sql/note_failure.sql"))?;
    let place = params![agent_id, grain_number(period.grain()), period.to_string(), error, micros(not_before)];
    if statement.execute(place)? == 0 {
        return Err(Error::NotFound { what: "ledger row of the period", name: period.to_string() }.into());
    }
    Ok(())
}

fn read(row: &Row) -> rusqlite::Result<LedgerRow> {
    let not_before: Option<i64> = row.get("not_before")?;
    Ok(LedgerRow {
        period: word(row, "period")?,
        dirty_seq: number(row, "dirty_seq")?,
        clean_seq: number(row, "clean_seq")?,
        dirty_at: instant(row, "dirty_at")?,
        input_digest: digest(row, "input_digest")?,
        recipe: digest(row, "recipe")?,
        sealed: row.get("sealed")?,
        attempts: row.get("attempts")?,
        not_before: not_before.map(|_| instant(row, "not_before")).transpose()?,
        last_error: row.get("last_error")?,
        tokens: number(row, "tokens")?,
    })
}
