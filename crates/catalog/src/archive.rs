//! Everything of an agent, out and in again.

mod records;
mod restore;

pub(crate) use records::records;
pub(crate) use restore::{begin, drop_all_staged, drop_staged, finish, take};
