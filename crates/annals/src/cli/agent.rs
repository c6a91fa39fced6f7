//! Arguments of `annals agent`.

use annals_core::EngineChoice;
use clap::{Args, Subcommand};

use super::value::{engine, number};

#[derive(Subcommand)]
pub(crate) enum Agent {
    /// List all agents
    List,
    /// Show an agent's settings
    Show {
        /// Name of the agent, or one of its former names
        name: String,
    },
    /// Create an agent with initial settings; importing its first message also creates one
    Create {
        /// Name of the new agent
        name: String,
        #[command(flatten)]
        change: ChangeAgent,
    },
    /// Change an agent's settings; those without an option stay as they are
    Set {
        /// Name of the agent to change
        name: String,
        #[command(flatten)]
        change: ChangeAgent,
    },
    /// Give an agent another name; its former names keep leading to it
    Rename {
        /// Present name of the agent
        name: String,
        /// New name; no other agent may have it or have had it
        new_name: String,
    },
    /// Delete an agent and everything stored for it; without --yes, only show what would be removed
    Delete {
        /// Name of the agent to delete
        name: String,
        /// Delete the agent; without this, only show what would be removed
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
pub(crate) struct ChangeAgent {
    /// IANA time zone; if the agent already has memories, it takes effect at the next midnight
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// Two-letter code of the language of texts whose own language is unclear, for word stems in search
    #[arg(long, value_name = "CODE")]
    pub language: Option<String>,
    /// Retention plan: keep, free, starter, pro, or one of your own
    #[arg(long)]
    pub plan: Option<String>,
    /// Engine for summaries and facts: auto (the configured model, if there is one) or extractive (built in)
    #[arg(long, value_parser = engine)]
    pub engine: Option<EngineChoice>,
    /// Maximum number of paid model tokens per day for this agent; 0 means the configured budget
    #[arg(long, value_name = "N", value_parser = number::<u64>, allow_negative_numbers = true)]
    pub daily_tokens: Option<u64>,
    /// Whether to mask text that looks like a credential before it is stored
    #[arg(long, value_name = "BOOL")]
    pub mask: Option<bool>,
}
