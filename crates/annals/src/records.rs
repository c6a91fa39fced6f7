//! Reads exports: files with one record per line, each with its agent. Collects the faults of all lines before anything is
//! stored. A file that was cut off, or lacks lines, is refused by the count in its last line. Exports of older versions have no
//! such line.

use std::collections::BTreeMap;
use std::io::BufRead;

use annals_core::ports::{Record, RecordOrigin};
use annals_core::{Agent, Error, Fault, Result};
use annals_service::calls::AgentNames;
use annals_service::wire::{EXPORT_FORMAT, ExportEnd};
use serde_json::Value;

use crate::lines::Lines;

/// Returns whether a line is a record of an export rather than a message.
pub fn is_record(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|value| value.get("record").is_some())
}

/// An export that was checked completely and can be read again.
pub struct ExportFile {
    source: Lines,
    /// Replaces the agent of each line; `None` keeps the agents of the lines.
    agent: Option<String>,
    /// The agents in the export, with the number of their records.
    pub agents: BTreeMap<Agent, u64>,
}

impl ExportFile {
    /// Checks every line and the origin of the records. Holds one line in memory at a time. Returns an error with the faults of
    /// all lines.
    pub fn check(source: Lines, agent: Option<&str>) -> Result<ExportFile> {
        let mut file = ExportFile { source, agent: agent.map(str::to_owned), agents: BTreeMap::new() };
        let (mut agents, mut origins, mut faults) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let mut counts = Counts::default();
        for line in file.lines()? {
            let (number, parsed) = line?;
            match parsed.and_then(|(agent, line)| counts.add(&agent, &line).map(|()| (agent, line))) {
                Ok((agent, Line::Record { record, .. })) => {
                    let origin: &mut RecordOrigin = origins.entry(agent.clone()).or_default();
                    origin.add(&agent, &record);
                    *agents.entry(agent).or_insert(0) += 1;
                }
                Ok((_, Line::End(_))) => {}
                Err(fault) => faults.push(fault.at_line(number)),
            }
        }
        faults.extend(counts.unended());
        if !faults.is_empty() {
            return Err(Error::Faults(faults));
        }
        origins.values().try_for_each(RecordOrigin::check)?;
        file.agents = agents;
        Ok(file)
    }

    /// Returns every non-empty line, parsed, with its number.
    fn lines(&self) -> Result<impl Iterator<Item = Result<(usize, Parsed)>> + Send + use<>> {
        let agent = self.agent.clone();
        let source = self.source.read().map_err(|cause| Error::storage("reading an export", cause))?;
        let lines = source.split(b'\n').zip(1..);
        Ok(lines.filter_map(move |(line, number)| match line {
            Ok(bytes) if bytes.trim_ascii().is_empty() => None,
            Ok(bytes) => Some(Ok((number, parse(&bytes, agent.as_deref())))),
            Err(cause) => Some(Err(Error::storage(format!("reading line {number}"), cause))),
        }))
    }

    /// Returns the records with their agents, in the order of their ranks. Reads the file once for each rank, so that it need
    /// not fit into memory. Yields an error for a line that cannot be read or has changed since the check.
    pub fn into_records(self) -> impl Iterator<Item = Result<(Agent, Record)>> + Send + 'static {
        Record::RANKS.flat_map(move |rank| {
            let (lines, failed) = match self.lines() {
                Ok(lines) => (Some(lines), None),
                Err(error) => (None, Some(Err(error))),
            };
            let lines = lines.into_iter().flatten().map(|line| line?.1.map_err(Error::Invalid));
            let records = lines.filter_map(|line| match line {
                Ok((agent, Line::Record { record, .. })) => Some(Ok((agent, *record))),
                Ok((_, Line::End(_))) => None,
                Err(error) => Some(Err(error)),
            });
            let is_of_rank = move |found: &Result<(Agent, Record)>| match found {
                Ok((_, record)) => record.rank() == rank,
                Err(_) => true,
            };
            failed.into_iter().chain(records.filter(is_of_rank))
        })
    }
}

/// A line of an export.
pub enum Line {
    Record {
        record: Box<Record>,
        /// Whether the line has the field `format`. An export with this field ends with [`Line::End`].
        has_end: bool,
    },
    End(ExportEnd),
}

/// The agent and content of a line, or what is wrong with it.
type Parsed = std::result::Result<(Agent, Line), Fault>;

/// Parses a line of an export. `agent` overrides the agent of the line.
pub fn parse(bytes: &[u8], agent: Option<&str>) -> Parsed {
    let wrong = |error: serde_json::Error| Fault::new("the line", format!("is not a record of an export: {error}"));
    let mut value: Value = serde_json::from_slice(bytes).map_err(wrong)?;
    let mut take = |field: &str| value.as_object_mut().and_then(|fields| fields.remove(field));
    let (own, created_as, format) = (take("agent"), take("created_as"), take("format"));
    let own = own.as_ref().and_then(Value::as_str);
    let name = agent.or(own).ok_or_else(|| Fault::new("agent", "is missing"))?.to_owned();
    // The ids of the records derive from this name. If the user chose another name, they have to derive from that name.
    let created_as = created_as.filter(|_| own == Some(name.as_str())).and_then(|key| key.as_str().map(str::to_owned));
    let names = AgentNames { name, created_as };
    let agent = names.agent().map_err(|error| Fault::new("agent", error.to_string()))?;
    if value["record"] == "end" {
        return Ok((agent, Line::End(serde_json::from_value(value).map_err(wrong)?)));
    }
    if format.as_ref().is_some_and(|format| *format != EXPORT_FORMAT) {
        return Err(Fault::new(
            "format",
            format!("is not {EXPORT_FORMAT}; a newer version of Annals wrote this export"),
        ));
    }
    let record: Record = serde_json::from_value(value).map_err(wrong)?;
    if let Record::Document(document) = &record {
        document.check()?;
    }
    Ok((agent, Line::Record { record: Box::new(record), has_end: format.is_some() }))
}

/// What to do with an incomplete export.
const MEND: &str = "export again; if that is not possible, remove \"format\" from the first line and the line with \"end\" to import \
    what is left";

/// Counts of the records of each agent, compared with the last lines of their exports. A file may hold several exports.
#[derive(Default)]
struct Counts(BTreeMap<Agent, Count>);

#[derive(Default)]
struct Count {
    records: u64,
    /// Whether the last line is still to come.
    is_open: bool,
}

impl Counts {
    fn add(&mut self, agent: &Agent, line: &Line) -> std::result::Result<(), Fault> {
        let count = self.0.entry(agent.clone()).or_default();
        match line {
            Line::Record { has_end, .. } => {
                count.records += 1;
                count.is_open |= has_end;
                Ok(())
            }
            Line::End(end) => match std::mem::take(count).records {
                records if records == end.records => Ok(()),
                records => {
                    let reason = format!(
                        "counts {} records, but the file has {records}: lines are missing or were added; {MEND}",
                        end.records
                    );
                    Err(Fault::new("the last line of the export", reason))
                }
            },
        }
    }

    /// Returns a fault for each export without its last line.
    fn unended(self) -> impl Iterator<Item = Fault> {
        let open = self.0.into_iter().filter(|(_, count)| count.is_open);
        open.map(|(agent, _)| {
            Fault::new(
                "the last line of the export",
                format!("is missing for agent {agent}: the file was cut off; {MEND}"),
            )
        })
    }
}
