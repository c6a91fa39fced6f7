//! What each agent may still remember: kept beside the product, from what was said and what was forgotten.

use std::collections::BTreeSet;

use annals_core::ports::Target;
use annals_core::{MemoryId, Message, Timestamp};

/// The entity that is forgotten by name.
pub const SUBJECT: &str = "Zelda Quist";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Live,
    Pruned,
    /// The report named it.
    Forgotten,
    /// Pruned and not named by the report of a forgetting that reached all that was left of it.
    Vanished,
}

impl State {
    fn may_be_held(self) -> bool {
        matches!(self, State::Live | State::Pruned)
    }
}

/// A message of an agent.
#[derive(Clone, Debug)]
pub struct Turn {
    pub agent: usize,
    pub id: MemoryId,
    /// As the client sent it last.
    pub message: Message,
    /// As it reads now: a person may have corrected it.
    pub text: String,
    /// Words by which its texts, the former ones too, can be recognised.
    pub words: BTreeSet<String>,
    pub state: State,
}

/// A fact or a block that a person wrote.
#[derive(Clone, Debug)]
pub struct Entry {
    pub agent: usize,
    pub place: Place,
    pub at: Timestamp,
    pub words: BTreeSet<String>,
    pub is_forgotten: bool,
}

/// Where an entry is kept.
#[derive(Clone, Debug)]
pub enum Place {
    /// By the source of its operation.
    Fact(MemoryId),
    /// By its name.
    Block(String),
}

/// All agents' turns and entries.
#[derive(Debug, Default)]
pub struct GroundTruth {
    pub turns: Vec<Turn>,
    pub entries: Vec<Entry>,
}

impl GroundTruth {
    /// The places of an agent's turns of a state.
    pub fn of(&self, agent: usize, state: State) -> Vec<usize> {
        let turns = self.turns.iter().enumerate();
        turns.filter(|(_, turn)| turn.agent == agent && turn.state == state).map(|(index, _)| index).collect()
    }

    /// Turns that a target means.
    pub fn meant(&self, agent: usize, target: &Target, state: State) -> Vec<usize> {
        let mut turns = self.of(agent, state);
        turns.retain(|index| {
            let turn = &self.turns[*index];
            match target {
                Target::Memories(ids) => ids.contains(&turn.id),
                Target::Conversation(name) => turn.message.conversation == *name,
                Target::Subject(_) => turn.text.contains(SUBJECT),
                Target::Range(range) => range.contains(turn.message.at),
                Target::Agent => true,
            }
        });
        turns
    }

    /// Entries that a target means and that are still there.
    pub fn meant_entries(&self, agent: usize, target: &Target) -> Vec<usize> {
        let entries = self.entries.iter().enumerate();
        let entries = entries.filter(|(_, entry)| entry.agent == agent && !entry.is_forgotten);
        let is_meant = |entry: &Entry| match (target, &entry.place) {
            (Target::Agent, _) => true,
            (Target::Subject(_), _) => entry.words.contains(SUBJECT),
            (Target::Range(range), Place::Fact(_)) => range.contains(entry.at),
            (Target::Memories(ids), Place::Fact(id)) => ids.contains(id),
            _ => false,
        };
        entries.filter(|(_, entry)| is_meant(entry)).map(|(index, _)| index).collect()
    }

    /// The words that an agent may not have any more, and those of them that no other agent has.
    pub fn gone(&self, agent: usize) -> (BTreeSet<String>, BTreeSet<String>) {
        let turns = self.turns.iter().map(|turn| (turn.agent, turn.state.may_be_held(), &turn.words));
        let entries = self.entries.iter().map(|entry| (entry.agent, !entry.is_forgotten, &entry.words));
        let all: Vec<_> = turns.chain(entries).collect();
        let words = |which: &dyn Fn(usize, bool) -> bool| {
            let chosen = all.iter().filter(|(of, is_held, _)| which(*of, *is_held));
            chosen.flat_map(|(_, _, words)| (*words).clone()).collect::<BTreeSet<_>>()
        };
        let forgotten = words(&|of, is_held| of == agent && !is_held);
        let own = words(&|of, is_held| of == agent && is_held);
        let others = words(&|of, is_held| of != agent && is_held);
        let gone: BTreeSet<String> = forgotten.difference(&own).cloned().collect();
        let nowhere = gone.difference(&others).cloned().collect();
        (gone, nowhere)
    }
}
