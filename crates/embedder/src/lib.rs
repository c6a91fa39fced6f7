//! Port `Embedder`: text to vectors with an ONNX model, in process and without a network.
//!
//! Relies on rten to compute and on `models/` for the model that is compiled in. A text's vector depends on nothing but the
//! text, the model and the kind of processor: texts go through the network one at a time, several side by side. Never
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
