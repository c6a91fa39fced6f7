//! Arguments of `annals facts`.

use std::path::PathBuf;

use annals_core::Direction;
use annals_service::wire::When;
use clap::{Args, Subcommand};

use super::value::{direction, number, when};

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Facts {
    #[command(flatten)]
    pub find: FindFacts,
    #[command(subcommand)]
    pub change: Option<ChangeFacts>,
}

#[derive(Args)]
pub(crate) struct FindFacts {
    /// Search the facts of this agent
    #[arg(long, value_name = "A", required = true)]
    pub agent: Option<String>,
    /// Only facts about this person or thing, under any of its names
    #[arg(long, value_name = "E")]
    pub about: Option<String>,
    /// Follow facts from there, up to N steps away (1 to 10), nearest first
    #[arg(long, value_name = "N", requires = "about", value_parser = number::<u32>, allow_negative_numbers = true)]
    pub depth: Option<u32>,
    /// Find the shortest path from there to this person or thing, with at most --depth facts [default: 6]
    #[arg(long, value_name = "E", requires = "about")]
    pub to: Option<String>,
    /// Direction in which --depth and --to follow facts: out (from subject to object), in, or both
    #[arg(long, value_name = "WAY", requires = "about", default_value = "both", value_parser = direction)]
    pub direction: Direction,
    /// Only this predicate, such as lives_in; with --depth or --to, several separated by commas
    #[arg(long, value_name = "P")]
    pub predicate: Option<String>,
    /// Facts that held at this moment, or at the beginning of this day, instead of those that hold now
    #[arg(long, value_name = "T", value_parser = when, conflicts_with = "history")]
    pub as_of: Option<When>,
    /// Include facts that have ended
    #[arg(long)]
    pub history: bool,
    /// Maximum number of facts [default: all]
    #[arg(long, value_name = "N", value_parser = number::<usize>, allow_negative_numbers = true)]
    pub limit: Option<usize>,
    /// Write all of the agent's facts, including history, to this Parquet file instead
    #[arg(long, value_name = "FILE")]
    pub parquet: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum ChangeFacts {
    /// Add a fact by hand
    Add(Triple),
    /// End a fact; without an object, end all facts with this subject and predicate
    Retract(Retraction),
}

#[derive(Args)]
pub(crate) struct Triple {
    /// Subject: the person or thing that the fact is about
    pub subject: String,
    /// Predicate, such as lives_in
    pub predicate: String,
    /// Object: the value, such as Bern
    pub object: String,
    #[command(flatten)]
    pub entry: Entry,
}

#[derive(Args)]
pub(crate) struct Retraction {
    /// Subject: the person or thing that the fact is about
    pub subject: String,
    /// Predicate, such as lives_in
    pub predicate: String,
    /// Object: the value that no longer holds
    pub object: Option<String>,
    #[command(flatten)]
    pub entry: Entry,
}

#[derive(Args)]
pub(crate) struct Entry {
    /// Change the facts of this agent
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// When the change takes effect: a moment, or the beginning of a day [default: now]
    #[arg(long, alias = "since", value_name = "T", value_parser = when)]
    pub at: Option<When>,
}
