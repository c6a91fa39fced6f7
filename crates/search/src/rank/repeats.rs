//! Step 6: what says much the same as something above goes down, so that few places are not all taken by one thing.

use std::collections::HashMap;

use super::Ranked;
use crate::Weights;
use crate::question::{is_wide, spaced};
use crate::score::Part;

/// Places that are compared with each other; work grows with the square.
const COMPARED: usize = 60;
/// The share of words in common from which on two texts say the same.
const SAME: f64 = 0.8;
/// Shorter texts are alike by chance, and cost little.
const LEAST_WORDS: usize = 4;

/// Characters of a text that are compared: long ones that begin alike are alike.
const LONGEST: usize = 1_000;

/// Takes from each of the best that repeats one above it. Expects the best first, and leaves them so.
pub(crate) fn repeats(ranked: &mut [Ranked], weights: &Weights) {
    if weights.repeat == 0.0 {
        return;
    }
    let mut told: Vec<Vec<usize>> = Vec::new();
    let mut numbers = HashMap::new();
    for row in ranked.iter_mut().take(COMPARED) {
        let words = words(&row.memory.text, &mut numbers);
        if words.len() < LEAST_WORDS {
            continue;
        }
        if told.iter().any(|other| alike(other, &words) >= SAME) {
            row.score.add(Part::Repeat, weights.repeat);
        } else {
            told.push(words);
        }
    }
    super::sort_ranked(ranked);
}

/// The distinct words as numbers, ascending, and of what is written without spaces each two characters. Each text is read once; pairs of
/// texts compare numbers, where comparing sets of words was a fifth of a search of long messages.
fn words(text: &str, numbers: &mut HashMap<String, usize>) -> Vec<usize> {
    let pairs = |word: &str| -> Vec<String> {
        let letters: Vec<char> = word.chars().collect();
        if !letters.iter().any(|c| is_wide(*c)) {
            return vec![word.to_owned()];
        }
        letters.windows(2).map(|pair| pair.iter().collect()).collect()
    };
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(end, _)| end);
    let mut number = |word: String| {
        let next = numbers.len();
        *numbers.entry(word).or_insert(next)
    };
    let mut words: Vec<usize> = spaced(&text[..end]).split_whitespace().flat_map(pairs).map(&mut number).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The share of the words of both that both have.
fn alike(a: &[usize], b: &[usize]) -> f64 {
    if a.len().min(b.len()) * 10 < a.len().max(b.len()) * 8 {
        return 0.0;
    }
    let (mut left, mut both) = (b, 0_usize);
    for word in a {
        let place = left.iter().position(|other| other >= word).unwrap_or(left.len());
        left = &left[place..];
        both += usize::from(left.first() == Some(word));
    }
    both as f64 / (a.len() + b.len() - both) as f64
}

#[cfg(test)]
mod tests {
    use annals_core::{Fit, Kind};

    use super::*;
    use crate::fixture::memory;
    use crate::score::Score;

    /// Texts, best first and half a point apart; expects them in their new order.
    #[track_caller]
    fn check(texts: &[&str], expect: &[&str]) {
        let ranked = texts.iter().zip(0_u8..).map(|(text, place)| {
            let mut score = Score::default();
            score.add(Part::Words, 10.0 - 0.5 * f64::from(place));
            let mut memory = memory(&place.to_string(), Kind::Turn, "2026-03-04".parse().unwrap());
            memory.text = (*text).to_owned();
            Ranked { memory, access: None, score, fit: Fit::default() }
        });
        let mut ranked: Vec<Ranked> = ranked.collect();
        repeats(&mut ranked, &Weights { repeat: -2.0, ..Weights::default() });
        assert_eq!(ranked.iter().map(|ranked| ranked.memory.text.as_str()).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn what_repeats_something_above_goes_down() {
        let (one, again, other) = ("a b c d e f g h i", "A b c d e f g h, i!", "k l m n");
        check(&[one, again, other], &[one, other, again]);
        // A word more or less.
        check(&[one, "a b c d e f g h", other], &[one, other, "a b c d e f g h"]);
        check(&[one, "a b c d", other], &[one, "a b c d", other]);
        // Further down as well.
        check(
            &[one, "1 2 3 4", "5 6 7 8", "9 0 1 2", again, other],
            &[one, "1 2 3 4", "5 6 7 8", "9 0 1 2", other, again],
        );
        // Without spaces.
        check(
            &["我昨天在东京吃了拉面。", "我昨天在东京吃了拉面！", other],
            &["我昨天在东京吃了拉面。", other, "我昨天在东京吃了拉面！"],
        );
        check(&["我昨天在东京吃了拉面。", "他明天去大阪看电影。"], &["我昨天在东京吃了拉面。", "他明天去大阪看电影。"]);
        // Short ones are alike by chance.
        check(&["a boat", "A boat!", other], &["a boat", "A boat!", other]);
    }

    #[test]
    fn what_is_like_a_repeat_alone_is_no_repeat() {
        let (one, like_one, like_that) = ("a b c d e f g h i", "b c d e f g h i j", "c d e f g h i j k");
        check(&[one, like_one, like_that], &[one, like_that, like_one]);
    }
}
