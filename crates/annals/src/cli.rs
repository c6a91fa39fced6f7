//! The words of the command line. Says what may be asked; does nothing.

mod backup;
mod config;
mod doctor;
mod service;

use std::path::PathBuf;

use annals_core::{Date, EngineChoice, Grain, Kind, Period, Timestamp};
use clap::{Args, Parser, Subcommand};

use crate::terminal::path;

pub use backup::{Backup, BackupCommand, Restore};
pub use config::Config;
pub use doctor::Doctor;
pub use service::{AddKey, Job, Key, Mcp, Serve};

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
    /// The configuration [default: annals.toml in the data folder]
    #[arg(long, global = true, value_name = "FILE", env = "ANNALS_CONFIG", hide_short_help = true)]
    pub config: Option<PathBuf>,
    /// Set a key of the configuration, whatever file and environment say: server.listen=127.0.0.1:8000
    #[arg(long, global = true, value_name = "KEY=VALUE", hide_short_help = true)]
    pub set: Vec<String>,
    /// Act as if it were this moment, for replays and tests [default: the clock]
    #[arg(long, global = true, value_name = "TIME", hide_short_help = true)]
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
    /// List memories in order of time
    Timeline(Timeline),
    /// What is known about whom, and since when; add or retract a fact by hand
    Facts(Facts),
    /// Show one memory in full
    Show(Show),
    /// Replace the words of a memory; the former ones are kept as its history
    Correct(Correct),
    /// Keep a memory, and what it is stored with, from retention
    Pin(Pin),
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
pub struct Import {
    /// Files with one message a line; - reads standard input
    #[arg(required = true, value_name = "FILE", value_parser = path)]
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
    /// Take messages back that were forgotten
    #[arg(long)]
    pub unforget: bool,
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
    /// Only this grain; may be given several times [default: those that suit time and question]
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
    /// Show what each score is made of
    #[arg(long)]
    pub explain: bool,
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
#[command(args_conflicts_with_subcommands = true)]
pub struct Facts {
    #[command(flatten)]
    pub find: FindFacts,
    #[command(subcommand)]
    pub change: Option<ChangeFacts>,
}

#[derive(Args)]
pub struct FindFacts {
    /// Whose memory
    #[arg(long, value_name = "A", required = true)]
    pub agent: Option<String>,
    /// Only facts about this person or thing, by any of its names
    #[arg(long, value_name = "E")]
    pub about: Option<String>,
    /// Only this predicate, such as lives_in
    #[arg(long, value_name = "P")]
    pub predicate: Option<String>,
    /// What held at this moment or day, instead of what holds now
    #[arg(long, value_name = "T", value_parser = moment, conflicts_with = "history")]
    pub as_of: Option<Timestamp>,
    /// Facts that ended too
    #[arg(long)]
    pub history: bool,
    /// The most facts [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Write all of the agent's facts, history included, to this Parquet file instead
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub parquet: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum ChangeFacts {
    /// Add a fact
    Add(Triple),
    /// Say that a fact no longer holds; without an object, that none of the predicate does
    Retract(Retraction),
}

#[derive(Args)]
pub struct Triple {
    /// Whom or what it is about
    pub subject: String,
    /// What is said of it, such as lives_in
    pub predicate: String,
    /// The value
    pub object: String,
    #[command(flatten)]
    pub entry: Entry,
}

#[derive(Args)]
pub struct Retraction {
    /// Whom or what it is about
    pub subject: String,
    /// What is said of it, such as lives_in
    pub predicate: String,
    /// The value that no longer holds
    pub object: Option<String>,
    #[command(flatten)]
    pub entry: Entry,
}

#[derive(Args)]
pub struct Entry {
    /// Whose memory
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Since when [default: now]
    #[arg(long, value_name = "T", value_parser = moment)]
    pub since: Option<Timestamp>,
}

#[derive(Args)]
pub struct Correct {
    /// The memory's id
    pub id: String,
    /// The right words
    pub text: String,
}

#[derive(Args)]
pub struct Pin {
    /// The memory's id
    pub id: String,
    /// Lift the pin
    #[arg(long)]
    pub lift: bool,
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

#[derive(Args)]
#[command(group(clap::ArgGroup::new("target").required(true).args(["ids", "conversation", "subject", "from", "to"]).multiple(true)))]
pub struct Forget {
    /// Whose memory
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Memories by id
    #[arg(value_name = "ID", conflicts_with_all = ["conversation", "subject", "from", "to"])]
    pub ids: Vec<String>,
    /// A whole conversation
    #[arg(long, value_name = "C", conflicts_with_all = ["subject", "from", "to"])]
    pub conversation: Option<String>,
    /// Whatever was said by this person, or names it
    #[arg(long, value_name = "E", conflicts_with_all = ["from", "to"])]
    pub subject: Option<String>,
    #[command(flatten)]
    pub range: Range,
    /// Do it; without this, only say what would go
    #[arg(long)]
    pub yes: bool,
}

#[derive(Args)]
pub struct Export {
    /// Whose memory
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// The file to write; - is standard output
    #[arg(value_name = "FILE", default_value = "-", value_parser = path)]
    pub file: PathBuf,
    /// Write memories.parquet and facts.parquet into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "file", value_parser = path)]
    pub parquet: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum Prompt {
    /// List the prompts, and whether the agent has its own
    List(OneOrAll),
    /// Print a prompt
    Show {
        /// Its name
        name: String,
        /// The one that this agent uses
        #[arg(long, value_name = "A")]
        agent: Option<String>,
    },
    /// Use the text of a file as an agent's own prompt
    Set {
        /// Its name
        name: String,
        /// The file
        #[arg(value_parser = path)]
        file: PathBuf,
        /// The agent
        #[arg(long, value_name = "A")]
        agent: String,
    },
    /// Use the prompt that comes with Annals again
    Reset {
        /// Its name
        name: String,
        /// The agent
        #[arg(long, value_name = "A")]
        agent: String,
    },
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
    #[arg(long, value_name = "N")]
    pub daily_tokens: Option<u64>,
    /// Whether what looks like a credential is masked before it is stored
    #[arg(long, value_name = "BOOL")]
    pub mask: Option<bool>,
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

fn engine(text: &str) -> Result<EngineChoice, String> {
    match text {
        "auto" => Ok(EngineChoice::Auto),
        "extractive" => Ok(EngineChoice::Extractive),
        _ => Err("it is one of auto, extractive".into()),
    }
}

/// A moment, or the beginning of a day in UTC.
fn moment(text: &str) -> Result<Timestamp, String> {
    let of_day = format!("{text}T00:00:00Z");
    let wrong = |_| "a moment looks like 2026-03-04T18:30:00Z or 2026-03-04".to_owned();
    text.parse().or_else(|_| of_day.parse()).map_err(wrong)
}

fn day(text: &str) -> Result<Date, String> {
    match text.parse::<Period>() {
        Ok(period) if period.grain() == Grain::Daily => Ok(period.first_day()),
        _ => Err("a day looks like 2026-03-04 and must exist".into()),
    }
}
