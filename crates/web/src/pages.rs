//! The pages, one file each. A page builds requests from wire types, calls operations, and draws their answers.

pub(crate) mod agents;
pub(crate) mod context;
mod cost_tables;
pub(crate) mod costs;
pub(crate) mod facts;
pub(crate) mod forget;
mod graph;
pub(crate) mod imports;
pub(crate) mod jobs;
mod jump;
pub(crate) mod keys;
pub(crate) mod live;
pub(crate) mod login;
pub(crate) mod memory;
pub(crate) mod operator;
mod panel;
mod parts;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod timeline;

use axum::response::Response;

use crate::failure::Failure;

/// The result of every page.
pub(crate) type Shown = Result<Response, Failure>;
