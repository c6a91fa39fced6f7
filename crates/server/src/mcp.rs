//! Memory as tools of an agent: over MCP, and ready to be mounted by any loop that calls functions.
//!
//! Each tool is a file of its own: its arguments, the operation of the service that it calls, and its answer as text for a
//! model. MCP over HTTP and over byte streams, and REST, show the same tools; what a key may not use is not shown. Whose
//! memory it is stands in the address (`/mcp/{agent}`) or in a header; only where it stands in neither do the tools take it
//! as an argument. Holds no rule of the product.

mod add_memory;
mod asker;
mod confirmation;
mod definition;
mod forget_memory;
mod get_memory;
mod grains;
mod handler;
mod http;
mod memory_context;
mod refusal;
mod search_facts;
mod search_memory;
mod stdio;
mod stream;
mod structured;
#[cfg(test)]
mod tests;
mod text;
mod timeline;
mod tool;

pub use definition::Format;
pub use stdio::relay;

pub(crate) use asker::Asker;
pub(crate) use definition::definitions;
pub(crate) use http::routes;
pub(crate) use stream::streams;
pub(crate) use tool::{Reply, run};
