//! Writes the line for a period without anything worth quoting.

use std::collections::BTreeSet;

use annals_core::{BRIEF_NOTES, Body, Date, Memory, MemoryId, SMALL_TALK, Sentence, is_placeholder};

use super::budget::cut;

/// Maximum number of speakers that are all named. Of more, one fewer is named and the rest are counted.
const NAMED: usize = 3;

/// Returns `Small talk only: 3 messages by Ann and Bob.` or `Brief notes only: …`, with all turns as sources and cut to `room`
/// words. If the sources are summaries, which have no speakers, the line ends before the colon.
pub(super) fn sentence(sources: &[&Memory], are_notes: bool, room: usize) -> Sentence {
    let head = if are_notes { BRIEF_NOTES } else { SMALL_TALK };
    let count = sources.len();
    let messages = if count == 1 { "message" } else { "messages" };
    let text = match speakers(sources).as_slice() {
        // There are no speakers if the sources are summaries.
        [] => format!("{head}."),
        names => format!("{head}: {count} {messages} by {}.", listed(names)),
    };
    Sentence {
        day: first_day(sources[0]),
        speaker: None,
        text: cut(&text, room),
        from: turns(sources),
        ungrounded: false,
    }
}

/// Returns whether the sentence is a line made by [`sentence`] for a record.
pub(super) fn is_of_notes(speaker: Option<&str>, text: &str) -> bool {
    is_placeholder(speaker, text) && text.starts_with(BRIEF_NOTES)
}

/// Returns the day of the first turn: a summary may quote nothing of its first day.
fn first_day(source: &Memory) -> Date {
    match &source.body {
        Body::Summary { sentences, .. } => sentences.first().map_or(source.days.0, |sentence| sentence.day),
        Body::Turn { .. } | Body::Statement { .. } | Body::Passage { .. } => source.days.0,
    }
}

/// Returns the distinct speakers in the order in which they first spoke.
fn speakers<'a>(sources: &[&'a Memory]) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    sources.iter().filter_map(|turn| turn.speaker()).filter(|name| seen.insert(*name)).collect()
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [first @ .., last] if names.len() <= NAMED => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} others", names[..NAMED - 1].join(", "), names.len() - (NAMED - 1)),
    }
}

fn turns(sources: &[&Memory]) -> Vec<MemoryId> {
    sources.iter().flat_map(|source| of_source(source)).collect()
}

fn of_source(source: &Memory) -> Vec<MemoryId> {
    match &source.body {
        Body::Summary { sentences, .. } => sentences.iter().flat_map(|sentence| sentence.from.clone()).collect(),
        Body::Turn { .. } | Body::Statement { .. } | Body::Passage { .. } => vec![source.id.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_names_at_most_three_speakers() {
        fn check(names: &[&str], expect: &str) {
            assert_eq!(listed(names), expect);
        }
        check(&["Ann"], "Ann");
        check(&["Ann", "Bob"], "Ann and Bob");
        check(&["Ann", "Bob", "Cid"], "Ann, Bob and Cid");
        check(&["Ann", "Bob", "Cid", "Dan"], "Ann, Bob and 2 others");
    }
}
