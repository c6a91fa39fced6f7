//! Keyed hashes of forgotten messages, of the keys of other forgotten items, and of the requests that were accepted
//! before an erasure. A message, item or request that is sent or imported again is recognised by its hash. The hashes
//! contain nothing readable. Guesses cannot be tested against them without the key, which no export contains.

use annals_core::ports::{ItemKey, RequestKey};
use annals_core::{Agent, Digest, MemoryId, Message, TurnKey, entity_key};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::db::{Db, Error, Result, params};
use crate::{agents, changes, pruned};

/// An HMAC-SHA256 under the catalog's secret key.
pub(crate) type Hash = [u8; 32];

/// Returns for each message whether it was forgotten.
pub(crate) fn forgotten(db: &dyn Db, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<Vec<bool>> {
    let Some(hashes) = KeyedHashes::known(db, agent)? else { return Ok(vec![false; messages.len()]) };
    messages.iter().map(|(key, content)| hashes.is_forgotten(key, content)).collect()
}

/// Removes the hashes of these messages. Messages that were not forgotten stay as they are.
pub(crate) fn unforget(db: &dyn Db, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<()> {
    let Some(hashes) = KeyedHashes::known(db, agent)? else { return Ok(()) };
    let agent_id = agents::known(db, agent)?;
    for (key, content) in messages {
        if !hashes.is_forgotten(key, content)? {
            // Not forgotten; if it was pruned, it stays pruned.
            continue;
        }
        hashes.unforget(key, content)?;
        let id = MemoryId::turn(agent, key);
        changes::lift_tombstone(db, agent_id, &id)?;
        // A turn that an earlier version of Annals forgot is also recorded as pruned, and would count as a duplicate.
        pruned::lift(db, agent_id, &id)?;
    }
    Ok(())
}

/// Returns for each key whether its item was forgotten.
pub(crate) fn forgotten_items(db: &dyn Db, agent: &Agent, items: &[ItemKey]) -> Result<Vec<bool>> {
    let Some(hashes) = KeyedHashes::known(db, agent)? else { return Ok(vec![false; items.len()]) };
    items.iter().map(|item| db.exists(IS_FORGOTTEN, params![hashes.item(item)])).collect()
}

/// Removes the hashes of these items.
pub(crate) fn unforget_items(db: &dyn Db, agent: &Agent, items: &[ItemKey]) -> Result<()> {
    let Some(hashes) = KeyedHashes::known(db, agent)? else { return Ok(()) };
    items.iter().try_for_each(|item| hashes.remove(hashes.item(item)))
}

const IS_FORGOTTEN: &str = "SELECT 1 FROM forgotten WHERE hash = ?1";

/// The catalog's secret key, and the agent to which the hashed messages, items and requests belong.
pub(crate) struct KeyedHashes<'a> {
    db: &'a dyn Db,
    agent: &'a Agent,
    secret: [u8; 32],
}

impl<'a> KeyedHashes<'a> {
    /// Reads the secret. Returns `None` if the catalog has none, because no agent ever needed a hash.
    pub(crate) fn known(db: &'a dyn Db, agent: &'a Agent) -> Result<Option<KeyedHashes<'a>>> {
        let secret = db.query_optional("SELECT key FROM secret", &[], |row| row.get(0))?;
        Ok(secret.map(|secret| KeyedHashes { db, agent, secret }))
    }

    /// Does the same as [`KeyedHashes::known`], but generates and stores a secret if there is none.
    pub(crate) fn ready(db: &'a dyn Db, agent: &'a Agent) -> Result<KeyedHashes<'a>> {
        if let Some(hashes) = KeyedHashes::known(db, agent)? {
            return Ok(hashes);
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(Error::other)?;
        db.execute("INSERT INTO secret (\"only\", key) VALUES (1, ?1)", params![secret])?;
        Ok(KeyedHashes { db, agent, secret })
    }

    /// Returns whether this message was forgotten, by its key or by its content in its conversation.
    pub(crate) fn is_forgotten(&self, key: &TurnKey, content: &Digest) -> Result<bool> {
        let sql = "SELECT 1 FROM forgotten WHERE hash IN (?1, ?2, ?3)";
        let [key_hash, turn, content] = self.of_message(key, content);
        self.db.exists(sql, params![key_hash, turn, content])
    }

    /// Records that the message with this key was forgotten. `content` comes from [`KeyedHashes::content`].
    pub(crate) fn forget(&self, key: &TurnKey, content: Hash) -> Result<()> {
        self.add(self.key_hash(key))?;
        self.add(content)
    }

    /// Records that a pruned turn was forgotten, by its id and, if known, its content.
    pub(crate) fn forget_pruned(&self, id: &MemoryId, content: Option<Hash>) -> Result<()> {
        self.add(self.turn(id))?;
        content.map_or(Ok(()), |content| self.add(content))
    }

    /// Records that the item was forgotten.
    pub(crate) fn forget_item(&self, item: &ItemKey) -> Result<()> {
        self.add(self.item(item))
    }

    /// Records that this request was accepted before something was forgotten.
    pub(crate) fn remember_request(&self, request: &RequestKey) -> Result<()> {
        self.add(self.request(request))
    }

    /// Returns whether this request was accepted before something was forgotten.
    pub(crate) fn knows_request(&self, request: &RequestKey) -> Result<bool> {
        self.db.exists(IS_FORGOTTEN, params![self.request(request)])
    }

    fn add(&self, hash: Hash) -> Result<()> {
        self.db.execute("INSERT INTO forgotten (hash) VALUES (?1) ON CONFLICT (hash) DO NOTHING", params![hash])?;
        Ok(())
    }

    fn unforget(&self, key: &TurnKey, content: &Digest) -> Result<()> {
        self.of_message(key, content).into_iter().try_for_each(|hash| self.remove(hash))
    }

    fn remove(&self, hash: Hash) -> Result<()> {
        self.db.execute("DELETE FROM forgotten WHERE hash = ?1", params![hash])?;
        Ok(())
    }

    fn item(&self, item: &ItemKey) -> Hash {
        let [kind, first, second] = item.words();
        // Both words go into one digest, because a name may contain any character.
        self.hash([b"item", kind.as_bytes(), &Digest::of([first, second]).0])
    }

    fn request(&self, request: &RequestKey) -> Hash {
        self.hash([b"request", &request.key.0, &request.body.0])
    }

    fn of_message(&self, key: &TurnKey, content: &Digest) -> [Hash; 3] {
        [self.key_hash(key), self.turn(&MemoryId::turn(self.agent, key)), self.content(&key.conversation, content)]
    }

    fn key_hash(&self, key: &TurnKey) -> Hash {
        self.hash([b"place", key.conversation.as_bytes(), key.id.as_bytes()])
    }

    fn turn(&self, id: &MemoryId) -> Hash {
        self.hash([b"turn", b"", id.as_str().as_bytes()])
    }

    /// Hashes the content of a message in its conversation.
    pub(crate) fn content(&self, conversation: &str, content: &Digest) -> Hash {
        self.hash([b"content", conversation.as_bytes(), &content.0])
    }

    /// Does the same as [`KeyedHashes::content`], for a whole message.
    pub(crate) fn content_of(&self, message: &Message) -> Hash {
        self.content(&message.conversation, &message.digest())
    }

    /// Hashes the name of a conversation.
    pub(crate) fn conversation(&self, name: &str) -> Hash {
        self.hash([b"conversation", name.as_bytes(), b""])
    }

    /// Hashes the name of a speaker, ignoring case and accents.
    pub(crate) fn speaker(&self, name: &str) -> Hash {
        self.hash([b"speaker", entity_key(name).as_bytes(), b""])
    }

    /// Hashes the workspace and the key of the agent, then the parts. [`Digest::of`] marks where each part ends, so different
    /// lists of parts have different inputs.
    fn hash(&self, parts: [&[u8]; 3]) -> Hash {
        let agent = [self.agent.workspace().as_bytes(), self.agent.key().as_bytes()];
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).expect("a key of any length will do");
        mac.update(&Digest::of(agent.into_iter().chain(parts)).0);
        mac.finalize().into_bytes().into()
    }
}
