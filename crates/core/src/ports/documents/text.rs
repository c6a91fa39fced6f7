//! The text of a document that is searched, and the text of each passage. Pure. Exports keep ranges of this text, so it
//! changes on purpose only.

use std::borrow::Cow;

use serde_json::Value;

use super::{Content, Document, Passage};
use crate::ports::DocumentKey;
use crate::{Agent, Body, Grain, Interval, Memory, MemoryId, Timestamp};

/// The most characters of a title in a passage.
const LONGEST_TITLE: usize = 80;

impl Document {
    /// Returns the text that is searched: the text itself, or the selected values of a JSON value, one a line.
    pub fn searched_text(&self) -> Cow<'_, str> {
        let mut parts = self.searched_parts();
        if parts.len() == 1 { parts.remove(0) } else { Cow::Owned(parts.join("\n")) }
    }

    /// Returns the parts of the text that is searched: each selected value of a JSON value, or everything.
    pub fn searched_parts(&self) -> Vec<Cow<'_, str>> {
        match (&self.content, &self.indexed) {
            (_, Some(paths)) if paths.is_empty() => Vec::new(),
            (Content::Text(text), _) => vec![Cow::Borrowed(text)],
            (Content::Json(_), None) => vec![Cow::Owned(self.full_text())],
            (Content::Json(value), Some(paths)) => {
                let mut parts = Vec::new();
                for path in paths {
                    select(value, &steps(path), &mut |found| {
                        let mut lines = Vec::new();
                        leaves(found, "", &mut lines);
                        parts.extend((!lines.is_empty()).then(|| Cow::Owned(lines.join("\n"))));
                    });
                }
                parts
            }
        }
    }

    /// Returns everything that it says, searched or not: the text, or each value of a JSON value with its path.
    pub fn full_text(&self) -> String {
        match &self.content {
            Content::Text(text) => text.clone(),
            Content::Json(value) => {
                let mut lines = Vec::new();
                paths(value, "", &mut lines);
                lines.join("\n")
            }
        }
    }

    /// Returns its passages as texts, each below the title of the document and the heading that it stands under. Who selects
    /// values of a JSON value wants nothing else to be searched, so these have no title.
    pub fn passage_texts(&self) -> Vec<String> {
        let (title, text) = (self.title(), self.searched_text());
        self.passages.iter().map(|passage| titled(&title, &text, *passage)).collect()
    }

    /// Returns its passages as memories. The sequence number is the one of the first passage; the caller sets the others.
    pub fn memories(&self, agent: &Agent) -> Vec<Memory> {
        let texts = self.passage_texts().into_iter();
        let texts = (0_u32..).zip(texts).zip(&self.passages);
        texts.map(|((ordinal, text), passage)| self.memory(agent, ordinal, *passage, text)).collect()
    }

    fn memory(&self, agent: &Agent, ordinal: u32, passage: Passage, text: String) -> Memory {
        let end = Timestamp::from_microsecond(self.updated_at.as_microsecond() + 1).unwrap_or(Timestamp::MAX);
        Memory {
            id: MemoryId::passage(agent, &self.place(), ordinal),
            grain: Grain::Working,
            period: self.day,
            cover: Interval { start: self.updated_at, end },
            days: self.day.cover_days(),
            text,
            pinned: false,
            seq: 0,
            body: Body::Passage { document: self.place(), ordinal, passage, expires_at: self.expires_at },
        }
    }

    /// Returns its key, if people read it: not an id made of digits.
    fn title(&self) -> String {
        if self.indexed.is_some() && matches!(self.content, Content::Json(_)) {
            return String::new();
        }
        let is_id = |c: char| c.is_ascii_hexdigit() || c == '-';
        let DocumentKey { key, .. } = self.place();
        let is_generated = key.chars().all(is_id) && key.chars().any(|c| c.is_ascii_digit());
        if is_generated { String::new() } else { key.chars().take(LONGEST_TITLE).collect() }
    }
}

/// Returns whether a line is a heading of Markdown.
pub fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level) && line[level..].starts_with(' ')
}

fn titled(title: &str, text: &str, passage: Passage) -> String {
    let (start, end) = (byte(text, passage.start), byte(text, passage.end));
    let part = text[start..end.max(start)].trim();
    let above = text[..start].lines().rev().find(|line| is_heading(line));
    let heading = above.filter(|_| !is_heading(part.lines().next().unwrap_or_default()));
    let heading: String =
        heading.unwrap_or_default().trim_start_matches('#').trim().chars().take(LONGEST_TITLE).collect();
    let head: Vec<&str> = [title, &heading].into_iter().filter(|words| !words.is_empty()).collect();
    if head.is_empty() { part.to_owned() } else { format!("{}\n{part}", head.join(": ")) }
}

