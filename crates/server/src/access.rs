//! Authentication and authorization: keys, scopes, and the agents of a key.
//!
//! Guarded requests are checked here before they reach an operation. What a caller may not use looks the same as what does not
//! exist.

mod bounds;
mod caller;
mod connections;
mod guard;
mod limits;
mod origin;
mod peer;
#[cfg(test)]
mod tests;

pub use bounds::{bound_size, bound_time};
pub use caller::Caller;
pub use connections::{ConnectionLimits, serve_connections};
pub use guard::{Keyless, any_good, authenticate};
pub use limits::{Gates, limit};
pub use origin::{Places, Verdict, check_origin};
pub use peer::Peer;
