//! Command-line arguments of `annals`, parsed with clap. Doc comments here and in `cli/` are the `--help` text. Runs nothing.

mod agent;
mod backup;
mod config;
mod costs;
mod document;
mod facts;
mod forget;
mod memory;
mod model;
mod passes;
mod prompt;
mod search;
mod service;
mod transfer;
mod value;

use std::path::PathBuf;

use annals_core::Timestamp;
use clap::{Args, Parser, Subcommand};

pub(crate) use agent::{Agent, ChangeAgent};
pub(crate) use backup::{Adopt, Backup, BackupCommand, Restore};
pub(crate) use config::{Config, ConfigCommand, Doctor};
pub(crate) use costs::{Costs, Price, SetPrice};
pub(crate) use document::{Document, ListDocuments, OneDocument};
pub(crate) use facts::{ChangeFacts, Facts, FindFacts};
pub(crate) use forget::Forget;
pub(crate) use memory::{Correct, Pin, Show};
pub(crate) use model::{Embed, Model};
pub(crate) use passes::{Dead, Rebuild, Retain, Rollup};
pub(crate) use prompt::Prompt;
pub(crate) use search::{Context, Conversations, Days, Range, Search, Timeline};
pub(crate) use service::{AddKey, Job, Key, Mcp, Serve, SetKey};
pub(crate) use transfer::{Export, Format, Import};

/// Long-term memory for AI agents: stores messages, summarizes them by calendar period, and searches by grain and date
#[derive(Parser)]
#[command(name = "annals", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

// Under their own heading; otherwise they would appear between the options of each command.
#[derive(Args, Clone)]
#[command(next_help_heading = "With every command")]
pub(crate) struct Global {
    /// The data folder [default: annals in your data directory]
    #[arg(long, global = true, value_name = "DIR", env = "ANNALS_DATA")]
    pub data: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// The configuration file [default: annals.toml in the data folder]
    #[arg(long, global = true, value_name = "FILE", env = "ANNALS_CONFIG", hide_short_help = true)]
    pub config: Option<PathBuf>,
    /// Set a configuration key, overriding file and environment: server.listen=127.0.0.1:8000
    #[arg(long, global = true, value_name = "KEY=VALUE", hide_short_help = true)]
    pub set: Vec<String>,
    /// Wait for SECONDS while another command uses the data folder; 0 does not wait
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 60, hide_short_help = true,
          value_parser = clap::value_parser!(u64).range(..=86_400))]
    pub lock_timeout: u64,
    /// Act as if the current time were TIME, for replays and tests [default: the clock]
    #[arg(long, global = true, value_name = "TIME", hide_short_help = true, value_parser = value::moment)]
    pub now: Option<Timestamp>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Show Annals at work: import 14 months of sample messages, roll them up, draw the strata, answer three questions
    Demo,
    /// Serve the memory over HTTP and MCP, and roll it up as days pass
    Serve(Serve),
    /// Speak MCP on standard input and output, for agents that start their tools as processes
    Mcp(Mcp),
    /// Manage keys for the service: add, list, set, revoke
    #[command(subcommand)]
    Key(Key),
    /// List the scheduled jobs of the service, or run one now
    #[command(subcommand)]
    Job(Job),
    /// Import conversations: JSON Lines, exports of Annals, and what ChatGPT, Claude and other programs keep
    Import(Import),
    /// Write the summaries of all closed days, weeks, months, quarters and years with changed input
    Rollup(Rollup),
    /// Search memory by words, grain and date range; without words, list the newest memories
    Search(Search),
    /// Print the context for a prompt, within a token budget: the same text that agents get
    Context(Context),
    /// List memories in chronological order
    Timeline(Timeline),
    /// Find facts: what is known about a person or thing, and since when; add or retract a fact by hand
    Facts(Facts),
    /// List an agent's conversations, sorted by name
    Conversations(Conversations),
    /// List, show or delete documents: texts that agents keep, and notes that were imported
    #[command(subcommand)]
    Document(Document),
    /// Show one memory in full
    Show(Show),
    /// Replace the text of a memory; the former text is kept as a version
    Correct(Correct),
    /// Exempt a memory, and what it is stored with, from retention
    Pin(Pin),
    /// Show what each retention plan keeps
    Plans,
    /// Prune memories that are past their retention plan and covered by a summary
    Retain(Retain),
    /// Forget memories permanently in every store; without --yes, only show what would be removed
    Forget(Forget),
    /// Write everything stored for an agent to a file that `import` can read
    Export(Export),
    /// Show what is stored, what is waiting and what failed
    Status(OneOrAll),
    /// List or retry dead letters: memories that could not be indexed or read for facts because of their content
    #[command(subcommand)]
    Dead(Dead),
    /// Show the tokens that models used, and what they cost by the prices: the last thirty UTC days, or --from and --to
    Costs(Costs),
    /// List, set or remove the prices of models
    #[command(subcommand)]
    Price(Price),
    /// Check that nothing is missing and nothing is damaged; exit code 1 if something is
    Verify(OneOrAll),
    /// Rebuild tables from the catalog
    Rebuild(Rebuild),
    /// Copy everything that cannot be rebuilt to a folder or object store, while Annals runs
    Backup(Backup),
    /// Restore a backup into a new data folder
    Restore(Restore),
    /// Move the memory of another data folder into a new one, for example into or out of a cluster
    Adopt(Adopt),
    /// Let a memory be used again that `annals adopt` has moved elsewhere
    Reopen,
    /// Test everything: embed, write, read, call the models; check clock, disk and rights; explain how to fix what is wrong
    Doctor(Doctor),
    /// Show what is configured and where each value comes from, or check it for errors
    Config(Config),
    /// Manage the prompts for models: list, show, replace for an agent, reset
    #[command(subcommand)]
    Prompt(Prompt),
    /// List, create or delete agents, show or change their settings
    #[command(subcommand)]
    Agent(Agent),
    /// Manage the models that turn texts into vectors: list, pull, use, measure
    #[command(subcommand)]
    Model(Model),
    /// Turn lines of text into vectors, or measure the quality of the embedding model
    Embed(Embed),
    /// Print everything in one canonical order, to compare two data folders
    Dump(OneOrAll),
}

#[derive(Args)]
pub(crate) struct OneOrAll {
    /// Only this agent [default: all]
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
}
