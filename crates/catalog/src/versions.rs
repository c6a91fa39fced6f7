//! Former texts of memories, and the correction of a statement or summary by a person, which keeps its former text.

use annals_core::ports::Version;
use annals_core::{Agent, Base, Error, Kind, LedgerRow, Memory, MemoryId, ObjectKind, Sentence, Timestamp};

use crate::columns::{grain_number, instant, micros};
use crate::db::{Db, Result, Row, params};
use crate::summaries::SummaryRow;
use crate::{agents, changes, ledger, memories, statements};

/// Replaces the text of a statement or summary, and keeps the former text. Changes nothing if the text is the same. Refuses
/// turns and passages.
pub(crate) fn correct(db: &dyn Db, agent: &Agent, id: &MemoryId, text: &str, now: Timestamp) -> Result<()> {
    let agent_id = agents::known(db, agent)?;
    let stored = memories::get(db, agent, std::slice::from_ref(id))?.pop();
    let former = stored.ok_or_else(|| Error::NotFound { what: ObjectKind::Memory, name: id.to_string() })?;
    if former.kind() == Kind::Turn {
        return Err(Error::invalid("id", "is a turn; store it again with revise").into());
    }
    if former.kind() == Kind::Passage {
        return Err(Error::invalid("id", "is a passage; write its document instead").into());
    }
    if former.text == text {
        return Ok(());
    }
    keep(db, agent_id, id, &former.text, now)?;
    let seq = changes::next_seq(db, agent_id)?;
    match former.kind() {
        Kind::Summary => reword_summary(db, agent_id, former, text, seq, now),
        _ => reword_statement(db, agent_id, id, text, seq),
    }
}

fn reword_statement(db: &dyn Db, agent_id: i64, id: &MemoryId, text: &str, seq: i64) -> Result<()> {
    for mut stored in statements::find(db, statements::BY_ID, params![agent_id, id.as_str()])? {
        text.clone_into(&mut stored.statement.text);
        statements::save(db, agent_id, &stored.statement, seq)?;
    }
    Ok(())
}

/// Replaces the text of a summary. Keeps the input digest, so that the next roll-up of the same input leaves the person's text
/// alone. The recipe becomes the marker of corrected text, so that no refresh treats it as outdated.
fn reword_summary(db: &dyn Db, agent_id: i64, former: Memory, text: &str, seq: i64, now: Timestamp) -> Result<()> {
    let sentences = vec![in_one(&former, text)];
    let written = Base { text: text.to_owned(), sentences, sources: former.sources().to_vec(), verbatim: false };
    SummaryRow { db, agent_id, id: former.id }.reword(&written, seq)?;
    let sql = "UPDATE ledger SET recipe = ?4, degraded = 0 WHERE agent_id = ?1 AND grain = ?2 AND period = ?3";
    let (grain, label) = (grain_number(former.period.grain()), former.period.to_string());
    db.execute(sql, params![agent_id, grain, label, LedgerRow::corrected_by_a_person().0])?;
    match former.period.parent() {
        Some(parent) => ledger::mark_dirty(db, agent_id, parent, seq, now),
        None => Ok(()),
    }
}

/// Makes the person's text one sentence, with all sources of the former sentences.
fn in_one(former: &Memory, text: &str) -> Sentence {
    let mut from: Vec<MemoryId> = Vec::new();
    for id in former.sentences().iter().flat_map(|sentence| &sentence.from) {
        if !from.contains(id) {
            from.push(id.clone());
        }
    }
    Sentence { day: former.period.first_day(), speaker: None, text: text.to_owned(), from, ungrounded: false }
}

pub(crate) const OF_MEMORY: &str = "SELECT * FROM version WHERE agent_id = ?1 AND id = ?2 ORDER BY version_id";

/// Returns the former texts of a memory, oldest first.
pub(crate) fn versions(db: &dyn Db, agent: &Agent, id: &MemoryId) -> Result<Vec<Version>> {
    db.query(OF_MEMORY, params![agents::known(db, agent)?, id.as_str()], read)
}

/// Stores the text that a memory had until `replaced_at`.
pub(crate) fn keep(db: &dyn Db, agent_id: i64, id: &MemoryId, text: &str, replaced_at: Timestamp) -> Result<()> {
    let sql = "INSERT INTO version (agent_id, id, text, replaced_at) VALUES (?1, ?2, ?3, ?4)";
    db.execute(sql, params![agent_id, id.as_str(), text, micros(replaced_at)])?;
    Ok(())
}

/// Deletes all former texts of a memory.
pub(crate) fn forget(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<()> {
    let sql = "DELETE FROM version WHERE agent_id = ?1 AND id = ?2";
    db.execute(sql, params![agent_id, id.as_str()])?;
    Ok(())
}

/// A former text and its memory.
pub(crate) struct Former {
    pub(crate) version_id: i64,
    pub(crate) id: MemoryId,
    pub(crate) text: String,
}

/// Returns the former texts of the agent's memories that `takes` accepts.
pub(crate) fn of_which(db: &dyn Db, agent_id: i64, takes: impl Fn(&str) -> bool) -> Result<Vec<Former>> {
    let sql = "SELECT version_id, id, text FROM version WHERE agent_id = ?1";
    let former = |row: &Row| {
        Ok(Former { version_id: row.get("version_id")?, id: memories::read_id(row)?, text: row.get("text")? })
    };
    let read = |row: &Row| takes(row.text("text")?).then(|| former(row)).transpose();
    Ok(db.query(sql, params![agent_id], read)?.into_iter().flatten().collect())
}

/// Deletes former texts by their numbers.
pub(crate) fn remove(db: &dyn Db, numbers: &[i64]) -> Result<()> {
    for number in numbers {
        db.execute("DELETE FROM version WHERE version_id = ?1", params![number])?;
    }
    Ok(())
}

pub(crate) fn read(row: &Row) -> Result<Version> {
    Ok(Version { text: row.get("text")?, replaced_at: instant(row, "replaced_at")? })
}
