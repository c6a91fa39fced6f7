//! The pages, one file each. A page makes requests of wire types, calls operations, and draws their answers.

pub(crate) mod agents;
pub(crate) mod context;
pub(crate) mod facts;
pub(crate) mod forget;
mod graph;
pub(crate) mod jobs;
pub(crate) mod keys;
pub(crate) mod login;
pub(crate) mod memory;
mod panel;
mod parts;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod timeline;

use axum::response::Response;

use crate::failure::Failure;

/// What every page answers.
pub(crate) type Shown = Result<Response, Failure>;
