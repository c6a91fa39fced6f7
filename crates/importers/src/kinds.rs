//! The kinds of sources, one file each.

pub mod chatgpt;
pub mod claude;
pub mod claude_code;
pub mod codex;
mod files;
#[cfg(test)]
mod mutations;
mod pieces;
#[cfg(test)]
pub mod testing;
