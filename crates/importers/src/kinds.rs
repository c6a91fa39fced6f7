//! The kinds of sources, one file each, and what they share.

pub mod chatgpt;
pub mod claude;
pub mod claude_code;
pub mod codex;
pub mod csv;
mod files;
pub mod letta;
mod local_time;
pub mod markdown;
pub mod mcp_memory;
pub mod mem0;
mod notes;
pub mod openclaw;
pub mod slack;
#[cfg(test)]
mod testing;
pub mod whatsapp;
