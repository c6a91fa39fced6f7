//! The settings of agents.

use annals_core::EngineChoice;
use clap::{Args, Subcommand};

use super::value::{engine, number};

#[derive(Subcommand)]
pub enum Agent {
    /// List all agents
    List,
    /// Show an agent's settings
    Show {
        /// The agent's name
        name: String,
    },
    /// Make an agent, with settings to begin with; one also begins with its first message
    Create {
        /// The agent's name
        name: String,
        #[command(flatten)]
        change: ChangeAgent,
    },
    /// Change an agent's settings
    Set {
        /// The agent's name
        name: String,
        #[command(flatten)]
        change: ChangeAgent,
    },
    /// Delete an agent and everything of it; without --yes only says what would go
    Delete {
        /// The agent's name
        name: String,
        /// Do it
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
pub struct ChangeAgent {
    /// IANA time zone; where there are memories already it starts at the next midnight
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// Two-letter code of the language for word stems in search
    #[arg(long, value_name = "CODE")]
    pub language: Option<String>,
    /// Retention plan: keep, free, starter, pro, or one of your own
    #[arg(long)]
    pub plan: Option<String>,
    /// Who writes summaries and facts: auto (the configured model, where there is one) or extractive (built in)
    #[arg(long, value_parser = engine)]
    pub engine: Option<EngineChoice>,
    /// The most tokens that models may be paid for it in a day; 0 means the configured budget
    #[arg(long, value_name = "N", value_parser = number::<u64>, allow_negative_numbers = true)]
    pub daily_tokens: Option<u64>,
    /// Whether what looks like a credential is masked before it is stored
    #[arg(long, value_name = "BOOL")]
    pub mask: Option<bool>,
}
