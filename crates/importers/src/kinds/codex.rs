//! Sessions of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`.
//!
//! A file has two logs: what the person and the agent said (`event_msg`), and what the model saw (`response_item`), which
//! repeats the first log with injected context. The messages of the first log are read. From the second log come the calls and
//! results of tools, and the messages of a speaker that the first lacks, as in old files.
//!
//! Lines have no ids. The id of a message is made of its time, role and parts. A forked session begins with a copy of its
//! parent, with new times; in such a session, a message is a copy if it and everything before it in the file are the same as in
//! an older session. Sessions of subagents are skipped.

mod line;
mod payload;

use std::collections::HashSet;

use annals_core::{Result, Timestamp};
use jiff::tz::TimeZone;
use serde_json::Value;

use super::files::{each_line, filled, look_at_lines, text};
use crate::dates;
use crate::detect::{Fit, Sample};
use crate::kind::Importer;
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};
use line::Session;

pub struct Codex;

impl Importer for Codex {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        for entry in sample.first(20, is_candidate) {
            let lines = sample.lines(&entry);
            if lines.iter().any(|line| text(line, "type") == Some("session_meta") && line.get("payload").is_some()) {
                return Fit::Clear(format!("{} has a line session_meta", entry.path));
            }
            if entry.name().starts_with("rollout-") {
                // The first line has the instructions, so it may be longer than the examined part of the file; its keys are
                // read without parsing the line.
                let keys = sample.keys(&entry);
                let is_head = ["timestamp", "type", "payload"].iter().all(|name| keys.iter().any(|key| key == name));
                let is_old = keys.iter().any(|key| key == "instructions");
                let why = format!("{} is named as sessions of Codex are", entry.path);
                return if is_head || is_old { Fit::Clear(why) } else { Fit::Possible(why) };
            }
        }
        Fit::No
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        for (survey, entry) in oldest_first(source, output) {
            let mut session = Session::new(survey, entry.stem());
            each_line(source, &entry, output, |line, location, output| session.line(&line, location, output))?;
            session.end(&entry.location(), output)?;
        }
        Ok(())
    }
}

fn is_candidate(entry: &Entry) -> bool {
    entry.has_extension("jsonl") && !matches!(entry.name(), "history.jsonl" | "session_index.jsonl")
}

/// Properties of a file that must be known before the file is read.
#[derive(Clone, Debug, Default)]
struct Survey {
    /// When the session was begun.
    begins: Option<Timestamp>,
    id: Option<String>,
    /// The id of the session that this session was forked from; the file begins with a copy of it.
    parent: Option<String>,
    /// Whether the parent session is among the files.
    has_parent: bool,
    is_subagent: bool,
    /// Whether the file has events for messages of the person.
    has_typed: bool,
    /// Whether the file has events for messages of the agent.
    has_answers: bool,
    /// Whether lines have times. Lines of old files have none.
    has_times: bool,
}

/// Returns the sessions, oldest first, so that a copied session comes after its original.
fn oldest_first(source: &mut Source, output: &mut Output<'_>) -> Vec<(Survey, Entry)> {
    let mut files = Vec::new();
    for entry in source.entries().to_vec() {
        if !is_candidate(&entry) {
            output.skip(Skip::new(SkipReason::NoMessage, "file without a session", entry.name(), &entry.location()));
            continue;
        }
        let survey = survey(source, &entry);
        if survey.is_subagent {
            output.skip(Skip::new(SkipReason::NoMessage, "subagent's file", entry.name(), &entry.location()));
        } else {
            files.push((survey, entry));
        }
    }
    let ids: HashSet<String> = files.iter().filter_map(|(survey, _): &(Survey, Entry)| survey.id.clone()).collect();
    for (survey, _) in &mut files {
        survey.has_parent = survey.parent.as_ref().is_some_and(|parent| ids.contains(parent));
    }
    files.sort_by(|(one, of_one), (other, of_other)| {
        (one.begins, one.parent.is_some(), &of_one.path).cmp(&(other.begins, other.parent.is_some(), &of_other.path))
    });
    files
}

fn survey(source: &mut Source, entry: &Entry) -> Survey {
    let mut survey = Survey::default();
    look_at_lines(source, entry, |line| {
        let time = time_of(line);
        survey.begins = survey.begins.or(time);
        let payload = line.get("payload").unwrap_or(&Value::Null);
        survey.has_times |= time.is_some() && line.get("payload").is_some();
        match text(line, "type") {
            // The first such line describes the session; further ones describe its ancestors.
            Some("session_meta") if survey.id.is_none() => {
                survey.begins = survey.begins.or_else(|| time_of(payload));
                survey.id = filled(payload, "id").or_else(|| filled(payload, "session_id")).map(str::to_owned);
                survey.parent = filled(payload, "forked_from_id").map(str::to_owned);
                let source = payload.get("source").and_then(|source| source.get("subagent"));
                survey.is_subagent = source.is_some() || text(payload, "thread_source") == Some("subagent");
            }
            // In old files, the first line describes the session without an envelope.
            None if survey.id.is_none() && line.get("timestamp").is_some() => {
                survey.id = filled(line, "id").map(str::to_owned);
            }
            Some("event_msg") => {
                survey.has_typed |= text(payload, "type") == Some("user_message");
                survey.has_answers |= text(payload, "type") == Some("agent_message");
            }
            _ => {}
        }
        !(survey.has_typed && survey.has_answers || survey.is_subagent)
    });
    survey
}

/// Returns the time of a line or payload, if it has one.
fn time_of(line: &Value) -> Option<Timestamp> {
    line.get("timestamp").and_then(|at| dates::of_json(at, &TimeZone::UTC))
}

#[cfg(test)]
mod tests;
