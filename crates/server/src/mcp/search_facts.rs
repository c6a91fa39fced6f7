//! The tool `search_facts`: what is known about whom, and since when.

use annals_core::ports::Scope;
use annals_core::{Agent, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;

use super::refusal::Refusal;
use super::text;
use super::tool::{Effect, Tool};
use crate::Service;
use crate::wire::{FactView, FactsAnswer, FactsWish};

pub(super) struct SearchFacts;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Arguments {
    /// The person or thing, by any of its names; without it, facts of all.
    about: Option<String>,
    /// Only this predicate, such as lives_in.
    predicate: Option<String>,
    /// What held at this instant, with an offset, such as 2026-03-04T12:00:00Z, instead of now.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    as_of: Option<Timestamp>,
    /// What no longer holds as well.
    #[serde(default)]
    history: bool,
    /// The most facts that come back.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 1000))]
    max_results: u32,
}

fn fifty() -> u32 {
    50
}

impl Tool for SearchFacts {
    const NAME: &'static str = "search_facts";
    const TITLE: &'static str = "Search facts";
    const DESCRIPTION: &'static str = "Lists what is known of a person or thing as facts: subject, predicate, object, and from \
        when to when each holds. Those that hold now come by default; asOf looks at another moment, history shows changes.";
    const SCOPE: Scope = Scope::Search;
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Answer = FactsAnswer;

    async fn call(
        service: &Service,
        agent: &Agent,
        arguments: Arguments,
        now: Timestamp,
    ) -> Result<FactsAnswer, Refusal> {
        let wish = FactsWish {
            about: arguments.about,
            predicate: arguments.predicate,
            as_of: arguments.as_of,
            history: arguments.history,
            limit: Some(arguments.max_results as usize),
        };
        Ok(service.facts(agent, wish, now).await?)
    }

    fn text(answer: &FactsAnswer) -> String {
        if answer.facts.is_empty() {
            return "No such fact is known; try search_memory, or history for what no longer holds.".to_owned();
        }
        let lines: Vec<String> = answer.facts.iter().map(line).collect();
        format!(
            "{}, by the moment from which they hold.\n{}",
            text::count(lines.len(), "fact", "facts"),
            text::fenced(&lines)
        )
    }
}

fn line(fact: &FactView) -> String {
    let until = fact.valid_to.as_ref().map(|end| format!(" until {}", second(end))).unwrap_or_default();
    let FactView { id, subject, predicate, object, valid_from, said, .. } = fact;
    let (from, said) = (second(valid_from), second(&said.from));
    format!("[{id}] {subject} {predicate} {object}: holds from {from}{until}; said {said}")
}

/// The moment without fractions of a second, which say nothing to a model.
fn second(moment: &str) -> String {
    moment.split_once('.').map_or_else(|| moment.to_owned(), |(second, _)| format!("{second}Z"))
}
