//! The tool `search_facts`: what is known about whom, and since when; who is connected with whom, and how.

use annals_core::ports::Scope;
use annals_core::{Agent, Direction, Timestamp, Zones};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::structured::{FactReference, references};
use super::text::{self, Entry};
use super::tool::{Effect, Tool};
use crate::Service;
use crate::wire::{FactView, FactsAnswer, FactsWish, When};

pub(super) struct SearchFacts;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The person or thing, by any of its names; without it, facts of all.
    about: Option<String>,
    /// Walk on from there: facts up to so many steps away, the nearest first. Without it, facts of the person or thing alone.
    #[schemars(range(min = 1, max = 10))]
    depth: Option<u32>,
    /// Instead, how the person or thing is connected with this one: the shortest way, of at most depth facts.
    to: Option<String>,
    /// Which way depth and to follow facts: out from subject to object, in from object to subject, or both.
    #[serde(default)]
    direction: Way,
    /// Only this predicate, such as lives_in; with depth or to also several, with commas between them.
    predicate: Option<String>,
    /// What held at this moment or when this day began, such as 2026-03-04T12:00:00Z or 2026-03-04, instead of now.
    #[schemars(with = "Option<String>")]
    as_of: Option<When>,
    /// What no longer holds as well.
    #[serde(default)]
    history: bool,
    /// The most facts that come back.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Way {
    Out,
    In,
    #[default]
    Both,
}

impl From<Way> for Direction {
    fn from(way: Way) -> Direction {
        match way {
            Way::Out => Direction::Out,
            Way::In => Direction::In,
            Way::Both => Direction::Both,
        }
    }
}

fn fifty() -> u32 {
    50
}

/// What is known, and the zones in which its days are told.
pub(super) struct Answer {
    found: FactsAnswer,
    zones: Zones,
    now: Timestamp,
}

/// What is known.
#[derive(Serialize, JsonSchema)]
pub(super) struct Structured {
    /// Whose memory.
    agent: String,
    /// For the model: what is known stands between marks, as data.
    text: String,
    /// The facts, in the order of the text.
    facts: Vec<FactReference>,
    /// Whether the two are connected, when that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    connected: Option<bool>,
}

impl Tool for SearchFacts {
    const NAME: &'static str = "search_facts";
    const TITLE: &'static str = "Search facts";
    const DESCRIPTION: &'static str = "Lists what is known of a person or thing as facts: subject, predicate, object, and from \
        when to when each holds. Those that hold now come by default; as_of looks at another moment, history shows changes. With \
        depth it goes on to the facts of whom those lead to; with to it shows how two persons or things are connected.";
    const SCOPE: Scope = Scope::Search;
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Answer = Answer;
    type Structured = Structured;

    async fn call(service: &Service, agent: &Agent, arguments: Arguments, now: Timestamp) -> Result<Answer, Refusal> {
        let wish = FactsWish {
            about: arguments.about,
            depth: arguments.depth,
            to: arguments.to,
            direction: arguments.direction.into(),
            predicate: arguments.predicate,
            as_of: arguments.as_of,
            history: arguments.history,
            limit: Some(arguments.limit as usize),
            cursor: None,
        };
        let zones = service.catalog.settings(agent).await?.zones()?;
        Ok(Answer { found: service.facts(agent, wish, now).await?, zones, now })
    }

    fn text(answer: &Answer) -> String {
        let Answer { found, zones, now } = answer;
        let lines: Vec<Entry> = found.facts.iter().map(|fact| line(fact, zones).into()).collect();
        let count = text::count(lines.len(), "fact", "facts");
        let heading = match found.connected {
            Some(false) => {
                return "They are not connected by facts that hold then; try more depth, or history.".to_owned();
            }
            Some(true) if lines.is_empty() => return "Both are names of one person or thing.".to_owned(),
            None if lines.is_empty() => {
                return "No such fact is known; try search_memory, or history for what no longer holds.".to_owned();
            }
            Some(true) => format!("Connected by {count}, from one to the other."),
            None if found.facts[0].depth.is_some() => format!("{count}, the nearest first."),
            None => format!("{count}, by the moment from which they hold."),
        };
        format!("{heading} {}\n{}", text::zone(zones.name_at(*now)), text::fenced(&lines))
    }

    fn structured(answer: Answer, text: &str) -> Structured {
        let FactsAnswer { agent, facts, connected, .. } = answer.found;
        Structured { agent, text: text.to_owned(), facts: references(facts), connected }
    }
}

/// A fact with its local days.
fn line(fact: &FactView, zones: &Zones) -> String {
    let day = |moment: &str| moment.parse().map_or_else(|_| moment.to_owned(), |at| zones.day_of(at).to_string());
    let until = fact.valid_to.as_ref().map(|end| format!(" until {}", day(end))).unwrap_or_default();
    let FactView { id, subject, predicate, object, valid_from, said, .. } = fact;
    let (from, said) = (day(valid_from), day(&said.from));
    let away =
        fact.depth.map(|depth| format!("; {} away", text::count(depth as usize, "step", "steps"))).unwrap_or_default();
    format!("[{id}] {subject} {predicate} {object}: holds from {from}{until}; said {said}{away}")
}
