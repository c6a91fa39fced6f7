//! The tool `search_memory`: memories by meaning and words, grain and date range.

use annals_core::ports::Scope;
use annals_core::{Agent, Date, Grain, Timestamp, one_line};
use annals_service::Service;
use annals_service::wire::{RangeView, SearchAnswer, SearchRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::structured::{MemoryReference, references};
use super::text;
use super::tool::{Effect, GrainName, Tool};

pub(super) struct SearchMemory;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// What to look for, in words or as a question. Without it, the newest memories are returned.
    query: Option<String>,
    /// working: what was said, word for word. daily to yearly: summaries. If empty, chosen by dates and query.
    #[serde(default)]
    #[schemars(with = "Vec<GrainName>")]
    grains: Vec<Grain>,
    /// Excludes memories newer than this many local days ago. 0 is today, 1 yesterday.
    min_days_ago: Option<u32>,
    /// Excludes memories older than this many local days ago. 7 with min_days_ago 0 is the last week and today.
    max_days_ago: Option<u32>,
    /// First day, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    from: Option<Date>,
    /// Last day, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    to: Option<Date>,
    /// One period: 2026-03-04, 2026-W10, 2026-03, 2026-Q1 or 2026. Other bounds apply in addition.
    period: Option<String>,
    /// Treats times in the query, such as last month, as ordinary words.
    #[serde(default)]
    ignore_times: bool,
    /// Maximum number of memories to return.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

fn ten() -> u32 {
    10
}

/// Memories that match a query, and how its times were understood.
#[derive(Serialize, JsonSchema)]
pub(super) struct Structured {
    /// Name of the agent.
    agent: String,
    /// Text for the model. The memories are between marks, as data.
    text: String,
    /// The days that were searched.
    range: RangeView,
    /// Times recognised in the query. They raise memories of that time and filter nothing. ignore_times turns this off.
    said: Vec<Days>,
    /// The days that the query asks about as a whole. Their summaries come first.
    #[serde(skip_serializing_if = "Option::is_none")]
    period: Option<RangeView>,
    /// The memories that were found, best first.
    results: Vec<MemoryReference>,
    /// Whether the range holds no memory of these grains at all, so that another query will not help.
    range_is_empty: bool,
    /// What to try when few results were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// The days that a time in the query was taken to mean. The words themselves are left out, because they are in the query.
#[derive(Serialize, JsonSchema)]
pub(super) struct Days {
    /// First day, inclusive. Open if it is missing.
    #[schemars(with = "Option<String>")]
    from: Option<Date>,
    /// Last day, inclusive. Open if it is missing.
    #[schemars(with = "Option<String>")]
    to: Option<Date>,
}

impl Tool for SearchMemory {
    const NAME: &'static str = "search_memory";
    const TITLE: &'static str = "Search memory";
    const DESCRIPTION: &'static str = "Searches long-term memory, best first. Dates are hard filters: nothing that lies wholly \
        outside them comes back, and a range without memories is said to be empty. Use grain working for exact words, details \
        and recent days; coarser grains for what happened over weeks, months and years.";
    const SCOPE: Scope = Scope::Search;
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Answer = SearchAnswer;
    type Structured = Structured;

    async fn call(
        service: &Service,
        agent: &Agent,
        arguments: Arguments,
        now: Timestamp,
    ) -> Result<SearchAnswer, Refusal> {
        let request = SearchRequest {
            query: arguments.query,
            grains: arguments.grains,
            from: arguments.from,
            to: arguments.to,
            min_days_ago: arguments.min_days_ago,
            max_days_ago: arguments.max_days_ago,
            period: arguments.period,
            ignore_times: arguments.ignore_times,
            limit: arguments.limit as usize,
            ..SearchRequest::default()
        };
        Ok(service.search(agent, request, now).await?)
    }

    fn text(answer: &SearchAnswer) -> String {
        let searched = text::range(&answer.range);
        let mut parts = vec![match answer.results.len() {
            0 if answer.range_is_empty => format!("Memory holds nothing{searched} in the grains that were searched."),
            0 => format!("Nothing{searched} matches the query."),
            number => format!("{}{searched}, best first.", text::count(number, "memory", "memories")),
        }];
        parts.extend(understood(answer));
        if !answer.results.is_empty() {
            parts.push(text::zone(&answer.time_zone));
        }
        parts.push(text::fenced(&answer.results.iter().map(text::memory).collect::<Vec<_>>()));
        parts.extend(answer.hint.clone());
        parts.retain(|part| !part.is_empty());
        parts.join("\n")
    }

    fn structured(answer: SearchAnswer, text: &str) -> Structured {
        let brief = text::with_data(text, &answer.results.iter().map(text::brief).collect::<Vec<_>>());
        let SearchAnswer { agent, range, results, range_is_empty, hint, said, period, .. } = answer;
        let times = said.into_iter().map(|time| Days { from: time.days.from, to: time.days.to }).collect();
        Structured {
            agent,
            text: brief,
            range,
            said: times,
            period,
            results: references(results),
            range_is_empty,
            hint,
        }
    }
}

/// Returns a sentence about the days that times in the query were taken to mean; `None` if the query has none.
fn understood(answer: &SearchAnswer) -> Option<String> {
    let times: Vec<String> =
        answer.said.iter().map(|time| format!("{:?} as{}", one_line(&time.words), text::range(&time.days))).collect();
    let off = "with ignore_times they are treated as ordinary words";
    (!times.is_empty()).then(|| format!("Times in the query were understood: {}; {off}.", times.join(", ")))
}
