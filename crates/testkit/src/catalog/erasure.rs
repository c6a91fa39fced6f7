//! Port `Erasure`: deletes the selected memories and everything derived from them. Hashes of the messages stay.
//!
//! A dry run is the same erasure on a copy.

mod erase;
mod erased_sentences;
mod pruned;
mod selection;
mod subject;
mod summaries;

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::{Erasure, ErasureReport, ItemKey, RequestKey, Target, Turn};
use annals_core::{Agent, Digest, MemoryId, Period, Result, Timestamp, TurnKey};
use async_trait::async_trait;

use super::MemoryCatalog;
use super::agent_data::AgentData;

#[async_trait]
impl Erasure for MemoryCatalog {
    async fn preview(&self, agent: &Agent, target: &Target) -> Result<ErasureReport> {
        self.read(agent, |data| data.clone().erase(agent, target, &mut 0, Timestamp::UNIX_EPOCH))
    }

    async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<ErasureReport> {
        let state = &mut *self.state();
        state.erasures += 1;
        let heir = matches!(target, Target::Agent).then(|| Agent::erased(agent.workspace())).transpose()?;
        heir.iter().for_each(|heir| state.bequeath(agent, heir.clone()));
        state.cleaning.insert(agent.clone(), state.erasures);
        let data = state.agents_data.entry(agent.clone()).or_default();
        let before = data.last_seq(state.floor);
        let mut seq = before;
        let periods = data.memories.iter().map(|(id, memory)| (id.clone(), memory.period)).collect();
        let report = data.erase(agent, target, &mut seq, now);
        let erased = erased_periods(target, &report, &periods);
        match target {
            Target::Agent => state.floor = state.floor.max(seq),
            _ if seq > before => data.seq = seq,
            _ => {}
        }
        if *target == Target::Agent {
            state.show(agent.clone().renamed(agent.key())?);
        }
        state.erase_from_batches(agent, heir.as_ref(), erased.as_ref());
        Ok(report)
    }

    async fn forgotten(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<Vec<bool>> {
        self.read(agent, |data| messages.iter().map(|(key, digest)| data.was_forgotten(agent, key, digest)).collect())
    }

    async fn unforget(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<()> {
        self.write(agent, |data, _| {
            for (key, digest) in messages {
                if data.was_forgotten(agent, key, digest) {
                    hashes(agent, key, digest).iter().for_each(|hash| {
                        data.forgotten.remove(hash);
                    });
                    data.gone.remove(&MemoryId::turn(agent, key));
                    // Otherwise it would count as pruned, and so as known already.
                    data.pruned.remove(&MemoryId::turn(agent, key));
                }
            }
        })
    }

    async fn forgotten_items(&self, agent: &Agent, items: &[ItemKey]) -> Result<Vec<bool>> {
        self.read(agent, |data| items.iter().map(|item_key| data.forgotten.contains(&item(item_key))).collect())
    }

    async fn unforget_items(&self, agent: &Agent, items: &[ItemKey]) -> Result<()> {
        self.write(agent, |data, _| {
            for item_key in items {
                data.forgotten.remove(&item(item_key));
            }
        })
    }

    async fn pending_cleanings(&self) -> Result<Vec<(Agent, u64)>> {
        let pending = &self.state().cleaning;
        let mut pending: Vec<_> = pending.iter().map(|(agent, erasure)| (agent.clone(), *erasure)).collect();
        pending.sort_by_key(|(_, erasure)| *erasure);
        Ok(pending)
    }

    async fn cleaned(&self, agent: &Agent, erasure: u64) -> Result<()> {
        self.state().cleaning.retain(|pending, last| pending != agent || *last > erasure);
        Ok(())
    }

    async fn scrub(&self) -> Result<()> {
        Ok(())
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        self.read(agent, |data| {
            let texts = erased_sentences::texts(data).into_iter();
            let held = texts.filter(|(_, text)| words.iter().any(|word| text.contains(word.as_str())));
            held.map(|(key_digest, _)| key_digest.to_owned()).collect::<BTreeSet<_>>().into_iter().collect()
        })
    }

    async fn unused_space_contains(&self, _: &[String]) -> Result<bool> {
        Ok(false)
    }
}

impl AgentData {
    /// Returns whether this message was forgotten.
    pub(super) fn has_forgotten(&self, agent: &Agent, turn: &Turn) -> bool {
        self.was_forgotten(agent, &turn.key, &turn.message.digest())
    }

    pub(super) fn was_forgotten(&self, agent: &Agent, key: &TurnKey, digest: &Digest) -> bool {
        hashes(agent, key, digest).iter().any(|hash| self.forgotten.contains(hash))
    }
}

/// Returns the periods of everything that was erased. `None` if they are not known for certain.
fn erased_periods(
    target: &Target,
    report: &ErasureReport,
    periods: &BTreeMap<MemoryId, Period>,
) -> Option<BTreeSet<Period>> {
    if !matches!(target, Target::Memories(_)) || !report.pruned.is_empty() {
        return None;
    }
    let memories = report.turns.iter().chain(&report.statements).filter_map(|id| periods.get(id));
    Some(memories.chain(&report.rebuilt).chain(&report.cut).chain(&report.lost).copied().collect())
}

/// Returns the hashes that are kept of a forgotten message: of its id, and of its content with its conversation.
fn hashes(agent: &Agent, key: &TurnKey, digest: &Digest) -> [Digest; 2] {
    [key_digest(&MemoryId::turn(agent, key)), content(&key.conversation, digest)]
}

fn key_digest(id: &MemoryId) -> Digest {
    Digest::of(["place", id.as_str()])
}

/// Returns the hash that is kept of an accepted request with an idempotency key.
pub(super) fn request(request: &RequestKey) -> Digest {
    Digest::of([b"request".as_slice(), &request.key.0, &request.body.0])
}

fn item(item: &ItemKey) -> Digest {
    Digest::of(["item"].into_iter().chain(item.words()))
}

fn content(conversation: &str, digest: &Digest) -> Digest {
    Digest::of([b"content".as_slice(), conversation.as_bytes(), &digest.0])
}
