//! Stores what is extracted from turns: the watermark of extraction, the results, which replace earlier results from the same
//! turns, and the log of fact operations. The version of the log is the sequence number of its last change.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::Journal;
use annals_core::{
    Agent, DeadLetter, Error, Extraction, ExtractionWatermark, FactOperation, Grain, MemoryId, Stage, Statement,
    Timestamp,
};
use async_trait::async_trait;

use crate::columns::{instant, json, maybe_instant, micros, number, signed, to_json, word};
use crate::db::{Db, Result, Row, Values, params};
use crate::{Backend, SqlCatalog};
use crate::{agents, changes, dead_letters, memories, statements};

#[async_trait]
impl<B: Backend> Journal for SqlCatalog<B> {
    async fn extraction(&self, agent: &Agent) -> annals_core::Result<ExtractionWatermark> {
        let agent = agent.clone();
        self.thread.read("reading the watermark of extraction", move |c| watermark(c, &agent)).await
    }

    async fn save_extraction(&self, agent: &Agent, extraction: Extraction, now: Timestamp) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write("saving extracted facts", move |c| save_extraction(c, &agent, &extraction, now)).await
    }

    async fn note_extraction_failure(
        &self,
        agent: &Agent,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> annals_core::Result<()> {
        let (agent, error) = (agent.clone(), error.to_owned());
        let work = move |c: &dyn Db| note_failure(c, &agent, &error, not_before, now);
        self.thread.write("saving a failure", work).await
    }

    async fn log_version(&self, agent: &Agent) -> annals_core::Result<u64> {
        let agent = agent.clone();
        self.thread.read("reading the version of the log", move |c| version(c, &agent)).await
    }

    async fn operations(&self, agent: &Agent) -> annals_core::Result<(u64, Vec<FactOperation>)> {
        let agent = agent.clone();
        self.thread.read("reading the log", move |c| operations(c, &agent)).await
    }

    async fn add_statements(&self, agent: &Agent, statements: Vec<Statement>) -> annals_core::Result<()> {
        let agent = agent.clone();
        let add = move |db: &dyn Db| {
            let agent_id = agents::enrolled(db, &agent)?;
            let mut statements = statements.iter();
            statements
                .try_for_each(|statement| statements::save(db, agent_id, statement, changes::next_seq(db, agent_id)?))
        };
        self.thread.write("storing statements", add).await
    }

    async fn add_operations(&self, agent: &Agent, operations: Vec<FactOperation>) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write("adding to the log", move |c| add(c, &agent, &operations)).await
    }
}

pub(crate) const FORMER_STATEMENTS: &str =
    "SELECT statement AS id FROM statement_source WHERE agent_id = ?1 AND id = ?2 AND position = 0";
pub(crate) const IS_LIVE: &str = "SELECT 1 FROM turn WHERE agent_id = ?1 AND id = ?2";

/// Returns the watermark of extraction and its failures.
pub(crate) fn watermark(db: &dyn Db, agent: &Agent) -> Result<ExtractionWatermark> {
    let sql = "SELECT * FROM journal WHERE agent_id = ?1";
    Ok(db.query_optional(sql, params![agents::known(db, agent)?], read_watermark)?.unwrap_or_default())
}

/// Records that extraction failed and when to retry.
pub(crate) fn note_failure(
    db: &dyn Db,
    agent: &Agent,
    error: &str,
    not_before: Timestamp,
    now: Timestamp,
) -> Result<()> {
    let values = params![agents::enrolled(db, agent)?, error, micros(not_before), micros(now)];
    let sql = "INSERT INTO journal (agent_id, attempts, last_error, not_before, failing_since)
        VALUES (?1, 1, ?2, ?3, ?4)
        ON CONFLICT (agent_id) DO UPDATE
        SET attempts = journal.attempts + 1,
            last_error = excluded.last_error,
            not_before = excluded.not_before,
            -- A value in the future was recorded while the clock was ahead.
            failing_since = CASE WHEN journal.failing_since < excluded.failing_since THEN journal.failing_since
                ELSE excluded.failing_since END";
    db.execute(sql, values)?;
    Ok(())
}

