//! Reads files with one JSON message per line. Collects the faults of all lines before anything is stored.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;

use annals_core::{Agent, Error, Fault, Message, Result, Role, Timestamp, TurnKey, identify};
use annals_service::{ImportRequest, ImportedMessages};
use annals_writer::check;
use serde_json::{Map, Value};

/// Faults beyond this number are counted, not listed.
const MOST_FAULTS: usize = 100;
/// If this many lines at the beginning all lack every field of a message, the file is not a file of messages.
const ENOUGH: usize = 5;
const FIELDS: [&str; 7] = ["agent", "conversation", "id", "role", "name", "content", "at"];

/// Parses and checks all lines. `agent` replaces the agent of each line, present or missing. With `revise`, a later line may
/// replace an earlier one with the same id.
pub fn parse(input: impl BufRead, agent: Option<&str>, revise: bool, now: Timestamp) -> Result<ImportRequest> {
    let mut reading = Reading { agent, now, faults: Vec::new(), ignored: BTreeMap::new(), read: 0, unparsed: 0 };
    let mut lines: Vec<(usize, Agent, Message)> = Vec::new();
    for (line, number) in input.split(b'\n').zip(1..) {
        let bytes = line.map_err(|cause| Error::storage(format!("reading line {number}"), cause))?;
        if !bytes.trim_ascii().is_empty() {
            lines.extend(reading.line(&bytes, number).map(|(agent, message)| (number, agent, message)));
            reading.read += 1;
            // A file of another kind is refused with a single fault.
            if reading.read == ENOUGH && reading.unparsed == ENOUGH {
                return Err(Error::Faults(vec![something_else(reading.faults.swap_remove(0))]));
            }
        }
    }
    let agents = group(lines, revise, &mut reading.faults);
    reading.faults.sort_by_key(|fault| fault.line);
    match refuse(reading.faults) {
        Some(error) => Err(error),
        None => Ok(ImportRequest { agents, ignored: reading.ignored, ..ImportRequest::default() }),
    }
}

/// Returns the fault for a file that contains no messages, made from that of its first line.
fn something_else(first: Fault) -> Fault {
    let example =
        r#"{"conversation": "c", "role": "user", "content": "Hello.", "at": "2026-03-04T18:30:00Z", "agent": "ann"}"#;
    let reason = format!("{}. A file of messages has one JSON object per line, such as {example}", first.reason);
    Fault { reason, ..first }
}

fn refuse(mut faults: Vec<Fault>) -> Option<Error> {
    if faults.is_empty() {
        return None;
    }
    let more = faults.len().saturating_sub(MOST_FAULTS);
    faults.truncate(MOST_FAULTS);
    if more > 0 {
        faults.push(Fault::new("…", format!("and {more} more faults")));
    }
    Some(Error::Faults(faults))
}

struct Reading<'a> {
    agent: Option<&'a str>,
    now: Timestamp,
    faults: Vec<Fault>,
    ignored: BTreeMap<String, u64>,
    /// Lines read so far, and how many of them had no field of a message.
    read: usize,
    unparsed: usize,
}

impl Reading<'_> {
    fn line(&mut self, bytes: &[u8], number: usize) -> Option<(Agent, Message)> {
        let mut faults = Vec::new();
        let parsed = self.fields(bytes, &mut faults);
        let good = faults.is_empty();
        self.faults.extend(faults.into_iter().map(|fault| fault.at_line(number)));
        parsed.filter(|_| good)
    }

    fn fields(&mut self, bytes: &[u8], faults: &mut Vec<Fault>) -> Option<(Agent, Message)> {
        let object = match serde_json::from_slice(bytes) {
            Ok(Value::Object(object)) => object,
            Ok(_) => {
                self.unparsed += 1;
                return reject(faults, Fault::new("the line", "is not a JSON object"));
            }
            Err(error) => {
                self.unparsed += 1;
                return reject(faults, Fault::new("the line", syntax(&error)));
            }
        };
        self.unparsed += usize::from(!FIELDS.iter().any(|field| object.contains_key(*field)));
        for field in object.keys().filter(|field| !FIELDS.contains(&field.as_str())) {
            *self.ignored.entry(field.clone()).or_default() += 1;
        }
        let agent = match self.agent {
            Some(agent) => Some(agent),
            None => required(&object, "agent", faults),
        };
        let agent = agent.and_then(|name| keep(Agent::new(name), faults));
        let message = message(&object, faults);
        faults.extend(message.iter().flat_map(|message| check(message, self.now)));
        Some((agent?, message?))
    }
}

