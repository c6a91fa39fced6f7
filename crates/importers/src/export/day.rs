//! The note of a day.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use annals_core::ports::Record;
use annals_core::{Period, Statement, Timestamp, Zones};
use jiff::tz::TimeZone;

use super::escape::{heading, item, paragraphs, quoted};
use super::summary::links;

/// The records of one day.
#[derive(Default)]
pub struct Day {
    /// The turns of the day: records of the kind `Turn`.
    pub turns: Vec<Record>,
    pub statements: Vec<Statement>,
    pub summary: Option<String>,
}

/// The fields of a turn that the note contains or is ordered by.
struct Line<'r> {
    at: Timestamp,
    conversation: &'r str,
    id: &'r str,
    speaker: &'r str,
    text: &'r str,
}

impl Day {
    /// Returns the Markdown note of the day. `titles` has the titles of conversations by id. Periods for which `has_note`
    /// returns true are linked.
    pub fn note(
        &self,
        period: Period,
        zones: &Zones,
        titles: &BTreeMap<String, String>,
        has_note: impl Fn(&Period) -> bool,
    ) -> String {
        let mut lines: Vec<Line<'_>> = self.turns.iter().filter_map(line).collect();
        lines.sort_by_key(|line| (line.at, line.conversation, line.id));
        let mut note = format!("---\ndate: {period}\ntype: daily\nturns: {}\n", lines.len());
        let people: BTreeSet<&str> = lines.iter().map(|line| line.speaker).collect();
        if !people.is_empty() {
            let people: Vec<String> = people.into_iter().map(quoted).collect();
            push(&mut note, format_args!("people: [{}]\n", people.join(", ")));
        }
        push(&mut note, format_args!("{}---\n\n# {period}\n", links(period, has_note)));
        if let Some(summary) = &self.summary {
            push(&mut note, format_args!("\n## Summary\n\n{}\n", paragraphs(summary)));
        }
        self.push_statements(&mut note);
        push_turns(&lines, zones, titles, &mut note);
        note
    }

    fn push_statements(&self, note: &mut String) {
        let mut statements: Vec<&Statement> = self.statements.iter().collect();
        statements.sort_by_key(|statement| (statement.cover.start, statement.id.as_str()));
        if !statements.is_empty() {
            note.push_str("\n## Statements\n\n");
        }
        for statement in statements {
            push(note, format_args!("- {}\n", item(&statement.text)));
        }
    }
}

/// Writes the turns of each conversation, in the order of their first turns.
fn push_turns(lines: &[Line<'_>], zones: &Zones, titles: &BTreeMap<String, String>, note: &mut String) {
    let mut conversations: Vec<&str> = Vec::new();
    for line in lines {
        if !conversations.contains(&line.conversation) {
            conversations.push(line.conversation);
        }
    }
    for conversation in conversations {
        let title = titles.get(conversation).map(|title| format!("{} · ", heading(title))).unwrap_or_default();
        push(note, format_args!("\n## {title}{}\n\n", heading(conversation)));
        for line in lines.iter().filter(|line| line.conversation == conversation) {
            let zone = TimeZone::get(zones.name_at(line.at)).unwrap_or(TimeZone::UTC);
            let time = line.at.to_zoned(zone).strftime("%H:%M");
            push(note, format_args!("- **{time} {}:** {}\n", heading(line.speaker), item(line.text)));
        }
    }
}

fn line(record: &Record) -> Option<Line<'_>> {
    let Record::Turn { conversation, id, at, role, name, content, .. } = record else { return None };
    Some(Line { at: *at, conversation, id, speaker: name.as_deref().unwrap_or(role.as_str()), text: content })
}

pub(super) fn push(note: &mut String, text: std::fmt::Arguments<'_>) {
    note.write_fmt(text).expect("a string takes any text");
}
