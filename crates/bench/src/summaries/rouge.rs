//! ROUGE (Lin 2004): how many words, pairs of words and longest common subsequences a text shares with a reference. Words are
//! runs of letters and digits in lower case, without stemming, as in the Python package `rouge-score`. Unlike in that package,
//! letters outside ASCII count. ROUGE-L treats a text as one sequence.

use std::collections::HashMap;

/// F1 of ROUGE-1, ROUGE-2 and ROUGE-L, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rouge {
    pub(super) one: f64,
    pub(super) two: f64,
    pub(super) longest: f64,
}

impl Rouge {
    pub(super) fn of(text: &str, reference: &str) -> Rouge {
        let (text, reference) = (tokens(text), tokens(reference));
        let shared = |length| f1(overlap(&text, &reference, length), grams(&text, length), grams(&reference, length));
        let longest = f1(longest_common_subsequence(&text, &reference), text.len(), reference.len());
        Rouge { one: shared(1), two: shared(2), longest }
    }
}

/// The sum of the scores of several texts, from which the means are computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RougeMean {
    sum: Rouge,
    pub(super) texts: usize,
}

impl RougeMean {
    pub(super) fn of(one: Rouge) -> RougeMean {
        RougeMean { sum: one, texts: 1 }
    }

    pub(super) fn add(&mut self, other: RougeMean) {
        self.sum.one += other.sum.one;
        self.sum.two += other.sum.two;
        self.sum.longest += other.sum.longest;
        self.texts += other.texts;
    }

    /// Returns the means of ROUGE-1, ROUGE-2 and ROUGE-L; `None` if no text had a reference.
    pub(super) fn means(self) -> Option<[f64; 3]> {
        let mean = |sum: f64| sum / self.texts as f64;
        (self.texts > 0).then(|| [self.sum.one, self.sum.two, self.sum.longest].map(mean))
    }
}

fn tokens(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Returns the number of sequences of `length` words.
fn grams(tokens: &[String], length: usize) -> usize {
    (tokens.len() + 1).saturating_sub(length)
}

/// Counts the sequences of `length` words that both texts have. A repeated sequence counts as often as in the text that has it
/// less often.
fn overlap(text: &[String], reference: &[String], length: usize) -> usize {
    let mut left: HashMap<&[String], usize> = HashMap::new();
    for gram in reference.windows(length) {
        *left.entry(gram).or_default() += 1;
    }
    let mut shared = 0;
    for gram in text.windows(length) {
        if let Some(left) = left.get_mut(gram).filter(|left| **left > 0) {
            *left -= 1;
            shared += 1;
        }
    }
    shared
}

fn longest_common_subsequence(text: &[String], reference: &[String]) -> usize {
    let mut row = vec![0; reference.len() + 1];
    for word in text {
        let mut diagonal = 0;
        for (at, other) in reference.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == other { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row[reference.len()]
}

fn f1(shared: usize, in_text: usize, in_reference: usize) -> f64 {
    if shared == 0 { 0.0 } else { 2.0 * shared as f64 / (in_text + in_reference) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected fractions were computed by hand.
    #[test]
    fn scores_are_those_computed_by_hand() {
        fn check(text: &str, reference: &str, one: f64, two: f64, longest: f64) {
            let scores = Rouge::of(text, reference);
            let near = |score: f64, expect: f64| (score - expect).abs() < 1e-9;
            assert!(
                near(scores.one, one) && near(scores.two, two) && near(scores.longest, longest),
                "{text}: {scores:?}"
            );
        }
        check("", "", 0.0, 0.0, 0.0);
        check("Ann", "", 0.0, 0.0, 0.0);
        check("Ann", "ann!", 1.0, 0.0, 1.0);
        check("a b c d", "a b c d", 1.0, 1.0, 1.0);
        // Shared: 5 of 6 and 6 words, 3 of 5 and 5 pairs ("the cat", "on the", "the mat"), subsequence "the cat on the mat".
        check("The cat sat on the mat.", "the cat lay on the mat", 10.0 / 12.0, 6.0 / 10.0, 10.0 / 12.0);
        // All words, but in another order: "c d" is shared and the longest subsequence.
        check("c d a", "a c d", 1.0, 2.0 / 4.0, 4.0 / 6.0);
        // A repeated word counts as often as in the other text.
        check("no no no", "no", 2.0 / 4.0, 0.0, 2.0 / 4.0);
        check("Graça, 2025-01-06", "Graça 2025", 4.0 / 6.0, 2.0 / 4.0, 4.0 / 6.0);
    }

    #[test]
    fn mean_is_over_texts() {
        assert_eq!(RougeMean::default().means(), None);
        let mut mean = RougeMean::of(Rouge::of("a b", "a b"));
        mean.add(RougeMean::of(Rouge::of("a", "b")));
        assert_eq!(mean.means(), Some([0.5, 0.5, 0.5]));
    }
}
