//! Carries out the plan of an erasure, in the same transaction as the queries that made it; also reads and removes all data of
//! an agent that is erased as a whole.

use std::collections::BTreeSet;

use annals_core::{Agent, Kind, MemoryId, Period, Sentence, Timestamp};

use super::ErasurePlan;
use super::plan::Removed;
use super::summaries::Cut;
use crate::columns::{json, number, word};
use crate::db::{Db, Result, Sql, params};
use crate::forgotten::KeyedHashes;
use crate::summaries::SummaryRow;
use crate::{
    bases, batches, blocks, changes, dead_letters, documents, idempotency, journal, ledger, memories, pruned, replies,
    versions,
};

impl ErasurePlan {
    /// Removes and rewrites everything in the plan.
    pub(super) fn carry_out(&self, db: &dyn Db, agent: &Agent, now: Timestamp) -> Result<()> {
        Erasing { db, agent, agent_id: self.agent_id, now }.all(self)
    }
}

struct Erasing<'a> {
    db: &'a dyn Db,
    agent: &'a Agent,
    agent_id: i64,
    now: Timestamp,
}

impl Erasing<'_> {
    fn all(&self, plan: &ErasurePlan) -> Result<()> {
        self.remember(plan)?;
        plan.memories.iter().try_for_each(|memory| self.remove(memory))?;
        self.remove_operations(&plan.report.operations)?;
        for name in &plan.report.blocks {
            blocks::remove_of(self.db, self.agent_id, name)?;
        }
        for document_id in &plan.documents {
            documents::remove(self.db, self.agent_id, *document_id, 0)?;
        }
        if plan.is_whole {
            changes::raise_floor(self.db, self.agent_id)?;
            replies::bequeath(self.db, self.agent, self.agent_id)?;
            return wipe(self.db, self.agent_id);
        }
        plan.cuts.iter().try_for_each(|cut| self.cut(cut))?;
        let is_cut = |period: &&Period| plan.cuts.iter().any(|cut| cut.period == **period);
        plan.report
            .rebuilt
            .iter()
            .filter(|period| !is_cut(period))
            .try_for_each(|period| self.remove_summary(*period))?;
        for id in &plan.reworded {
            versions::forget(self.db, self.agent_id, id)?;
        }
        versions::remove(self.db, &plan.versions)?;
        batches::make_void(self.db, self.agent_id, plan.touched().as_ref())?;
        remove_requests(self.db, self.agent_id)
    }

    /// Stores hashes of the removed and the pruned turns, of the keys of other removed items, and of all accepted requests of
    /// the agent. Removes the rows of the pruned turns.
    fn remember(&self, plan: &ErasurePlan) -> Result<()> {
        let requests = idempotency::all(self.db, self.agent_id)?;
        if plan.hashed_turns.is_empty() && plan.pruned.is_empty() && plan.item_keys.is_empty() && requests.is_empty() {
            return Ok(());
        }
        let hashes = KeyedHashes::ready(self.db, self.agent)?;
        requests.iter().try_for_each(|request| hashes.remember_request(request))?;
        for hashed in &plan.hashed_turns {
            let content = hashes.content(&hashed.key.conversation, &hashed.content);
            hashes.forget(&hashed.key, content)?;
            hashes.forget(&hashed.key, hashed.sent.unwrap_or(content))?;
        }
        plan.item_keys.iter().try_for_each(|key| hashes.forget_item(key))?;
        for turn in &plan.pruned {
            hashes.forget_pruned(&turn.id, turn.content)?;
            pruned::lift(self.db, self.agent_id, &turn.id)?;
        }
        Ok(())
    }

    fn remove(&self, memory: &Removed) -> Result<()> {
        dead_letters::drop_all(self.db, self.agent_id, &memory.id)?;
        if memory.kind == Kind::Turn {
            memories::remove_turn(self.db, self.agent_id, &memory.id)?;
            self.mark_dirty(memory.day)
        } else {
            memories::remove_statement(self.db, self.agent_id, &memory.id).map(|_| ())
        }
    }

    fn remove_operations(&self, ids: &[String]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        ids.iter().try_for_each(|id| journal::remove(self.db, self.agent_id, id))?;
        journal::raise_version(self.db, self.agent_id)
    }

    fn cut(&self, cut: &Cut) -> Result<()> {
        let (db, agent_id, period) = (self.db, self.agent_id, cut.period);
        let id = MemoryId::summary(self.agent, period);
        let seq = changes::next_seq(db, agent_id)?;
        match &cut.present {
            Some(present) => {
                SummaryRow { db, agent_id, id: id.clone() }.reword(present, seq)?;
                versions::forget(db, agent_id, &id)?;
            }
            None => {
                memories::remove_summary(db, agent_id, &id, period.grain())?;
            }
        }
        match &cut.base {
            Some(base) => bases::set(db, agent_id, period, base, cut.base_seq)?,
            None => bases::lift(db, agent_id, period)?,
        }
        self.mark_dirty_with_parent(period)
    }

    fn remove_summary(&self, period: Period) -> Result<()> {
        let id = MemoryId::summary(self.agent, period);
        memories::remove_summary(self.db, self.agent_id, &id, period.grain())?;
        self.mark_dirty_with_parent(period)
    }

    fn mark_dirty_with_parent(&self, period: Period) -> Result<()> {
        [Some(period), period.parent()].into_iter().flatten().try_for_each(|period| self.mark_dirty(period))
    }

    fn mark_dirty(&self, period: Period) -> Result<()> {
        let seq = changes::last_seq(self.db, self.agent_id)?;
        ledger::mark_dirty(self.db, self.agent_id, period, seq, self.now)
    }
}

