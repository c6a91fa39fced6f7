//! Port `Erasure`: what is to be forgotten goes, with all that was made of it; hashes of the messages stay.
//!
//! The dry run is the erasure itself, on a copy.

mod aim;
mod erase;
mod subject;
mod summaries;
mod words;

use std::collections::BTreeSet;

use annals_core::ports::{Erasure, Reach, Target, Turn};
use annals_core::{Agent, Digest, MemoryId, Result, Timestamp, TurnKey};
use async_trait::async_trait;

use super::MemoryCatalog;
use super::shelf::Shelf;

#[async_trait]
impl Erasure for MemoryCatalog {
    async fn reach(&self, agent: &Agent, target: &Target) -> Result<Reach> {
        self.read(agent, |shelf| shelf.clone().erase(agent, target, &mut 0, Timestamp::UNIX_EPOCH))
    }

    async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<Reach> {
        let state = &mut *self.state();
        state.erasures += 1;
        state.cleaning.insert(agent.clone(), state.erasures);
        let shelf = state.shelves.entry(agent.clone()).or_default();
        Ok(shelf.erase(agent, target, &mut state.seq, now))
    }

    async fn forgotten(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<Vec<bool>> {
        self.read(agent, |shelf| messages.iter().map(|(key, digest)| shelf.knows_trace(key, digest)).collect())
    }

    async fn unforget(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<()> {
        self.write(agent, |shelf, _| {
            for (key, digest) in messages {
                if shelf.knows_trace(key, digest) {
                    traces(key, digest).iter().for_each(|trace| {
                        shelf.forgotten.remove(trace);
                    });
                    // Else it would count as pruned, and be known already.
                    shelf.gone.remove(&MemoryId::turn(agent, key));
                }
            }
        })
    }

    async fn cleaning_owed(&self) -> Result<Vec<(Agent, u64)>> {
        let owed = &self.state().cleaning;
        let mut owed: Vec<_> = owed.iter().map(|(agent, erasure)| (agent.clone(), *erasure)).collect();
        owed.sort_by_key(|(_, erasure)| *erasure);
        Ok(owed)
    }

    async fn cleaned(&self, agent: &Agent, erasure: u64) -> Result<()> {
        self.state().cleaning.retain(|owed, last| owed != agent || *last > erasure);
        Ok(())
    }

    async fn scrub(&self) -> Result<()> {
        Ok(())
    }

    async fn holds(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        self.read(agent, |shelf| {
            let places = words::places(shelf).into_iter();
            let held = places.filter(|(_, text)| words.iter().any(|word| text.contains(word.as_str())));
            held.map(|(place, _)| place.to_owned()).collect::<BTreeSet<_>>().into_iter().collect()
        })
    }

    async fn unused_space_holds(&self, _: &[String]) -> Result<bool> {
        Ok(false)
    }
}

impl Shelf {
    /// Whether this message was forgotten.
    pub(super) fn has_forgotten(&self, turn: &Turn) -> bool {
        self.knows_trace(&turn.key, &turn.message.digest())
    }

    fn knows_trace(&self, key: &TurnKey, digest: &Digest) -> bool {
        traces(key, digest).iter().any(|trace| self.forgotten.contains(trace))
    }
}

/// What is kept of a forgotten message: hashes of its place, and of its content in its conversation.
fn traces(key: &TurnKey, digest: &Digest) -> [Digest; 2] {
    let place = Digest::of(["place", &key.conversation, &key.id]);
    [place, Digest::of([b"content".as_slice(), key.conversation.as_bytes(), &digest.0])]
}
