//! How memories look from outside: as JSON for programs, as lines for people.

use annals_core::{DateRange, Found, Grain, Memory};
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::Value;

/// Writes a line to standard output, without colours where nobody sees them. A reader that went away (`| head`) ends the
/// command quietly.
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write;
        if writeln!(anstream::stdout(), $($words)*).is_err() {
            std::process::exit(0);
        }
    }};
}
pub(crate) use say;

/// Dates and labels.
pub const DATE: Style = AnsiColor::Cyan.on_default();
/// What matters less.
pub const DIM: Style = Style::new().dimmed();
/// Headings.
pub const BOLD: Style = Style::new().bold();
/// What a person should look at.
pub const WARN: Style = AnsiColor::Yellow.on_default();

/// A memory as JSON. Field names are part of the interface.
#[derive(Serialize)]
pub struct MemoryView<'a> {
    id: &'a str,
    grain: Grain,
    kind: &'a str,
    /// Label of the period; of a turn, its day.
    period: String,
    /// First local day.
    date: String,
    cover: CoverView,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Days covered beyond the range that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    days_outside: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<&'a str>,
    /// The id that the client gave to the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<&'a str>,
    text: &'a str,
    /// What it was made from: memory ids for a summary, the message's id for a turn.
    source_ids: Vec<&'a str>,
}

#[derive(Serialize)]
struct CoverView {
    from: String,
    to: String,
    start: String,
    end: String,
}

impl<'a> MemoryView<'a> {
    /// The view of a memory.
    pub fn new(memory: &'a Memory) -> MemoryView<'a> {
        let (first, last) = memory.days;
        let (start, end) = (memory.cover.start.to_string(), memory.cover.end.to_string());
        MemoryView {
            id: memory.id.as_str(),
            grain: memory.grain,
            kind: memory.kind.as_str(),
            period: memory.period.to_string(),
            date: first.to_string(),
            cover: CoverView { from: first.to_string(), to: last.to_string(), start, end },
            score: None,
            days_outside: None,
            conversation: memory.conversation.as_deref(),
            message: memory.message.as_deref(),
            role: memory.role.map(annals_core::Role::as_str),
            speaker: memory.speaker.as_deref(),
            text: &memory.text,
            source_ids: sources(memory),
        }
    }

    /// The view of a search result.
    pub fn found(found: &'a Found) -> MemoryView<'a> {
        MemoryView {
            score: Some(found.score),
            days_outside: Some(found.days_outside),
            ..MemoryView::new(&found.memory)
        }
    }
}

fn sources(memory: &Memory) -> Vec<&str> {
    let message = memory.message.as_deref().into_iter();
    message.chain(memory.sources.iter().map(annals_core::MemoryId::as_str)).collect()
}

/// Prints one JSON value on a line.
pub fn print_json(value: &impl Serialize) {
    say!("{}", serde_json::to_string(value).unwrap_or_else(|error| Value::from(error.to_string()).to_string()));
}

/// The dates that a memory covers, and whether its label says so already.
pub fn dates(memory: &Memory) -> String {
    let (first, last) = memory.days;
    match memory.grain {
        Grain::Working => memory.cover.start.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Grain::Daily => first.to_string(),
        _ => format!("{} · {first} to {last}", memory.period),
    }
}

/// A range in words.
pub fn range(range: DateRange) -> String {
    match (range.from, range.to) {
        (None, None) => "all time".into(),
        (Some(from), None) => format!("since {from}"),
        (None, Some(to)) => format!("until {to}"),
        (Some(from), Some(to)) if from == to => from.to_string(),
        (Some(from), Some(to)) => format!("{from} to {to}"),
    }
}

/// The text in a column, each line set in by `indent` spaces.
pub fn column(text: &str, indent: usize) -> String {
    let width = textwrap::termwidth().min(100);
    let pad = " ".repeat(indent);
    let options = textwrap::Options::new(width).initial_indent(&pad).subsequent_indent(&pad);
    text.lines().map(|line| textwrap::fill(line, &options)).collect::<Vec<_>>().join("\n")
}

/// A number with thousands apart: 3,410.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// `1 message`, `2 messages`.
pub fn plural(number: u64, word: &str) -> String {
    let many = if number == 1 {
        ""
    } else if word.ends_with('y') {
        "ies"
    } else {
        "s"
    };
    let stem = if many == "ies" { &word[..word.len() - 1] } else { word };
    format!("{} {stem}{many}", count(number))
}
