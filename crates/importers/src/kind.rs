//! The kinds of sources, and the trait that each implements.
//!
//! A new kind is a file in `kinds`, a variant of [`Kind`], and a line in [`Kind::ALL`] and in each `match` below.

use std::fmt;
use std::str::FromStr;

use annals_core::{Error, Result};

use crate::detect::{Fit, Sample};
use crate::kinds::{
    chatgpt::ChatGpt, claude::Claude, claude_code::ClaudeCode, codex::Codex, csv::Csv, letta::Letta,
    markdown::Markdown, mcp_memory::McpMemory, mem0::Mem0, openclaw::OpenClaw, slack::Slack, whatsapp::WhatsApp,
};
use crate::output::Output;
use crate::source::Source;

/// Reads one kind of source.
pub trait Importer {
    /// Returns how well the files fit this kind, judged by their names and first bytes. A file that cannot be read does not
    /// fit.
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit;

    /// Reads all files and passes items and skips to `output`.
    ///
    /// A damaged or unknown part is passed to [`Output::skip`], and the rest is read. Returns an error if the source cannot be
    /// read at all, and errors of `output`, which end the import.
    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()>;
}

/// A kind of source, as in `annals import --from chatgpt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The export of ChatGPT: `conversations.json`, or several files of that kind.
    ChatGpt,
    /// The export of Claude.ai: conversations, projects and memories as JSON.
    Claude,
    /// Sessions of Claude Code: JSON lines below `~/.claude/projects`.
    ClaudeCode,
    /// Sessions of Codex: `rollout-*.jsonl` below `~/.codex/sessions`.
    Codex,
    /// Workspaces of OpenClaw: Markdown files and session files.
    OpenClaw,
    /// Notes in Markdown: Obsidian, Logseq, plain files.
    Markdown,
    /// Agent files (`.af`) and memory folders of Letta.
    Letta,
    /// Memories of mem0: pages of its API, exports and histories.
    Mem0,
    /// The file of the MCP reference memory server: entities and relations.
    McpMemory,
    /// The export of a Slack workspace: a folder per channel with a file per day.
    Slack,
    /// Exported chats of WhatsApp: text files.
    WhatsApp,
    /// CSV files with a row per message.
    Csv,
}

impl Kind {
    pub const ALL: &'static [Kind] = &[
        Kind::ChatGpt,
        Kind::Claude,
        Kind::ClaudeCode,
        Kind::Codex,
        Kind::OpenClaw,
        Kind::Markdown,
        Kind::Letta,
        Kind::Mem0,
        Kind::McpMemory,
        Kind::Slack,
        Kind::WhatsApp,
        Kind::Csv,
    ];

    /// Returns the name used in commands and ids.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::ChatGpt => "chatgpt",
            Kind::Claude => "claude",
            Kind::ClaudeCode => "claude-code",
            Kind::Codex => "codex",
            Kind::OpenClaw => "openclaw",
            Kind::Markdown => "markdown",
            Kind::Letta => "letta",
            Kind::Mem0 => "mem0",
            Kind::McpMemory => "mcp-memory",
            Kind::Slack => "slack",
            Kind::WhatsApp => "whatsapp",
            Kind::Csv => "csv",
        }
    }

    /// Returns the file name to use for a file of this kind that comes from a stream and has no name. Importers recognise files
    /// by their names.
    pub fn file_name(self) -> &'static str {
        match self {
            Kind::ChatGpt | Kind::Claude => "conversations.json",
            Kind::ClaudeCode | Kind::Codex | Kind::OpenClaw => "session.jsonl",
            Kind::Markdown => "notes.md",
            Kind::Letta => "agent.af",
            Kind::Mem0 => "memories.json",
            Kind::McpMemory => "memory.jsonl",
            Kind::Slack => "export.zip",
            Kind::WhatsApp => "_chat.txt",
            Kind::Csv => "messages.csv",
        }
    }

    pub fn importer(self) -> &'static dyn Importer {
        match self {
            Kind::ChatGpt => &ChatGpt,
            Kind::Claude => &Claude,
            Kind::ClaudeCode => &ClaudeCode,
            Kind::Codex => &Codex,
            Kind::OpenClaw => &OpenClaw,
            Kind::Markdown => &Markdown,
            Kind::Letta => &Letta,
            Kind::Mem0 => &Mem0,
            Kind::McpMemory => &McpMemory,
            Kind::Slack => &Slack,
            Kind::WhatsApp => &WhatsApp,
            Kind::Csv => &Csv,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.as_str() == text).ok_or_else(|| {
            let all: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
            Error::invalid("from", format!("is {text:?}; expected one of {}", all.join(", ")))
        })
    }
}
