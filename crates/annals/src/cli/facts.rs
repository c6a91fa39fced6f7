//! Facts: to find, add and retract.

use std::path::PathBuf;

use annals_core::Direction;
use annals_server::wire::When;
use clap::{Args, Subcommand};

use super::value::{direction, number, when};
use crate::terminal::path;

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
    /// Walk on from there: facts so many away, 1 to 10, the nearest first
    #[arg(long, value_name = "N", requires = "about", value_parser = number::<u32>, allow_negative_numbers = true)]
    pub depth: Option<u32>,
    /// The shortest way from there to this person or thing, of at most --depth facts [default: 6]
    #[arg(long, value_name = "E", requires = "about")]
    pub to: Option<String>,
    /// Which way --depth and --to follow facts: out from subject to object, in, or both
    #[arg(long, value_name = "WAY", requires = "about", default_value = "both", value_parser = direction)]
    pub direction: Direction,
    /// Only this predicate, such as lives_in; with --depth or --to also several, with commas between them
    #[arg(long, value_name = "P")]
    pub predicate: Option<String>,
    /// What held at this moment, or when this day began, instead of what holds now
    #[arg(long, value_name = "T", value_parser = when, conflicts_with = "history")]
    pub as_of: Option<When>,
    /// Facts that ended too
    #[arg(long)]
    pub history: bool,
    /// The most facts [default: all]
    #[arg(long, value_name = "N", value_parser = number::<usize>, allow_negative_numbers = true)]
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
    /// From when on: a moment, or the beginning of a day [default: now]
    #[arg(long, alias = "since", value_name = "T", value_parser = when)]
    pub at: Option<When>,
}
