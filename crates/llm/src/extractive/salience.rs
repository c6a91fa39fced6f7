//! Rates the content of an English sentence by its words: whether a reader would still want it after a week, a month or a year,
//! and whether a stranger understands it alone.
//!
//! Three linear models over words and pairs of words, fitted to judged sentences (`fixtures/salience`, not needed at run time). They
//! know what the rules cannot tell: that "It's benign" matters longer than "It's 14 degrees". They order the lines. Only where they are
//! sure do they decide whether a line says enough: a model of words knows nothing of who speaks and what was said before.

use std::collections::HashMap;
use std::sync::LazyLock;

use annals_core::Grain;
use regex::Regex;

use super::split;

/// What the models say of a sentence, or what a feature adds to it.
#[derive(Clone, Copy, Debug, Default)]
struct Rating {
    /// How long the sentence matters: from 0, for nothing, to 4, for its year.
    worth: f64,
    /// The same, but what matters for a year counts twice as much as what matters for a month.
    lasting: f64,
    /// Share of 1 for standing alone.
    alone: f64,
}

/// Each feature with its weights, in the file in hundredths.
static WEIGHTS: LazyLock<HashMap<&str, Rating>> = LazyLock::new(|| {
    let number = |field: &str| field.parse::<f64>().unwrap_or_default() / 100.0;
    let weights = include_str!("salience.txt").lines().filter_map(|line| {
        let mut fields = line.split('\t');
        let feature = fields.next()?;
        let [worth, lasting, alone] = [number(fields.next()?), number(fields.next()?), number(fields.next()?)];
        Some((feature, Rating { worth, lasting, alone }))
    });
    weights.collect()
});

// The tokens of `fixtures/salience/fit.py`. Those of `tokens` keep hyphens and have no marks, so the weights would not fit them.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[?!…]").expect("the pattern is a constant, and a test uses it")
});
static DATE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r" \[[^\]]*\d{4}[^\]]*\]").expect("the pattern is a constant, and a test uses it"));

/// The means over sets with as much that matters as people write: the four that the models were not fitted to.
const MEAN: Rating = Rating { worth: 0.92, lasting: 0.62, alone: 0.26 };

/// Largest factor, and the inverse of the smallest.
const MOST: f64 = 12.0;

/// What the models say of a line in a grain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Salience {
    /// Factor on the worth of the line: above 1 if its content lasts longer than that of most sentences.
    pub(super) factor: f64,
    /// Whether the line says enough for the grain; `None` if the rules must decide.
    pub(super) is_enough: Option<bool>,
}

/// What the rules decide alone. Days need no more: with a factor of half of that of weeks, those of LoCoMo quote 75.0 % of the answering
/// turns instead of 76.8 %.
pub(super) const UNKNOWN: Salience = Salience { factor: 1.0, is_enough: None };

/// Returns what the models say of an English line.
pub(super) fn of(line: &str, grain: Grain) -> Salience {
    if grain <= Grain::Daily {
        return UNKNOWN;
    }
    let bare = DATE.replace_all(line, "");
    let rated: Vec<Rating> = split::sentences(&bare, usize::MAX).map(rate).collect();
    let Some(first) = rated.first() else { return UNKNOWN };
    let most = |of: fn(&Rating) -> f64| rated.iter().map(of).fold(f64::MIN, f64::max);
    let (worth, lasting) = (most(|one| one.worth) - MEAN.worth, most(|one| one.lasting));
    // The value of `lasting` below which a line says too little, and from which on it says enough.
    let (slope, [too_little, enough]) = match grain {
        Grain::Weekly => (1.2 * worth, [0.1, 0.9]),
        Grain::Monthly => (1.5 * (lasting - MEAN.lasting), [0.3, 1.1]),
        Grain::Quarterly => (2.0 * (lasting - MEAN.lasting), [0.3, 1.3]),
        _ => (2.0 * (lasting - MEAN.lasting), [0.3, 1.5]),
    };
    let factor = (slope + 0.5 * (first.alone - MEAN.alone)).exp().clamp(1.0 / MOST, MOST);
    let is_enough = if lasting >= enough { Some(true) } else { (lasting < too_little).then_some(false) };
    Salience { factor, is_enough }
}

/// Returns the sums of the weights of a sentence.
fn rate(sentence: &str) -> Rating {
    let tokens: Vec<&str> = TOKEN.find_iter(sentence).map(|found| found.as_str()).collect();
    let words: Vec<String> = tokens.iter().map(|token| plain(token)).collect();
    let mut features: Vec<(String, f64)> = words.iter().map(|word| (word.clone(), 1.0)).collect();
    features.extend(words.windows(2).map(|pair| (pair.join(" "), 1.0)));
    features.extend(words.first().map(|first| (format!("^ {first}"), 1.0)));
    features.extend(words.last().map(|last| (format!("$ {last}"), 1.0)));
    features.sort_by(|one, other| one.0.cmp(&other.0));
    features.dedup_by(|one, other| one.0 == other.0);
    let names = tokens.iter().skip(1).filter(|token| is_name(token)).count();
    features.push(("*names".into(), names.min(4) as f64 / 4.0));
    features.push(("*length".into(), tokens.len().min(40) as f64 / 20.0));
    features.push(("*short".into(), if tokens.len() < 5 { 1.0 } else { 0.0 }));
    features.push(("*".into(), 1.0));
    let weights = features.iter().filter_map(|(feature, value)| Some((WEIGHTS.get(feature.as_str())?, value)));
    weights.fold(Rating::default(), |sum, (weight, value)| Rating {
        worth: sum.worth + weight.worth * value,
        lasting: sum.lasting + weight.lasting * value,
        alone: sum.alone + weight.alone * value,
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
            let (more, less) = (of(more, Grain::Yearly), of(less, Grain::Yearly));
            assert!(more.factor > less.factor, "{more:?} {less:?}");
        }
        check("Mum died on Sunday.", "It was 14 degrees on Sunday.");
        check("We signed the contract for the house.", "What are your plans for the house?");
        check("They've offered me the job!", "You usually get an answer within 3 hours.");
        assert_eq!(of("Mum died.", Grain::Daily), UNKNOWN);
        assert_eq!(of("I got the job at the hospital.", Grain::Monthly).is_enough, Some(true));
        assert_eq!(of("haha yes, see you there", Grain::Monthly).is_enough, Some(false));
    }

    #[test]
    fn added_dates_and_empty_lines_do_not_count() {
        assert_eq!(of("She left on Monday [2026-03-02].", Grain::Monthly), of("She left on Monday.", Grain::Monthly));
        assert_eq!(of("", Grain::Monthly), UNKNOWN);
    }
}
