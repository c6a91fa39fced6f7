//! Exports as files: one record a line, each with its agent. Finds all faults of all lines before anything is stored.

use std::collections::HashMap;
use std::io::BufRead;

use annals_core::ports::Record;
use annals_core::{Agent, Error, Fault, Result};
use serde_json::Value;

/// Whether a line is one of an export rather than a message.
pub fn is_record(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|value| value.get("record").is_some())
}

/// Reads and checks everything; `agent` overrides the agent of each line.
pub fn parse(input: impl BufRead, agent: Option<&str>) -> Result<Vec<(Agent, Vec<Record>)>> {
    let mut faults = Vec::new();
    let mut agents: Vec<(Agent, Vec<Record>)> = Vec::new();
    let mut places = HashMap::new();
    for (line, number) in input.split(b'\n').zip(1..) {
        let bytes = line.map_err(|cause| Error::storage(format!("reading line {number}"), cause))?;
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        match record(&bytes, agent) {
            Ok((agent, record)) => {
                let place = *places.entry(agent.clone()).or_insert_with(|| {
                    agents.push((agent, Vec::new()));
                    agents.len() - 1
                });
                agents[place].1.push(record);
            }
            Err(fault) => faults.push(fault.at_line(number)),
        }
    }
    if faults.is_empty() { Ok(agents) } else { Err(Error::Faults(faults)) }
}

fn record(bytes: &[u8], agent: Option<&str>) -> std::result::Result<(Agent, Record), Fault> {
    let wrong = |error: serde_json::Error| Fault::new("the line", format!("is no record of an export: {error}"));
    let mut value: Value = serde_json::from_slice(bytes).map_err(wrong)?;
    let own = value.as_object_mut().and_then(|fields| fields.remove("agent"));
    let name = agent.or_else(|| own.as_ref()?.as_str()).ok_or_else(|| Fault::new("agent", "is missing"))?;
    let agent = Agent::new(name).map_err(|error| Fault::new("agent", error.to_string()))?;
    Ok((agent, serde_json::from_value(value).map_err(wrong)?))
}
