//! Sessions of Claude Code: `~/.claude/projects/FOLDER/SESSION.jsonl`.
//!
//! Reads the texts that a person typed and the answers of the assistant. When a session is resumed, forked or sent to the
//! background, Claude Code copies earlier lines, with their uuids, into a new file. Each line is read once, from the oldest
//! file that has it. A conversation has the id `claude-code:SESSION`, a message the uuid of its line. Sessions of subagents are
//! skipped.

mod line;
mod typed;

use annals_core::{Result, Timestamp};
use jiff::tz::TimeZone;
use serde_json::Value;

use super::files::{each_line, filled, look_at_lines};
use crate::dates;
use crate::detect::{Fit, Sample};
use crate::kind::Importer;
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};
use line::Session;

pub struct ClaudeCode;

/// Maximum number of lines read at the beginning of a file. Reading stops at the first line with a timestamp. If a line read so
/// far is from another session or has `forkedFrom`, the file counts as a copy.
const SURVEYED: usize = 200;

impl Importer for ClaudeCode {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        let has_uuid = |line: &Value| line.get("uuid").is_some() && line.get("sessionId").is_some();
        for entry in sample.first(20, is_session) {
            if sample.lines(&entry).iter().any(|line| has_uuid(line) && line.get("type").is_some()) {
                return Fit::Clear(format!("{} has lines with sessionId and uuid", entry.path));
            }
            // The first line may be longer than the examined part of the file, so its keys are read without parsing the line.
            let keys = sample.keys(&entry);
            let has = |name: &str| keys.iter().any(|key| key == name);
            if has("sessionId") && (has("uuid") || has("parentUuid")) && has("type") {
                return Fit::Clear(format!("{} has lines with sessionId and uuid", entry.path));
            }
        }
        Fit::No
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        for entry in oldest_first(source, output) {
            let mut session = Session::new(entry.stem());
            each_line(source, &entry, output, |line, location, output| session.line(&line, location, output))?;
            session.end(&entry.location(), output)?;
        }
        Ok(())
    }
}

fn is_session(entry: &Entry) -> bool {
    let is_subagent = entry.name().starts_with("agent-")
        || entry.path.contains("/subagents/")
        || entry.path.starts_with("subagents/");
    entry.has_extension("jsonl") && !is_subagent && entry.name() != "history.jsonl"
}

/// Returns the sessions, oldest first, so that a line belongs to the first file that had it. Files without a time come before
/// all others. Files that begin at the same time are copies of one another. Among them, a file with lines of other sessions
/// comes later, and then the file that ends later.
fn oldest_first(source: &mut Source, output: &mut Output<'_>) -> Vec<Entry> {
    let mut files = Vec::new();
    for entry in source.entries().to_vec() {
        if is_session(&entry) {
            files.push((survey(source, &entry), entry));
        } else {
            let kind = if entry.has_extension("jsonl") { "subagent's file" } else { "file without a session" };
            output.skip(Skip::new(SkipReason::NoMessage, kind, entry.name(), &entry.location()));
        }
    }
    files.sort_by(|(one, of_one), (other, of_other)| (one, &of_one.path).cmp(&(other, &of_other.path)));
    let begins: Vec<_> = files.iter().map(|(survey, _)| survey.begins).collect();
    for (at, (survey, entry)) in files.iter_mut().enumerate() {
        let is_shared = [at.checked_sub(1), Some(at + 1)]
            .into_iter()
            .flatten()
            .any(|near| begins.get(near) == Some(&survey.begins));
        if is_shared && survey.begins.is_some() {
            survey.ends = last_time(source, entry);
        }
    }
    files.sort_by(|(one, of_one), (other, of_other)| (one, &of_one.path).cmp(&(other, &of_other.path)));
    files.into_iter().map(|(_, entry)| entry).collect()
}

/// Sort key of a session file; the fields are compared in order. `ends` is read only if several files have the same `begins`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Survey {
    begins: Option<Timestamp>,
    is_copy: bool,
    ends: Option<Timestamp>,
}

fn time(line: &Value) -> Option<Timestamp> {
    line.get("timestamp").and_then(|at| dates::of_json(at, &TimeZone::UTC))
}

fn survey(source: &mut Source, entry: &Entry) -> Survey {
    let mut survey = Survey { begins: None, is_copy: false, ends: None };
    let mut left = SURVEYED;
    look_at_lines(source, entry, |line| {
        survey.begins = survey.begins.or_else(|| time(line));
        let is_foreign = filled(line, "sessionId").is_some_and(|session| session != entry.stem());
        survey.is_copy |= is_foreign || line.get("forkedFrom").is_some_and(Value::is_object);
        left -= 1;
        left > 0 && survey.begins.is_none()
    });
    survey
}

/// Returns the latest time of the lines of a file, or `None` if none has a time.
fn last_time(source: &mut Source, entry: &Entry) -> Option<Timestamp> {
    let mut last = None;
    look_at_lines(source, entry, |line| {
        last = last.max(time(line));
        true
    });
    last
}

#[cfg(test)]
mod tests;
