//! Exports and restores everything of an agent.

mod records;
mod restore;

pub(crate) use records::records;
pub(crate) use restore::{begin, drop_all_staged, drop_staged, finish, take};
