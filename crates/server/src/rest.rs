//! REST under /v1: parses requests, lets them through or not, calls the operation, and shows its answer. Holds no rule of the
//! product. Every route is collected together with its description, so that `/openapi.json` cannot differ from what is served.

mod agents;
mod describe;
mod extract;
mod facts;
mod health;
mod memories;
mod messages;
mod problem;
mod routes;
mod searches;
mod settings;

pub(crate) use extract::bearer;
pub(crate) use routes::{no_such_method, nowhere};
pub use problem::{FaultView, Problem, ProblemView, chain};
pub use routes::{Routes, routes};
