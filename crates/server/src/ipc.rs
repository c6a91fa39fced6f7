//! Calls of other processes of the same user, over the Unix socket in the data folder.
//!
//! A call is one HTTP POST. Its body is a line of JSON with the name of the call and the request, then a line for each item of
//! input. The answer has a line for each frame: progress, items of output, and at the end the answer or the error. Both sides
//! are the same program. If one cannot read the lines of the other, the error says that their versions differ.
//! Has no rules of its own.

mod client;
mod error_frame;
mod frame;
mod release;
mod route;
mod socket;
#[cfg(test)]
mod tests;

pub use client::{Items, Options, call};
pub use release::{Release, release, release_route};
pub use route::route;
pub(crate) use socket::Failure;

/// The path that calls are posted to.
pub(crate) const PATH: &str = "/call";

/// The version of this program. Both sides of a call name it when they do not understand each other.
const VERSION: &str = env!("CARGO_PKG_VERSION");
