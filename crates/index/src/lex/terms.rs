//! Splits text into terms before stemming. Words are stemmed later; numbers, labels of periods and characters of scripts without
//! spaces are not.

use annals_core::Period;
use unicode_segmentation::UnicodeSegmentation;

use super::normalize::normalize;
use super::script::{Run, runs};

/// A term of a text.
pub(crate) enum Term {
    /// A folded word with letters, of a script with spaces. It may contain apostrophes.
    Word(String),
    /// A number, the label of a period, or characters of a script without spaces.
    Whole(String),
}

/// Which single characters of unspaced text are terms, in addition to the bigrams.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Single {
    /// Every character, so that a query of one character finds the row.
    Each,
    /// Only characters without a neighbour; in a query the bigrams are more specific.
    Lone,
}

/// Returns the terms of a text in order.
pub(crate) fn terms(text: &str, single: Single) -> Vec<Term> {
    let mut terms = Vec::new();
    let folded = normalize(text);
    for chunk in folded.split_whitespace() {
        match label(chunk) {
            Some(label) => terms.push(Term::Whole(label)),
            None => runs(chunk).for_each(|run| match run {
                Run::Spaced(words) => terms.extend(words.unicode_words().flat_map(pieces).map(term)),
                Run::Unspaced(characters) => pairs(characters, single, &mut terms),
            }),
        }
    }
    terms
}

/// Returns the label of a period if the chunk is one with a hyphen, as in "(2026-03-04)," or "2026-W10"; word boundaries would
/// split it.
fn label(chunk: &str) -> Option<String> {
    let bare = chunk.trim_matches(|c: char| !c.is_alphanumeric());
    let period: Period = bare.contains('-').then(|| bare.to_uppercase().parse().ok())??;
    Some(period.to_string().to_lowercase())
}

/// Splits a word at punctuation that Unicode takes for a part of it, as in "done.Next", "note:tea" and "user_id". Does not
/// split numbers.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let is_number = is_number(word);
    let between = move |c: char| c.is_ascii_punctuation() && c != '\'' && !is_number;
    word.split(between).filter(|piece| !piece.is_empty())
}

fn is_number(word: &str) -> bool {
    !word.chars().any(char::is_alphabetic)
}

fn term(word: &str) -> Term {
    if is_number(word) { Term::Whole(word.to_owned()) } else { Term::Word(word.to_owned()) }
}

fn pairs(characters: &str, single: Single, terms: &mut Vec<Term>) {
    let characters: Vec<char> = characters.chars().collect();
    if single == Single::Each || characters.len() == 1 {
        terms.extend(characters.iter().map(|c| Term::Whole(c.to_string())));
    }
    terms.extend(characters.windows(2).map(|pair| Term::Whole(pair.iter().collect())));
}
