//! The operations of Annals: everything that REST, MCP and the command can do, over one store.
//!
//! Relies on the ports and on the policy crates. Does not depend on HTTP, MCP or the terminal. Never names a store, a model
//! or an embedder: the binary passes them in, and the clock too.
//!
//! | module | contents |
//! | --- | --- |
//! | `service` | the service and the parts that it is assembled from |
//! | `wire` | requests and answers as plain data |
//! | `operations` | the operations, one file each |
//! | `backup` | makes, lists, checks and removes backups |
//! | `calls` | the operations as requests by name, for other processes |
//! | `caller` | the caller of a request, with its permissions |
//! | `admit` | refuses new messages while the backlog is long or the disk nearly full |
//! | `tables` | makes new messages searchable and extracts facts from them in the background |
//! | `reembed` | embeds tables again after a change of the embedding model |
//! | `activity` | counts requests under way |
//! | `config` | the limits in the configuration, and their checks |
//! | `cost_sums` | adds up costs, for pages and the command |
//! | `locks` | the locks of each agent, and their order |
//! | `access_counter` | counts how often memories are returned |
//! | `outlines` | a cache of the days with turns and the periods with summaries of agents |
//! | `output` | keeps exports out of the data folder |
//! | `secret` | the format of keys |
//! | `embedding_queue` | the texts that standby nodes of a cluster may embed |
//! | `shared_embedder` | shares embedding with those nodes |
//! | `metrics` | counters, histograms and gauges |
//! | `jobs` | scheduled jobs: their bodies, runs and schedules |
//! | `wiring` | joins policies, stores and models to the parts of a service |

#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(test)]
extern crate self as annals_service;

mod access_counter;
mod activity;
mod admit;
pub mod backup;
mod caller;
pub mod calls;
pub mod config;
pub mod cost_sums;
mod embedding_queue;
#[cfg(test)]
mod fixture;
pub mod jobs;
pub mod locks;
pub mod metrics;
mod operations;
mod outlines;
mod output;
mod reembed;
mod secret;
mod service;
mod shared_embedder;
mod tables;
pub mod wire;
mod wiring;

pub use access_counter::AccessCounts;
pub use activity::{Activity, Busy};
pub use admit::NotAdmitted;
pub use annals_core::numbers;
pub use caller::Caller;
pub use embedding_queue::{EmbeddedTexts, EmbeddingQueue};
pub use operations::{
    Accepted, AttachedMemory, DocumentChange, DocumentFound, DocumentQuery, Entity, Export, ImportRequest,
    KnowledgeGraph, MAX_FAULTS, MAX_MESSAGES, MessageLine, MessageLines, MessageSource, NewDocument, NoProgress,
    ProgressSink, RecordSource, Relation, RolledUpAgent, SourceReader, Stage, TurnsRequest, UploadWriter, Verified,
    read_source,
};
pub use output::refuse_in_data_folder;
pub use secret::{IssuedKey, PresentedKey, issue};
pub use service::{Clock, Parts, Prompts, Service};
pub use shared_embedder::{SharedEmbedder, SharedEmbedders};
pub use tables::Worker;
pub use wiring::Components;
