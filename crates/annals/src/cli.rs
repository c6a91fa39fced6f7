//! The words of the command line. Says what may be asked; does nothing.

mod agent;
mod backup;
mod config;
mod doctor;
mod embed;
mod facts;
mod forget;
mod memory;
mod passes;
mod prompt;
mod search;
mod service;
mod transfer;
mod value;

use std::path::PathBuf;

use annals_core::Timestamp;
use clap::{Args, Parser, Subcommand};

pub use agent::{Agent, ChangeAgent};
pub use backup::{Backup, BackupCommand, Restore};
pub use config::Config;
pub use doctor::Doctor;
pub use embed::Embed;
pub use facts::{ChangeFacts, Facts, FindFacts};
pub use forget::Forget;
pub use memory::{Correct, Pin, Show};
pub use passes::{Dead, Rebuild, Retain, Rollup};
pub use prompt::Prompt;
pub use search::{Context, Conversations, Range, Search, Timeline};
pub use service::{AddKey, Job, Key, Mcp, Serve};
pub use transfer::{Export, Import};

/// Long-term memory for AI agents: keeps what was said, rolls it up by calendar, and answers by grain and date.
#[derive(Parser)]
#[command(name = "annals", version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

// Under a heading of their own, or they would stand between the options of each command.
#[derive(Args, Clone)]
#[command(next_help_heading = "With every command")]
pub struct Global {
    /// The data folder [default: annals in your data directory]
    #[arg(long, global = true, value_name = "DIR", env = "ANNALS_DATA")]
    pub data: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// The configuration [default: annals.toml in the data folder]
    #[arg(long, global = true, value_name = "FILE", env = "ANNALS_CONFIG", hide_short_help = true)]
    pub config: Option<PathBuf>,
    /// Set a key of the configuration, whatever file and environment say: server.listen=127.0.0.1:8000
    #[arg(long, global = true, value_name = "KEY=VALUE", hide_short_help = true)]
    pub set: Vec<String>,
    /// Act as if it were this moment, for replays and tests [default: the clock]
    #[arg(long, global = true, value_name = "TIME", hide_short_help = true, value_parser = value::moment)]
    pub now: Option<Timestamp>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Show Annals at work: import a sample of 14 months, roll it up, draw its strata, answer three questions
    Demo,
    /// Serve the memory over HTTP and MCP, and roll it up as days go by
    Serve(Serve),
    /// Speak MCP on standard input and output, for agents that start their tools as programs
    Mcp(Mcp),
    /// Keys for the service: add, list, revoke
    #[command(subcommand)]
    Key(Key),
    /// What the service does by itself, and when
    #[command(subcommand)]
    Job(Job),
    /// Import conversations from files of one JSON message a line
    Import(Import),
    /// Write the summaries of all closed days, weeks, months, quarters and years whose input changed
    Rollup(Rollup),
    /// Search memory by words, grain and date range; without words, list the newest
    Search(Search),
    /// What an answer to a prompt should know of, within a budget of tokens: the text that agents get
    Context(Context),
    /// List memories in order of time
    Timeline(Timeline),
    /// What is known about whom, and since when; add or retract a fact by hand
    Facts(Facts),
    /// List conversations
    Conversations(Conversations),
    /// Show one memory in full
    Show(Show),
    /// Replace the words of a memory; the former ones are kept as its history
    Correct(Correct),
    /// Keep a memory, and what it is stored with, from retention
    Pin(Pin),
    /// Show what each retention plan keeps
    Plans,
    /// Prune what is past its plan and covered by a summary
    Retain(Retain),
    /// Forget memories for good, everywhere; without --yes only says what would go
    Forget(Forget),
    /// Write everything of an agent to a file that `import` takes back
    Export(Export),
    /// Show what is stored, what is waiting and what went wrong
    Status(OneOrAll),
    /// Memories that could not be made searchable for a fault of their own
    #[command(subcommand)]
    Dead(Dead),
    /// Check that nothing is missing and nothing is damaged; exit code 1 if something is
    Verify(OneOrAll),
    /// Build tables anew from the catalog
    Rebuild(Rebuild),
    /// Copy everything that cannot be made anew to a folder or object store, while Annals runs
    Backup(Backup),
    /// Bring a backup back into a new data folder
    Restore(Restore),
    /// Try everything: embed, write, read, call the models; look at clock, disk and rights; say how to mend what is wrong
    Doctor(Doctor),
    /// What is configured, by whom, and what is wrong with it
    #[command(subcommand)]
    Config(Config),
    /// The prompts for models: list, show, replace for an agent, reset
    #[command(subcommand)]
    Prompt(Prompt),
    /// List agents, show or change their settings
    #[command(subcommand)]
    Agent(Agent),
    /// Turn lines of text into vectors, or measure how well the model does that
    Embed(Embed),
    /// Print everything in one canonical order, to compare two folders
    Dump(OneOrAll),
}

impl Command {
    /// Whether it is for the process that owns the data folder, if there is one already. The others have a folder of their own,
    /// need none, or are that process.
    pub fn works_on_the_folder(&self) -> bool {
        use Command::{Config, Demo, Embed, Mcp, Restore, Serve};
        !matches!(self, Demo | Serve(_) | Mcp(_) | Restore(_) | Config(_) | Embed(_))
    }
}

#[derive(Args)]
pub struct OneOrAll {
    /// Only this agent [default: all]
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
}
