//! The sentences of a summary that fit into a room: all, or those that share most words with the prompt. Pure.

use std::cmp::Reverse;

use super::items::Line;
use super::{render, words};

/// The sentences in their order, and what they cost at most.
pub(super) fn within(lines: &[Line], room: u64, asked: &[String]) -> (Vec<Line>, u64) {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|place| (Reverse(words::shared(asked, &lines[*place].text)), *place));
    let (mut kept, mut cost) = (Vec::new(), 0);
    for place in order {
        let line = &lines[place];
        // The day may stand above several of them; each pays for it.
        let price = render::price_of_sentence(&line.text) + line.day.map_or(0, |_| render::DAY);
        if cost + price <= room {
            cost += price;
            kept.push(place);
        }
    }
    kept.sort_unstable();
    (kept.into_iter().map(|place| lines[place].clone()).collect(), cost)
}
