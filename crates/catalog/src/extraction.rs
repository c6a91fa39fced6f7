//! Extraction: its watermark, and storing results in place of earlier results from the same turns.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::{
    Agent, DeadLetter, Error, Extraction, ExtractionWatermark, FactOperation, Grain, MemoryId, Stage, Statement,
    Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::columns::{maybe_instant, micros, number, signed};
use crate::failure::Result;
use crate::{agents, dead_letters, log, remove, sequence, statements};

pub(crate) const FORMER: &str =
    "SELECT statement AS id FROM statement_source WHERE agent_id = ?1 AND id = ?2 AND position = 0";
pub(crate) const IS_LIVE: &str = "SELECT 1 FROM turn WHERE agent_id = ?1 AND id = ?2";

/// Returns the watermark of extraction and its failures.
pub(crate) fn watermark(connection: &Connection, agent: &Agent) -> Result<ExtractionWatermark> {
    let sql = "SELECT * FROM journal WHERE agent_id = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row([agents::known(connection, agent)?], read).optional()?.unwrap_or_default())
}

/// Records that extraction failed and when to retry.
pub(crate) fn note_failure(
    connection: &Connection,
    agent: &Agent,
    error: &str,
    not_before: Timestamp,
    now: Timestamp,
) -> Result<()> {
    let place = params![agents::enrolled(connection, agent)?, error, micros(not_before), micros(now)];
    connection.prepare_cached(include_str!("sql/note_extraction_failure.sql"))?.execute(place)?;
    Ok(())
}

/// Saves the results and advances the watermark that was read.
pub(crate) fn save(connection: &Connection, agent: &Agent, extraction: &Extraction, now: Timestamp) -> Result<()> {
    if !extraction.may_follow(watermark(connection, agent)?.extracted) {
        return Err(Error::Stale { what: "the watermark of extraction".to_owned() }.into());
    }
    let agent_id = agents::enrolled(connection, agent)?;
    let Extraction { turns, found, extracted, degraded, .. } = extraction;
    restate(connection, agent_id, turns, &found.statements)?;
    relog(connection, agent_id, turns, &found.operations)?;
    dead_letters::settle(connection, agent_id, turns, Stage::Extraction)?;
    if let Some(error) = degraded {
        add_dead_letters(connection, agent, turns, error, now)?;
    }
    move_watermark(connection, agent_id, *extracted)
}

/// Advances the watermark and clears the failures.
pub(crate) fn move_watermark(connection: &Connection, agent_id: i64, extracted: u64) -> Result<()> {
    connection
        .prepare_cached(include_str!("sql/move_extraction_watermark.sql"))?
        .execute(params![agent_id, signed(extracted)])?;
    Ok(())
}

/// Replaces the statements whose first source is among the turns. In order of id, so that the sequence numbers do not
/// depend on the order of a model's answer. Statements with a source that no longer exists are skipped.
fn restate(connection: &Connection, agent_id: i64, turns: &[MemoryId], found: &[Statement]) -> Result<()> {
    let mut new = BTreeMap::new();
    for statement in found {
        if all_live(connection, agent_id, &statement.sources)? {
            new.insert(&statement.id, statement);
        }
    }
    for id in former(connection, agent_id, turns)? {
        if !new.contains_key(&id) {
            remove::statement(connection, agent_id, &id)?;
        }
    }
    for statement in new.into_values() {
        let place = params![agent_id, statement.id.as_str()];
        let stored = statements::find(connection, crate::get::STATEMENT, place)?.pop();
        if stored.is_none_or(|stored| stored.statement != *statement) {
            statements::save(connection, agent_id, statement, sequence::next(connection)?)?;
        }
    }
    Ok(())
}

/// Replaces the operations whose source is among the turns. Operations of a source that no longer exists are skipped.
fn relog(connection: &Connection, agent_id: i64, turns: &[MemoryId], found: &[FactOperation]) -> Result<()> {
    let mut new = BTreeMap::new();
    for operation in found {
        if all_live(connection, agent_id, std::slice::from_ref(&operation.source))? {
            new.insert(operation.id.as_str(), operation);
        }
    }
    let mut changed = false;
    for turn in turns {
        for former in log::of_source(connection, agent_id, turn)? {
            if !new.contains_key(former.id.as_str()) {
                log::remove(connection, agent_id, &former.id)?;
                changed = true;
            }
        }
    }
    for operation in new.into_values() {
        changed |= log::save(connection, agent_id, operation)?;
    }
    if changed { log::raise_version(connection, agent_id) } else { Ok(()) }
}

/// Returns the ids of the statements whose first source is among the turns.
fn former(connection: &Connection, agent_id: i64, turns: &[MemoryId]) -> Result<BTreeSet<MemoryId>> {
    let mut question = connection.prepare_cached(FORMER)?;
    let mut former = BTreeSet::new();
    for turn in turns {
        for id in question.query_map(params![agent_id, turn.as_str()], crate::memories::read_id)? {
            former.insert(id?);
        }
    }
    Ok(former)
}

fn all_live(connection: &Connection, agent_id: i64, turns: &[MemoryId]) -> Result<bool> {
    let mut question = connection.prepare_cached(IS_LIVE)?;
    for turn in turns {
        if !question.exists(params![agent_id, turn.as_str()])? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn add_dead_letters(
    connection: &Connection,
    agent: &Agent,
    turns: &[MemoryId],
    error: &str,
    now: Timestamp,
) -> Result<()> {
    let agent_id = agents::known(connection, agent)?;
    for memory in turns {
        if all_live(connection, agent_id, std::slice::from_ref(memory))? {
            let (agent, memory, error) = (agent.clone(), memory.clone(), error.to_owned());
            let grain = Grain::Working;
            let letter = DeadLetter { agent, grain, memory, stage: Stage::Extraction, error, at: now };
            dead_letters::add_dead_letters(connection, &[letter])?;
        }
    }
    Ok(())
}

fn read(row: &Row) -> rusqlite::Result<ExtractionWatermark> {
    Ok(ExtractionWatermark {
        extracted: number(row, "extracted")?,
        attempts: number(row, "attempts")?,
        failing_since: maybe_instant(row, "failing_since")?,
        not_before: maybe_instant(row, "not_before")?,
        last_error: row.get("last_error")?,
    })
}
