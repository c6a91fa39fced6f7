//! The operations of the service, one file each. Each takes an agent that the caller may use; none depends on HTTP.

mod agents;
mod blocks;
mod check;
mod context;
mod conversations;
mod dead_letters;
mod dump;
mod export;
mod extract;
mod facts;
mod forget;
mod import;
mod ingest;
mod items;
mod keys;
mod memory;
mod place;
mod plans;
mod progress;
mod proof;
mod read_source;
mod rebuild;
mod retain;
mod rollup;
mod search;
mod settings;
mod status;
mod timeline;
mod verify;

pub use export::Export;
pub use import::{ImportRequest, ImportedMessages, RecordSource};
pub use ingest::{Accepted, MOST_MESSAGES};
pub use progress::{NoProgress, ProgressSink, Stage};
pub use read_source::{SourceReader, read_source};
pub use rollup::RolledUpAgent;
pub use verify::Verified;
