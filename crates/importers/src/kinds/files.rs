//! Reads the JSON values of a file one after another, and counts values that cannot be read as skipped.

use annals_core::Result;
use serde_json::Value;

use crate::item::Location;
use crate::json::{Element, Elements, Lines};
use crate::output::Output;
use crate::skipped::Skip;
use crate::source::{Entry, Source};

/// Passes each element of a JSON list, or each of the values in the file, to `read` with its place.
pub fn each_element(
    source: &mut Source,
    entry: &Entry,
    output: &mut Output<'_>,
    read: impl FnMut(Value, &Location, &mut Output<'_>) -> Result<()>,
) -> Result<()> {
    let file = entry.location();
    output.begin_file(entry, false);
    let input = match source.open_entry(entry) {
        Ok(input) => input,
        Err(cause) => return unreadable(&cause, &file, output),
    };
    let mut elements = Elements::new(input);
    each(|| elements.next(), &file, output, read)
}

/// Passes the JSON value of each line to `read` with its place.
pub fn each_line(
    source: &mut Source,
    entry: &Entry,
    output: &mut Output<'_>,
    read: impl FnMut(Value, &Location, &mut Output<'_>) -> Result<()>,
) -> Result<()> {
    let file = entry.location();
    output.begin_file(entry, false);
    let input = match source.open_entry(entry) {
        Ok(input) => input,
        Err(cause) => return unreadable(&cause, &file, output),
    };
    let mut lines = Lines::new(input);
    each(|| lines.next(), &file, output, read)
}

/// Passes the JSON values of the lines to `read` until it returns `false`. Does not report damaged lines, because the file is
/// read again later.
pub fn look_at_lines(source: &mut Source, entry: &Entry, mut read: impl FnMut(&Value) -> bool) {
    let Ok(input) = source.open_entry(entry) else { return };
    let mut lines = Lines::new(input);
    while let Ok(Some(line)) = lines.next() {
        if line.value.is_ok_and(|value| !read(&value)) {
            return;
        }
    }
}

/// Passes each value to `read` until `next` has no more.
fn each(
    mut next: impl FnMut() -> std::io::Result<Option<Element>>,
    file: &Location,
    output: &mut Output<'_>,
    mut read: impl FnMut(Value, &Location, &mut Output<'_>) -> Result<()>,
) -> Result<()> {
    loop {
        match next() {
            Ok(Some(element)) => one(element, file, output, &mut read)?,
            Ok(None) => return Ok(()),
            Err(cause) => return unreadable(&cause, file, output),
        }
    }
}

fn one(
    element: Element,
    file: &Location,
    output: &mut Output<'_>,
    read: &mut impl FnMut(Value, &Location, &mut Output<'_>) -> Result<()>,
) -> Result<()> {
    let location = file.at_line(element.line);
    match element.value {
        Ok(value) => read(value, &location, output),
        Err(reason) => {
            output.skip(Skip::damaged("damaged JSON", reason, &location));
            Ok(())
        }
    }
}

fn unreadable(cause: &std::io::Error, file: &Location, output: &mut Output<'_>) -> Result<()> {
    output.skip(Skip::damaged("unreadable file", cause.to_string(), file));
    Ok(())
}

/// Returns the value of a field if it is a text.
pub fn text<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value.get(field).and_then(Value::as_str)
}

/// Returns the value of a field if it is a text that is not blank.
pub fn filled<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    text(value, field).filter(|text| !text.trim().is_empty())
}

/// Returns whether a field is `true`.
pub fn is_true(value: &Value, field: &str) -> bool {
    value.get(field) == Some(&Value::Bool(true))
}

/// Returns the elements of a field that is a list; an empty slice if it is missing or no list.
pub fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Describes the shape of a value for the report, such as "an object with id, text": at most eight keys of an object, or the
/// type of another value.
pub fn keys(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let keys: Vec<&str> = object.keys().take(8).map(String::as_str).collect();
            format!("an object with {}", keys.join(", "))
        }
        Value::Array(_) => "a list".to_owned(),
        Value::String(_) => "a string".to_owned(),
        Value::Null => "null".to_owned(),
        _ => "a number or boolean".to_owned(),
    }
}
