//! Who asks, and what they may: keys, scopes, the agents of a key.
//!
//! A request is let through here before any operation sees it. What a caller may not use looks the same as what does not exist.

mod caller;
mod guard;
mod secret;

pub use caller::Caller;
pub use guard::{any_good, authenticate};
pub use secret::{Issued, Presented, issue};
