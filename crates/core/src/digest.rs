//! Content hashes and memory ids. Ids derive from content and from the place in memory (conversation, period, document), never
//! from a random number. Storing the same content twice yields the same ids, so writes can be upserts. Only the id of a fact that
//! a person entered depends on the time of the entry too.

use std::fmt;

use data_encoding::{BASE32_NOPAD, HEXLOWER};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::ports::DocumentKey;
use crate::{Agent, Period, Timestamp, TurnKey};

/// SHA-256 over a list of parts. The length of each part is hashed before the part, so `["ab", "c"]` and `["a", "bc"]`
/// differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Returns the digest of the parts, in order.
    pub fn of<I: IntoIterator<Item = P>, P: AsRef<[u8]>>(parts: I) -> Digest {
        let mut hash = Sha256::new();
        for part in parts {
            let part = part.as_ref();
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Digest(hash.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Id of a memory or an entry, as in `t-4x…`: a letter for the kind, a hyphen and 26 characters of a hash. The letters are
/// `t` for a turn, `s` for a summary, `f` for a statement, `p` for a passage and `u` for an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryId(String);

impl MemoryId {
    /// Returns the id of a turn, derived from its conversation and from its id within the conversation.
    pub fn turn(agent: &Agent, key: &TurnKey) -> MemoryId {
        MemoryId::derive('t', agent, [key.conversation.as_str(), key.id.as_str()])
    }

    /// Returns the id of a summary, derived from its period. A rebuilt summary keeps its id.
    pub fn summary(agent: &Agent, period: Period) -> MemoryId {
        MemoryId::derive('s', agent, [period.grain().as_str(), &period.to_string()])
    }

    /// Returns the id of a statement, derived from its first source and its original text.
    pub fn statement(agent: &Agent, source: &MemoryId, text: &str) -> MemoryId {
        MemoryId::derive('f', agent, [source.as_str(), text])
    }

    /// Returns the id of a passage, derived from its document and its number within the document. A rewritten passage keeps
    /// its id.
    pub fn passage(agent: &Agent, document: &DocumentKey, ordinal: u32) -> MemoryId {
        let key = format!("{}\0{}", document.collection, document.key);
        MemoryId::derive('p', agent, [&key, &ordinal.to_string()])
    }

    /// Returns the id of an entry by a person, derived from the words and the time of the entry. The fact operation made from
    /// the entry has this id as its source.
    pub fn entry(agent: &Agent, words: &str, at: Timestamp) -> MemoryId {
        MemoryId::derive('u', agent, [words, &at.as_microsecond().to_string()])
    }

    /// Returns the id of an imported entry, derived from an id that is the same in every import. The statement or fact operation
    /// made from the entry has this id as its source.
    pub fn imported(agent: &Agent, id: &str) -> MemoryId {
        MemoryId::entry(agent, &["import", id].join("\0"), Timestamp::UNIX_EPOCH)
    }

    /// Returns the id of the statement that was made from an entry. It stays the same when the entry is edited.
    pub fn entered_statement(agent: &Agent, entry: &MemoryId) -> MemoryId {
        MemoryId::statement(agent, entry, "")
    }

    /// Returns whether this is the id of an entry: something that a person entered or an import added. Returns false for ids
    /// of memories.
    pub fn is_entry(&self) -> bool {
        self.0.starts_with("u-")
    }

    /// Wraps an id that was read from a store or given by a user. Does not check that it exists.
    pub fn from_text(text: impl Into<String>) -> MemoryId {
        MemoryId(text.into())
    }

    /// Returns the id as text, as in `t-4x…`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn derive(kind: char, agent: &Agent, parts: [&str; 2]) -> MemoryId {
        let digest = Digest::of([agent.workspace(), agent.key(), parts[0], parts[1]]);
        let mut hash = BASE32_NOPAD.encode(&digest.0).to_lowercase();
        hash.truncate(26);
        MemoryId(format!("{kind}-{hash}"))
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
