//! Port `Seals`: pruning, sealing, pins, and the clock.

use std::collections::BTreeSet;

use annals_core::ports::{Children, ClockNote, Seals};
use annals_core::{Agent, Base, Error, Kind, Memory, MemoryId, ObjectKind, Period, Result};
use async_trait::async_trait;

use super::MemoryCatalog;
use super::agent_data::{AgentData, Pruned};

#[async_trait]
impl Seals for MemoryCatalog {
    async fn children(&self, agent: &Agent) -> Result<Vec<Children>> {
        self.read(agent, |data| {
            let parents: BTreeSet<_> = data.memories.values().filter_map(parent).collect();
            parents.into_iter().filter_map(|(yearly, parent)| data.children(parent, yearly)).collect()
        })
    }

    async fn seal(&self, agent: &Agent, looked_at: &Children, clean_seq: u64) -> Result<()> {
        self.write(agent, |data, seq| {
            let parent = looked_at.parent;
            let row = data.ledger.get(&parent).filter(|row| row.clean_seq == clean_seq && !row.is_dirty());
            let base = data.summary(agent, parent).map(|summary| data.as_base(summary));
            let same = data.children(parent, looked_at.yearly).as_ref() == Some(looked_at);
            let (Some(_), Some(base), true) = (row, base, same) else {
                return Err(Error::Stale { what: format!("period {parent}") });
            };
            for child in data.members(parent, looked_at.yearly) {
                data.prune(&child, seq);
            }
            if !looked_at.yearly {
                data.seal(parent, Some(base));
                data.base_seqs.insert(parent, clean_seq);
            }
            Ok(())
        })?
    }

    async fn base(&self, agent: &Agent, period: Period) -> Result<Option<Base>> {
        self.read(agent, |data| data.bases.get(&period).cloned())
    }

    async fn pin(&self, agent: &Agent, id: &MemoryId, pinned: bool) -> Result<()> {
        self.write(agent, |data, _| match data.memories.get_mut(id) {
            Some(memory) if memory.kind() != Kind::Passage => {
                memory.pinned = pinned;
                Ok(())
            }
            _ => Err(Error::NotFound { what: ObjectKind::Memory, name: id.to_string() }),
        })?
    }

    async fn clock(&self) -> Result<Option<ClockNote>> {
        Ok(self.state().clock)
    }

    async fn save_clock(&self, note: ClockNote) -> Result<()> {
        self.state().clock = Some(note);
        Ok(())
    }
}

impl AgentData {
    /// Returns the memories that a period is made of, in order. With `yearly`, returns the yearly summary itself.
    fn members(&self, parent: Period, yearly: bool) -> Vec<Memory> {
        self.select(|memory| match memory.kind() {
            Kind::Passage => false,
            Kind::Statement if is_entered(memory) => false,
            Kind::Turn | Kind::Statement => memory.period == parent,
            Kind::Summary if yearly => memory.period == parent,
            Kind::Summary => memory.period.parent() == Some(parent),
        })
    }

    fn children(&self, parent: Period, yearly: bool) -> Option<Children> {
        let members = self.members(parent, yearly);
        let turns = members.iter().filter(|memory| memory.kind() == Kind::Turn);
        Some(Children {
            parent,
            yearly,
            rows: members.len() as u64,
            bytes: members.iter().map(|memory| memory.text.len() as u64).sum(),
            last_day: members.iter().map(|memory| memory.days.1).max()?,
            pinned: members.iter().any(|memory| memory.pinned),
            last_turn: turns.map(|turn| turn.seq).max().unwrap_or_default(),
        })
    }

    pub(super) fn as_base(&self, summary: &Memory) -> Base {
        Base {
            text: summary.text.clone(),
            sentences: summary.sentences().to_vec(),
            sources: summary.sources().to_vec(),
            verbatim: self.verbatim.contains(&summary.period),
        }
    }

    /// Deletes a memory because its parent was sealed, or because it is an old yearly summary. Keeps no text of it.
    fn prune(&mut self, memory: &Memory, seq: &mut u64) {
        let kept = self.as_sent(&memory.id).map(|sent| Pruned {
            arrived: self.arrived.get(&memory.id).copied(),
            day: Some(memory.period),
            at: Some(memory.at()),
            conversation: Some(sent.conversation.clone()),
            speaker: Some(sent.speaker().to_owned()),
            content: Some(sent.digest()),
        });
        self.delete(&memory.id, seq);
        self.pruned.extend(kept.map(|kept| (memory.id.clone(), kept)));
        self.letters.retain(|(id, _), _| *id != memory.id);
        if memory.kind() == Kind::Summary {
            self.seal(memory.period, None);
        }
    }

    /// Sets or removes the base of a period. A period is sealed as long as it has a base.
    pub(super) fn seal(&mut self, period: Period, base: Option<Base>) {
        if let Some(row) = self.ledger.get_mut(&period) {
            row.sealed = base.is_some();
        }
        match base {
            Some(base) => self.bases.insert(period, base),
            None => {
                self.base_seqs.remove(&period);
                self.bases.remove(&period)
            }
        };
    }
}

/// Returns whether a memory is a statement that was entered, not extracted. No turn and no summary covers such a statement.
fn is_entered(memory: &Memory) -> bool {
    memory.kind() == Kind::Statement && memory.sources().iter().any(MemoryId::is_entry)
}

/// Returns the period into which a memory is rolled up; for a yearly summary, its own period. The flag marks yearly summaries
/// and sorts them last. Returns `None` for passages and entered statements, which are not rolled up.
fn parent(memory: &Memory) -> Option<(bool, Period)> {
    match memory.kind() {
        Kind::Passage => None,
        Kind::Statement if is_entered(memory) => None,
        Kind::Turn | Kind::Statement => Some((false, memory.period)),
        Kind::Summary => Some(memory.period.parent().map_or((true, memory.period), |parent| (false, parent))),
    }
}
