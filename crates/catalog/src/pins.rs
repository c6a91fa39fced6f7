//! Pins: retention keeps pinned memories. A pin is no change of the memory, and projections do not hold it.

use annals_core::{Agent, Error, MemoryId};

use crate::agents;
use crate::db::{Db, params};
use crate::failure::Result;

/// Sets or removes a memory's pin.
pub(crate) fn pin(db: &dyn Db, agent: &Agent, id: &MemoryId, pinned: bool) -> Result<()> {
    if set(db, agents::known(db, agent)?, id, pinned)? {
        return Ok(());
    }
    Err(Error::NotFound { what: "memory", name: id.to_string() }.into())
}

/// Sets or removes a pin; returns whether the memory exists.
pub(crate) fn set(db: &dyn Db, agent_id: i64, id: &MemoryId, pinned: bool) -> Result<bool> {
    for sql in [
        "UPDATE turn SET pinned = ?3 WHERE agent_id = ?1 AND id = ?2",
        "UPDATE statement SET pinned = ?3 WHERE agent_id = ?1 AND id = ?2",
        "UPDATE summary SET pinned = ?3 WHERE agent_id = ?1 AND id = ?2",
    ] {
        if db.execute(sql, params![agent_id, id.as_str(), pinned])? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}
