//! Selects the sentences of a summary that fit a budget: all, or those with the most words of the prompt, and among these those that
//! most coarser summaries quote too. Among sentences that are equal in both, each day gets its first sentence before any day gets its second, and days far apart come first, so
//! that a short excerpt covers the whole period. Pure.

use std::cmp::Reverse;
use std::collections::HashMap;

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
