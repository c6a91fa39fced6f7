//! Lists the conversations of an agent.

use annals_core::Agent;
use annals_core::ports::StoredConversation;

use crate::agents;
use crate::columns::{instant, number, signed};
use crate::db::{Db, params};
use crate::failure::Result;

/// Groups along the index by conversation, in order of name.
pub(crate) const CONVERSATIONS: &str = include_str!("sql/conversations.sql");

/// Returns the conversations with live turns and a name above `after`, by name.
pub(crate) fn list(db: &dyn Db, agent: &Agent, after: Option<&str>, limit: usize) -> Result<Vec<StoredConversation>> {
    let agent_id = agents::known(db, agent)?;
    db.query(CONVERSATIONS, params![agent_id, after.unwrap_or_default(), signed(limit as u64)], |row| {
        Ok(StoredConversation {
            name: row.get("conversation")?,
            turns: number(row, "turns")?,
            first: instant(row, "first")?,
            last: instant(row, "last")?,
        })
    })
}
