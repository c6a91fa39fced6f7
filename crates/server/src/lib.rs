//! The service: REST, MCP, the alarm clock, keys, metrics; and the operations that they and the command share.
//!
//! Relies on the ports and on the policy crates, and never names a store, a model or an embedder: the binary puts those in.
//! Never reads a clock but the one it is handed.
//!
//! | | |
//! | --- | --- |
//! | `wire` | what goes in and out, as plain data |
//! | `operations` | what can be asked, one file each |
//! | `tables` | makes new messages searchable in the background |
//! | `access` | keys and scopes |
//! | `rest` | HTTP in front of the operations |
//! | `jobs` | wake-ups for roll-up, retention and upkeep |
//! | `serve` | listens, and stops without dropping what is under way |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod access;
mod activity;
mod admit;
pub mod config;
pub mod lanes;
mod operations;
mod request;
pub mod rest;
mod serve;
mod service;
pub mod socket;
mod tables;
pub mod wire;

pub use operations::{Accepted, MOST_MESSAGES, line};
pub use request::request_id;
pub use serve::{Listeners, private, public, serve};
pub use service::{Clock, Parts, Prompts, Service};
