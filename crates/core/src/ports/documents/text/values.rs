//! The text of a JSON value: each single value with its path, one per line, or the values that paths select.

use serde_json::Value;

/// Maximum number of characters of the path before a value. Longer paths are cut.
pub(super) const MAX_PATH_LENGTH: usize = 200;
/// Maximum size of the text of a JSON value in bytes. Paths repeat the names of fields, so without a limit a few names and many
/// values would make a text of any length.
pub(super) const MAX_TEXT_LENGTH: usize = 4 << 20;

/// Returns the text of each value that one of the paths leads to. Leaves out `null`, empty lists and objects, and texts that
/// would exceed 4 MiB together.
pub(super) fn selected(value: &Value, paths: &[String]) -> Vec<String> {
    let (mut parts, mut room) = (Vec::new(), MAX_TEXT_LENGTH);
    for path in paths {
        select(value, &steps(path), &mut |found| {
            let mut lines = Lines::default();
            leaves(found, "", &mut lines);
            if lines.values > 0 && lines.text.len() <= room {
                room = room.saturating_sub(lines.text.len() + 1);
                parts.push(lines.text);
            }
        });
    }
    parts
}

/// Returns every single value with its path. Leaves out values that would make the text longer than 4 MiB.
pub(super) fn all(value: &Value) -> String {
    let mut lines = Lines::default();
    paths(value, "", &mut lines);
    lines.text
}

/// The text of a JSON value, one value a line.
#[derive(Default)]
struct Lines {
    text: String,
    /// Number of values, including empty texts.
    values: usize,
}

impl Lines {
    /// Adds a line with the value, after the label unless that is empty. Leaves out a value that would exceed
    /// [`MAX_TEXT_LENGTH`].
    fn add(&mut self, label: &str, value: &str) {
        if self.text.len() + "\n".len() + label.len() + ": ".len() + value.len() > MAX_TEXT_LENGTH {
            return;
        }
        if self.values > 0 {
            self.text.push('\n');
        }
        self.values += 1;
        if !label.is_empty() {
            self.text.extend([label, ": "]);
        }
        self.text.push_str(value);
    }
}

/// Adds each value with its path.
fn paths(value: &Value, path: &str, lines: &mut Lines) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let names = [path, name].into_iter().filter(|name| !name.is_empty());
                let path: String = names.collect::<Vec<_>>().join(".").chars().take(MAX_PATH_LENGTH).collect();
                paths(value, &path, lines);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| paths(value, path, lines)),
        Value::Null => {}
        single => leaves(single, path, lines),
    }
}

/// Adds a single value after `label`, or each single value within an array or object with its path below `label`.
fn leaves(value: &Value, label: &str, lines: &mut Lines) {
    match value {
        Value::String(text) => lines.add(label, text),
        Value::Number(number) => lines.add(label, &number.to_string()),
        Value::Bool(is) => lines.add(label, if *is { "true" } else { "false" }),
        Value::Null => {}
        Value::Array(_) | Value::Object(_) => paths(value, label, lines),
    }
}

/// A step of a path into a JSON value.
#[derive(Debug, PartialEq)]
enum Step<'p> {
    Field(&'p str),
    /// Counted from the end if negative.
    Item(i64),
    Every,
}

/// Parses a path such as `a.b`, `a[0]`, `a[-1]`, `a[*].b` or `$`.
fn steps(path: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for piece in path.split('.').filter(|piece| !piece.is_empty() && *piece != "$") {
        let mut parts = piece.split('[');
        let name = parts.next().unwrap_or_default();
        match name {
            "" => {}
            "*" => steps.push(Step::Every),
            name => steps.push(Step::Field(name)),
        }
        for index in parts.map(|part| part.trim_end_matches(']')) {
            steps.push(index.parse().map_or(Step::Every, Step::Item));
        }
    }
    steps
}

/// Calls `found` with each value that the steps lead to.
fn select(value: &Value, steps: &[Step<'_>], found: &mut dyn FnMut(&Value)) {
    let Some((step, rest)) = steps.split_first() else { return found(value) };
    match (step, value) {
        (Step::Field(name), Value::Object(fields)) => {
            if let Some(value) = fields.get(*name) {
                select(value, rest, found);
            }
        }
        (Step::Item(index), Value::Array(values)) => {
            // A negative index counts from the end.
            let distance = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
            let position = if *index < 0 { values.len().checked_sub(distance) } else { Some(distance) };
            if let Some(value) = position.and_then(|position| values.get(position)) {
                select(value, rest, found);
            }
        }
        (Step::Every, Value::Array(values)) => values.iter().for_each(|value| select(value, rest, found)),
        (Step::Every, Value::Object(fields)) => fields.values().for_each(|value| select(value, rest, found)),
        _ => {}
    }
}
