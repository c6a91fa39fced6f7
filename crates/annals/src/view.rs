//! How memories look to people, line by line.

pub mod excerpt;

use annals_core::{DateRange, Grain, Memory, Timestamp, Zones};
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::Value;

/// Writes a line to the standard output of whoever gave the command.
macro_rules! say {
    () => {
        $crate::terminal::print(format_args!("\n"))
    };
    ($($words:tt)*) => {
        $crate::terminal::print(format_args!("{}\n", format_args!($($words)*)))
    };
}
pub(crate) use say;

/// Writes a line as it is: for programs, whose formats have escapes of their own.
macro_rules! say_raw {
    ($($words:tt)*) => {
        $crate::terminal::print_raw(format_args!("{}\n", format_args!($($words)*)))
    };
}
pub(crate) use say_raw;

/// Dates and labels.
pub const DATE: Style = AnsiColor::Cyan.on_default();
/// What matters less.
pub const DIM: Style = Style::new().dimmed();
/// Headings.
pub const BOLD: Style = Style::new().bold();
/// What a person should look at.
pub const WARN: Style = AnsiColor::Yellow.on_default();

/// Prints one JSON value on a line.
pub fn print_json(value: &impl Serialize) {
    say_raw!("{}", serde_json::to_string(value).unwrap_or_else(|error| Value::from(error.to_string()).to_string()));
}

/// The local dates that a memory covers, and whether its label says so already.
pub fn dates(memory: &Memory, zones: &Zones) -> String {
    let (first, last) = memory.days;
    match memory.grain {
        Grain::Working => format!("{first} {}", clock(memory.at(), zones)),
        Grain::Daily => first.to_string(),
        _ => format!("{} · {first} to {last}", memory.period),
    }
}

/// A moment as a local day and time.
pub fn local(at: Timestamp, zones: &Zones) -> String {
    format!("{} {}", zones.day_of(at), clock(at, zones))
}

fn clock(at: Timestamp, zones: &Zones) -> String {
    at.in_tz(zones.name_at(at)).map_or_else(|_| at.to_string(), |local| local.strftime("%H:%M").to_string())
}

/// Says once which zone the times of these memories are in, if any shows one.
pub fn say_zone<'m>(mut memories: impl Iterator<Item = &'m Memory>, zones: &Zones) {
    if let Some(turn) = memories.find(|memory| memory.grain == Grain::Working) {
        say!("{DIM}Times are local: {}.{DIM:#}", zones.name_at(turn.at()));
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
    let width = crate::terminal::columns().min(100);
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
