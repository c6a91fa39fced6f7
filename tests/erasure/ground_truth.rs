//! What each agent may still hold, recorded independently of the product from the messages and erasures of a history.

use std::collections::BTreeSet;

use annals_core::ports::Target;
use annals_core::{MemoryId, Message, Timestamp};

/// The subject of the erasures by subject. Some texts of each history name it.
pub const SUBJECT: &str = "Zelda Quist";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Live,
    Pruned,
    /// An erasure removed the turn, and its report named the turn.
    Forgotten,
    /// The turn was pruned before an erasure that selects it. The report did not name it, because no trace of it was left.
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
    /// The message as the client last sent it.
    pub message: Message,
    /// The present text, which a person may have corrected.
    pub text: String,
    /// Words that identify the texts of the turn, former ones included.
    pub words: BTreeSet<String>,
    pub state: State,
    /// JSON that is stored with the turn.
    pub attachment: Option<String>,
}

impl Turn {
    /// Returns whether an erasure by subject can find out that the turn names the subject. The attachment of a pruned turn is
    /// gone, and no summary repeats it.
    fn names_subject(&self) -> bool {
        let attachment = self.attachment.as_ref().filter(|_| self.state == State::Live);
        self.text.contains(SUBJECT) || attachment.is_some_and(|json| json.contains(SUBJECT))
    }
}

/// A fact, block or document that a person wrote.
#[derive(Clone, Debug)]
pub struct Entry {
    pub agent: usize,
    pub stored_as: StoredAs,
    pub at: Timestamp,
    pub words: BTreeSet<String>,
    pub state: EntryState,
    /// The time from which the document may be removed, if it has a lifetime.
    pub expires_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryState {
    Live,
    /// Replaced, removed or expired: its words may be on disk until the agent forgets anything.
    Superseded,
    Forgotten,
}

/// How an entry is stored.
#[derive(Clone, Debug)]
pub enum StoredAs {
    /// Source id of the operation.
    Fact(MemoryId),
    /// Name of the block.
    Block(String),
    /// The document, as collection/key, and the ids of its passages.
    Document(String, Vec<MemoryId>),
}

/// Turns and entries of all agents.
#[derive(Debug, Default)]
pub struct GroundTruth {
    pub turns: Vec<Turn>,
    pub entries: Vec<Entry>,
}

impl GroundTruth {
    /// Returns the indices of an agent's turns in a state.
    pub fn of(&self, agent: usize, state: State) -> Vec<usize> {
        let turns = self.turns.iter().enumerate();
        turns.filter(|(_, turn)| turn.agent == agent && turn.state == state).map(|(index, _)| index).collect()
    }

    /// Returns the indices of the turns in a state that a target selects.
    pub fn meant(&self, agent: usize, target: &Target, state: State) -> Vec<usize> {
        let mut turns = self.of(agent, state);
        turns.retain(|index| {
            let turn = &self.turns[*index];
            match target {
                Target::Memories(ids) => ids.contains(&turn.id),
                Target::Conversation(name) => turn.message.conversation == *name,
                Target::Subject(_) => turn.names_subject(),
                Target::Range(range) => range.contains(turn.message.at),
                Target::Agent => true,
            }
        });
        turns
    }

    /// Returns the indices of the live entries that a target selects.
    pub fn meant_entries(&self, agent: usize, target: &Target) -> Vec<usize> {
        let entries = self.entries.iter().enumerate();
        let entries = entries.filter(|(_, entry)| entry.agent == agent && entry.state == EntryState::Live);
        let is_meant = |entry: &Entry| match (target, &entry.stored_as) {
            (Target::Agent, _) => true,
            (Target::Subject(_), _) => entry.words.contains(SUBJECT),
            (Target::Range(range), StoredAs::Fact(_) | StoredAs::Document(..)) => range.contains(entry.at),
            (Target::Memories(ids), StoredAs::Document(_, passages)) => passages.iter().any(|id| ids.contains(id)),
            (Target::Memories(ids), StoredAs::Fact(id)) => ids.contains(id),
            _ => false,
        };
        entries.filter(|(_, entry)| is_meant(entry)).map(|(index, _)| index).collect()
    }

    /// Returns the words that the agent must not hold any more, and those words among them that no other agent holds.
    pub fn gone(&self, agent: usize) -> (BTreeSet<String>, BTreeSet<String>) {
        let turns = self.turns.iter().map(|turn| (turn.agent, turn.state.may_be_held(), &turn.words));
        let entries =
            self.entries.iter().map(|entry| (entry.agent, entry.state != EntryState::Forgotten, &entry.words));
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
