//! Simulated lives of agents, over any stores: tests run them over stores in memory here, and over the real ones in `/tests`.
//!
//! - [`jobs`]: the jobs of a service through four hundred days in 26 zones, with a machine that is off and a clock that is wrong.
//! - `cluster`: every state that two nodes of a cluster can reach, by a model of their protocol.
//! - [`life`]: messages, roll-ups and moves of one agent, with every search compared with an independent calendar.
//!
//! Used in tests only, so this crate may panic. It never reads a clock: the simulations set the time.

#![allow(clippy::unwrap_used, reason = "all of this runs in tests, where a panic is the report")]

#[cfg(test)]
mod cluster;
pub mod jobs;
pub mod life;
