//! Arguments of `annals rollup`, `retain`, `dead` and `rebuild`.

use annals_core::Grain;
use clap::{Args, Subcommand};

use super::OneOrAll;
use super::value::grain;

#[derive(Args)]
pub(crate) struct Rollup {
    /// Only this agent [default: all]
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
    /// Show what would be done, without doing it
    #[arg(long)]
    pub dry_run: bool,
    /// Also rewrite summaries that were written by another engine, prompt or version
    #[arg(long)]
    pub refresh: bool,
    /// Ask the model in batches, which cost half and are answered within a day, and wait for them
    #[arg(long, conflicts_with = "refresh")]
    pub batch: bool,
    /// Send what is due and end; the next `rollup` takes the answers
    #[arg(long, requires = "batch")]
    pub no_wait: bool,
    /// Tokens that each agent may use today in batches, in place of every limit
    #[arg(long, requires = "batch", value_name = "TOKENS")]
    pub budget: Option<u64>,
    /// End the batches that the provider has not finished; the next `rollup` asks again
    #[arg(long, conflicts_with_all = ["agent", "dry_run", "refresh", "batch"])]
    pub abandon_batches: bool,
}

#[derive(Args)]
pub(crate) struct Retain {
    /// Only this agent [default: all]
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
    /// Show what would be pruned, without pruning
    #[arg(long)]
    pub dry_run: bool,
    /// Show what would be pruned under this plan, without pruning
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<String>,
    /// Prune even if the clock could not be confirmed
    #[arg(long)]
    pub trust_clock: bool,
}

#[derive(Subcommand)]
pub(crate) enum Dead {
    /// List dead letters with the reason
    List(OneOrAll),
    /// Retry dead letters, once their cause is fixed
    Replay(OneOrAll),
}

#[derive(Args)]
pub(crate) struct Rebuild {
    /// Only this agent [default: all]
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
    /// Only these grains, separated by commas [default: all]
    #[arg(long, alias = "grain", value_name = "G", value_delimiter = ',', value_parser = grain)]
    pub grains: Vec<Grain>,
    /// Only tables with vectors of another embedding model than the configured one
    #[arg(long, conflicts_with = "grains")]
    pub embedder: bool,
}
