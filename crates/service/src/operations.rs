//! The operations of the service, one file each. Each takes an agent that the caller may use; none depends on HTTP.

mod agents;
mod blocks;
mod check;
mod context;
mod conversations;
mod dead_letters;
mod documents;
mod dump;
mod export;
mod extract;
mod facts;
mod forget;
mod import;
mod ingest;
mod keys;
mod memory;
mod place;
mod plans;
mod progress;
mod proof;
mod rebuild;
mod retain;
mod rollup;
mod search;
mod settings;
mod status;
mod timeline;
mod verify;

pub use documents::{DocumentChange, DocumentFound, DocumentQuery, NewDocument};
pub use export::Export;
pub use import::{ImportRequest, ImportedMessages, RecordSource, Records};
pub use ingest::{Accepted, MOST_MESSAGES};
pub use progress::{NoProgress, ProgressSink, Stage};
pub use rollup::RolledUpAgent;
pub use verify::Verified;
