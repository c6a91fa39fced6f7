//! Replaces the text of a statement or summary with a person's, and keeps the former text as a version.

use annals_core::{Agent, Base, Error, Kind, LedgerRow, Memory, MemoryId, Sentence, Timestamp};

use crate::columns::grain_number;
use crate::db::{Db, params};
use crate::failure::Result;
use crate::summaries::Place;
use crate::{agents, get, ledger, sequence, statements, versions};

/// Replaces the text. Turns are refused.
pub(crate) fn correct(db: &dyn Db, agent: &Agent, id: &MemoryId, text: &str, now: Timestamp) -> Result<()> {
    let agent_id = agents::known(db, agent)?;
    let stored = get::get(db, agent, std::slice::from_ref(id))?.pop();
    let former = stored.ok_or_else(|| Error::NotFound { what: "memory", name: id.to_string() })?;
    if former.kind() == Kind::Turn {
        return Err(Error::invalid("id", "is a turn; store it again with revise").into());
    }
    if former.text == text {
        return Ok(());
    }
    versions::keep(db, agent_id, id, &former.text, now)?;
    let seq = sequence::next(db)?;
    match former.kind() {
        Kind::Summary => reword_summary(db, agent_id, former, text, seq, now),
        _ => reword_statement(db, agent_id, id, text, seq),
    }
}

fn reword_statement(db: &dyn Db, agent_id: i64, id: &MemoryId, text: &str, seq: i64) -> Result<()> {
    for mut stored in statements::find(db, get::STATEMENT, params![agent_id, id.as_str()])? {
        text.clone_into(&mut stored.statement.text);
        statements::save(db, agent_id, &stored.statement, seq)?;
    }
    Ok(())
}

/// Keeps the input digest, so that the next roll-up of the same input leaves the person's text alone. The recipe
/// becomes the marker of corrected text, so that no refresh treats it as outdated.
fn reword_summary(db: &dyn Db, agent_id: i64, former: Memory, text: &str, seq: i64, now: Timestamp) -> Result<()> {
    let sentences = vec![in_one(&former, text)];
    let written = Base { text: text.to_owned(), sentences, sources: former.sources().to_vec(), verbatim: false };
    Place { db, agent_id, id: former.id }.reword(&written, seq)?;
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
    Sentence { day: former.period.first_day(), speaker: None, text: text.to_owned(), from }
}
