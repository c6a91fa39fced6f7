//! Carries out the plan of an erasure, in the same transaction as the queries that made it.

use annals_core::{Agent, Kind, MemoryId, Period, Timestamp};

use super::Plan;
use super::plan::Removed;
use super::summaries::Cut;
use super::wipe;
use crate::db::Db;
use crate::failure::Result;
use crate::forgotten::KeyedHashes;
use crate::summaries::Place;
use crate::{bases, blocks, dead_letters, ledger, log, pruned, remove, sequence, versions};

impl Plan {
    /// Removes and rewrites everything in the plan.
    pub(super) fn carry_out(&self, db: &dyn Db, agent: &Agent, now: Timestamp) -> Result<()> {
        Erasing { db, agent, agent_id: self.agent_id, now }.all(self)
    }
}

/// An erasure in progress.
struct Erasing<'a> {
    db: &'a dyn Db,
    agent: &'a Agent,
    agent_id: i64,
    now: Timestamp,
}

impl Erasing<'_> {
    fn all(&self, plan: &Plan) -> Result<()> {
        self.remember(plan)?;
        plan.memories.iter().try_for_each(|memory| self.remove(memory))?;
        self.remove_operations(&plan.report.operations)?;
        for name in &plan.report.blocks {
            blocks::remove_of(self.db, self.agent_id, name)?;
        }
        if plan.is_whole {
            return wipe::agent(self.db, self.agent_id);
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
        wipe::requests(self.db, self.agent_id)
    }

    /// Stores hashes of the turns, and removes the rows of the pruned ones.
    fn remember(&self, plan: &Plan) -> Result<()> {
        if plan.traces.is_empty() && plan.pruned.is_empty() {
            return Ok(());
        }
        let hashes = KeyedHashes::ready(self.db, self.agent)?;
        for trace in &plan.traces {
            let content = hashes.content(&trace.key.conversation, &trace.content);
            hashes.forget(&trace.key, content)?;
            hashes.forget(&trace.key, trace.sent.unwrap_or(content))?;
        }
        for turn in &plan.pruned {
            hashes.forget_pruned(&turn.id, turn.content)?;
            pruned::lift(self.db, self.agent_id, &turn.id)?;
        }
        Ok(())
    }

    fn remove(&self, memory: &Removed) -> Result<()> {
        dead_letters::drop_all(self.db, self.agent_id, &memory.id)?;
        if memory.kind == Kind::Turn {
            remove::turn(self.db, self.agent_id, &memory.id)?;
            self.mark_dirty(memory.day)
        } else {
            remove::statement(self.db, self.agent_id, &memory.id).map(|_| ())
        }
    }

    fn remove_operations(&self, ids: &[String]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        ids.iter().try_for_each(|id| log::remove(self.db, self.agent_id, id))?;
        log::raise_version(self.db, self.agent_id)
    }

    fn cut(&self, cut: &Cut) -> Result<()> {
        let (db, agent_id, period) = (self.db, self.agent_id, cut.period);
        let id = MemoryId::summary(self.agent, period);
        let seq = sequence::next(db)?;
        match &cut.present {
            Some(present) => {
                Place { db, agent_id, id: id.clone() }.reword(present, seq)?;
                versions::forget(db, agent_id, &id)?;
            }
            None => {
                remove::summary(db, agent_id, &id, period.grain())?;
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
        remove::summary(self.db, self.agent_id, &id, period.grain())?;
        self.mark_dirty_with_parent(period)
    }

    fn mark_dirty_with_parent(&self, period: Period) -> Result<()> {
        [Some(period), period.parent()].into_iter().flatten().try_for_each(|period| self.mark_dirty(period))
    }

    fn mark_dirty(&self, period: Period) -> Result<()> {
        let seq = sequence::last(self.db)?;
        ledger::mark_dirty(self.db, self.agent_id, period, seq, self.now)
    }
}
