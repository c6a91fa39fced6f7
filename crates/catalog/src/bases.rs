//! Bases: the summaries of sealed periods as they were when their children were pruned. A period is sealed as long as
//! it has a base.

use annals_core::{Agent, Base, MemoryId, Period};

use crate::columns::{grain_number, json, to_json, word};
use crate::db::{Db, Result, Row, params};
use crate::{agents, summaries};

pub(crate) const OF_PERIOD: &str = "SELECT * FROM base WHERE agent_id = ?1 AND grain = ?2 AND period = ?3";

/// Returns the base of a period; `None` if the period is not sealed.
pub(crate) fn base(db: &dyn Db, agent: &Agent, period: Period) -> Result<Option<Base>> {
    of(db, agents::known(db, agent)?, period)
}

/// Does the same as [`base`], by the agent's number.
pub(crate) fn of(db: &dyn Db, agent_id: i64, period: Period) -> Result<Option<Base>> {
    let values = params![agent_id, grain_number(period.grain()), period.to_string()];
    db.query_optional(OF_PERIOD, values, read)
}

/// Returns every sealed period, in order.
pub(crate) fn periods(db: &dyn Db, agent_id: i64) -> Result<Vec<Period>> {
    let sql = "SELECT period FROM base WHERE agent_id = ?1 ORDER BY grain, period";
    db.query(sql, params![agent_id], |row| word(row, "period"))
}

/// Returns the text, the sentences and the sources of the present summary in the form of a base; `None` if there is no such
/// summary.
pub(crate) fn present(db: &dyn Db, agent_id: i64, summary: &MemoryId) -> Result<Option<Base>> {
    let values = params![agent_id, summary.as_str()];
    let Some(memory) = summaries::find(db, summaries::BY_ID, values)?.pop() else { return Ok(None) };
    let sql = "SELECT verbatim FROM summary WHERE agent_id = ?1 AND id = ?2";
    let verbatim = db.query_one(sql, values, |row| row.get(0))?;
    Ok(Some(Base {
        text: memory.text.clone(),
        sentences: memory.sentences().to_vec(),
        sources: memory.sources().to_vec(),
        verbatim,
    }))
}

/// Returns the highest arrival number (sequence number of the first arrival) of the turns that the base of a period may
/// contain; `None` if it is unknown or the period has no base.
pub(crate) fn seq(db: &dyn Db, agent_id: i64, period: Period) -> Result<Option<i64>> {
    let sql = "SELECT seq FROM base WHERE agent_id = ?1 AND grain = ?2 AND period = ?3";
    let values = params![agent_id, grain_number(period.grain()), period.to_string()];
    Ok(db.query_optional(sql, values, |row| row.get(0))?.flatten())
}

/// Sets the base of a period, replacing a former one, and seals the period. The base contains no turn that arrived
/// after `seq`.
pub(crate) fn set(db: &dyn Db, agent_id: i64, period: Period, base: &Base, seq: Option<i64>) -> Result<()> {
    let sql = "INSERT INTO base (agent_id, grain, period, text, sentences, sources, verbatim, seq)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT (agent_id, grain, period) DO UPDATE
        SET text = excluded.text,
            sentences = excluded.sentences,
            sources = excluded.sources,
            verbatim = excluded.verbatim,
            seq = excluded.seq";
    db.execute(
        sql,
        params![
            agent_id,
            grain_number(period.grain()),
            period.to_string(),
            base.text,
            to_json(&base.sentences),
            to_json(&base.sources),
            base.verbatim,
            seq,
        ],
    )?;
    mark(db, agent_id, period, true)
}

/// Removes the base of a period, if it has one, and unseals the period.
pub(crate) fn lift(db: &dyn Db, agent_id: i64, period: Period) -> Result<()> {
    let sql = "DELETE FROM base WHERE agent_id = ?1 AND grain = ?2 AND period = ?3";
    let values = params![agent_id, grain_number(period.grain()), period.to_string()];
    db.execute(sql, values)?;
    mark(db, agent_id, period, false)
}

fn mark(db: &dyn Db, agent_id: i64, period: Period, sealed: bool) -> Result<()> {
    let sql = "UPDATE ledger SET sealed = ?4 WHERE agent_id = ?1 AND grain = ?2 AND period = ?3";
    let values = params![agent_id, grain_number(period.grain()), period.to_string(), sealed];
    db.execute(sql, values)?;
    Ok(())
}

fn read(row: &Row) -> Result<Base> {
    Ok(Base {
        text: row.get("text")?,
        sentences: json(row, "sentences")?,
        sources: json(row, "sources")?,
        verbatim: row.get("verbatim")?,
    })
}
