//! Port `Embedder`: turns text into vectors with an ONNX model, in process and without a network connection.
//!
//! Relies on rten for computation and on `models/` for the model that is compiled in. A text's vector depends only on the
//! text, the model and the kind of processor: each text runs through the network alone, several texts in parallel. Never
//! downloads anything, and never logs a text.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::print_stdout))]

mod cache;
mod fidelity;
mod files;
mod network;
mod onnx;
mod split;
mod tokens;

pub use cache::Cached;
pub use fidelity::{Fidelity, evaluate, spearman};
pub use onnx::OnnxEmbedder;
