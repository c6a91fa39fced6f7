//! Front matter: the YAML lines between two lines `---` at the beginning of a note. Reads `key: value` and one level of lists,
//! which is all that dates, descriptions and tags need. Lines with other YAML are ignored.

use std::collections::BTreeMap;

/// A note without its front matter.
pub struct Note<'a> {
    /// The values by key; keys are in lower case. A list is joined with ", ".
    pub fields: BTreeMap<String, String>,
    /// The text below the front matter.
    pub body: &'a str,
    /// The number of lines of the front matter, with the two lines `---`; 0 without front matter.
    pub lines: u64,
}

/// Separates front matter and text. A front matter without an end is part of the text.
pub fn split(text: &str) -> Note<'_> {
    let none = Note { fields: BTreeMap::new(), body: text, lines: 0 };
    let mut lines = text.split_inclusive('\n');
    if lines.next().map(str::trim_end) != Some("---") {
        return none;
    }
    let mut fields = BTreeMap::new();
    let mut key: Option<String> = None;
    let mut read = text.split_inclusive('\n').next().map_or(0, str::len);
    for (line, number) in lines.zip(2..) {
        read += line.len();
        let line = line.trim_end();
        if matches!(line, "---" | "...") {
            return Note { fields, body: &text[read..], lines: number };
        }
        if let Some(item) = line.trim_start().strip_prefix("- ") {
            if let Some(list) = key.as_ref().and_then(|key| fields.get_mut(key)) {
                append(list, item);
            }
        } else if let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_key(name)) {
            let name = name.to_lowercase();
            fields.insert(name.clone(), scalar(value));
            key = Some(name);
        }
    }
    none
}

/// Returns the value of the first of the keys that has a value which is not empty; `None` if none has.
pub fn first<'f>(fields: &'f BTreeMap<String, String>, keys: &[&str]) -> Option<&'f str> {
    keys.iter().filter_map(|key| fields.get(*key)).map(String::as_str).find(|value| !value.is_empty())
}

fn is_key(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

fn append(list: &mut String, item: &str) {
    if !list.is_empty() {
        list.push_str(", ");
    }
    list.push_str(&scalar(item));
}

/// Returns a value without quotes; a list in brackets without the brackets.
fn scalar(value: &str) -> String {
    let value = value.trim();
    let inner = value.strip_prefix('[').and_then(|value| value.strip_suffix(']')).unwrap_or(value);
    ['"', '\''].iter().find_map(|quote| inner.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(inner).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, fields: &[(&str, &str)], body: &str, lines: u64) {
        let note = split(text);
        let found: Vec<(&str, &str)> = note.fields.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!((found, note.body, note.lines), (fields.to_vec(), body, lines));
    }

    #[test]
    fn fields_are_separated_from_the_text() {
        check(
            "---\ndate: 2026-03-09\nTitle: \"A: b\"\n---\nText\n",
            &[("date", "2026-03-09"), ("title", "A: b")],
            "Text\n",
            4,
        );
        check("---\r\ntags:\r\n  - a\r\n  - 'b'\r\n...\r\nText", &[("tags", "a, b")], "Text", 5);
        check("---\naliases: [x, y]\n---", &[("aliases", "x, y")], "", 3);
    }

    #[test]
    fn text_without_front_matter_is_unchanged() {
        for text in ["", "---", "---\nno end: here\n", "Text\n---\na: b\n---\n", "----\na: b\n---\n"] {
            check(text, &[], text, 0);
        }
    }
}
