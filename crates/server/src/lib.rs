//! The service: REST, MCP, the alarm clock, keys, metrics; and the operations that they and the command share.
//!
//! Relies on the ports and on the policy crates, and never names a store, a model or an embedder: the binary puts those in.
//! Never reads a clock but the one it is handed.
//!
//! | | |
//! | --- | --- |
//! | `wire` | what goes in and out, as plain data |
//! | `arguments` | reads requests into types, and finds all their faults |
//! | `operations` | what can be asked, one file each |
//! | `tables` | makes new messages searchable in the background |
//! | `given` | counts what was given out |
//! | `access` | keys, scopes, limits, and from where one may ask |
//! | `metrics` | what is measured |
//! | `rest` | HTTP in front of the operations |
//! | `mcp` | the same as tools of an agent, over HTTP and byte streams |
//! | `jobs` | wake-ups for roll-up, retention and upkeep |
//! | `serve` | listens, and stops without dropping what is under way |

#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(test)]
extern crate self as annals_server;

pub mod access;
mod activity;
mod admit;
mod arguments;
pub mod config;
#[cfg(test)]
mod fixture;
mod given;
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

pub use operations::{Accepted, Export, MOST_MESSAGES, Verified};
pub use request::request_id;
pub use serve::{Listeners, private, public, serve};
pub use service::{Clock, Parts, Prompts, Service};