/// Returns where a character begins; the end of the text if there are fewer.
fn byte(text: &str, character: u32) -> usize {
    text.char_indices().nth(character as usize).map_or(text.len(), |(place, _)| place)
}

/// Adds each value with its path.
fn paths(value: &Value, path: &str, lines: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                paths(value, &path, lines);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| paths(value, path, lines)),
        Value::Null => {}
        single => leaves(single, path, lines),
    }
}

/// Adds the single values below a value, each behind `label` if there is one.
fn leaves(value: &Value, label: &str, lines: &mut Vec<String>) {
    let mut add = |text: &str| lines.push(if label.is_empty() { text.to_owned() } else { format!("{label}: {text}") });
    match value {
        Value::String(text) => add(text),
        Value::Number(number) => add(&number.to_string()),
        Value::Bool(is) => add(if *is { "true" } else { "false" }),
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

/// Passes each value that a path leads to.
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
            let place = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
            let place = if *index < 0 { values.len().checked_sub(place) } else { Some(place) };
            if let Some(value) = place.and_then(|place| values.get(place)) {
                select(value, rest, found);
            }
        }
        (Step::Every, Value::Array(values)) => values.iter().for_each(|value| select(value, rest, found)),
        (Step::Every, Value::Object(fields)) => fields.values().for_each(|value| select(value, rest, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(key: &str, content: Content, indexed: Option<&[&str]>) -> Document {
        let indexed = indexed.map(|paths| paths.iter().map(|path| (*path).to_owned()).collect());
        let at = Timestamp::UNIX_EPOCH;
        Document {
            collection: "notes".into(),
            key: key.into(),
            content,
            indexed,
            created_at: at,
            updated_at: at,
            day: "1970-01-01".parse().unwrap(),
            version: 1,
            lifetime: None,
            expires_at: None,
            passages: Vec::new(),
        }
    }

    #[test]
    fn paths_select_values() {
        let value = json!({"a": {"b": "x", "n": 3}, "list": [{"t": "one"}, {"t": "two"}], "none": null});
        let check = |indexed: Option<&[&str]>, expect: &str| {
            assert_eq!(document("k", Content::Json(value.clone()), indexed).searched_text(), expect, "{indexed:?}");
        };
        check(Some(&["a.b"]), "x");
        check(Some(&["a"]), "b: x\nn: 3");
        check(Some(&["list[*].t"]), "one\ntwo");
        check(Some(&["list[0].t", "list[-1].t", "list[7].t", "none"]), "one\ntwo");
        check(Some(&[]), "");
        check(Some(&["missing"]), "");
        check(None, "a.b: x\na.n: 3\nlist.t: one\nlist.t: two");
        check(Some(&["$"]), "a.b: x\na.n: 3\nlist.t: one\nlist.t: two");
    }

    #[test]
    fn selected_values_are_parts_without_a_title() {
        let value = json!({"a": {"b": "x", "n": 3}, "list": ["one", "two", null]});
        let mut selected = document("plan.md", Content::Json(value), Some(&["a", "list[*]", "missing"]));
        assert_eq!(selected.searched_parts(), ["b: x\nn: 3", "one", "two"]);
        selected.passages = vec![Passage { start: 10, end: 13 }];
        assert_eq!(
            (selected.passage_texts(), &*selected.searched_text()),
            (vec!["one".to_owned()], "b: x\nn: 3\none\ntwo")
        );
        let everything = Document { indexed: None, passages: vec![Passage { start: 0, end: 6 }], ..selected };
        assert_eq!(
            (everything.passage_texts(), everything.searched_parts().len()),
            (vec!["plan.md\na.b: x".to_owned()], 1)
        );
    }

    #[test]
    fn passage_has_title_and_heading() {
        let text = "# Trip\nWe go to Bérn.\n\n## Food\nBread.\n\nCheese.";
        let mut document = document("plan.md", Content::Text(text.into()), None);
        let at = |words: &str| {
            let start = text[..text.find(words).unwrap()].chars().count() as u32;
            Passage { start, end: start + words.chars().count() as u32 }
        };
        document.passages =
            vec![at("# Trip\nWe go to Bérn."), at("## Food\nBread."), at("Cheese."), Passage { start: 900, end: 1000 }];
        let expect = [
            "plan.md\n# Trip\nWe go to Bérn.",
            "plan.md\n## Food\nBread.",
            "plan.md: Food\nCheese.",
            "plan.md: Food\n",
        ];
        assert_eq!(document.passage_texts(), expect);
        document.key = "0b7c2f8e-1111-4222-8333-944455556666".into();
        assert_eq!(document.passage_texts()[0], "# Trip\nWe go to Bérn.");
    }

    #[test]
    fn headings_are_those_of_markdown() {
        let found: Vec<bool> = ["# A", "###### A", "####### A", "#A", "A #", ""].map(is_heading).to_vec();
        assert_eq!(found, [true, true, false, false, false, false]);
    }
}
