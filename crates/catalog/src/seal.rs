//! Prunes everything a period is made of and seals the period, if it is unchanged since retention read it.

use annals_core::ports::Children;
use annals_core::{Agent, Error, Grain, MemoryId, Period};

use crate::columns::{grain_number, signed};
use crate::db::{Db, params};
use crate::failure::Result;
use crate::forgotten::KeyedHashes;
use crate::pruned::Pruned;
use crate::{agents, bases, children, dead_letters, inputs, memories, remove, statements, turns};

pub(crate) const IS_CLEAN: &str = include_str!("sql/is_clean.sql");
pub(crate) const STATEMENTS: &str =
    concat!(include_str!("sql/statement.sql"), "INDEXED BY statement_by_day WHERE agent_id = ?1 AND day = ?2");

/// Prunes the children and makes the present summary the base. With `yearly` the summary itself is pruned and nothing
/// is sealed.
pub(crate) fn seal(db: &dyn Db, agent: &Agent, looked_at: &Children, clean_seq: u64) -> Result<()> {
    let (agent_id, parent) = (agents::known(db, agent)?, looked_at.parent);
    let present = bases::present(db, agent_id, &MemoryId::summary(agent, parent))?;
    let same = children::of(db, agent_id, parent, looked_at.yearly)?.as_ref() == Some(looked_at);
    let (Some(base), true, true) = (present, same, is_clean(db, agent_id, parent, clean_seq)?) else {
        return Err(Error::Stale { what: format!("period {parent}") }.into());
    };
    let pruning = Pruning { db, agent, agent_id };
    if children::extent(parent, looked_at.yearly).0 == Grain::Working {
        pruning.day(parent)?;
    } else {
        pruning.summaries(looked_at)?;
    }
    if looked_at.yearly { Ok(()) } else { bases::set(db, agent_id, parent, &base, Some(signed(clean_seq))) }
}

fn is_clean(db: &dyn Db, agent_id: i64, period: Period, clean_seq: u64) -> Result<bool> {
    let place = params![agent_id, grain_number(period.grain()), period.to_string(), signed(clean_seq)];
    db.exists(IS_CLEAN, place)
}

/// Prunes memories with all data that depends on them.
struct Pruning<'c> {
    db: &'c dyn Db,
    agent: &'c Agent,
    agent_id: i64,
}

impl Pruning<'_> {
    /// Prunes the turns and statements of a day, in order of time.
    fn day(&self, day: Period) -> Result<()> {
        let hashes = KeyedHashes::ready(self.db, self.agent)?;
        let place = params![self.agent_id, day.to_string()];
        let turns = turns::find(self.db, inputs::TURNS, place)?;
        for stored in &turns {
            Pruned::of(stored, &hashes).save(self.db, self.agent_id)?;
        }
        let mut members: Vec<_> = turns.into_iter().map(turns::Stored::remember).collect();
        members.append(&mut statements::memories(self.db, STATEMENTS, place)?);
        members.sort_by(memories::in_order);
        for memory in members {
            dead_letters::drop_all(self.db, self.agent_id, &memory.id)?;
            match memory.kind() {
                annals_core::Kind::Turn => remove::turn(self.db, self.agent_id, &memory.id)?,
                _ => remove::statement(self.db, self.agent_id, &memory.id)?,
            };
        }
        Ok(())
    }

    fn summaries(&self, looked_at: &Children) -> Result<()> {
        let (grain, first, last) = children::extent(looked_at.parent, looked_at.yearly);
        let place = params![self.agent_id, grain_number(grain), first.to_string(), last.to_string()];
        for summary in memories::summaries(self.db, inputs::CHILDREN, place)? {
            dead_letters::drop_all(self.db, self.agent_id, &summary.id)?;
            bases::lift(self.db, self.agent_id, summary.period)?;
            remove::summary(self.db, self.agent_id, &summary.id, summary.grain)?;
        }
        Ok(())
    }
}
