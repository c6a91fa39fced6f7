//! Formats memories for people, line by line.

pub(crate) mod excerpt;

use annals_core::{DateRange, Grain, Timestamp, Zones};
pub(crate) use annals_service::numbers::{count, plural};
use annals_service::wire::MemoryView;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::Value;

use crate::console::print_raw;

/// Prints a line for people to standard output.
macro_rules! say {
    () => {
        $crate::console::print(format_args!("\n"))
    };
    ($($words:tt)*) => {
        $crate::console::print(format_args!("{}\n", format_args!($($words)*)))
    };
}
pub(crate) use say;

/// Prints a line for programs unchanged: their formats have escapes of their own.
macro_rules! say_raw {
    ($($words:tt)*) => {
        $crate::console::print_raw(format_args!("{}\n", format_args!($($words)*)))
    };
}
pub(crate) use say_raw;

/// Style of dates and labels.
pub(crate) const DATE: Style = AnsiColor::Cyan.on_default();
/// Style of less important text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Style of headings.
pub(crate) const BOLD: Style = Style::new().bold();
/// Style of text that needs attention.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();

/// Prints one JSON value on a line.
pub(crate) fn print_json(value: &impl Serialize) {
    say_raw!("{}", serde_json::to_string(value).unwrap_or_else(|error| Value::from(error.to_string()).to_string()));
}

/// A JSON object with a list, printed on one line, item by item: the list may be larger than memory.
pub(crate) struct JsonList {
    is_first: bool,
}

impl JsonList {
    /// Prints the fields before the list, and the name of the list.
    pub(crate) fn begin(before: &[(&str, &str)], list: &str) -> JsonList {
        let fields = before.iter().map(|(name, value)| format!("{}:{},", Value::from(*name), Value::from(*value)));
        print_raw(format_args!("{{{}{}:[", fields.collect::<String>(), Value::from(list)));
        JsonList { is_first: true }
    }

    /// Prints items of the list.
    pub(crate) fn items<T: Serialize>(&mut self, items: &[T]) {
        for item in items {
            let comma = if std::mem::take(&mut self.is_first) { "" } else { "," };
            let item = serde_json::to_string(item).unwrap_or_else(|error| Value::from(error.to_string()).to_string());
            print_raw(format_args!("{comma}{item}"));
        }
    }

    /// Prints the fields behind the list. Leaves out those that are null.
    pub(crate) fn end(self, behind: &[(&str, Value)]) {
        let fields = behind.iter().filter(|(_, value)| !value.is_null());
        let fields = fields.map(|(name, value)| format!(",{}:{value}", Value::from(*name)));
        say_raw!("]{}}}", fields.collect::<String>());
    }
}

/// Formats the local dates of a memory: day and time of a turn, the day of a daily summary, label, first and last day of a
/// coarser one.
pub(crate) fn dates(memory: &MemoryView, zones: &Zones) -> String {
    let (first, last) = (&memory.cover.from, &memory.cover.to);
    match memory.grain {
        Grain::Working => match memory.cover.start.parse() {
            Ok(at) => format!("{first} {}", clock(at, zones)),
            Err(_) => first.clone(),
        },
        Grain::Daily => first.clone(),
        _ => format!("{} · {first} to {last}", memory.period),
    }
}

/// Returns the text of a memory, behind its speaker if it is a turn.
pub(crate) fn spoken(memory: &MemoryView) -> String {
    let speaker = memory.speaker.as_ref().filter(|_| memory.grain == Grain::Working);
    speaker.map_or_else(|| memory.text.clone(), |speaker| format!("{speaker}: {}", memory.text))
}

/// Formats a moment as local day and time.
pub(crate) fn local(at: Timestamp, zones: &Zones) -> String {
    format!("{} {}", zones.day_of(at), clock(at, zones))
}

fn clock(at: Timestamp, zones: &Zones) -> String {
    at.in_tz(zones.name_at(at)).map_or_else(|_| at.to_string(), |local| local.strftime("%H:%M").to_string())
}

/// Prints which zone the times are in, once, if any of these memories shows a time.
pub(crate) fn say_zone<'m>(mut memories: impl Iterator<Item = &'m MemoryView>, zones: &Zones) {
    let turn = memories.find(|memory| memory.grain == Grain::Working);
    say_zone_of(turn, zones);
}

/// Prints which zone the times are in, if there is a turn.
pub(crate) fn say_zone_of(turn: Option<&MemoryView>, zones: &Zones) {
    if let Some(at) = turn.and_then(|turn| turn.cover.start.parse().ok()) {
        say!("{DIM}Times are in the time zone {}.{DIM:#}", zones.name_at(at));
    }
}

/// Describes a date range in words.
pub(crate) fn range(range: DateRange) -> String {
    match (range.from, range.to) {
        (None, None) => "all time".into(),
        (Some(from), None) => format!("since {from}"),
        (None, Some(to)) => format!("until {to}"),
        (Some(from), Some(to)) if from == to => from.to_string(),
        (Some(from), Some(to)) => format!("{from} to {to}"),
    }
}

/// Wraps the text to the terminal's width, at most 100 columns, each line indented by `indent` spaces.
pub(crate) fn column(text: &str, indent: usize) -> String {
    let width = textwrap::termwidth().min(100);
    let pad = " ".repeat(indent);
    // A break at a hyphen would cut dates and ids.
    let options = textwrap::Options::new(width)
        .initial_indent(&pad)
        .subsequent_indent(&pad)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .word_separator(textwrap::WordSeparator::AsciiSpace);
    text.lines().map(|line| textwrap::fill(line, &options)).collect::<Vec<_>>().join("\n")
}
