//! The tool `timeline`: what happened, in order of time.

use annals_core::ports::Scope;
use annals_core::{Agent, Date, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grains::Choice;
use super::refusal::Refusal;
use super::structured::{MemoryReference, references};
use super::text;
use super::tool::{Effect, Tool};
use crate::Service;
use crate::wire::{TimelineAnswer, TimelineWish};

pub(super) struct Timeline;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Arguments {
    /// One grain; auto lists summaries of all grains. Use working for what was said, word for word.
    #[serde(default)]
    grain: Choice,
    /// First day, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    from: Option<Date>,
    /// Last day, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    to: Option<Date>,
    /// The most memories that come back, the oldest first.
    #[serde(default = "thirty")]
    #[schemars(range(min = 1, max = 1000))]
    max_results: u32,
}

fn thirty() -> u32 {
    30
}

/// What happened.
#[derive(Serialize, JsonSchema)]
pub(super) struct Structured {
    /// Whose memory.
    agent: String,
    /// For the model: what happened stands between marks, as data.
    text: String,
    /// The memories, oldest first.
    memories: Vec<MemoryReference>,
    /// Periods with input that are not over yet, from fine to coarse: their summaries are still to come.
    open: Vec<String>,
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
        let wish = TimelineWish {
            grains: arguments.grain.grain().map(|grain| grain.to_string()),
            from: arguments.from,
            to: arguments.to,
            limit: Some(arguments.max_results as usize),
        };
        Ok(service.timeline(agent, wish, now).await?)
    }

    fn text(answer: &TimelineAnswer) -> String {
        let mut said = vec![match answer.memories.len() {
            0 => "There are no such memories in that time; try grain working, or other dates.".to_owned(),
            number => format!("{}, oldest first.", text::count(number, "memory", "memories")),
        }];
        said.push(text::fenced(&answer.memories.iter().map(text::memory).collect::<Vec<_>>()));
        if !answer.open.is_empty() {
            said.push(format!("Not over yet, so not summed up: {}.", answer.open.join(", ")));
        }
        said.retain(|part| !part.is_empty());
        said.join("\n")
    }

    fn structured(answer: TimelineAnswer, text: &str) -> Structured {
        let TimelineAnswer { agent, memories, open } = answer;
        Structured { agent, text: text.to_owned(), memories: references(memories), open }
    }
}
