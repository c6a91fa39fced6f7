//! Search and list by time.

use annals_core::{Date, Grain, Kind, Period};
use clap::Args;

use super::value::{day, grain, kind, number, period};

#[derive(Args)]
pub struct Search {
    /// What to look for
    pub text: Option<String>,
    /// Whose memory
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Only these grains, with commas between them [default: those that suit time and question]
    #[arg(long, alias = "grain", value_name = "G", value_delimiter = ',', value_parser = grain)]
    pub grains: Vec<Grain>,
    #[command(flatten)]
    pub range: Range,
    /// One period: 2026-03-04, 2026-W10, 2026-03, 2026-Q1 or 2026; turns by its days, summaries by its weeks
    #[arg(long, value_name = "P", conflicts_with_all = ["from", "to"], value_parser = period)]
    pub period: Option<Period>,
    /// Nothing newer than so many days ago; 0 is today
    #[arg(long, value_name = "N", value_parser = number::<u32>, allow_negative_numbers = true)]
    pub min_days_ago: Option<u32>,
    /// Nothing older than so many days ago
    #[arg(long, value_name = "N", value_parser = number::<u32>, allow_negative_numbers = true)]
    pub max_days_ago: Option<u32>,
    /// Take times in the text, such as "last month", for words like any others
    #[arg(long)]
    pub ignore_times: bool,
    /// Leave out summaries that also cover days outside the range
    #[arg(long)]
    pub strict: bool,
    /// Only these kinds of memory: turn, fact, summary
    #[arg(long, alias = "kind", value_name = "K", value_delimiter = ',', value_parser = kind)]
    pub kinds: Vec<Kind>,
    /// Only turns of this conversation
    #[arg(long, value_name = "C")]
    pub conversation: Option<String>,
    /// The most results
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number::<usize>, allow_negative_numbers = true)]
    pub limit: usize,
    /// Show what each score is made of
    #[arg(long)]
    pub explain: bool,
}

#[derive(Args)]
pub struct Context {
    /// The message that is to be answered
    pub prompt: String,
    /// Whose memory
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// The most tokens of the text: 64 to 100,000
    #[arg(long = "budget-tokens", alias = "budget", value_name = "N", default_value_t = 2000, value_parser = number::<u64>, allow_negative_numbers = true)]
    pub budget: u64,
    /// Who asks; what is known about them counts as well
    #[arg(long, value_name = "S")]
    pub speaker: Option<String>,
    /// The conversation that is going on; its last turns are included
    #[arg(long, value_name = "C")]
    pub conversation: Option<String>,
    #[command(flatten)]
    pub range: Range,
}

#[derive(Args)]
pub struct Range {
    /// First day, inclusive, such as 2026-03-04
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
    /// Only these grains, with commas between them [default: all summaries]
    #[arg(long, alias = "grain", value_name = "G", value_delimiter = ',', value_parser = grain)]
    pub grains: Vec<Grain>,
    #[command(flatten)]
    pub range: Range,
    /// The most memories [default: all]
    #[arg(long, value_name = "N", value_parser = number::<usize>, allow_negative_numbers = true)]
    pub limit: Option<usize>,
}

#[derive(Args)]
pub struct Conversations {
    /// Whose memory
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// The most conversations [default: all]
    #[arg(long, value_name = "N", value_parser = number::<usize>, allow_negative_numbers = true)]
    pub limit: Option<usize>,
    /// Goes on behind this conversation
    #[arg(long, value_name = "C")]
    pub cursor: Option<String>,
}