fn message(object: &Map<String, Value>, faults: &mut Vec<Fault>) -> Option<Message> {
    let conversation = required(object, "conversation", faults);
    let client_id = optional(object, "id", faults);
    let role = required(object, "role", faults).and_then(|role| keep(role.parse::<Role>(), faults));
    let name = optional(object, "name", faults);
    let content = required(object, "content", faults);
    let at = required(object, "at", faults).and_then(|at| keep(moment(at), faults));
    Some(Message {
        conversation: conversation?.to_owned(),
        client_id: client_id.map(str::to_owned),
        role: role?,
        name: name.map(str::to_owned),
        content: content?.to_owned(),
        at: at?,
    })
}

fn moment(at: &str) -> Result<Timestamp> {
    let wrong =
        || Error::invalid("at", format!("is {at:?}; expected a time with an offset, such as 2026-03-04T18:30:00Z"));
    let exact: Timestamp = at.parse().map_err(|_| wrong())?;
    // Stores keep microseconds; a finer timestamp would differ when it is read back.
    Timestamp::from_microsecond(exact.as_microsecond()).map_err(|_| wrong())
}

fn required<'o>(object: &'o Map<String, Value>, field: &'static str, faults: &mut Vec<Fault>) -> Option<&'o str> {
    match object.get(field) {
        None | Some(Value::Null) => reject(faults, Fault::new(field, "is missing")),
        Some(_) => optional(object, field, faults),
    }
}

fn optional<'o>(object: &'o Map<String, Value>, field: &'static str, faults: &mut Vec<Fault>) -> Option<&'o str> {
    match object.get(field) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(other) => reject(faults, Fault::new(field, format!("is {}; it must be a string", type_of(other)))),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn syntax(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text);
    format!("is not JSON: {reason} at column {}", error.column())
}

fn reject<T>(faults: &mut Vec<Fault>, fault: Fault) -> Option<T> {
    faults.push(fault);
    None
}

fn keep<T>(result: Result<T>, faults: &mut Vec<Fault>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::Invalid(fault)) => reject(faults, fault),
        Err(other) => reject(faults, Fault::new("the line", other.to_string())),
    }
}

/// Groups lines by agent, assigns keys, and reports ids that occur twice with different content.
fn group(lines: Vec<(usize, Agent, Message)>, revise: bool, faults: &mut Vec<Fault>) -> Vec<ImportedMessages> {
    let mut order: Vec<(Agent, Vec<(usize, Message)>)> = Vec::new();
    let mut places: HashMap<Agent, usize> = HashMap::new();
    for (number, agent, message) in lines {
        let place = *places.entry(agent.clone()).or_insert_with(|| {
            order.push((agent, Vec::new()));
            order.len() - 1
        });
        order[place].1.push((number, message));
    }
    order.into_iter().map(|(agent, lines)| with_keys(agent, lines, revise, faults)).collect()
}

fn with_keys(agent: Agent, lines: Vec<(usize, Message)>, revise: bool, faults: &mut Vec<Fault>) -> ImportedMessages {
    let (lines, plain): (Vec<usize>, Vec<Message>) = lines.into_iter().unzip();
    let messages: Vec<(TurnKey, Message)> = identify(&plain).into_iter().zip(plain).collect();
    if !revise {
        faults.extend(contradictions(&lines, &messages));
    }
    ImportedMessages { agent, file: None, messages, lines }
}

fn contradictions(numbers: &[usize], keyed: &[(TurnKey, Message)]) -> Vec<Fault> {
    let mut seen: HashMap<&TurnKey, (usize, annals_core::Digest)> = HashMap::new();
    let mut faults = Vec::new();
    for (number, (key, message)) in numbers.iter().zip(keyed) {
        let (first, digest) = *seen.entry(key).or_insert_with(|| (*number, message.digest()));
        if digest != message.digest() {
            let reason = format!("{:?} was already used in line {first}, with other content", key.id);
            faults.push(Fault::new("id", reason).at_line(*number));
        }
    }
    faults
}
