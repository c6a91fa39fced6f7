//! Ports `Embedder` and `Entailment`: turns text into vectors, and compares sentences, with ONNX models, in process and without
//! a network connection. Also finds out what a model in a folder is for (`model_kind`), and measures how well its cosines agree
//! with people (`fidelity`).
//!
//! Relies on ONNX Runtime or rten for computation, and on `models/` for the model that is compiled in. A text's vector depends
//! only on the text, the model with its prefixes, the runtime and the kind of processor: each text runs through the network
//! alone, several texts in parallel. Never downloads anything, and never logs a text.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::print_stdout))]

mod cache;
mod entailment;
mod families;
mod fidelity;
mod files;
mod folder;
mod graph;
mod labels;
mod loaded_graph;
mod model_kind;
mod network;
mod onnx;
mod ort_graph;
mod pooling;
mod rten_graph;
mod runtime;
mod split;
mod sums;
mod tokens;

pub use cache::Cached;
pub use entailment::OnnxEntailment;
pub use fidelity::{Fidelity, evaluate, spearman};
pub use folder::Options;
pub use model_kind::ModelKind;
pub use onnx::OnnxEmbedder;
pub use pooling::Pooling;
pub use runtime::Runtime;
pub use sums::checksums;
