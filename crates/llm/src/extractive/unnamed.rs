//! Detects sentences with a pronoun that refers to a preceding sentence: "I loved it", "inspired by their passion".
//!
//! English only. A pronoun is resolved if a noun that it can refer to precedes it: for "it" and "them" in an earlier clause ("I
//! bought a car and sold it"), for "she" and "his" a name or a relative, for "their" a plural.

use super::pronouns;
use super::tokens::{Token, tokens};

/// Returns whether the sentence has a pronoun that refers to a preceding sentence.
pub(super) fn is_in(sentence: &str) -> bool {
    let tokens = tokens(sentence);
    (0..tokens.len()).any(|at| {
        let word = tokens[at].lower.as_str();
        let before = &tokens[..at];
        match word.split('\'').next().unwrap_or_default() {
            "its" if names_a_thing(before) => false,
            "it" if is_reported(before) => false,
            "it" | "them" | "its" => !is_next_clause(sentence, &tokens[..=at]) && !is_dummy(&tokens, at),
            "he" | "she" | "him" | "her" | "his" => !before.iter().any(is_person),
            "they" | "their" => !before.iter().any(is_plural),
            "this" => at > 0 && is_bare(sentence, &tokens, at),
            "one" | "ones" => at > 1 && is_bare(sentence, &tokens, at) && !tokens[at - 1].is_capital(),
            "that" | "those" | "these" => at > 0 && at < 6 && is_shown(&tokens, at),
            _ => false,
        }
    })
}

/// Returns whether the sentence has "he" or "she", or another form of them, for somebody whom it does not name.
pub(super) fn has_person(sentence: &str) -> bool {
    let tokens = tokens(sentence);
    (0..tokens.len()).any(|at| {
        let word = tokens[at].lower.split('\'').next().unwrap_or_default();
        ["he", "she", "him", "her", "his"].contains(&word) && !tokens[..at].iter().any(is_person)
    })
}

/// Returns whether an earlier clause or sentence mentions something.
fn is_next_clause(sentence: &str, until: &[Token]) -> bool {
    let is_end = |pair: &[Token]| sentence[pair[0].span.end..pair[1].span.start].starts_with(['.', '!', '?']);
    if until.windows(2).any(is_end) {
        return true;
    }
    let before = &until[..until.len() - 1];
    let Some(at) = before.iter().rposition(|token| CLAUSES.contains(&token.lower.as_str())) else { return false };
    before[..at].iter().any(|token| token.lower.len() > 3)
}

/// Returns whether a thing is named before the pronoun: "The club sold its ground", "Rio Tinto closed its smelter".
fn names_a_thing(before: &[Token]) -> bool {
    const ARTICLES: [&str; 5] = ["the", "a", "an", "my", "our"];
    before.iter().any(is_name)
        || before.windows(2).any(|pair| ARTICLES.contains(&pair[0].lower.as_str()) && pair[1].lower.len() > 2)
}

/// Returns whether the pronoun refers to the subject of a verb of saying: "The firm announced it will close".
fn is_reported(before: &[Token]) -> bool {
    const SAYING: [&str; 8] = ["announced", "announces", "said", "says", "confirmed", "warned", "promised", "denied"];
    before.last().is_some_and(|last| SAYING.contains(&last.lower.as_str())) && names_a_thing(before)
}

const CLAUSES: [&str; 18] = [
    "and", "but", "because", "so", "when", "since", "after", "before", "while", "as", "that", "which", "if", "until",
    "though", "although", "to", "where",
];

/// Returns whether "it" has no referent: "it rains", "it takes", "makes it easy to".
fn is_dummy(tokens: &[Token], at: usize) -> bool {
    const DUMMIES: [&str; 14] = [
        "rained", "rains", "raining", "snowed", "snows", "takes", "took", "turns", "turned", "easy", "easier", "hard",
        "possible", "clear",
    ];
    tokens.get(at + 1).is_some_and(|next| DUMMIES.contains(&next.lower.as_str()))
}

fn is_person(token: &Token) -> bool {
    pronouns::is_person(&token.lower) || is_name(token)
}

fn is_plural(token: &Token) -> bool {
    is_person(token) || (token.lower.len() > 3 && token.lower.ends_with('s')) || token.lower == "people"
}

fn is_name(token: &Token) -> bool {
    let is_first = token.span.start == 0;
    token.is_capital()
        && token.raw.len() > 1
        && (!is_first || pronouns::may_be_name(&token.lower))
        && !token.lower.starts_with("i'")
}

/// Returns whether "that", "those" or "these" points to something: "I loved that movie", but not "I heard that Tom left" or "I
/// know those who left".
fn is_shown(tokens: &[Token], at: usize) -> bool {
    const SHOWING: &str = "painted using use used love loved like liked saw made did took remember wrapped bought wrote on in at of with about for to from \
        see enjoy tried visit visited watched read";
    let is_after = |list: &str| list.split_whitespace().any(|word| word == tokens[at - 1].lower);
    match tokens.get(at + 1) {
        None => true,
        Some(next) if tokens[at].lower == "that" => {
            is_after(SHOWING) && !SUBJECTS.contains(&next.lower.as_str()) && !next.is_capital()
        }
        Some(next) => next.lower != "who",
    }
}

/// Returns whether no noun follows: "I started doing this", "I organize one with my siblings".
fn is_bare(sentence: &str, tokens: &[Token], at: usize) -> bool {
    const AFTER: [&str; 22] = [
        "at",
        "in",
        "on",
        "for",
        "to",
        "and",
        "but",
        "was",
        "is",
        "with",
        "a",
        "the",
        "so",
        "too",
        "because",
        "when",
        "while",
        "from",
        "by",
        "since",
        "last",
        "yesterday",
    ];
    tokens.get(at + 1).is_none_or(|next| {
        AFTER.contains(&next.lower.as_str())
            || sentence[tokens[at].span.end..next.span.start].contains([',', '.', ';', '!', '-', '—'])
    })
}

const SUBJECTS: [&str; 14] =
    ["i", "we", "you", "he", "she", "they", "it", "the", "a", "an", "my", "our", "this", "there"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pronoun_needs_a_noun_in_its_sentence() {
        fn check(sentence: &str, expect: bool) {
            assert_eq!(is_in(sentence), expect, "{sentence}");
        }
        check("I loved it.", true);
        check("The kids loved it.", true);
        check("I bought a car and sold it.", false);
        check("I was inspired by their passion.", true);
        check("My parents sold their house.", false);
        check("I told her about the plan.", true);
        check("I met Clara and her dog.", false);
        check("I love that movie.", true);
        check("I heard that the pump failed.", false);
        check("We moved when it rained.", false);
        check("Rio Tinto will cut production at its smelter.", false);
        check("The club sold its ground.", false);
        check("I love its colour.", true);
        check("Landsvirkjun announced it will raise tariffs.", false);
        check("I said it was late.", true);
    }
}
