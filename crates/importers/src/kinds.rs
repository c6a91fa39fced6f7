//! The kinds of sources, one file each, and the modules that they share.

pub mod chatgpt;
pub mod claude;
pub mod claude_code;
pub mod codex;
pub mod csv;
mod files;
#[cfg(test)]
mod fixtures;
pub mod letta;
mod local_time;
pub mod markdown;
pub mod mcp_memory;
pub mod mem0;
#[cfg(test)]
mod mutations;
mod notes;
pub mod openclaw;
mod pieces;
pub mod slack;
#[cfg(test)]
pub mod testing;
mod texts;
pub mod whatsapp;
