//! Sessions: a visitor enters a key once, and the browser gets a random id as a cookie. The session keeps the id of the key,
//! not the key itself. Each request checks that the key is still valid.
//!
//! A change requires a token that only pages of the same session contain, so that a page of another site cannot make the
//! browser send a change. All visitors without a session share one token of the process, because they have the same rights.

use std::collections::HashMap;

use annals_core::{Digest, Error, Result, SignedDuration, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use parking_lot::{Mutex, MutexGuard};
use subtle::ConstantTimeEq;

/// Time after which a visitor must enter the key again.
pub(crate) const LIFETIME: SignedDuration = SignedDuration::from_hours(12);
/// Maximum number of sessions. If there are more, the session that expires first is closed.
const MAX_SESSIONS: usize = 1000;

/// The open sessions of the process. They are kept in memory only.
pub struct Sessions {
    open: Mutex<HashMap<Digest, Session>>,
    shared_token: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    /// The id of the key that opened the session.
    pub(crate) key: String,
    /// The token that changes in this session require.
    pub(crate) token: String,
    expires_at: Timestamp,
}

impl Sessions {
    /// Creates an empty set of sessions. Returns an error if the system provides no random bytes.
    pub fn new() -> Result<Sessions> {
        Ok(Sessions { open: Mutex::default(), shared_token: random()? })
    }

    /// Returns the token of visitors without a session.
    pub(crate) fn shared_token(&self) -> &str {
        &self.shared_token
    }

    /// Opens a session for the key with this id. Returns the secret id of the session.
    pub(crate) fn open(&self, key: String, now: Timestamp) -> Result<String> {
        let (id, token) = (random()?, random()?);
        let expires_at = now.saturating_add(LIFETIME).unwrap_or(now);
        let mut open = self.sessions();
        open.retain(|_, session| session.expires_at > now);
        if open.len() >= MAX_SESSIONS {
            let first = open.iter().min_by_key(|(_, session)| session.expires_at).map(|(id, _)| *id);
            first.map(|id| open.remove(&id));
        }
        open.insert(hash(&id), Session { key, token, expires_at });
        Ok(id)
    }

    /// Returns the session with this secret id, if it is open.
    pub(crate) fn find(&self, id: &str, now: Timestamp) -> Option<Session> {
        self.sessions().get(&hash(id)).filter(|session| session.expires_at > now).cloned()
    }

    /// Ends the session with this secret id.
    pub(crate) fn close(&self, id: &str) {
        self.sessions().remove(&hash(id));
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<Digest, Session>> {
        self.open.lock()
    }
}

/// Returns whether two tokens are equal, in a time that does not depend on where they differ.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

/// Returns the hash of a session id. Sessions are stored by hash, so that the time of a look-up reveals nothing about an id.
fn hash(id: &str) -> Digest {
    Digest::of(["session", id])
}

fn random() -> Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| Error::storage("drawing random bytes", error))?;
    Ok(BASE64URL_NOPAD.encode(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour)
    }

    #[test]
    fn session_is_found_by_its_id_until_it_expires_or_is_closed() {
        let sessions = Sessions::new().unwrap();
        let id = sessions.open("k".into(), at(0)).unwrap();
        assert_eq!(sessions.find(&id, at(11)).unwrap().key, "k");
        assert_eq!(sessions.find(&id, at(12)), None);
        assert_eq!(sessions.find("x", at(0)), None);
        sessions.close(&id);
        assert_eq!(sessions.find(&id, at(0)), None);
    }

    #[test]
    fn number_of_sessions_is_bounded() {
        let sessions = Sessions::new().unwrap();
        let first = sessions.open("first".into(), at(0)).unwrap();
        for _ in 0..MAX_SESSIONS {
            sessions.open("later".into(), at(1)).unwrap();
        }
        let count = sessions.sessions().len();
        assert_eq!((count, sessions.find(&first, at(1))), (MAX_SESSIONS, None));
    }
}
