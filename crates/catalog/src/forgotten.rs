//! What was forgotten, as keyed hashes: enough to recognise a message that comes again, and nothing to read. Without the key,
//! which never leaves the file, nobody can try guesses against them.

use annals_core::{Agent, Digest, MemoryId, TurnKey};
use hmac::{Hmac, Mac};
use rusqlite::{Connection, OptionalExtension};
use sha2::Sha256;

use crate::failure::Result;
use crate::{agents, tombstones};

/// Which of these messages were forgotten.
pub(crate) fn forgotten(connection: &Connection, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<Vec<bool>> {
    let Some(traces) = Traces::of(connection, agent)? else { return Ok(vec![false; messages.len()]) };
    messages.iter().map(|(key, content)| traces.hold(key, content)).collect()
}

/// Takes back that these messages were forgotten. Those that were not are left as they are.
pub(crate) fn unforget(connection: &Connection, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<()> {
    let Some(traces) = Traces::of(connection, agent)? else { return Ok(()) };
    let agent_id = agents::known(connection, agent)?;
    for (key, content) in messages {
        if !traces.hold(key, content)? {
            // What was pruned keeps its tombstone: tables may still have to learn of it.
            continue;
        }
        traces.remove(key, content)?;
        // Else it would count as pruned, and be known already.
        tombstones::lift(connection, agent_id, &MemoryId::turn(agent, key))?;
    }
    Ok(())
}

/// What is kept of an agent's forgotten messages.
pub(crate) struct Traces<'a> {
    connection: &'a Connection,
    agent: &'a Agent,
    secret: [u8; 32],
}

impl<'a> Traces<'a> {
    /// None while nothing was ever forgotten, by any agent.
    pub(crate) fn of(connection: &'a Connection, agent: &'a Agent) -> Result<Option<Traces<'a>>> {
        let mut statement = connection.prepare_cached("SELECT key FROM secret")?;
        let secret = statement.query_row([], |row| row.get(0)).optional()?;
        Ok(secret.map(|secret| Traces { connection, agent, secret }))
    }

    /// The same, ready for the first. The key is drawn by SQLite.
    pub(crate) fn begin(connection: &'a Connection, agent: &'a Agent) -> Result<Traces<'a>> {
        let sql = "INSERT OR IGNORE INTO secret (only, key) VALUES (1, randomblob(32))";
        connection.prepare_cached(sql)?.execute([])?;
        Ok(Traces::of(connection, agent)?.expect("it was just made"))
    }

    /// Whether this message was forgotten: its place, or its content in its conversation.
    pub(crate) fn hold(&self, key: &TurnKey, content: &Digest) -> Result<bool> {
        let [place, content] = self.hashes(key, content);
        let sql = "SELECT 1 FROM forgotten WHERE hash IN (?1, ?2)";
        Ok(self.connection.prepare_cached(sql)?.exists([place, content])?)
    }

    /// Notes that this message was forgotten.
    pub(crate) fn add(&self, key: &TurnKey, content: &Digest) -> Result<()> {
        self.each(key, content, "INSERT OR IGNORE INTO forgotten (hash) VALUES (?1)")
    }

    fn remove(&self, key: &TurnKey, content: &Digest) -> Result<()> {
        self.each(key, content, "DELETE FROM forgotten WHERE hash = ?1")
    }

    fn each(&self, key: &TurnKey, content: &Digest, sql: &str) -> Result<()> {
        let mut statement = self.connection.prepare_cached(sql)?;
        for hash in self.hashes(key, content) {
            statement.execute([hash])?;
        }
        Ok(())
    }

    fn hashes(&self, key: &TurnKey, content: &Digest) -> [[u8; 32]; 2] {
        let conversation = key.conversation.as_bytes();
        [self.hash([b"place", conversation, key.id.as_bytes()]), self.hash([b"content", conversation, &content.0])]
    }

    /// The parts are framed by [`Digest::of`], so that no two lists of them look alike.
    fn hash(&self, parts: [&[u8]; 3]) -> [u8; 32] {
        let agent = [self.agent.workspace().as_bytes(), self.agent.name().as_bytes()];
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).expect("a key of any length will do");
        mac.update(&Digest::of(agent.into_iter().chain(parts)).0);
        mac.finalize().into_bytes().into()
    }
}
