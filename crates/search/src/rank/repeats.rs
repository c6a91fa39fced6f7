//! Step 6: lowers a text that is nearly the same as a higher-ranked one, so that repetitions of one text do not take all
//! places.

use std::collections::HashMap;

use annals_core::{is_wide, spaced};

use super::Ranked;
use crate::Weights;
use crate::score::Part;

/// The number of best results that are compared with each other; the work grows with its square.
const COMPARED: usize = 60;
/// Minimum Jaccard index of the words of two texts that count as the same.
const SAME: f64 = 0.8;
/// Minimum number of distinct words. Shorter texts are not compared: they are alike by chance, and cost few tokens.
const LEAST_WORDS: usize = 4;

/// Maximum characters of a text that are compared: long texts with the same beginning count as the same.
const MAX_CHARACTERS: usize = 1_000;

/// Lowers the score of each of the best results that repeats a higher one. Expects the results sorted best first, and sorts
/// them again.
pub(crate) fn repeats(ranked: &mut [Ranked], weights: &Weights) {
    if weights.repeat == 0.0 {
        return;
    }
    let mut shown: Vec<Vec<usize>> = Vec::new();
    let mut numbers = HashMap::new();
    for row in ranked.iter_mut().take(COMPARED) {
        let words = words(&row.memory.text, &mut numbers);
        if words.len() < LEAST_WORDS {
            continue;
        }
        if shown.iter().any(|other| alike(other, &words) >= SAME) {
            row.score.add(Part::Repeat, weights.repeat);
        } else {
            shown.push(words);
        }
    }
    super::sort_ranked(ranked);
}

/// Returns the distinct words of the first [`MAX_CHARACTERS`] characters as ascending numbers. Words in scripts without spaces are
/// split into pairs of characters. Numbers are compared instead of words, because comparing sets of words took a fifth of the
/// time of a search over long messages.
fn words(text: &str, numbers: &mut HashMap<String, usize>) -> Vec<usize> {
    let pairs = |word: &str| -> Vec<String> {
        let letters: Vec<char> = word.chars().collect();
        if !letters.iter().any(|c| is_wide(*c)) {
            return vec![word.to_owned()];
        }
        letters.windows(2).map(|pair| pair.iter().collect()).collect()
    };
    let end = text.char_indices().nth(MAX_CHARACTERS).map_or(text.len(), |(end, _)| end);
    let mut number = |word: String| {
        let next = numbers.len();
        *numbers.entry(word).or_insert(next)
    };
    let mut words: Vec<usize> = spaced(&text[..end]).split_whitespace().flat_map(pairs).map(&mut number).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Returns the Jaccard index of two texts: the share of all their words that both contain. Returns 0 without counting if the
/// lengths differ too much to reach `SAME`.
fn alike(a: &[usize], b: &[usize]) -> f64 {
    if a.len().min(b.len()) * 10 < a.len().max(b.len()) * 8 {
        return 0.0;
    }
    let (mut left, mut both) = (b, 0_usize);
    for word in a {
        let index = left.iter().position(|other| other >= word).unwrap_or(left.len());
        left = &left[index..];
        both += usize::from(left.first() == Some(word));
    }
    both as f64 / (a.len() + b.len() - both) as f64
}

#[cfg(test)]
mod tests {
    use annals_core::{Fit, Role};

    use super::*;
    use crate::fixture::{memory, turn_body};
    use crate::score::Score;

    /// Lowers repeats among these texts, which are sorted best first with scores half a point apart. Expects the texts in their
    /// new order.
    #[track_caller]
    fn check(texts: &[&str], expect: &[&str]) {
        let ranked = texts.iter().zip(0_u8..).map(|(text, index)| {
            let mut score = Score::default();
            score.add(Part::Words, 10.0 - 0.5 * f64::from(index));
            let mut memory = memory(&index.to_string(), "2026-03-04".parse().unwrap(), turn_body("Ann", Role::User));
            memory.text = (*text).to_owned();
            Ranked { memory, access: None, score, fit: Fit::default() }
        });
        let mut ranked: Vec<Ranked> = ranked.collect();
        repeats(&mut ranked, &Weights { repeat: -2.0, ..Weights::default() });
        assert_eq!(ranked.iter().map(|ranked| ranked.memory.text.as_str()).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn repeat_of_a_higher_text_ranks_lower() {
        let (one, again, other) = ("a b c d e f g h i", "A b c d e f g h, i!", "k l m n");
        check(&[one, again, other], &[one, other, again]);
        // Texts that differ by one word, and by five.
        check(&[one, "a b c d e f g h", other], &[one, other, "a b c d e f g h"]);
        check(&[one, "a b c d", other], &[one, "a b c d", other]);
        // A repeat further down is lowered as well.
        check(
            &[one, "1 2 3 4", "5 6 7 8", "9 0 1 2", again, other],
            &[one, "1 2 3 4", "5 6 7 8", "9 0 1 2", other, again],
        );
        // Texts without spaces.
        check(
            &["我昨天在东京吃了拉面。", "我昨天在东京吃了拉面！", other],
            &["我昨天在东京吃了拉面。", other, "我昨天在东京吃了拉面！"],
        );
        check(&["我昨天在东京吃了拉面。", "他明天去大阪看电影。"], &["我昨天在东京吃了拉面。", "他明天去大阪看电影。"]);
        // Short texts are alike by chance.
        check(&["a boat", "A boat!", other], &["a boat", "A boat!", other]);
    }

    #[test]
    fn text_similar_only_to_a_repeat_is_not_a_repeat() {
        let (one, like_one, like_that) = ("a b c d e f g h i", "b c d e f g h i j", "c d e f g h i j k");
        check(&[one, like_one, like_that], &[one, like_that, like_one]);
    }
}
