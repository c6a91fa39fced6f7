//! Finds sentences that say the opposite of their sources: a negation that was lost or added.
//!
//! Each clause of a sentence is compared with the clause of its sources that shares most words with it. Clauses that share too
//! few words are not judged. Neither are pairs in which a word of either clause denies by itself ("refused", "hardly").

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;

use super::plain;

/// Minimum number of words that a clause must have in common with a source clause to be judged by it, and their minimum share
/// of the words of the clause.
const COMMON: (usize, f64) = (2, 0.6);

/// Returns how many clauses of the sentence have the opposite polarity of the source clause that they match best.
pub(super) fn contradictions<'s>(sentence: &str, sources: impl Iterator<Item = &'s str>) -> usize {
    let sources: Vec<Clause> = sources.flat_map(clauses).filter(|clause| !clause.asks).collect();
    clauses(sentence).filter(|clause| contradicts(clause, &sources)).count()
}

fn contradicts(clause: &Clause, sources: &[Clause]) -> bool {
    let common = |source: &Clause| clause.words.intersection(&source.words).count();
    let most = sources.iter().map(common).max().unwrap_or_default();
    if most < COMMON.0 || (most as f64) < COMMON.1 * clause.words.len() as f64 {
        return false;
    }
    let mut best = sources.iter().filter(|source| common(source) == most);
    best.all(|source| source.negated != clause.negated && !source.denies && !clause.denies)
}

/// A part of a sentence between two punctuation marks or conjunctions: usually a clause with a verb.
#[derive(Debug)]
struct Clause {
    /// Content words of the clause, cut to stems.
    words: BTreeSet<String>,
    negated: bool,
    /// Whether a word denies by itself: "refused", "hardly".
    denies: bool,
    asks: bool,
}

fn clauses(text: &str) -> impl Iterator<Item = Clause> + '_ {
    let text = IDIOMS.replace_all(text, " ").replace('’', "'");
    let pieces: Vec<Clause> = ENDS.split(&text).zip(ends(&text)).map(|(piece, end)| clause(piece, end)).collect();
    pieces.into_iter().filter(|clause| !clause.words.is_empty())
}

/// Returns the separator after each piece; empty after the last.
fn ends(text: &str) -> impl Iterator<Item = &str> {
    ENDS.find_iter(text).map(|end| end.as_str()).chain(std::iter::once(""))
}

fn clause(piece: &str, end: &str) -> Clause {
    let all: Vec<String> = piece.unicode_words().map(plain).collect();
    let negations = all.iter().filter(|word| NEGATIONS.contains(&word.as_str()) || word.ends_with("n't")).count();
    let kept = all.iter().filter(|word| word.chars().count() > 2 && !EMPTY.contains(&word.as_str()));
    let kept = kept.filter(|word| !NEGATIONS.contains(&word.as_str()) && !word.ends_with("n't"));
    Clause {
        negated: negations % 2 == 1,
        denies: all.iter().any(|word| DENIALS.iter().any(|denial| word.starts_with(denial))),
        asks: end.contains('?'),
        words: kept.map(|word| stem(word)).collect(),
    }
}

/// Returns the beginning of a word, which most of its inflected forms share.
fn stem(word: &str) -> String {
    let length = word.chars().count();
    word.chars().take(length.saturating_sub(3).clamp(4, 7)).collect()
}

static ENDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[.!?;:,\n—()]+|\b(?:but|and|because|although|though|while|when|so|aber|und|weil|obwohl|mais|et|pero|porque)\b")
        .expect("the pattern is a constant, and a test uses it")
});

/// Phrases that contain a negation but do not deny anything.
static IDIOMS: LazyLock<Regex> = LazyLock::new(|| {
    let idioms = r"(?i)\b(?:(?:can(?:not|'t|’t)|couldn['’]t) (?:wait|believe|agree more|help)|no (?:problem|doubt|worries|kidding|way)|\
        not only|not just|why not|don['’]t (?:worry|mind|forget|you)|nothing but|no matter|or not|not yet|last but not least)\b";
    Regex::new(&idioms.replace("\\\n        ", "")).expect("the pattern is a constant, and a test uses it")
});

/// Words that negate a clause, in English, German, French, Spanish, Portuguese, Italian and Dutch.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "without", "cannot", "cant", "dont", "didnt",
    "isnt", "wasnt", "wont", "nicht", "kein", "keine", "keinen", "keinem", "keiner", "nie", "niemals", "nichts",
    "ohne", "niemand", "pas", "jamais", "rien", "aucun", "aucune", "sans", "personne", "nunca", "nada", "ningun",
    "ninguna", "ninguno", "sin", "nadie", "tampoco", "nao", "sem", "non", "mai", "senza", "niente", "niet", "geen",
    "nooit", "niets",
];

/// Beginnings of verbs and other words that deny by themselves.
const DENIALS: &[&str] = &[
    "refus",
    "declin",
    "reject",
    "avoid",
    "skip",
    "miss",
    "lack",
    "cancel",
    "stop",
    "fail",
    "quit",
    "unable",
    "deny",
    "denie",
    "forg",
    "lost",
    "lose",
    "abandon",
    "gave",
    "unwilling",
    "unlike",
    "hardly",
    "barely",
    "only",
    "instead",
    "rather",
    "few",
    "absag",
    "abgesagt",
    "verweiger",
    "verpass",
    "annul",
    "refuser",
    "manqu",
    "cancel",
    "rechaz",
    "perd",
];

/// Words that are ignored when clauses are compared, because they say nothing about their subject.
const EMPTY: &[&str] = &[
    "the", "and", "that", "this", "with", "for", "from", "was", "were", "has", "have", "had", "are", "will", "would",
    "did", "does", "been", "being", "they", "them", "their", "she", "her", "his", "him", "you", "your", "who", "which",
    "what", "into", "about", "then", "than", "there", "here", "its", "our", "out", "very", "really", "just", "also",
    "some", "any", "all", "ever", "even", "yet", "still", "more", "much", "one", "der", "die", "das", "und", "ist",
    "sie", "ein", "eine", "les", "des", "une", "est", "que", "los", "las", "una", "por", "con",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_or_added_negation_is_found() {
        fn check(sentence: &str, sources: &[&str], expect: usize) {
            assert_eq!(contradictions(sentence, sources.iter().copied()), expect, "{sentence} / {sources:?}");
        }
        check("Ann sold the red boat.", &["I did not sell the red boat."], 0);
        check("Ann likes the red boat.", &["I don't like the red boat at all."], 1);
        check("Ann does not like the red boat.", &["I like the red boat."], 1);
        check("Ann does not like the red boat.", &["I do not like the red boat."], 0);
        check("Ann likes the red boat.", &["I don't eat fish. I like the red boat."], 0);
        check("Ann will visit her mother in Rome.", &["I won't visit my mother in Rome, sadly."], 1);
        check("Ann refused to visit her mother.", &["I will not visit my mother."], 0);
        check("Ann looks forward to the concert tickets.", &["Can't wait for the concert tickets!"], 0);
        check("Ann bought concert tickets.", &["Didn't you buy concert tickets?", "Yes, concert tickets!"], 0);
        check("Anna mag den roten Wagen.", &["Ich mag den roten Wagen nicht."], 1);
        check("Ann moved.", &["I never moved."], 0);
    }
}
