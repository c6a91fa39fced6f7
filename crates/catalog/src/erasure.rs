//! Forgetting: what a target reaches goes, with all that was made of it, and keyed hashes of the messages stay.
//!
//! The dry run is the erasure itself, undone: what is told before and what happens after cannot differ.

mod aim;
mod holds;
mod subject;
mod summaries;
mod wipe;
mod words;

use std::collections::BTreeSet;

use annals_core::ports::{Block, Reach, Target};
use annals_core::{Agent, FactOperation, Kind, Memory, Period, Timestamp};
use rusqlite::Connection;

use crate::failure::Result;
use crate::forgotten::KeyedHashes;
use crate::pruned::Pruned;
use crate::turns::Stored;
use crate::{agents, blocks, cleaning, dead_letters, ledger, log, memories, pruned, remove, sequence};
use aim::Aim;
#[cfg(test)]
pub(crate) use aim::{OF_CONVERSATION, WITHIN};
pub(crate) use holds::{phrases, tables};

/// What [`erase`] would reach now.
pub(crate) fn reach(connection: &Connection, agent: &Agent, target: &Target) -> Result<Reach> {
    connection.execute_batch("SAVEPOINT reach")?;
    // The moment shows nowhere.
    let reach = erase(connection, agent, target, Timestamp::UNIX_EPOCH);
    connection.execute_batch("ROLLBACK TO reach; RELEASE reach")?;
    reach
}

/// Erases.
pub(crate) fn erase(connection: &Connection, agent: &Agent, target: &Target, now: Timestamp) -> Result<Reach> {
    let agent_id = agents::known(connection, agent)?;
    let aim = Aim::new(connection, agent, agent_id, target)?;
    cleaning::owe(connection, agent)?;
    let erasing = Erasing { connection, agent, agent_id, aim, now, reach: Reach::default() };
    if *target == Target::Agent { erasing.everything() } else { erasing.part() }
}

/// An erasure under way.
struct Erasing<'c> {
    connection: &'c Connection,
    agent: &'c Agent,
    agent_id: i64,
    aim: Aim,
    now: Timestamp,
    reach: Reach,
}

/// What goes by itself, as it was.
struct Gone {
    memories: Vec<Memory>,
    pruned: Vec<Pruned>,
    operations: Vec<FactOperation>,
    blocks: Vec<Block>,
}

impl Erasing<'_> {
    fn part(mut self) -> Result<Reach> {
        let gone = self.take()?;
        let mut touched = self.cut_sealed()?;
        touched.extend(gone.memories.iter().filter(|memory| memory.kind == Kind::Turn).map(|turn| turn.period));
        self.remove_made_of(touched)?;
        self.drop_versions(&gone)?;
        wipe::requests(self.connection, self.agent_id)?;
        self.finish(&gone)
    }

    fn everything(mut self) -> Result<Reach> {
        let gone = self.take()?;
        self.reach.sealed_sentences = wipe::sentences(self.connection, self.agent_id)?;
        self.reach.lost = wipe::summaries(self.connection, self.agent_id)?;
        self.reach.letters += wipe::letters(self.connection, self.agent_id)?;
        wipe::agent(self.connection, self.agent_id)?;
        self.finish(&gone)
    }

    /// Removes the turns, statements and operations, with their letters, and remembers which messages they were.
    fn take(&mut self) -> Result<Gone> {
        let (turns, statements) = (std::mem::take(&mut self.aim.turns), self.aim.statements(self.connection)?);
        let pruned = std::mem::take(&mut self.aim.pruned);
        self.remember(&turns, &pruned)?;
        let turns = turns.into_iter().map(Stored::remember);
        let mut memories: Vec<Memory> = turns.chain(statements).collect();
        memories.sort_by(memories::in_order);
        for memory in &memories {
            self.remove(memory)?;
        }
        let operations = self.aim.operations(self.connection)?;
        for operation in &operations {
            log::remove(self.connection, self.agent_id, &operation.id)?;
            self.reach.operations.push(operation.id.clone());
        }
        if !operations.is_empty() {
            log::raise_version(self.connection, self.agent_id)?;
        }
        let blocks = self.take_blocks()?;
        Ok(Gone { memories, pruned, operations, blocks })
    }

    /// Keeps hashes of the turns, and of those that were pruned no more than these.
    fn remember(&mut self, turns: &[Stored], pruned: &[Pruned]) -> Result<()> {
        if turns.is_empty() && pruned.is_empty() {
            return Ok(());
        }
        let hashes = KeyedHashes::ready(self.connection, self.agent)?;
        for stored in turns {
            hashes.forget(&stored.turn.key, hashes.content_of(&stored.as_sent()))?;
            hashes.forget(&stored.turn.key, stored.sent_content(&hashes))?;
        }
        for turn in pruned {
            hashes.forget_pruned(&turn.id, turn.content)?;
            pruned::lift(self.connection, self.agent_id, &turn.id)?;
            self.reach.pruned.push(turn.id.clone());
        }
        Ok(())
    }

    fn take_blocks(&mut self) -> Result<Vec<Block>> {
        let mut gone = blocks::of(self.connection, self.agent_id)?;
        gone.retain(|block| self.aim.takes_block(block));
        for block in &gone {
            blocks::remove_of(self.connection, self.agent_id, &block.name)?;
            self.reach.blocks.push(block.name.clone());
        }
        Ok(gone)
    }

    fn remove(&mut self, memory: &Memory) -> Result<()> {
        self.reach.letters += dead_letters::drop_all(self.connection, self.agent_id, &memory.id)?;
        if memory.kind == Kind::Turn {
            self.reach.turns.push(memory.id.clone());
            remove::turn(self.connection, self.agent_id, &memory.id)?;
            self.soil(memory.period)
        } else {
            self.reach.statements.push(memory.id.clone());
            remove::statement(self.connection, self.agent_id, &memory.id).map(|_| ())
        }
    }

    /// Makes a period dirty.
    fn soil(&self, period: Period) -> Result<()> {
        let seq = sequence::last(self.connection)?;
        ledger::mark_dirty(self.connection, self.agent_id, period, seq, self.now)
    }

    fn finish(mut self, gone: &Gone) -> Result<Reach> {
        self.reach.words = words::gone(self.connection, self.agent_id, gone)?;
        let (unresolved, periods) = std::mem::take(&mut self.aim.unresolved);
        self.reach.unresolved = unresolved;
        let done: BTreeSet<_> = self.reach.cut.iter().chain(&self.reach.lost).copied().collect();
        // What went altogether holds nothing any more.
        self.reach.unresolved_in = periods.difference(&done).copied().collect();
        if self.aim.has_subject() {
            self.reach.unread = self.aim.kept;
            self.reach.unfollowed = self.aim.subject.unfollowed.iter().cloned().collect();
        }
        for periods in [&mut self.reach.rebuilt, &mut self.reach.cut, &mut self.reach.lost] {
            periods.sort();
        }
        self.reach.sealed_sentences.sort();
        self.reach.sealed_sentences.dedup();
        Ok(self.reach)
    }
}
