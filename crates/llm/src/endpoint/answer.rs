//! Extracts a JSON value from a model's text. Models write reasoning before it, wrap it in code fences, add prose around it and
//! leave out commas.

use llm_json::RepairOptions;
use serde_json::{Deserializer, Value};

/// Maximum bytes of a text that is repaired: the repairer's run time grows faster than its input.
const MAX_REPAIR_BYTES: usize = 200_000;

/// Maximum depth of a text that is repaired: the repairer is recursive. The formats that we request are four levels deep.
const MAX_REPAIR_DEPTH: usize = 32;

/// Maximum number of positions in a text at which a JSON value is looked for.
const STARTS: usize = 64;

/// Returns the JSON object or array of an answer, without the reasoning before it: the whole text, or else the longest one in
/// it. If that one has none of the lists of our formats, tries to repair the text first. Returns `None` if the text has no
/// JSON.
pub(super) fn json(text: &str) -> Option<Value> {
    let text = without_thoughts(text).trim();
    if let Some(answer) = whole(text) {
        return Some(answer);
    }
    let inside = longest_inside(text);
    if inside.as_ref().is_some_and(is_answer) {
        return inside;
    }
    match repaired(text) {
        Some(answer) if is_answer(&answer) || inside.is_none() => Some(answer),
        _ => inside,
    }
}

fn whole(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(is_container)
}

/// Marks after which a model answers, as chat templates and the parsers of servers have them: those of DeepSeek and Qwen, others
/// like them, Magistral, Seed, Kimi and gpt-oss.
const ENDS_OF_THOUGHT: [&str; 8] = [
    "</think>",
    "</thinking>",
    "</thought>",
    "</reasoning>",
    "[/THINK]",
    "</seed:think>",
    "◁/think▷",
    "<|channel|>final<|message|>",
];

/// Beginnings of texts that start with reasoning.
const STARTS_OF_THOUGHT: [&str; 5] = ["<think", "<thought", "[THINK]", "◁think", "<|channel|>analysis"];

/// Returns whether a text begins with reasoning; its end may be missing.
pub(super) fn begins_with_thoughts(text: &str) -> bool {
    STARTS_OF_THOUGHT.iter().any(|start| text.trim_start().starts_with(start))
}

/// Returns the text after the last closing tag of reasoning, because some chat templates leave out the opening one. Returns the
/// whole text if there is no such tag, or no JSON after it.
pub(super) fn without_thoughts(text: &str) -> &str {
    let end = ENDS_OF_THOUGHT.iter().filter_map(|tag| text.rfind(tag).map(|at| at + tag.len())).max();
    // A closing tag inside the answer itself is ignored.
    end.map(|end| &text[end..]).filter(|rest| rest.contains(['{', '['])).unwrap_or(text)
}

/// Returns the longest value that starts at one of the first [`STARTS`] positions: an example in the prose before the answer is
/// shorter than the answer. Returns `None` if it has none of the lists of our formats and is shorter than half of the text.
fn longest_inside(text: &str) -> Option<Value> {
    let mut best: Option<(usize, Value)> = None;
    let mut from = 0;
    for _ in 0..STARTS {
        let Some(start) = text[from..].find(['{', '[']).map(|at| from + at) else { break };
        let mut values = Deserializer::from_str(&text[start..]).into_iter::<Value>();
        let length = match values.next() {
            Some(Ok(value)) => {
                let length = values.byte_offset();
                if best.as_ref().is_none_or(|(longest, _)| length > *longest) {
                    best = Some((length, value));
                }
                length
            }
            _ => 1,
        };
        from = start + length;
    }
    let (length, value) = best?;
    // A small fragment of a large broken answer is not the answer.
    (is_answer(&value) || length * 2 >= text.len()).then_some(value)
}

fn repaired(text: &str) -> Option<Value> {
    let start = text.find(['{', '['])?;
    let text = &text[start..];
    if text.len() > MAX_REPAIR_BYTES || depth(text) > MAX_REPAIR_DEPTH {
        return None;
    }
    llm_json::loads(text, &RepairOptions::default()).ok().filter(is_container)
}

