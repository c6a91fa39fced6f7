//! Keeps the terse sentences of a chat message together: "Out of theatre. Went well, half hip replacement."
//!
//! Only in messages of short sentences. A sentence is terse if it leaves out its subject or verb, or has few
//! words. It is quoted only behind a sentence before it that can begin a quotation, if there is one in the same line of the
//! message. In a message that fits into one passage, every later sentence is quoted so. Longer ones are read in English only, and
//! none in languages without spaces.

use super::budget::length;
use super::dependence::Dependence;
use super::language::Language;
use super::names::Names;
use super::reading::{PASSAGE, Read};
use super::tokens::{Token, tokens};
use super::{verbs, word_kinds};

/// Maximum words of a complete sentence that counts as terse: "I checked."
const FEW: usize = 2;

/// Maximum mean length of the sentences of a message whose terse sentences are kept together. Where people write at length, a
/// sentence without a subject can be understood alone: "Took the kids to see the dinosaurs in Basel".
const MEAN: usize = 8;

/// Makes the later sentences of a terse message depend on the one before them, as far as they fit into one passage: all if the message
/// is short, otherwise the terse ones.
pub(super) fn join(read: &mut [Read], names: &Names) {
    let words: usize = read.iter().map(|one| length(&one.text)).sum();
    if words > MEAN * read.len() {
        return;
    }
    let is_short = words <= PASSAGE;
    // Words of the passage that the sentence may continue; `None` if nothing before it can begin one.
    let mut passage: Option<usize> = None;
    let first = read.iter().position(|one| one.dependence < Dependence::Aside);
    for (at, one) in read.iter_mut().enumerate() {
        let is_first = first == Some(at) && is_bare(one);
        let is_content = one.dependence < Dependence::Aside && is_known(one.language, is_short);
        let words = length(&one.text);
        let before = passage.take().filter(|before| is_content && !one.begins_line && before + words <= PASSAGE);
        one.is_terse = before.is_some() && one.can_begin && (is_short || is_terse(&tokens(&one.text)));
        if one.is_terse {
            one.dependence = Dependence::Leaning;
        }
        passage = match before {
            Some(before) if one.dependence == Dependence::Leaning => Some(before + words),
            _ => {
                let can_begin = is_first || one.dependence < Dependence::Leaning;
                (is_content && can_begin && word_kinds::has_content(&one.text, one.language, names)).then_some(words)
            }
        };
    }
}

/// Returns the position of the sentence with which a message begins although it is too terse to be quoted alone, if it does: it refers
/// to nothing before it, and no sentence before it can be quoted.
pub(super) fn beginning(read: &[Read]) -> Option<usize> {
    read.iter().position(|one| one.dependence < Dependence::Aside).filter(|first| is_bare(&read[*first]))
}

/// Returns whether terse sentences of the language are known, or need not be.
fn is_known(language: Language, is_short: bool) -> bool {
    language == Language::English || is_short && language != Language::Unspaced
}

fn is_bare(one: &Read) -> bool {
    is_known(one.language, true) && one.dependence == Dependence::Leaning && one.can_begin
}

/// Returns whether a sentence of a chat begins with an answer and does not say to what: "yep. 1650 instead of 1400". `tokens` are
/// those behind the answer. In "No hot water since Tuesday", "no" is no answer.
pub(super) fn is_answer(sentence: &str, tokens: &[Token]) -> bool {
    const ANSWERS: [&str; 9] = ["yes", "yep", "yeah", "no", "nope", "ok", "okay", "sure", "nah"];
    const OWN: [&str; 8] = ["i", "i'm", "im", "i've", "i'll", "we", "my", "our"];
    let is_in = |list: &[&str], token: Option<&Token>| token.is_some_and(|token| list.contains(&token.lower.as_str()));
    let first = super::tokens::tokens(sentence).into_iter().next();
    let is_apart =
        first.as_ref().is_some_and(|first| sentence[first.span.end..].starts_with([',', '.', '!', ';', ':']));
    let rest = if is_in(&ANSWERS, tokens.first()) { &tokens[1..] } else { tokens };
    is_apart && is_in(&ANSWERS, first.as_ref()) && !is_in(&OWN, rest.first()) && is_terse(rest)
}

/// Returns whether a sentence leaves out its subject or verb, or has at most [`FEW`] words.
fn is_terse(tokens: &[Token]) -> bool {
    let lacks_subject = tokens.first().is_some_and(|first| verbs::is_past(&first.lower) || is_of_other(&first.lower));
    tokens.len() <= FEW || !has_verb(tokens) || lacks_subject
}

pub(super) fn has_verb(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| verbs::is_finite(&token.lower) && token.raw != "May")
}

/// Returns whether a word is a verb of the third person: "Starts Monday".
fn is_of_other(word: &str) -> bool {
    word.ends_with('s')
        && !word.contains('\'')
        && verbs::is_finite(word)
        && !["is", "was", "has", "does"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::super::reading;
    use super::super::record::Form;
    use super::super::story::Story;
    use super::*;

    #[test]
    fn sentences_of_terse_messages_are_quoted_together() {
        fn quotable(message: &str) -> Vec<String> {
            let names = Names::of(["Ann"].into_iter());
            let read = reading::of(message, "2026-03-04".parse().unwrap(), 60, &names, Form::Chat, &Story::default());
            let quotable = read.into_iter().filter(|one| one.dependence == Dependence::Independent);
            quotable.map(|one| one.text).collect()
        }
        fn check(message: &str, expect: &[&str]) {
            assert_eq!(quotable(message), expect, "{message}");
        }
        check(
            "Out of theatre. Went well, half hip replacement.",
            &["Out of theatre. Went well, half hip replacement."],
        );
        check(
            "Lewis from Halifax said yes. Starts with us on Monday",
            &["Lewis from Halifax said yes.", "Lewis from Halifax said yes. Starts with us on Monday [2026-03-09]"],
        );
        check("Thank you! Booked the van for the move to Bern.", &["Booked the van for the move to Bern."]);
        check("It went well. I graduated!", &["I graduated!"]);
        check("No hot water since Tuesday", &["No hot water since Tuesday [2026-03-03]"]);
        check("mia passed her driving test", &["mia passed her driving test"]);
        let all = "Packed up the flat in Bern. Took the kids to the zoo in Basel. Sold the red boat to Tom Lund. \
            Found a new school in Olten. Bought two tents in Thun.";
        let quoted = quotable(all);
        for sentence in all.split(". ") {
            assert!(quoted.iter().any(|one| one.contains(sentence.trim_end_matches('.'))), "{sentence}: {quoted:?}");
        }
        check(
            "We sold the red boat in Bergen. The new owner takes it to Oslo.",
            &["We sold the red boat in Bergen.", "We sold the red boat in Bergen. The new owner takes it to Oslo."],
        );
        check("Oh well. The new owner takes the boat to Oslo.", &["The new owner takes the boat to Oslo."]);
        check(
            "We sold the red boat with the two oars and the old sails in Bergen. Ida sails to Oslo with the whole crew in summer.",
            &[
                "We sold the red boat with the two oars and the old sails in Bergen.",
                "Ida sails to Oslo with the whole crew in summer.",
            ],
        );
    }
}
