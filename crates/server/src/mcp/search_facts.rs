//! The tool `search_facts`: facts, the time for which each holds, and how two persons or things are connected.

use annals_core::ports::Scope;
use annals_core::{Agent, Direction, Timestamp, Zones};
use annals_service::Service;
use annals_service::wire::{FactView, FactsAnswer, FactsRequest, When};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::structured::{FactReference, references};
use super::text::{self, Entry};
use super::tool::{Effect, Tool};

pub(super) struct SearchFacts;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The person or thing, by any of its names. Without it, facts about all.
    about: Option<String>,
    /// Follows facts further: those up to this many steps away, nearest first. Without it, only facts of the person or thing.
    #[schemars(range(min = 1, max = 10))]
    depth: Option<u32>,
    /// Instead, how the person or thing is connected with this one: the shortest path, of at most depth facts.
    to: Option<String>,
    /// Direction in which depth and to follow facts: out from subject to object, in from object to subject, or both.
    #[serde(default)]
    direction: Way,
    /// Only this predicate, such as lives_in. With depth or to also several, separated by commas.
    predicate: Option<String>,
    /// What held at this moment, or when this day began, instead of now: 2026-03-04T12:00:00Z or 2026-03-04.
    #[schemars(with = "Option<String>")]
    as_of: Option<When>,
    /// Includes facts that no longer hold.
    #[serde(default)]
    history: bool,
    /// Maximum number of facts to return.
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

/// The facts, and the time zones for their days.
pub(super) struct Answer {
    found: FactsAnswer,
    zones: Zones,
    now: Timestamp,
}

/// The facts that were found.
#[derive(Serialize, JsonSchema)]
pub(super) struct Structured {
    /// Name of the agent.
    agent: String,
    /// Text for the model. The facts are between marks, as data.
    text: String,
    /// The facts, in the order of the text.
    facts: Vec<FactReference>,
    /// Whether the two are connected, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    connected: Option<bool>,
}

impl Tool for SearchFacts {
    const NAME: &'static str = "search_facts";
    const TITLE: &'static str = "Search facts";
    const DESCRIPTION: &'static str = "Lists what is known of a person or thing as facts: subject, predicate, object, and from \
        when to when each holds. Those that hold now come by default; as_of looks at another moment, history shows changes. With \
        depth, facts of the persons and things found are returned too; with to, it shows how two persons or things are \
        connected.";
    const SCOPE: Scope = Scope::Search;
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Answer = Answer;
    type Structured = Structured;

    async fn call(service: &Service, agent: &Agent, arguments: Arguments, now: Timestamp) -> Result<Answer, Refusal> {
        let request = FactsRequest {
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
        let zones = service.zones(agent).await?;
        Ok(Answer { found: service.facts(agent, request, now).await?, zones, now })
    }

    fn text(answer: &Answer) -> String {
        let Answer { found, zones, now } = answer;
        let lines: Vec<Entry> = found.facts.iter().map(|fact| line(fact, zones).into()).collect();
        let count = text::count(lines.len(), "fact", "facts");
        let heading = match found.connected {
            Some(false) => {
                return "No path of facts that hold then connects them; try a larger depth, or history.".to_owned();
            }
            Some(true) if lines.is_empty() => return "Both are names of one person or thing.".to_owned(),
            None if lines.is_empty() => {
                return "No facts found; try search_memory, or history for facts that no longer hold.".to_owned();
            }
            Some(true) => format!("Connected by {count}, from one to the other."),
            None if found.facts[0].depth.is_some() => format!("{count}, the nearest first."),
            None => format!("{count}, ordered by the time from which they hold."),
        };
        format!("{heading} {}\n{}", text::zone(zones.name_at(*now)), text::fenced(&lines))
    }

    fn structured(answer: Answer, text: &str) -> Structured {
        let FactsAnswer { agent, facts, connected, .. } = answer.found;
        Structured { agent, text: text.to_owned(), facts: references(facts), connected }
    }
}

/// Formats a fact as one line, with local days, and the id of a turn that states it: other tools take ids of memories.
fn line(fact: &FactView, zones: &Zones) -> String {
    let day = |moment: &str| moment.parse().map_or_else(|_| moment.to_owned(), |at| zones.day_of(at).to_string());
    let until = fact.valid_to.as_ref().map(|end| format!(" until {}", day(end))).unwrap_or_default();
    let FactView { id, subject, predicate, object, valid_from, said, source_ids, .. } = fact;
    let id = source_ids.first().unwrap_or(id);
    let (from, said) = (day(valid_from), day(&said.from));
    let away =
        fact.depth.map(|depth| format!("; {} away", text::count(depth as usize, "step", "steps"))).unwrap_or_default();
    format!("[{id}] {subject} {predicate} {object}: holds from {from}{until}; said {said}{away}")
}
