//! Arguments of `annals search`, `context`, `timeline` and `conversations`.

use annals_core::{Date, Grain, Kind, Period};
use clap::Args;

use super::value::{day, grain, kind, number, period};

#[derive(Args)]
pub(crate) struct Search {
    /// Words or a question to search for [default: list the newest memories]
    pub text: Option<String>,
    /// Search the memory of this agent
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Only these grains, separated by commas [default: those that suit the time range and the question]
    #[arg(long, alias = "grain", value_name = "G", value_delimiter = ',', value_parser = grain)]
    pub grains: Vec<Grain>,
    #[command(flatten)]
    pub days: Days,
    /// Treat times in the text, such as "last month", as ordinary words
    #[arg(long)]
    pub ignore_times: bool,
    /// Leave out summaries that also cover days outside the range
    #[arg(long)]
    pub strict: bool,
    /// Only these kinds of memory: turn, fact, summary, passage
    #[arg(long, alias = "kind", value_name = "K", value_delimiter = ',', value_parser = kind)]
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation
    #[arg(long, value_name = "C")]
    pub conversation: Option<String>,
    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number::<usize>, allow_negative_numbers = true)]
    pub limit: usize,
    /// Show the components of each score
    #[arg(long)]
    pub explain: bool,
}

#[derive(Args)]
pub(crate) struct Context {
    /// The message to be answered
    pub prompt: String,
    /// Use the memory of this agent
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Maximum number of tokens in the text: 64 to 100,000
    #[arg(long = "budget-tokens", alias = "budget", value_name = "N", default_value_t = 2000, value_parser = number::<u64>, allow_negative_numbers = true)]
    pub budget: u64,
    /// Who asks; facts about this person are considered too
    #[arg(long, value_name = "S")]
    pub speaker: Option<String>,
    /// The conversation in progress; its last turns are included
    #[arg(long, value_name = "C")]
    pub conversation: Option<String>,
    #[command(flatten)]
    pub days: Days,
}

/// The days of the memories.
#[derive(Args)]
pub(crate) struct Days {
    #[command(flatten)]
    pub range: Range,
    /// One period: 2026-03-04, 2026-W10, 2026-03, 2026-Q1 or 2026; a search matches turns by its days, summaries by its weeks
    #[arg(long, value_name = "P", conflicts_with_all = ["from", "to"], value_parser = period)]
    pub period: Option<Period>,
    /// Nothing newer than N days ago; 0 is today
    #[arg(long, value_name = "N", value_parser = number::<u32>, allow_negative_numbers = true)]
    pub min_days_ago: Option<u32>,
    /// Nothing older than N days ago
    #[arg(long, value_name = "N", value_parser = number::<u32>, allow_negative_numbers = true)]
    pub max_days_ago: Option<u32>,
}

#[derive(Args)]
pub(crate) struct Range {
    /// First day, inclusive, such as 2026-03-04
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub from: Option<Date>,
    /// Last day, inclusive
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub to: Option<Date>,
}

#[derive(Args)]
pub(crate) struct Timeline {
    /// List the memories of this agent
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Only these grains, separated by commas [default: all summaries]
    #[arg(long, alias = "grain", value_name = "G", value_delimiter = ',', value_parser = grain)]
    pub grains: Vec<Grain>,
    #[command(flatten)]
    pub days: Days,
    /// Maximum number of memories [default: all]
    #[arg(long, value_name = "N", value_parser = number::<usize>, allow_negative_numbers = true)]
    pub limit: Option<usize>,
}

#[derive(Args)]
pub(crate) struct Conversations {
    /// List the conversations of this agent
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Maximum number of conversations [default: all]
    #[arg(long, value_name = "N", value_parser = number::<usize>, allow_negative_numbers = true)]
    pub limit: Option<usize>,
    /// Continue after this conversation, by name
    #[arg(long, value_name = "C")]
    pub cursor: Option<String>,
}
