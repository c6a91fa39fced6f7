//! Prints the facts that the built-in rules find next to the messages they come from, for review by a person.
//!
//!     cargo run -p annals-llm --example rule_facts -- messages.jsonl [--sample 100 --seed 1]
//!
//! Reads each conversation as one task. Prints the number of operations by predicate, and a sample of them that depends on the
//! seed only.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;

use annals_core::ports::ExtractionTask;
use annals_core::{
    Agent, Body, Extractor, FactOperation, Grain, Interval, Memory, MemoryId, Period, Role, Settings, Timestamp,
    TurnKey, Zones,
};
use annals_llm::Rules;
use annals_testkit::Dice;
use serde_json::Value;

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, sample, seed) = parse_arguments(&arguments)?;
    let conversations = conversations(&std::fs::read_to_string(file)?)?;
    let mut found: Vec<(&Memory, FactOperation)> = Vec::new();
    for (agent, turns) in &conversations {
        for operation in operations(&Agent::new(&agent.0)?, turns).await? {
            let turn = turns.iter().find(|turn| turn.id == operation.source).expect("operations name their turn");
            found.push((turn, operation));
        }
    }
    let turns: usize = conversations.values().map(Vec::len).sum();
    println!("{} operations from {turns} turns", found.len());
    for (predicate, count) in counted(&found) {
        println!("{count:6} {predicate}");
    }
    Dice::new(seed).shuffle(&mut found);
    for (number, (turn, operation)) in found.iter().take(sample).enumerate() {
        println!("\n{}. {}", number + 1, line(operation));
        println!("   {} {}: {}", turn.days.0, turn.speaker().unwrap_or_default(), turn.text);
    }
    Ok(())
}

fn parse_arguments(arguments: &[String]) -> Result<(&str, usize, u64), Failure> {
    let usage = "usage: rule_facts messages.jsonl [--sample 100 --seed 1]";
    let file = arguments.first().ok_or(usage)?;
    let value = |name: &str| arguments.iter().position(|word| word == name).and_then(|index| arguments.get(index + 1));
    let sample = value("--sample").map_or(Ok(100), |count| count.parse())?;
    let seed = value("--seed").map_or(Ok(1), |seed| seed.parse())?;
    Ok((file, sample, seed))
}

async fn operations(agent: &Agent, turns: &[Memory]) -> Result<Vec<FactOperation>, Failure> {
    let (settings, now) = (Settings::default(), turns[turns.len() - 1].at());
    let task = ExtractionTask {
        agent,
        settings: &settings,
        turns,
        context: &[],
        known: &[],
        predicates: &[],
        now,
        access_key: None,
    };
    Ok(Rules.extract(task).await?.operations)
}

fn counted(found: &[(&Memory, FactOperation)]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (_, operation) in found {
        *counts.entry(format!("{} {}", operation.verb, operation.predicate)).or_default() += 1;
    }
    counts
}

fn line(operation: &FactOperation) -> String {
    let FactOperation { verb, subject, predicate, object, .. } = operation;
    let mut line = format!("{verb} {subject} | {predicate} | {object}");
    if let Some(former) = &operation.replaces {
        line.push_str(&format!(" (was {former})"));
    }
    for (name, value) in &operation.properties {
        line.push_str(&format!(" {name}={value}"));
    }
    if operation.at != operation.said_at {
        line.push_str(&format!(" from {}", operation.at));
    }
    line
}

/// Turns by agent and conversation, in order of time.
type Conversations = BTreeMap<(String, String), Vec<Memory>>;

fn conversations(lines: &str) -> Result<Conversations, Failure> {
    let utc = Zones::new("UTC")?;
    let mut conversations = Conversations::new();
    for line in lines.lines() {
        let message: Value = serde_json::from_str(line)?;
        let key = (text(&message, "agent"), text(&message, "conversation"));
        conversations.entry(key).or_default().push(turn(&message, &utc)?);
    }
    conversations.values_mut().for_each(|turns| turns.sort_by_key(Memory::at));
    Ok(conversations)
}

fn turn(message: &Value, zones: &Zones) -> Result<Memory, Failure> {
    let key = TurnKey { conversation: text(message, "conversation"), id: text(message, "id") };
    let at: Timestamp = text(message, "at").parse()?;
    let day = zones.day_of(at);
    Ok(Memory {
        id: MemoryId::turn(&Agent::new(&text(message, "agent"))?, &key),
        grain: Grain::Working,
        period: Period::of(Grain::Daily, day),
        cover: Interval { start: at, end: at },
        days: (day, day),
        text: text(message, "content"),
        pinned: false,
        seq: 0,
        body: Body::Turn {
            speaker: text(message, "name"),
            role: text(message, "role").parse::<Role>()?,
            conversation: key.conversation,
            message: key.id,
        },
    })
}

fn text(message: &Value, field: &str) -> String {
    message[field].as_str().unwrap_or_default().to_owned()
}
