//! Memory as tools of an agent: over MCP, and for any agent loop that calls functions.
//!
//! Each tool is one file: its arguments, the operation of the service that it calls, and its answer as text for a model. MCP
//! over HTTP, MCP over byte streams and REST offer the same tools. Tools that a key may not use are not listed. The agent is
//! named in the address (`/mcp/{agent}`) or in a header. Only if it is in neither do the tools take it as an argument. Contains
//! no business rules.

mod add_memory;
mod asker;
mod confirmation;
mod definition;
mod forget_memory;
mod get_memory;
mod handler;
mod http;
mod memory_context;
mod refusal;
mod search_facts;
mod search_memory;
mod session;
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
pub(crate) use http::{introduce, routes, settings};
pub(crate) use stream::streams;
pub(crate) use tool::{Reply, run};

/// The names of the tools that search memory and change nothing.
pub(crate) const SEARCH_TOOLS: [&str; 2] =
    [<search_memory::SearchMemory as tool::Tool>::NAME, <memory_context::MemoryContext as tool::Tool>::NAME];
