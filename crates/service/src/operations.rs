//! The operations of the service, one file each. Each takes an agent that the caller may use; none depends on HTTP.

mod agents;
mod blocks;
mod context;
mod conversations;
mod export;
mod facts;
mod forget;
mod ingest;
mod memory;
mod place;
mod plans;
mod proof;
mod rollup;
mod search;
mod settings;
mod status;
mod timeline;
mod verify;

pub use export::Export;
pub use ingest::{Accepted, MOST_MESSAGES};
pub use verify::Verified;
