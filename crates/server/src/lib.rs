//! The service over HTTP: REST, MCP, keys and limits. Parses requests, checks permissions, and calls the operations of
//! `annals_service`. Contains no rules of its own.
//!
//! | module | contents |
//! | --- | --- |
//! | `arguments` | parses requests into types and reports all their faults |
//! | `schema` | schemas of requests and tool arguments |
//! | `access` | keys, limits, and allowed hosts and origins of requests |
//! | `request` | the id and the log line of each request |
//! | `config` | configuration of the service, its log and its backups |
//! | `exit_codes_and_statuses` | HTTP status, exit code and advice for each error |
//! | `rest` | the operations over HTTP |
//! | `ipc` | calls of other processes of the same user, over a Unix socket |
//! | `compat` | interfaces of other programs over the operations |
//! | `mcp` | the operations as tools for an agent, over HTTP and byte streams |
//! | `serve` | listens, and shuts down without dropping requests under way |
//! | `cluster` | what the nodes of a cluster do for each other |
//! | `probe` | asks another service whether it is ready |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod access;
mod arguments;
pub mod cluster;
mod compat;
pub mod config;
pub mod exit_codes_and_statuses;
#[cfg(test)]
#[path = "../../service/src/fixture.rs"]
mod fixture;
pub mod ipc;
pub mod mcp;
mod probe;
mod request;
pub mod rest;
mod schema;
mod serve;

pub use probe::check_ready;
pub use request::request_id;
pub use serve::{Lifetime, Listeners, private, public, public_with_pages, serve, site};
