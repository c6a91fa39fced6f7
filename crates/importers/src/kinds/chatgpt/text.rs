//! Removes text that ChatGPT's own pages do not show: citation marks, and links to files in a sandbox that no longer exists.

use serde_json::Value;

const OPEN: char = '\u{e200}';
const CLOSE: char = '\u{e201}';
const SEPARATOR: char = '\u{e202}';

/// Returns the text as ChatGPT displays it.
pub fn clean(text: &str) -> String {
    let text = if text.contains(OPEN) { without_spans(text) } else { text.to_owned() };
    let text = if text.contains('†') { without_sources(&text) } else { text };
    if text.contains("](sandbox:") { without_links(&text) } else { text }
}

/// Removes spans between special marks. A span that names an entity is replaced by the name.
fn without_spans(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        clean.push_str(before);
        // In an answer that was cut off, a span has no end: it then ends with its line.
        let line = after.find('\n').map_or(after, |end| &after[..end]);
        let (span, _) = line.split_once(CLOSE).unwrap_or((line, ""));
        clean.push_str(&shown(span));
        rest = after[span.len()..].trim_start_matches(CLOSE);
    }
    clean.push_str(rest);
    clean
}

fn shown(span: &str) -> String {
    let (kind, value) = span.split_once(SEPARATOR).unwrap_or((span, ""));
    let name = match (kind, serde_json::from_str(value)) {
        ("entity", Ok(Value::Array(parts))) => parts.get(1).and_then(Value::as_str).map(str::to_owned),
        _ => None,
    };
    name.unwrap_or_default()
}

/// Removes `【12†source】`, the citations of 2023 and 2024.
fn without_sources(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('【') {
        clean.push_str(before);
        match after.split_once('】').filter(|(inside, _)| inside.contains('†')) {
            Some((_, after)) => rest = after,
            None => {
                clean.push('【');
                rest = after;
            }
        }
    }
    clean.push_str(rest);
    clean
}

/// Replaces `[label](sandbox:/mnt/data/file)` with the label.
fn without_links(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](sandbox:") {
        match (before.rfind('['), after.split_once(')')) {
            (Some(open), Some((_, after))) => {
                clean.push_str(&before[..open]);
                clean.push_str(&before[open + 1..]);
                rest = after;
            }
            _ => {
                clean.push_str(before);
                clean.push_str("](sandbox:");
                rest = after;
            }
        }
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(clean(text), expect);
    }

    #[test]
    fn invisible_marks_go() {
        check("It rains.\u{e200}cite\u{e202}turn0search1\u{e201} Often.", "It rains. Often.");
        check("\u{e200}entity\u{e202}[\"city\",\"Bern\",\"capital\"]\u{e201} is small.", "Bern is small.");
        check("Cut\u{e200}cite\u{e202}turn", "Cut");
        check("Cut\u{e200}cite\u{e202}turn\nMore.\u{e200}cite\u{e202}turn1\u{e201} End.", "Cut\nMore. End.");
        check("Said so【12†source】【3:1†a.pdf】.", "Said so.");
        check("Chinese 【标题】 stays.", "Chinese 【标题】 stays.");
        check("Get [the file](sandbox:/mnt/data/a.csv) now", "Get the file now");
        check("[a](b) [c](sandbox:/x", "[a](b) [c](sandbox:/x");
    }
}
