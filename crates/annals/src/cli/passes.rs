//! What works through agents: roll-up, retention, repair.

use annals_core::Grain;
use clap::{Args, Subcommand};

use super::OneOrAll;
use super::value::grain;

#[derive(Args)]
pub struct Rollup {
    /// Only this agent [default: all]
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Also rewrite summaries that were written by another engine, prompt or version
    #[arg(long)]
    pub refresh: bool,
}

#[derive(Args)]
pub struct Retain {
    /// Only this agent [default: all]
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
    /// Say what would be pruned, and prune nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Say what would be pruned under this plan, and prune nothing
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<String>,
    /// Prune although the clock could not be confirmed
    #[arg(long)]
    pub trust_clock: bool,
}

#[derive(Subcommand)]
pub enum Dead {
    /// List them with the reason
    List(OneOrAll),
    /// Try them again
    Replay(OneOrAll),
}

#[derive(Args)]
pub struct Rebuild {
    /// Only this agent [default: all]
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
    /// Only this grain; with commas between several [default: all]
    #[arg(long, alias = "grain", value_name = "G", value_delimiter = ',', value_parser = grain)]
    pub grains: Vec<Grain>,
}