fn depth(text: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => open += 1,
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

fn is_container(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

fn is_answer(value: &Value) -> bool {
    ["sentences", "facts", "operations"].iter().any(|name| value[name].is_array())
}

/// Returns the list of that name: at the top level or one level below.
pub(super) fn list<'a>(answer: &'a Value, name: &str) -> Option<&'a Vec<Value>> {
    let inner = || answer.as_object()?.values().find_map(|value| value.get(name)?.as_array());
    answer.get(name).and_then(Value::as_array).or_else(inner)
}

/// Returns a string field, trimmed. `None` if it is missing, not a string, empty or `null`.
pub(super) fn text<'a>(element: &'a Value, name: &str) -> Option<&'a str> {
    element.get(name)?.as_str().map(str::trim).filter(|text| !text.is_empty() && *text != "null")
}

/// Returns a numeric field, also if the number was written as a string.
pub(super) fn number(element: &Value, name: &str) -> Option<f64> {
    let value = element.get(name)?;
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|number| number.is_finite())
}

/// Returns line numbers: reads `3`, `[1, 2]`, `"[3]"`, `"1, 2"`.
pub(super) fn citations(value: Option<&Value>) -> Vec<usize> {
    match value {
        Some(Value::Number(number)) => number.as_u64().and_then(|n| usize::try_from(n).ok()).into_iter().collect(),
        Some(Value::String(text)) => {
            text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
        }
        Some(Value::Array(values)) => values.iter().flat_map(|value| citations(Some(value))).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn answer_is_found_among_surrounding_text() {
        fn check(text: &str) {
            assert_eq!(json(text), Some(json!({ "sentences": [{ "text": "Ann [moved]." }] })), "{text}");
        }
        let good = r#"{"sentences": [{"text": "Ann [moved]."}]}"#;
        check(good);
        check(&format!("```json\n{good}\n```"));
        check(&format!("Here you are:\n{good}\nAnything else?"));
        check(&format!("<think>Maybe {{\"sentences\": []}}? No.</think>\n{good}"));
        check(&format!("so it is\n</think>{good}"));
        check(&format!("The form is {{\"text\": 1}}, so: {good}"));
        check(r#"{sentences: [{'text': 'Ann [moved].',},]}"#);
        check("{\"sentences\": [{\"text\": \"Ann [moved].\"}]");
    }

    #[test]
    fn text_without_an_answer_returns_none() {
        fn check(text: &str) {
            assert_eq!(json(text), None, "{text}");
        }
        check("");
        check("I cannot help with that.");
        check("\"sentences\"");
        check("<think>still thinking");
        check(&"[".repeat(100_000));
        check(&"{\"a\":".repeat(50_000));
    }

    #[test]
    fn closing_tag_inside_the_answer_is_ignored() {
        let answer = json(r#"{"sentences": [{"text": "They spoke of </think>."}]}"#).unwrap();
        assert_eq!(answer["sentences"][0]["text"], "They spoke of </think>.");
    }

    #[test]
    fn line_numbers_are_read_in_every_form() {
        fn check(value: Value, expect: &[usize]) {
            assert_eq!(citations(Some(&value)), expect, "{value}");
        }
        check(json!(3), &[3]);
        check(json!([1, "2", [3]]), &[1, 2, 3]);
        check(json!("[4], 5"), &[4, 5]);
        check(json!(-1), &[]);
        check(json!(null), &[]);
    }

    proptest! {
        #[test]
        fn arbitrary_text_neither_panics_nor_hangs(text in "(\\PC|[\\[\\]{}\",:'\\\\]|<think>|</think>|```|true|null|\n){0,80}") {
            let _ = json(&text);
        }

        #[test]
        fn truncated_answer_returns_a_container_or_none(cut in 0_usize..200) {
            let good = r#"{"sentences": [{"text": "Ann moved to \"Lisbon\".", "day": "2026-03-04", "sources": [1, 2]}, {"text": "é", "sources": []}]}"#;
            if let Some(part) = good.get(..cut.min(good.len())) {
                prop_assert!(json(part).is_none_or(|value| is_container(&value)));
            }
        }
    }
}
