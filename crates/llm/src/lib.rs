//! What writes summaries: port [`annals_core::Engine`].
//!
//! There is one engine so far, the built-in [`Extractive`], which needs no model, no network and no key. Relies on
//! Unicode's rules for words and sentences; never reads a clock, a file or chance.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod extractive;

pub use extractive::Extractive;
