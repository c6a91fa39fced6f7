//! The service: REST, MCP, jobs, keys and metrics, and the operations that the service and the command share.
//!
//! Relies on the ports and on the policy crates. Never names a store, a model or an embedder: the binary passes them in. Reads
//! no clock except the one that it is given.
//!
//! | module | contents |
//! | --- | --- |
//! | `wire` | requests and answers as plain data |
//! | `arguments` | parses requests into types and reports all their faults |
//! | `operations` | the operations of the service, one file each |
//! | `tables` | makes new messages searchable in the background |
//! | `access_counter` | counts how often memories are returned |
//! | `access` | keys, scopes, limits, and allowed origins of requests |
//! | `metrics` | counters, histograms and gauges |
//! | `error_status` | what each error means over HTTP and as an exit code |
//! | `rest` | the operations over HTTP |
//! | `mcp` | the operations as tools for an agent, over HTTP and byte streams |
//! | `jobs` | scheduled roll-up, retention and maintenance |
//! | `wiring` | joins policies, stores and models to the parts of a service |
//! | `serve` | listens, and shuts down without dropping requests under way |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod access;
mod access_counter;
mod activity;
mod admit;
mod arguments;
pub mod config;
mod error_status;
#[cfg(test)]
mod fixture;
pub mod jobs;
pub mod locks;
pub mod mcp;
pub mod metrics;
mod operations;
mod request;
pub mod rest;
mod schema;
mod serve;
mod service;
pub mod socket;
mod tables;
pub mod wire;
mod wiring;

pub use error_status::{ErrorStatus, error_status};
pub use operations::{Accepted, Export, MOST_MESSAGES, Verified};
pub use request::request_id;
pub use serve::{Listeners, private, public, serve};
pub use service::{Clock, Parts, Prompts, Service};
pub use wiring::Components;
