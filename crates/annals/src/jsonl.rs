//! Reads files with one JSON message per line. Collects the faults of all lines before anything is stored.
//!
//! A file is read several times and never held in memory: [`MessageFile::check`] checks every line, and the import reads the
//! messages. Only one line, and a hash for each id, are in memory.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;

use annals_core::{Agent, Digest, Error, Fault, Message, Result, Role, Timestamp, UniqueFields};
use annals_service::{MAX_FAULTS, MessageLine, MessageLines, MessageSource};
use annals_writer::check;
use serde_json::{Map, Value};

use crate::lines::Lines;

/// If this many lines at the beginning all lack every field of a message, the file is refused as one of another kind.
const UNPARSED_LINES: usize = 5;
const FIELDS: [&str; 7] = ["agent", "conversation", "id", "role", "name", "content", "at"];

/// A file of messages that was checked completely and can be read again.
pub struct MessageFile {
    lines: Lines,
    /// Replaces the agent of each line, present or missing.
    agent: Option<String>,
    now: Timestamp,
    /// The name of the file, if there are several.
    pub name: Option<String>,
    agents: BTreeMap<Agent, u64>,
    /// Names of unknown fields, with the number of lines that contain each.
    pub ignored: BTreeMap<String, u64>,
}

impl MessageFile {
    /// Parses and checks all lines, and passes each message to `see`. `agent` replaces the agent of each line, present or
    /// missing. With `revise`, a later line may replace an earlier one with the same id; without it, a line with the same id
    /// and other content is a fault. Returns an error with the faults of all lines, of which only the first ones are listed.
    /// For a file of another kind, the error has a single fault.
    pub fn check(
        mut lines: Lines,
        agent: Option<&str>,
        revise: bool,
        now: Timestamp,
        see: &mut dyn FnMut(&Agent, &Message),
    ) -> Result<MessageFile> {
        let mut reading = Reading::new(agent, now);
        let (mut agents, mut ids) = (BTreeMap::new(), UsedIds::default());
        for (line, number) in read(&mut lines)?.split(b'\n').zip(1..) {
            let bytes = line.map_err(|cause| unreadable(number, cause))?;
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            if let Some((agent, message)) = reading.line(&bytes, number) {
                if !revise {
                    reading.report(ids.contradiction(&agent, &message, number));
                }
                see(&agent, &message);
                *agents.entry(agent).or_insert(0) += 1;
            }
            reading.read += 1;
            // A file of another kind is refused with a single fault.
            if reading.read == UNPARSED_LINES && reading.unparsed == UNPARSED_LINES {
                return Err(Error::Faults(vec![something_else(reading.faults.swap_remove(0))]));
            }
        }
        let ignored = std::mem::take(&mut reading.ignored);
        match reading.refusal() {
            Some(error) => Err(error),
            None => {
                drop(reading);
                Ok(MessageFile { lines, agent: agent.map(str::to_owned), now, name: None, agents, ignored })
            }
        }
    }
}

impl MessageSource for MessageFile {
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn agents(&self) -> &BTreeMap<Agent, u64> {
        &self.agents
    }

    fn messages(&mut self) -> Result<MessageLines<'_>> {
        let mut reading = Reading::new(self.agent.as_deref(), self.now);
        let lines = read(&mut self.lines)?.split(b'\n').zip(1..);
        Ok(Box::new(lines.filter_map(move |(line, number)| match line {
            Err(cause) => Some(Err(unreadable(number, cause))),
            Ok(bytes) if bytes.trim_ascii().is_empty() => None,
            Ok(bytes) => Some(match reading.line(&bytes, number) {
                Some((agent, message)) => Ok(MessageLine { line: number, agent, message }),
                // Every line was valid when the file was checked.
                None => Err(reading.refusal().unwrap_or_else(|| Error::Stale { what: format!("line {number}") })),
            }),
        })))
    }
}

fn read(lines: &mut Lines) -> Result<impl BufRead + Send + '_> {
    lines.read().map_err(|cause| Error::storage("reading the file", cause))
}

fn unreadable(number: usize, cause: std::io::Error) -> Error {
    Error::storage(format!("reading line {number}"), cause)
}

/// The ids of a file, to find ids that are used twice with different content. Takes about 60 bytes for each id.
#[derive(Default)]
struct UsedIds {
    /// The first line of each id, with the digest of its message.
    lines: HashMap<u128, (usize, u128)>,
}

impl UsedIds {
    /// Returns a fault if an earlier line has the id of this message with other content.
    fn contradiction(&mut self, agent: &Agent, message: &Message, number: usize) -> Option<Fault> {
        let id = message.client_id.as_deref()?;
        let key = short(&Digest::of([agent.name(), &message.conversation, id]));
        let digest = short(&message.digest());
        let (first, known) = *self.lines.entry(key).or_insert((number, digest));
        let reason = || format!("{id:?} was already used in line {first}, with other content");
        (known != digest).then(|| Fault::new("id", reason()).at_line(number))
    }
}

fn short(digest: &Digest) -> u128 {
    let mut half = [0; 16];
    half.copy_from_slice(&digest.0[..16]);
    u128::from_le_bytes(half)
}

/// Returns the fault for a file that contains no messages, made from the fault of its first line.
fn something_else(first: Fault) -> Fault {
    let example =
        r#"{"conversation": "c", "role": "user", "content": "Hello.", "at": "2026-03-04T18:30:00Z", "agent": "ann"}"#;
    let reason = format!("{}. A file of messages has one JSON object per line, such as {example}", first.reason);
    Fault { reason, ..first }
}

struct Reading<'a> {
    agent: Option<&'a str>,
    now: Timestamp,
    /// The first [`MAX_FAULTS`] faults.
    faults: Vec<Fault>,
    /// Number of faults beyond [`MAX_FAULTS`].
    more: usize,
    ignored: BTreeMap<String, u64>,
    /// Lines read so far, and how many of them had no field of a message.
    read: usize,
    unparsed: usize,
}

impl<'a> Reading<'a> {
    fn new(agent: Option<&'a str>, now: Timestamp) -> Reading<'a> {
        Reading { agent, now, faults: Vec::new(), more: 0, ignored: BTreeMap::new(), read: 0, unparsed: 0 }
    }

    fn report(&mut self, faults: impl IntoIterator<Item = Fault>) {
        for fault in faults {
            if self.faults.len() < MAX_FAULTS { self.faults.push(fault) } else { self.more += 1 }
        }
    }

    /// Returns the faults as an error, or `None` if there are none. If faults were left out, the last one has their number.
    fn refusal(&mut self) -> Option<Error> {
        if self.more > 0 {
            self.faults.push(Fault::new("…", format!("and {} more faults", self.more)));
        }
        (!self.faults.is_empty()).then(|| Error::Faults(std::mem::take(&mut self.faults)))
    }

    fn line(&mut self, bytes: &[u8], number: usize) -> Option<(Agent, Message)> {
        let mut faults = Vec::new();
        let parsed = self.fields(bytes, &mut faults);
        let good = faults.is_empty();
        self.report(faults.into_iter().map(|fault| fault.at_line(number)));
        parsed.filter(|_| good)
    }

    fn fields(&mut self, bytes: &[u8], faults: &mut Vec<Fault>) -> Option<(Agent, Message)> {
        let object = match serde_json::from_slice(bytes) {
            Ok(UniqueFields(Value::Object(object))) => object,
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
    let kind = if error.is_data() { "" } else { "is not JSON: " };
    format!("{kind}{reason} at column {}", error.column())
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
