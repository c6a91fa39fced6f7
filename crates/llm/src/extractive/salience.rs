//! Rates the content of an English sentence by its words: whether a reader would still want it after a week, a month or a year,
//! and whether a stranger understands it alone.
//!
//! Two linear models over words and pairs of words, fitted to judged sentences (`fixtures/salience`, not needed at run time). They
//! know what the rules cannot tell: that "It's benign" matters longer than "It's 14 degrees". The factor orders lines and never
//! decides alone, because a model of words knows nothing of who speaks and what was said before.

use std::collections::HashMap;
use std::sync::LazyLock;

use annals_core::Grain;
use regex::Regex;

use super::split;

/// Each feature with its weights in hundredths: in grades of worth, from 0 (nothing) to 4 (its year), and in shares of 1 for
/// standing alone.
static WEIGHTS: LazyLock<HashMap<&str, [f64; 2]>> = LazyLock::new(|| {
    let number = |field: &str| field.parse::<f64>().unwrap_or_default() / 100.0;
    include_str!("salience.txt")
        .lines()
        .filter_map(|line| {
            let mut fields = line.split('\t');
            Some((fields.next()?, [number(fields.next()?), number(fields.next()?)]))
        })
        .collect()
});

// The tokens of `fixtures/salience/fit.py`. Those of `tokens` keep hyphens and have no marks, so the weights would not fit them.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[?!…]").expect("the pattern is a constant, and a test uses it")
});
static DATE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r" \[[^\]]*\d{4}[^\]]*\]").expect("the pattern is a constant, and a test uses it"));

/// The mean of both models over the sentences that they were fitted to.
const MEAN: [f64; 2] = [0.95, 0.25];

/// Effect of a grade of worth, and of standing alone, on the logarithm of the factor, for each grain from daily to yearly. Days
/// get none: with 0.5, those of LoCoMo quote 75.0 % of the answering turns instead of 76.8 %.
const SLOPES: [[f64; 2]; 5] = [[0.0, 0.0], [0.8, 0.5], [1.2, 0.5], [1.5, 0.5], [1.5, 0.5]];

/// Largest factor, and the inverse of the smallest.
const MOST: f64 = 6.0;

/// Returns the factor on the worth of a line in a grain: above 1 if its content lasts longer than that of most sentences.
pub(super) fn factor(line: &str, grain: Grain) -> f64 {
    let position = Grain::SUMMARIES.iter().position(|one| *one == grain).unwrap_or_default();
    let [of_worth, of_alone] = SLOPES[position];
    if of_worth == 0.0 && of_alone == 0.0 {
        return 1.0;
    }
    let bare = DATE.replace_all(line, "");
    let rated: Vec<[f64; 2]> = split::sentences(&bare, usize::MAX).map(rate).collect();
    let Some(first) = rated.first() else { return 1.0 };
    let worth = rated.iter().map(|[worth, _]| *worth).fold(f64::MIN, f64::max);
    (of_worth * (worth - MEAN[0]) + of_alone * (first[1] - MEAN[1])).exp().clamp(1.0 / MOST, MOST)
}

/// Returns the sums of the weights of a sentence.
fn rate(sentence: &str) -> [f64; 2] {
    let tokens: Vec<&str> = TOKEN.find_iter(sentence).map(|found| found.as_str()).collect();
    let words: Vec<String> = tokens.iter().map(|token| plain(token)).collect();
    let mut features: Vec<(String, f64)> = words.iter().map(|word| (word.clone(), 1.0)).collect();
    features.extend(words.windows(2).map(|pair| (pair.join(" "), 1.0)));
    features.extend(words.first().map(|first| (format!("^ {first}"), 1.0)));
    features.sort_by(|one, other| one.0.cmp(&other.0));
    features.dedup_by(|one, other| one.0 == other.0);
    let names = tokens.iter().skip(1).filter(|token| is_name(token)).count();
    features.push(("*names".into(), names.min(4) as f64 / 4.0));
    features.push(("*length".into(), tokens.len().min(40) as f64 / 20.0));
    features.push(("*short".into(), if tokens.len() < 5 { 1.0 } else { 0.0 }));
    features.push(("*".into(), 1.0));
    features
        .iter()
        .filter_map(|(feature, value)| Some((WEIGHTS.get(feature.as_str())?, value)))
        .fold([0.0; 2], |[worth, alone], ([of_worth, of_alone], value)| {
            [worth + of_worth * value, alone + of_alone * value]
        })
}

/// Returns a word in lower case; any number is "#".
fn plain(token: &str) -> String {
    if token.starts_with(|c: char| c.is_ascii_digit()) { "#".into() } else { token.to_lowercase().replace('’', "'") }
}

fn is_name(token: &str) -> bool {
    token.starts_with(char::is_uppercase) && token.split(['\'', '’']).next() != Some("I")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_is_worth_more_in_long_periods() {
        fn check(more: &str, less: &str) {
            let (more, less) = (factor(more, Grain::Yearly), factor(less, Grain::Yearly));
            assert!(more > less, "{more} {less}");
        }
        check("Mum died on Sunday.", "It was 14 degrees on Sunday.");
        check("We signed the contract for the house.", "What are your plans for the house?");
        check("They've offered me the job!", "You usually get an answer within 3 hours.");
        assert!(factor("Mum died.", Grain::Yearly) > factor("Mum died.", Grain::Daily));
    }

    #[test]
    fn added_dates_and_empty_lines_do_not_count() {
        assert_eq!(
            factor("She left on Monday [2026-03-02].", Grain::Monthly),
            factor("She left on Monday.", Grain::Monthly)
        );
        assert_eq!(factor("", Grain::Monthly), 1.0);
    }
}
