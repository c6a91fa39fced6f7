//! Messages of a file as turns, grouped by agent and UTC day, and the turns that answer questions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use annals_core::{
    Agent, Body, Error, Grain, Interval, Memory, MemoryId, Message, Period, Result, SignedDuration, TurnKey, Zones,
};
use serde::Deserialize;

use crate::input;

/// Reads messages from a file. Returns the turns of each agent, with one list per day that has turns. A message without an id
/// gets its number among the agent's messages.
pub(crate) fn days(path: &Path) -> Result<BTreeMap<Agent, Vec<Vec<Memory>>>> {
    let zones = Zones::new("UTC")?;
    let of_agent = |(agent, messages): (Agent, Vec<Message>)| {
        let mut days: BTreeMap<Period, Vec<Memory>> = BTreeMap::new();
        for (number, message) in messages.into_iter().enumerate() {
            let turn = turn(&agent, message, number, &zones);
            days.entry(turn.period).or_default().push(turn);
        }
        (agent, days.into_values().collect())
    };
    Ok(input::messages(path)?.into_iter().map(of_agent).collect())
}

fn turn(agent: &Agent, message: Message, number: usize, zones: &Zones) -> Memory {
    let id = message.client_id.unwrap_or_else(|| number.to_string());
    let key = TurnKey { conversation: message.conversation, id };
    let day = zones.day_of(message.at);
    let end = message.at.saturating_add(SignedDuration::from_micros(1)).unwrap_or(message.at);
    Memory {
        id: MemoryId::turn(agent, &key),
        grain: Grain::Working,
        period: Period::of(Grain::Daily, day),
        cover: Interval { start: message.at, end },
        days: (day, day),
        text: message.content,
        pinned: false,
        seq: 0,
        body: Body::Turn {
            speaker: message.name.unwrap_or_else(|| message.role.to_string()),
            role: message.role,
            conversation: key.conversation,
            message: key.id,
        },
    }
}

#[derive(Deserialize)]
struct QuestionLine {
    agent: String,
    evidence: Vec<String>,
}

/// Returns the ids of the messages that answer questions, by agent.
pub(super) fn evidence(path: &Path) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let wrong = |cause| Error::storage(format!("cannot read {}", path.display()), cause);
    let text = std::fs::read_to_string(path).map_err(wrong)?;
    let mut evidence: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (line, number) in text.lines().zip(1..) {
        let location = || format!("line {number} of {}", path.display());
        let line: QuestionLine =
            serde_json::from_str(line).map_err(|error| Error::invalid(location(), error.to_string()))?;
        evidence.entry(line.agent).or_default().extend(line.evidence);
    }
    Ok(evidence)
}
