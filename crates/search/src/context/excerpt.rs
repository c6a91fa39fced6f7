//! Selects the sentences of a summary that fit a budget: all, or those with the most words of the prompt. Pure.

use std::cmp::Reverse;

use super::items::Line;
use super::{render, words};

/// Returns the sentences in their order, and their maximum cost in tokens.
pub(super) fn within(lines: &[Line], room: u64, query_words: &[String]) -> (Vec<Line>, u64) {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|place| (Reverse(words::shared(query_words, &lines[*place].text)), *place));
    let (mut kept, mut cost) = (Vec::new(), 0);
    for place in order {
        let line = &lines[place];
        // One day may stand above several sentences, but each is charged for it.
        let price = render::price_of_sentence(&line.text) + line.day.map_or(0, |_| render::DAY);
        if cost + price <= room {
            cost += price;
            kept.push(place);
        }
    }
    kept.sort_unstable();
    (kept.into_iter().map(|place| lines[place].clone()).collect(), cost)
}
