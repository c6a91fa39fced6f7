//! The words of the command line. Says what may be asked; does nothing.

use std::path::PathBuf;

use annals_core::{Date, Grain, Kind, Period, Timestamp};
use clap::{Args, Parser, Subcommand};

/// Long-term memory for AI agents: keeps what was said, rolls it up by calendar, and answers by grain and date.
#[derive(Parser)]
#[command(name = "annals", version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Args, Clone)]
pub struct Global {
    /// The data folder [default: annals in your data directory]
    #[arg(long, global = true, value_name = "DIR", env = "ANNALS_DATA")]
    pub data: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Act as if it were this moment, for replays and tests [default: the clock]
    #[arg(long, global = true, value_name = "TIME", hide_short_help = true)]
    pub now: Option<Timestamp>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Show Annals at work: import a sample of 14 months, roll it up, draw its strata, answer three questions
    Demo,
    /// Import conversations from files of one JSON message a line
    Import(Import),
    /// Write the summaries of all closed days, weeks, months, quarters and years whose input changed
    Rollup(Rollup),
    /// Search memory by words, grain and date range; without words, list the newest
    Search(Search),
    /// List memories in order of time
    Timeline(Timeline),
    /// Show one memory in full
    Show(Show),
    /// Show what is stored, what is waiting and what went wrong
    Status(OneOrAll),
    /// Memories that could not be made searchable for a fault of their own
    #[command(subcommand)]
    Dead(Dead),
    /// Check that nothing is missing and nothing is damaged; exit code 1 if something is
    Verify(OneOrAll),
    /// Build tables anew from the catalog
    Rebuild(Rebuild),
    /// List agents, show or change their settings
    #[command(subcommand)]
    Agent(Agent),
    /// Turn lines of text into vectors, or measure how well the model does that
    Embed(Embed),
    /// Print everything in one canonical order, to compare two folders
    Dump(OneOrAll),
}

#[derive(Args)]
pub struct Import {
    /// Files with one message a line; - reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Import everything into this agent, whatever the lines say
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
    /// Count the agents' days in this IANA time zone, such as Europe/Berlin [default: UTC]
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// Replace messages that are stored under the same id with other content
    #[arg(long)]
    pub revise: bool,
}

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
pub struct Search {
    /// What to look for
    pub text: Option<String>,
    /// Whose memory
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Only this grain; may be given several times [default: all]
    #[arg(long = "grain", value_name = "G", value_parser = grain)]
    pub grains: Vec<Grain>,
    #[command(flatten)]
    pub range: Range,
    /// The cover of one period: 2026-03-04, 2026-W10, 2026-03, 2026-Q1 or 2026
    #[arg(long, value_name = "P", conflicts_with_all = ["from", "to"], value_parser = period)]
    pub period: Option<Period>,
    /// Nothing newer than so many days ago; 0 is today
    #[arg(long, value_name = "N")]
    pub min_days_ago: Option<u32>,
    /// Nothing older than so many days ago
    #[arg(long, value_name = "N")]
    pub max_days_ago: Option<u32>,
    /// Leave out summaries that also cover days outside the range
    #[arg(long)]
    pub strict: bool,
    /// Only this kind of memory: turn, fact or summary
    #[arg(long = "kind", value_name = "K", value_parser = kind)]
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation
    #[arg(long, value_name = "C")]
    pub conversation: Option<String>,
    /// The most results
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
}

#[derive(Args)]
pub struct Range {
    /// First day, inclusive
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub from: Option<Date>,
    /// Last day, inclusive
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub to: Option<Date>,
}

#[derive(Args)]
pub struct Timeline {
    /// Whose memory
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Only this grain; may be given several times [default: all summaries]
    #[arg(long = "grain", value_name = "G", value_parser = grain)]
    pub grains: Vec<Grain>,
    #[command(flatten)]
    pub range: Range,
    /// The most memories [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Args)]
pub struct Show {
    /// The memory's id
    pub id: String,
    /// Also show what it was made from
    #[arg(long)]
    pub sources: bool,
}

#[derive(Args)]
pub struct OneOrAll {
    /// Only this agent [default: all]
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
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
    /// Only this grain; may be given several times [default: all]
    #[arg(long = "grain", value_name = "G", value_parser = grain)]
    pub grains: Vec<Grain>,
}

#[derive(Subcommand)]
pub enum Agent {
    /// List all agents
    List,
    /// Show an agent's settings
    Show {
        /// The agent's name
        name: String,
    },
    /// Change an agent's settings; makes the agent if there is none
    Set {
        /// The agent's name
        name: String,
        /// IANA time zone; where there are memories already it starts at the next midnight
        #[arg(long, value_name = "ZONE")]
        time_zone: Option<String>,
        /// Two-letter code of the language for word stems in search
        #[arg(long, value_name = "CODE")]
        language: Option<String>,
    },
}

#[derive(Args)]
pub struct Embed {
    /// Measure on a file in the format of the STS benchmark and print Spearman's correlation
    #[arg(long, value_name = "CSV")]
    pub eval: Option<PathBuf>,
    /// A folder with another model of this kind [default: the built-in model]
    #[arg(long, value_name = "DIR")]
    pub model: Option<PathBuf>,
}

fn grain(text: &str) -> Result<Grain, String> {
    text.parse().map_err(|error: annals_core::Error| error.to_string())
}

fn period(text: &str) -> Result<Period, String> {
    text.parse().map_err(|error: annals_core::Error| error.to_string())
}

fn kind(text: &str) -> Result<Kind, String> {
    text.parse().map_err(|error: annals_core::Error| error.to_string())
}

fn day(text: &str) -> Result<Date, String> {
    match text.parse::<Period>() {
        Ok(period) if period.grain() == Grain::Daily => Ok(period.first_day()),
        _ => Err("a day looks like 2026-03-04 and must exist".into()),
    }
}