/// Removes saved replies, clients' idempotency keys, and the records of accepted messages, because their ids are
/// derived from the messages. Records of uploads stay, so that clients can still read them: their ids are not derived
/// from content. A record that counts no messages is that of an upload.
pub(super) fn remove_requests(db: &dyn Db, agent_id: i64) -> Result<()> {
    for sql in [
        "DELETE FROM reply WHERE agent_id = ?1",
        "DELETE FROM request WHERE agent_id = ?1",
        "DELETE FROM operation WHERE agent_id = ?1 AND accepted + duplicate + revised + forgotten > 0",
    ] {
        db.execute(sql, params![agent_id])?;
    }
    Ok(())
}

/// Returns the sentences of all summaries and all bases of the agent, each once, sorted.
pub(super) fn sentences(db: &dyn Db, agent_id: i64) -> Result<Vec<String>> {
    let sql =
        "SELECT sentences FROM summary WHERE agent_id = ?1 UNION ALL SELECT sentences FROM base WHERE agent_id = ?1";
    let of_rows: Vec<Vec<Sentence>> = db.query(Sql::Once(sql), params![agent_id], |row| json(row, "sentences"))?;
    let sentences: BTreeSet<String> = of_rows.into_iter().flatten().map(|sentence| sentence.text).collect();
    Ok(sentences.into_iter().collect())
}

/// Returns the period of every summary of the agent.
pub(super) fn periods(db: &dyn Db, agent_id: i64) -> Result<Vec<Period>> {
    db.query("SELECT period FROM summary WHERE agent_id = ?1", params![agent_id], |row| word(row, "period"))
}

/// Returns the number of the agent's dead letters.
pub(super) fn count_letters(db: &dyn Db, agent_id: i64) -> Result<u64> {
    db.query_one("SELECT count(*) AS n FROM dead_letter WHERE agent_id = ?1", params![agent_id], |row| number(row, "n"))
}

/// Removes every row of the agent from every table, then the agent.
pub(crate) fn wipe(db: &dyn Db, agent_id: i64) -> Result<()> {
    let tables = db.tables_of_agents()?;
    let names = tables.iter().map(|table| table.name.as_str());
    // The agent's row is deleted last, because the other rows refer to it.
    for name in names.filter(|name| *name != "agent").chain(["agent"]) {
        let sql = format!("DELETE FROM \"{name}\" WHERE agent_id = ?1");
        db.execute(Sql::Once(&sql), params![agent_id])?;
    }
    Ok(())
}
