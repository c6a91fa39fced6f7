//! Checks of a request before its route: connections, size, time and rate, Host and Origin, and the key.
//!
//! The routes check the scopes and agents of the key (`rest/extract.rs`, `mcp`). The answer about an agent that a caller may
//! not use is the same as if it did not exist.

mod authenticate;
mod bounds;
mod connections;
mod origin;
mod peer;
mod rate_across_nodes;
mod rate_limit;
#[cfg(test)]
mod tests;

pub use annals_service::Caller;
pub use authenticate::{KeylessAccess, admit_visitor, authenticate};
pub(crate) use bounds::guarded;
pub use bounds::{BodyLimits, bound_body, bound_time};
pub use connections::{ConnectionLimits, serve_connections};
pub use origin::{Places, Verdict, check_origin};
pub use peer::Peer;
pub(crate) use rate_across_nodes::CountedKey;
pub use rate_limit::{RequestLimits, limit, limit_uploads};
