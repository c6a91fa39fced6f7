//! Selects the sentences that fit a budget. Pure.
//!
//! Of a summary: all, or those with the most words of the prompt, and among these those that most coarser summaries quote too.
//! Among sentences that are equal in both, each day gets its first sentence before any day gets its second, and days far apart
//! come first, so that a short excerpt covers the whole period.
//!
//! Of a turn that is too long for its room: those with the most words of the prompt, then those beside the best one.

use std::cmp::Reverse;
use std::collections::HashMap;

use annals_core::{is_wide, sentences, tokens};

use super::items::Line;
use super::{prompt_terms, render};

/// Returns the sentences that fit into `room` tokens, in their order, and their maximum cost in tokens.
pub(super) fn within(lines: &[Line], room: u64, query_words: &[String]) -> (Vec<Line>, u64) {
    let indexes = places_in_day(lines);
    let mut order: Vec<usize> = (0..lines.len()).collect();
    // Sorting by the reversed bits of the index spreads the first sentences over the period: its beginning, then the half, the
    // quarters, the eighths.
    let spread = |index: &usize| index.reverse_bits();
    order.sort_by_key(|index| {
        let line = &lines[*index];
        let shared = prompt_terms::shared(query_words, &line.text);
        (Reverse(shared), Reverse(line.quoted_above), indexes[*index], spread(index))
    });
    let (mut kept, mut cost) = (Vec::new(), 0);
    for index in order {
        let line = &lines[index];
        // A day heading is written once above all its sentences, but each sentence is charged for it.
        let price = render::price_of_sentence(&line.text) + line.day.map_or(0, |_| render::DAY);
        if cost + price <= room {
            cost += price;
            kept.push(index);
        }
    }
    kept.sort_unstable();
    (kept.into_iter().map(|index| lines[index].clone()).collect(), cost)
}

/// Stands where an excerpt leaves something out.
const GAP: &str = "…";
/// Characters of a piece of a sentence. A long sentence without a mark, such as a table, is cut into pieces.
const PIECE: usize = 200;

/// Returns the part of a text that fits into `room` tokens, with [`GAP`] where something is left out; `None` if not even one
/// sentence fits. The line of the text also costs its id.
pub(super) fn of_text(text: &str, room: u64, query_words: &[String]) -> Option<String> {
    let pieces: Vec<&str> = sentences(text).flat_map(pieces).collect();
    let shared: Vec<usize> = pieces.iter().map(|piece| prompt_terms::shared(query_words, piece)).collect();
    let best = (0..pieces.len()).max_by_key(|index| (shared[*index], Reverse(*index)))?;
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|index| (Reverse(shared[*index]), index.abs_diff(best), *index < best));
    let mut kept = Vec::new();
    let mut cost = render::price("");
    for index in order {
        let price = tokens(pieces[index]) + 2 * tokens(&format!(" {GAP}"));
        if cost + price <= room {
            cost += price;
            kept.push(index);
        }
    }
    kept.sort_unstable();
    (!kept.is_empty()).then(|| joined(&pieces, &kept))
}

fn joined(pieces: &[&str], kept: &[usize]) -> String {
    let mut text = String::new();
    let mut next = 0;
    for index in kept {
        if *index == next {
            text.push_str(pieces[*index]);
        } else {
            text = format!("{} {GAP} {}", text.trim_end(), pieces[*index].trim_start());
        }
        next = index + 1;
    }
    let text = text.trim();
    if next == pieces.len() { text.to_owned() } else { format!("{text} {GAP}") }
}

/// Cuts a sentence at spaces into pieces of about [`PIECE`] characters.
fn pieces(sentence: &str) -> impl Iterator<Item = &str> {
    let mut rest = sentence;
    std::iter::from_fn(move || {
        let end = rest.char_indices().skip(PIECE).find(|(_, c)| c.is_whitespace() || is_wide(*c));
        let (piece, left) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        rest = left;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Returns for each sentence the number of sentences before it that are of the same day or, if the summary is of a single day,
/// of the same turn.
fn places_in_day(lines: &[Line]) -> Vec<usize> {
    let mut seen = HashMap::new();
    let mut index = |line: &Line| {
        let count = seen.entry((line.day, line.from.first().filter(|_| line.day.is_none()).cloned())).or_insert(0);
        *count += 1;
        *count - 1
    };
    lines.iter().map(&mut index).collect()
}

#[cfg(test)]
mod tests {
    use annals_core::MemoryId;

    use super::*;

    /// Selects among sentences given as `(DAY, text)` with a budget for two sentences of eight characters, and expects these
    /// texts.
    #[track_caller]
    fn check(lines: &[(&str, &str)], query: &str, expect: &[&str]) {
        let line = |(day, text): &(&str, &str)| Line {
            day: Some(format!("2026-03-{day}").parse().unwrap()),
            text: (*text).into(),
            from: vec![MemoryId::from_text(*text)],
            quoted_above: u32::from(text.starts_with("lasting")),
        };
        let lines: Vec<Line> = lines.iter().map(line).collect();
        let room = 2 * (render::price_of_sentence("12345678") + render::DAY);
        let (kept, _) = within(&lines, room, &prompt_terms::words(query));
        assert_eq!(kept.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn excerpt_of_a_long_turn_has_the_words_of_the_prompt() {
        #[track_caller]
        fn check(text: &str, query: &str, expect: Option<&str>) {
            assert_eq!(of_text(text, 44, &prompt_terms::words(query)).as_deref(), expect, "{text}");
        }
        let minutes = "The meeting began at nine. The roof costs 4,000 euros. Tom pays the half. The garden is closed. It rained.";
        check(minutes, "what does the roof cost?", Some("… The roof costs 4,000 euros. Tom pays the half. …"));
        check(minutes, "who closed the garden", Some("… Tom pays the half. The garden is closed. It rained."));
        check(minutes, "", Some("The meeting began at nine. The roof costs 4,000 euros. …"));
        check(&"word ".repeat(500), "roof", None);
        check(&"屋顶".repeat(500), "roof", None);
    }

    #[test]
    fn short_excerpt_covers_the_whole_period() {
        let lines = [("02", "opening"), ("02", "greeting"), ("03", "strikes"), ("20", "settled")];
        check(&lines, "", &["opening", "strikes"]);
        check(&lines[1..], "", &["greeting", "settled"]);
        check(&lines[..3], "", &["opening", "strikes"]);
        check(&lines, "was it settled?", &["opening", "settled"]);
        let days = [("01", "one"), ("02", "two"), ("03", "three"), ("04", "four"), ("05", "five")];
        check(&days, "", &["one", "five"]);
        let days = [("01", "one"), ("02", "lasting2"), ("03", "three"), ("04", "lasting4"), ("05", "five")];
        check(&days, "", &["lasting2", "lasting4"]);
        check(&days, "three?", &["lasting2", "three"]);
        check(&lines, "greetings and settlers: was it settled?", &["greeting", "settled"]);
    }
}
