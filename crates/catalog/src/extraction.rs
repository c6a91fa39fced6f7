//! Extraction: its watermark, and storing results in place of earlier results from the same turns.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::{
    Agent, DeadLetter, Error, Extraction, ExtractionWatermark, FactOperation, Grain, MemoryId, Stage, Statement,
    Timestamp,
};

use crate::columns::{maybe_instant, micros, number, signed};
use crate::db::{Db, Row, params};
use crate::failure::Result;
use crate::{agents, dead_letters, log, remove, sequence, statements};

pub(crate) const FORMER: &str =
    "SELECT statement AS id FROM statement_source WHERE agent_id = ?1 AND id = ?2 AND position = 0";
pub(crate) const IS_LIVE: &str = "SELECT 1 FROM turn WHERE agent_id = ?1 AND id = ?2";

/// Returns the watermark of extraction and its failures.
pub(crate) fn watermark(db: &dyn Db, agent: &Agent) -> Result<ExtractionWatermark> {
    let sql = "SELECT * FROM journal WHERE agent_id = ?1";
    Ok(db.query_optional(sql, params![agents::known(db, agent)?], read)?.unwrap_or_default())
}

/// Records that extraction failed and when to retry.
pub(crate) fn note_failure(
    db: &dyn Db,
    agent: &Agent,
    error: &str,
    not_before: Timestamp,
    now: Timestamp,
) -> Result<()> {
    let place = params![agents::enrolled(db, agent)?, error, micros(not_before), micros(now)];
    db.execute(include_str!("sql/note_extraction_failure.sql"), place)?;
    Ok(())
}

/// Saves the results and advances the watermark that was read.
pub(crate) fn save(db: &dyn Db, agent: &Agent, extraction: &Extraction, now: Timestamp) -> Result<()> {
    if !extraction.may_follow(watermark(db, agent)?.extracted) {
        return Err(Error::Stale { what: "the watermark of extraction".to_owned() }.into());
    }
    let agent_id = agents::enrolled(db, agent)?;
    let Extraction { turns, found, extracted, degraded, .. } = extraction;
    restate(db, agent_id, turns, &found.statements)?;
    relog(db, agent_id, turns, &found.operations)?;
    dead_letters::settle(db, agent_id, turns, Stage::Extraction)?;
    if let Some(error) = degraded {
        add_dead_letters(db, agent, turns, error, now)?;
    }
    move_watermark(db, agent_id, *extracted)
}

/// Advances the watermark and clears the failures.
pub(crate) fn move_watermark(db: &dyn Db, agent_id: i64, extracted: u64) -> Result<()> {
    db.execute(include_str!("sql/move_extraction_watermark.sql"), params![agent_id, signed(extracted)])?;
    Ok(())
}

/// Replaces the statements whose first source is among the turns. In order of id, so that the sequence numbers do not
/// depend on the order of a model's answer. Statements with a source that no longer exists are skipped.
fn restate(db: &dyn Db, agent_id: i64, turns: &[MemoryId], found: &[Statement]) -> Result<()> {
    let mut new = BTreeMap::new();
    for statement in found {
        if all_live(db, agent_id, &statement.sources)? {
            new.insert(&statement.id, statement);
        }
    }
    for id in former(db, agent_id, turns)? {
        if !new.contains_key(&id) {
            remove::statement(db, agent_id, &id)?;
        }
    }
    for statement in new.into_values() {
        let place = params![agent_id, statement.id.as_str()];
        let stored = statements::find(db, crate::get::STATEMENT, place)?.pop();
        if stored.is_none_or(|stored| stored.statement != *statement) {
            statements::save(db, agent_id, statement, sequence::next(db)?)?;
        }
    }
    Ok(())
}

/// Replaces the operations whose source is among the turns. Operations of a source that no longer exists are skipped.
fn relog(db: &dyn Db, agent_id: i64, turns: &[MemoryId], found: &[FactOperation]) -> Result<()> {
    let mut new = BTreeMap::new();
    for operation in found {
        if all_live(db, agent_id, std::slice::from_ref(&operation.source))? {
            new.insert(operation.id.as_str(), operation);
        }
    }
    let mut changed = false;
    for turn in turns {
        for former in log::of_source(db, agent_id, turn)? {
            if !new.contains_key(former.id.as_str()) {
                log::remove(db, agent_id, &former.id)?;
                changed = true;
            }
        }
    }
    for operation in new.into_values() {
        changed |= log::save(db, agent_id, operation)?;
    }
    if changed { log::raise_version(db, agent_id) } else { Ok(()) }
}

/// Returns the ids of the statements whose first source is among the turns.
fn former(db: &dyn Db, agent_id: i64, turns: &[MemoryId]) -> Result<BTreeSet<MemoryId>> {
    let mut former = BTreeSet::new();
    for turn in turns {
        former.extend(db.query(FORMER, params![agent_id, turn.as_str()], crate::memories::read_id)?);
    }
    Ok(former)
}

fn all_live(db: &dyn Db, agent_id: i64, turns: &[MemoryId]) -> Result<bool> {
    for turn in turns {
        if !db.exists(IS_LIVE, params![agent_id, turn.as_str()])? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn add_dead_letters(db: &dyn Db, agent: &Agent, turns: &[MemoryId], error: &str, now: Timestamp) -> Result<()> {
    let agent_id = agents::known(db, agent)?;
    for memory in turns {
        if all_live(db, agent_id, std::slice::from_ref(memory))? {
            let (agent, memory, error) = (agent.clone(), memory.clone(), error.to_owned());
            let grain = Grain::Working;
            let letter = DeadLetter { agent, grain, memory, stage: Stage::Extraction, error, at: now };
            dead_letters::add_dead_letters(db, &[letter])?;
        }
    }
    Ok(())
}

fn read(row: &Row) -> Result<ExtractionWatermark> {
    Ok(ExtractionWatermark {
        extracted: number(row, "extracted")?,
        attempts: number(row, "attempts")?,
        failing_since: maybe_instant(row, "failing_since")?,
        not_before: maybe_instant(row, "not_before")?,
        last_error: row.get("last_error")?,
    })
}