/// Saves the results of an extraction and advances the watermark. Fails with `Stale` if the watermark changed since it was
/// read.
pub(crate) fn save_extraction(db: &dyn Db, agent: &Agent, extraction: &Extraction, now: Timestamp) -> Result<()> {
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

/// Sets the watermark to `extracted` and clears the failures.
pub(crate) fn move_watermark(db: &dyn Db, agent_id: i64, extracted: u64) -> Result<()> {
    let sql = "INSERT INTO journal (agent_id, extracted)
        VALUES (?1, ?2)
        ON CONFLICT (agent_id) DO UPDATE
        SET extracted = excluded.extracted, attempts = 0, failing_since = NULL, not_before = NULL, last_error = NULL";
    db.execute(sql, params![agent_id, signed(extracted)])?;
    Ok(())
}

/// Replaces the statements that have one of the turns as first source. Saves them in order of id, so that the sequence numbers
/// do not depend on the order of a model's answer. Skips statements with a source that no longer exists.
fn restate(db: &dyn Db, agent_id: i64, turns: &[MemoryId], found: &[Statement]) -> Result<()> {
    let mut new = BTreeMap::new();
    for statement in found {
        if all_live(db, agent_id, &statement.sources)? {
            new.insert(&statement.id, statement);
        }
    }
    for id in former(db, agent_id, turns)? {
        if !new.contains_key(&id) {
            memories::remove_statement(db, agent_id, &id)?;
        }
    }
    for statement in new.into_values() {
        let values = params![agent_id, statement.id.as_str()];
        let stored = statements::find(db, statements::BY_ID, values)?.pop();
        if stored.is_none_or(|stored| stored.statement != *statement) {
            statements::save(db, agent_id, statement, changes::next_seq(db, agent_id)?)?;
        }
    }
    Ok(())
}

/// Replaces the operations that have one of the turns as source. Skips operations with a source that no longer exists.
fn relog(db: &dyn Db, agent_id: i64, turns: &[MemoryId], found: &[FactOperation]) -> Result<()> {
    let mut new = BTreeMap::new();
    for operation in found {
        if all_live(db, agent_id, std::slice::from_ref(&operation.source))? {
            new.insert(operation.id.as_str(), operation);
        }
    }
    let mut changed = false;
    for turn in turns {
        for former in of_source(db, agent_id, turn)? {
            if !new.contains_key(former.id.as_str()) {
                remove(db, agent_id, &former.id)?;
                changed = true;
            }
        }
    }
    for operation in new.into_values() {
        changed |= save(db, agent_id, operation)?;
    }
    if changed { raise_version(db, agent_id) } else { Ok(()) }
}

/// Returns the ids of the stored statements that have one of the turns as first source.
fn former(db: &dyn Db, agent_id: i64, turns: &[MemoryId]) -> Result<BTreeSet<MemoryId>> {
    let mut former = BTreeSet::new();
    for turn in turns {
        former.extend(db.query(FORMER_STATEMENTS, params![agent_id, turn.as_str()], memories::read_id)?);
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

fn read_watermark(row: &Row) -> Result<ExtractionWatermark> {
    Ok(ExtractionWatermark {
        extracted: number(row, "extracted")?,
        attempts: number(row, "attempts")?,
        failing_since: maybe_instant(row, "failing_since")?,
        not_before: maybe_instant(row, "not_before")?,
        last_error: row.get("last_error")?,
    })
}

pub(crate) const ALL_OPERATIONS: &str = "SELECT * FROM fact_operation WHERE agent_id = ?1 ORDER BY id";
const PAGE: &str = "SELECT * FROM fact_operation WHERE agent_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
pub(crate) const OF_SOURCE: &str =
    concat!("SELECT * FROM fact_operation INDEXED BY fact_operation_by_source ", "WHERE agent_id = ?1 AND source = ?2");

/// Returns the version of the log; 0 if it never changed.
pub(crate) fn version(db: &dyn Db, agent: &Agent) -> Result<u64> {
    let sql = "SELECT log_version FROM journal WHERE agent_id = ?1";
    let found = db.query_optional(sql, params![agents::known(db, agent)?], |row| number(row, "log_version"))?;
    Ok(found.unwrap_or(0))
}

/// Returns the whole log, by id, with its version.
pub(crate) fn operations(db: &dyn Db, agent: &Agent) -> Result<(u64, Vec<FactOperation>)> {
    Ok((version(db, agent)?, all(db, agents::known(db, agent)?)?))
}

/// Adds the operations with ids that are not stored yet. Raises the version of the log if there are any.
pub(crate) fn add(db: &dyn Db, agent: &Agent, operations: &[FactOperation]) -> Result<()> {
    let agent_id = agents::enrolled(db, agent)?;
    let mut changed = false;
    for operation in operations {
        if !db
            .exists("SELECT 1 FROM fact_operation WHERE agent_id = ?1 AND id = ?2", params![agent_id, operation.id])?
        {
            changed |= save(db, agent_id, operation)?;
        }
    }
    if changed { raise_version(db, agent_id) } else { Ok(()) }
}

/// Returns the whole log, by id.
pub(crate) fn all(db: &dyn Db, agent_id: i64) -> Result<Vec<FactOperation>> {
    find(db, ALL_OPERATIONS, params![agent_id])
}

/// Returns the operations with an id above `after`, by id.
pub(crate) fn page(db: &dyn Db, agent_id: i64, after: &str, most: i64) -> Result<Vec<FactOperation>> {
    find(db, PAGE, params![agent_id, after, most])
}

/// Returns the operations of one source.
pub(crate) fn of_source(db: &dyn Db, agent_id: i64, source: &MemoryId) -> Result<Vec<FactOperation>> {
    find(db, OF_SOURCE, params![agent_id, source.as_str()])
}

/// Inserts an operation, or updates the stored operation with the same id. Returns whether anything changed.
pub(crate) fn save(db: &dyn Db, agent_id: i64, operation: &FactOperation) -> Result<bool> {
    // Updates a row only if something differs, so that the number of changed rows shows whether the log changed.
    let sql = "INSERT INTO fact_operation AS known (
            agent_id, id, verb, subject, predicate, object, replaces, properties, confidence, at, said_at, source, position,
            recorded_at
        )
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
        ON CONFLICT (agent_id, id) DO UPDATE
        SET (verb, subject, predicate, object, replaces, properties, confidence, at, said_at, source, position, recorded_at)
            = (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
        WHERE (known.verb, known.subject, known.predicate, known.object, known.replaces, known.properties, known.confidence,
                known.at, known.said_at, known.source, known.position, known.recorded_at)
            IS DISTINCT FROM (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
    let changed = db.execute(
        sql,
        params![
            agent_id,
            operation.id,
            operation.verb.as_str(),
            operation.subject,
            operation.predicate,
            operation.object,
            operation.replaces,
            to_json(&operation.properties),
            operation.confidence,
            micros(operation.at),
            micros(operation.said_at),
            operation.source.as_str(),
            operation.position,
            micros(operation.recorded_at),
        ],
    )?;
    Ok(changed > 0)
}

pub(crate) fn remove(db: &dyn Db, agent_id: i64, id: &str) -> Result<()> {
    let sql = "DELETE FROM fact_operation WHERE agent_id = ?1 AND id = ?2";
    db.execute(sql, params![agent_id, id])?;
    Ok(())
}

/// Assigns the agent's next sequence number, and records it as the version of the log.
pub(crate) fn raise_version(db: &dyn Db, agent_id: i64) -> Result<()> {
    set_version(db, agent_id, changes::next_seq(db, agent_id)?)
}

/// Records that the change `seq` was the last of the log.
pub(crate) fn set_version(db: &dyn Db, agent_id: i64, seq: i64) -> Result<()> {
    let sql = "INSERT INTO journal (agent_id, log_version)
        VALUES (?1, ?2)
        ON CONFLICT (agent_id) DO UPDATE SET log_version = excluded.log_version";
    db.execute(sql, params![agent_id, seq])?;
    Ok(())
}

fn find(db: &dyn Db, sql: &str, values: Values<'_>) -> Result<Vec<FactOperation>> {
    db.query(sql, values, read)
}

fn read(row: &Row) -> Result<FactOperation> {
    Ok(FactOperation {
        id: row.get("id")?,
        verb: word(row, "verb")?,
        subject: row.get("subject")?,
        predicate: row.get("predicate")?,
        object: row.get("object")?,
        replaces: row.get("replaces")?,
        properties: json(row, "properties")?,
        confidence: row.get("confidence")?,
        at: instant(row, "at")?,
        said_at: instant(row, "said_at")?,
        source: MemoryId::from_text(row.get::<String>("source")?),
        position: number(row, "position")?,
        recorded_at: instant(row, "recorded_at")?,
    })
}
