//! The ports: what the policy crates ask of the outside world. Few, small, and whole-object.
//!
//! Each has a real in-memory implementation and a conformance suite in the testkit, which every other implementation passes
//! too. Nothing here names a database, a model or a file.

mod catalog;
mod embedder;
mod engine;
mod strata;

pub use catalog::{Catalog, Change, Counts, Lane, Select, Turn};
pub use embedder::Embedder;
pub use engine::Engine;
pub use strata::{Batch, Hit, Part, Probe, Stored, Strata, Table};
