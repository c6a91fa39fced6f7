//! From what a model wrote to a JSON value: models think aloud, wrap it in fences, talk around it, and forget commas.

use llm_json::RepairOptions;
use serde_json::{Deserializer, Value};

/// Longer texts are not repaired: the repairer's time grows faster than its input.
const LONGEST_REPAIR: usize = 200_000;

/// Deeper texts are not repaired: the repairer recurses. What we ask for is three deep.
const DEEPEST_REPAIR: usize = 32;

/// Places at which a value may begin that are tried.
const STARTS: usize = 64;

/// The outermost JSON object or array in a text.
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

/// What comes after the thoughts. Some templates leave out the opening tag.
fn without_thoughts(text: &str) -> &str {
    let closing = ["</think>", "</thinking>", "</reasoning>"];
    let end = closing.iter().filter_map(|tag| text.rfind(tag).map(|at| at + tag.len())).max();
    // A tag inside the answer itself ends nothing.
    end.map(|end| &text[end..]).filter(|rest| rest.contains(['{', '['])).unwrap_or(text)
}

/// The longest value that begins anywhere: an example in the talk before the answer is shorter than the answer.
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
    // A small piece of a large broken answer is not the answer.
    (is_answer(&value) || length * 2 >= text.len()).then_some(value)
}

fn repaired(text: &str) -> Option<Value> {
    let start = text.find(['{', '['])?;
    let text = &text[start..];
    if text.len() > LONGEST_REPAIR || depth(text) > DEEPEST_REPAIR {
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

/// The list of that name: at the top, one level below it, or the answer itself.
pub(super) fn list<'a>(answer: &'a Value, name: &str) -> Option<&'a Vec<Value>> {
    let inner = || answer.as_object()?.values().find_map(|value| value.get(name)?.as_array());
    answer.get(name).and_then(Value::as_array).or_else(inner)
}

/// A field's text, also where a number was written; none if it is empty.
pub(super) fn text<'a>(element: &'a Value, name: &str) -> Option<&'a str> {
    element.get(name)?.as_str().map(str::trim).filter(|text| !text.is_empty() && *text != "null")
}

/// A field's number, also where it was written as a text.
pub(super) fn number(element: &Value, name: &str) -> Option<f64> {
    let value = element.get(name)?;
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|number| number.is_finite())
}

/// Numbers of lines: `3`, `[1, 2]`, `"[3]"`, `"1, 2"`.
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
    fn the_answer_is_found_in_what_is_around_it() {
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
    fn what_is_no_answer_is_none() {
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
    fn a_tag_inside_the_answer_ends_nothing() {
        let answer = json(r#"{"sentences": [{"text": "They spoke of </think>."}]}"#).unwrap();
        assert_eq!(answer["sentences"][0]["text"], "They spoke of </think>.");
    }

    #[test]
    fn numbers_of_lines_are_read_in_every_form() {
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
        fn nothing_makes_it_panic_or_hang(text in "(\\PC|[\\[\\]{}\",:'\\\\]|<think>|</think>|```|true|null|\n){0,80}") {
            let _ = json(&text);
        }

        #[test]
        fn a_good_answer_cut_anywhere_is_an_answer_or_none(cut in 0_usize..200) {
            let good = r#"{"sentences": [{"text": "Ann moved to \"Lisbon\".", "day": "2026-03-04", "sources": [1, 2]}, {"text": "é", "sources": []}]}"#;
            if let Some(part) = good.get(..cut.min(good.len())) {
                prop_assert!(json(part).is_none_or(|value| is_container(&value)));
            }
        }
    }
}
