//! REST API under `/v1`: parses requests, checks permissions, calls the operation and returns its answer. Contains no business
//! rules. Every route is registered together with its description, so `/openapi.json` cannot differ from what is served.

#![allow(unused_qualifications, reason = "the macro that describes routes writes them")]

mod agents;
mod costs;
mod describe;
mod documents;
pub(crate) mod extract;
mod facts;
mod health;
mod imports;
mod memories;
mod messages;
mod metrics;
mod problem;
mod problem_page;
mod routes;
mod searches;
mod settings;
mod tools;

pub(crate) use extract::{bearer, too_large, whole_body};
pub(crate) use health::{Health, alive};
pub(crate) use messages::MAX_WAIT;
pub(crate) use metrics::OPEN_METRICS;
pub(crate) use problem::Code;
pub use problem::{FaultView, Problem, ProblemView, chain};
pub use routes::{Routes, routes};
pub(crate) use routes::{no_such_method, nowhere};
