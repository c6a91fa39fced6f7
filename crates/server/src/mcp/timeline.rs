//! The tool `timeline`: memories in order of time.

use annals_core::ports::Scope;
use annals_core::{Agent, Date, Grain, Timestamp};
use annals_service::Service;
use annals_service::wire::{TimelineAnswer, TimelineRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::structured::{MemoryReference, references};
use super::text;
use super::tool::{Effect, GrainName, Tool};

pub(super) struct Timeline;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The grains; working is what was said, word for word. If empty, summaries of a suitable length cover the time once.
    #[serde(default)]
    #[schemars(with = "Vec<GrainName>")]
    grains: Vec<Grain>,
    /// First day, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    from: Option<Date>,
    /// Last day, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    to: Option<Date>,
    /// Excludes memories newer than this many local days ago. 0 is today.
    min_days_ago: Option<u32>,
    /// Excludes memories older than this many local days ago. 7 with min_days_ago 0 is the last week and today.
    max_days_ago: Option<u32>,
    /// One period: 2026-03-04, 2026-W10, 2026-03, 2026-Q1 or 2026. Other bounds apply in addition.
    period: Option<String>,
    /// Maximum number of memories to return, the oldest first.
    #[serde(default = "thirty")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
    /// Continues a previous answer: its next_cursor, with the same other arguments.
    cursor: Option<String>,
}

fn thirty() -> u32 {
    30
}

/// Memories in order of time.
#[derive(Serialize, JsonSchema)]
pub(super) struct Structured {
    /// Name of the agent.
    agent: String,
    /// Text for the model. The memories are between marks, as data.
    text: String,
    /// The memories, oldest first.
    memories: Vec<MemoryReference>,
    /// Periods with input that are not over yet, from fine to coarse. Their summaries are still to come.
    open: Vec<String>,
    /// Cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Tool for Timeline {
    const NAME: &'static str = "timeline";
    const TITLE: &'static str = "Timeline";
    const DESCRIPTION: &'static str = "Lists memories in order of time, oldest first, for questions such as what happened in \
        March. Says which periods are not over yet: their summaries are still to come, so look at finer grains for them.";
    const SCOPE: Scope = Scope::Search;
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Answer = TimelineAnswer;
    type Structured = Structured;

    async fn call(
        service: &Service,
        agent: &Agent,
        arguments: Arguments,
        now: Timestamp,
    ) -> Result<TimelineAnswer, Refusal> {
        let Arguments { grains, from, to, min_days_ago, max_days_ago, period, limit, cursor } = arguments;
        let names: Vec<&str> = grains.iter().map(|grain| grain.as_str()).collect();
        let grains = (!names.is_empty()).then(|| names.join(","));
        let limit = Some(limit as usize);
        let request = TimelineRequest { grains, from, to, min_days_ago, max_days_ago, period, limit, cursor };
        Ok(if request.grains.is_some() {
            service.timeline(agent, request, now).await?
        } else {
            service.overview(agent, request, now).await?
        })
    }

    fn text(answer: &TimelineAnswer) -> String {
        let mut parts = vec![match answer.memories.len() {
            0 => "No memories found in that time; try grains working, or other dates.".to_owned(),
            number => format!(
                "{}, oldest first. {}",
                text::count(number, "memory", "memories"),
                text::zone(&answer.time_zone)
            ),
        }];
        parts.push(text::fenced(&answer.memories.iter().map(text::memory).collect::<Vec<_>>()));
        if let Some(cursor) = &answer.next_cursor {
            parts.push(format!("There are more: call timeline again with cursor {cursor:?}."));
        }
        if !answer.open.is_empty() {
            parts.push(format!("Not over yet, so not summarized: {}.", answer.open.join(", ")));
        }
        parts.retain(|part| !part.is_empty());
        parts.join("\n")
    }

    fn structured(answer: TimelineAnswer, text: &str) -> Structured {
        let brief = text::with_data(text, &answer.memories.iter().map(text::brief).collect::<Vec<_>>());
        let TimelineAnswer { agent, memories, open, next_cursor, .. } = answer;
        Structured { agent, text: brief, memories: references(memories), open, next_cursor }
    }
}
