//! Messages as they are ingested, and the keys that identify repeated ones.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Digest, Error, Result, SignedDuration, Timestamp};

/// The role of the speaker, as in chat APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person who talks to the agent.
    User,
    /// The agent itself.
    Assistant,
    /// Instructions to the agent. Stored, but never used for extraction.
    System,
    /// A tool's output. Stored, but never used for extraction.
    Tool,
}

impl Role {
    /// Returns the word used in files and responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::System => "system",
            Role::Tool => "tool",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = Error;

    fn from_str(text: &str) -> Result<Role> {
        [Role::User, Role::Assistant, Role::System, Role::Tool]
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| {
                Error::invalid("role", format!("is {text:?}; expected one of user, assistant, system, tool"))
            })
    }
}

/// One message as a client sends it, with every field already checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Name of the conversation that the message belongs to.
    pub conversation: String,
    /// The client's own id, unique within the conversation. `None` if the client sent none.
    pub client_id: Option<String>,
    /// The role of the speaker, as in chat APIs.
    pub role: Role,
    /// The speaker's name, if given.
    pub name: Option<String>,
    /// The text, verbatim.
    pub content: String,
    /// When it was said.
    pub at: Timestamp,
}

impl Message {
    /// Maximum bytes of the content. A longer text has to be stored as a document, or split by the sender. Annals does not
    /// split it, because only the sender knows where.
    pub const MAX_CONTENT_BYTES: usize = 256 * 1024;
    /// Maximum bytes of a conversation, an id or a name.
    pub const MAX_NAME_BYTES: usize = 256;
    /// How far the time of a message may lie in the future, because clients' clocks may be ahead. A later time is a fault.
    pub const MAX_AHEAD: SignedDuration = SignedDuration::from_mins(5);

    /// Returns the digest of time, role, name and content. Two messages with one key are the same message if their digests
    /// are equal.
    pub fn digest(&self) -> Digest {
        let at = self.at.as_microsecond().to_le_bytes();
        let name = self.name.as_deref().unwrap_or_default();
        Digest::of([&at[..], self.role.as_str().as_bytes(), name.as_bytes(), self.content.as_bytes()])
    }

    /// Returns the speaker's label in summaries and search: the name, or else the role.
    pub fn speaker(&self) -> &str {
        self.name.as_deref().unwrap_or(self.role.as_str())
    }
}

/// Identifies a turn among the turns of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnKey {
    /// Name of the conversation.
    pub conversation: String,
    /// The client's id, or one generated from the content.
    pub id: String,
}

/// Returns the key of each message of one request, in order.
pub fn identify(messages: &[Message]) -> Vec<TurnKey> {
    let mut keys = TurnKeys::default();
    messages.iter().map(|message| keys.key(message)).collect()
}

/// Assigns a key to each message of one request, in order.
///
/// A message without a client id gets a hash of its conversation, its digest, and its ordinal among equal messages of
/// this request. So two identical "ok" messages stay two, and sending the same request again adds nothing.
#[derive(Clone, Debug, Default)]
pub struct TurnKeys {
    /// Number of messages without a client id so far, by the digest of conversation and content.
    seen: HashMap<Digest, u64>,
}

impl TurnKeys {
    /// Returns the key of the next message.
    pub fn key(&mut self, message: &Message) -> TurnKey {
        let id = message.client_id.clone().unwrap_or_else(|| self.generated(message));
        TurnKey { conversation: message.conversation.clone(), id }
    }

    fn generated(&mut self, message: &Message) -> String {
        let digest = Digest::of([message.conversation.as_bytes(), &message.digest().0]);
        let ordinal = self.seen.entry(digest).or_default();
        *ordinal += 1;
        format!("auto-{}", &Digest::of([&digest.0[..], &ordinal.to_le_bytes()]).to_string()[..32])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(content: &str, id: Option<&str>) -> Message {
        Message {
            conversation: "c".into(),
            client_id: id.map(Into::into),
            role: Role::User,
            name: None,
            content: content.into(),
            at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn equal_messages_get_distinct_repeatable_keys() {
        let request = [message("ok", None), message("ok", None), message("ok", Some("7"))];
        let keys = identify(&request);
        assert_ne!(keys[0], keys[1]);
        assert_eq!(keys[2].id, "7");
        assert_eq!(identify(&request), keys);
    }

    #[test]
    fn digest_covers_everything_but_the_key() {
        let base = message("ok", Some("1"));
        assert_eq!(base.digest(), message("ok", Some("2")).digest());
        let others = [
            Message { role: Role::Tool, ..base.clone() },
            Message { name: Some("A".into()), ..base.clone() },
            Message { content: "ok.".into(), ..base.clone() },
            Message { at: Timestamp::from_microsecond(1).unwrap(), ..base.clone() },
        ];
        assert!(others.iter().all(|other| other.digest() != base.digest()));
    }
}
