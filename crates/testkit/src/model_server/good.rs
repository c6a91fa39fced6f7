//! The answers of a good model, as far as tests need them: the words of the input, with citations.

use serde_json::{Value, json};

use super::ModelRequest;
use crate::reranker::score;

/// Maximum number of words that a sentence repeats from its line.
const WORDS: usize = 6;

/// Answers one of our prompts, for extraction or for a summary.
pub(super) fn answer(request: &ModelRequest) -> String {
    let prompt = first_of(request, "user");
    // Only numbered lines are sources: new lines, and the sentences of a sealed summary. Known facts and context are not
    // numbered.
    let lines = numbered(prompt);
    let answer = if first_of(request, "system").contains("\"operations\"") { facts(&lines) } else { summary(&lines) };
    answer.to_string()
}

/// Ranks the texts of a request, best first. Answers in the format of the request: Cohere's or that of
/// text-embeddings-inference.
pub(super) fn order(request: &ModelRequest) -> Value {
    let query_words = crate::word_split::words(request.body["query"].as_str().unwrap_or_default());
    let rows = |texts: &Value, name: &str| {
        let texts = texts.as_array().map(Vec::as_slice).unwrap_or_default().iter();
        let score = |text: &Value| score(&query_words, &crate::word_split::words(text.as_str().unwrap_or_default()));
        let mut scores: Vec<(usize, f64)> = texts.map(score).enumerate().collect();
        scores.sort_by(|a, b| b.1.total_cmp(&a.1));
        scores.into_iter().map(|(index, score)| json!({ "index": index, name: score })).collect::<Value>()
    };
    match &request.body["texts"] {
        Value::Null => json!({ "results": rows(&request.body["documents"], "relevance_score") }),
        texts => rows(texts, "score"),
    }
}

/// Estimates the tokens of the prompt by a ratio that fits English.
pub(super) fn tokens(request: &ModelRequest) -> u64 {
    let messages = request.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = messages.iter().filter_map(|message| message["content"].as_str());
    let words: u64 = texts.chain(request.body["system"][0]["text"].as_str()).map(words).sum();
    words * 4 / 3
}

/// Counts the words between whitespace.
pub(super) fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// Returns the content of the first message of a role, or of a separate `system` field; empty if there is none. The prompt of a
/// second attempt repeats the messages of the first one, so the first message counts.
fn first_of<'a>(request: &'a ModelRequest, role: &str) -> &'a str {
    if role == "system" && request.body["system"].is_array() {
        return request.content_of(role);
    }
    let messages = request.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let message = messages.iter().find(|message| message["role"] == role);
    message.and_then(|message| message["content"].as_str()).unwrap_or_default()
}

/// A line `[3] 2026-03-04 09:00 [conversation] Ann (user): What was said.`.
struct Numbered<'a> {
    number: u64,
    speaker: &'a str,
    text: &'a str,
}

fn numbered(text: &str) -> Vec<Numbered<'_>> {
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<Numbered<'_>> {
    let (number, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let is_stamp = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(['-', ':']);
    let stamps: usize = rest.split(' ').take_while(is_stamp).map(|word| word.len() + 1).sum();
    let rest = rest.get(stamps..)?;
    let (speaker, text) = rest.split_once(": ").unwrap_or(("", rest));
    let speaker = speaker.rsplit_once("] ").map_or(speaker, |(_conversation, speaker)| speaker);
    let speaker = speaker.split_once(" (").map_or(speaker, |(name, _role)| name);
    Some(Numbered { number: number.parse().ok()?, speaker, text })
}

fn summary(lines: &[Numbered<'_>]) -> Value {
    let sentences = lines.iter().map(|line| {
        let speaker = line.speaker.trim_end_matches(" said");
        let by = if speaker.is_empty() { String::new() } else { format!("{speaker} said: ") };
        json!({ "text": format!("{by}{}.", first_words(line.text)), "day": null, "sources": [line.number] })
    });
    json!({ "sentences": sentences.collect::<Vec<_>>() })
}

fn facts(lines: &[Numbered<'_>]) -> Value {
    let (mut facts, mut operations) = (Vec::new(), Vec::new());
    for Numbered { number, speaker, text } in lines {
        let words = first_words(text);
        facts.push(json!({
            "text": format!("{speaker} said: {words}"), "kind": "event", "importance": 0.5, "confidence": 0.9, "when": null,
            "who": [speaker], "source": number,
        }));
        operations.push(json!({
            "op": "INSERT", "subject": speaker, "predicate": "mentioned", "object": words, "replaces": null,
            "confidence": 0.8, "when": null, "source": number,
        }));
    }
    json!({ "facts": facts, "operations": operations })
}

fn first_words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(WORDS).collect();
    words.join(" ").trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_lines_are_parsed() {
        fn check(text: &str, expect: Option<(u64, &str, &str)>) {
            assert_eq!(line(text).map(|line| (line.number, line.speaker, line.text)), expect, "{text}");
        }
        check("[3] 09:00 Ann: Hi: you", Some((3, "Ann", "Hi: you")));
        check("[3] 2026-03-04 09:00 Ann: Hi", Some((3, "Ann", "Hi")));
        check("[3] 09:00 [chat] Ann (user): Hi", Some((3, "Ann", "Hi")));
        check("[12] 2026-03-04 It rained.", Some((12, "", "It rained.")));
        check("- Ann, likes, tea", None);
        check("<sources id=\"1\">", None);
    }
}
