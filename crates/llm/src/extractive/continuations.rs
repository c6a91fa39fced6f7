//! Detects sentences that continue the one before without a pronoun: "The suspects are due in court", "Turnout was 38%".
//!
//! English only, and only for a sentence after another in the same line of a report: a message without "I", "we" and "you".
//! Such a sentence names nobody after its first word, is not about its writer, and its subject is definite ("the gunman"), a
//! number ("all five people"), or a noun without an article ("turnout"). Lines of a log that begin with a verb ("Fixed the
//! pump") have the writer as their subject. A participle before "by" ("Approved by the guild") is an exception: its subject is
//! in the sentence before.

use super::dates;
use super::definite;
use super::language::Language;
use super::tokens::{Token, is_in};
use super::verbs;

/// Returns whether the sentence needs the one before it to be understood.
pub(super) fn is(tokens: &[Token]) -> bool {
    let Some(first) = tokens.first() else { return false };
    // "Room 12 has green chairs": a number makes a name of a noun.
    let is_digit = |token: &Token| token.raw.starts_with(|c: char| c.is_ascii_digit());
    let is_numbered = !is_digit(first) && tokens.get(1).is_some_and(is_digit);
    // "Approved by the SRE guild."
    if first.lower.ends_with("ed") && tokens.get(1).is_some_and(|second| second.lower == "by") {
        return true;
    }
    !is_of_writer(tokens)
        && !is_numbered
        && !tokens.iter().skip(1).any(is_name)
        && needs_context(first.lower.as_str(), tokens)
}

/// Returns whether a sentence has a pronoun for the writer or the reader: "I", "we", "you".
pub(super) fn is_of_writer(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| is_in(WRITER, token.lower.split('\'').next().unwrap_or_default()))
}

fn needs_context(first: &str, tokens: &[Token]) -> bool {
    let is_verb = verbs::is_finite(first) || first.ends_with("ing");
    let is_counted = first.starts_with(|c: char| c.is_ascii_digit()) || is_in(QUANTITIES, first);
    let has_verb = tokens.iter().skip(1).any(|token| verbs::is_finite(&token.lower));
    has_verb && (first == "the" || is_counted || !is_verb && !is_in(OPENING, first))
}

/// Returns whether a word is capitalised as a name is. A month or weekday is not a name: "The suspects are due in court
/// on Friday".
fn is_name(token: &Token) -> bool {
    token.is_capital() && token.raw.len() > 1 && !dates::is_calendar_word(&token.lower)
}

/// Returns whether a quoted sentence names its speaker by a pronoun only: "“It is time,” she told reporters".
pub(super) fn is_quote_of_someone(sentence: &str) -> bool {
    let is_quote = sentence.starts_with(['"', '“', '”', '«', '„']);
    is_quote && [" he ", " she ", " they "].iter().any(|pronoun| is_behind_quote(sentence, pronoun))
}

fn is_behind_quote(sentence: &str, pronoun: &str) -> bool {
    sentence.find(pronoun).is_some_and(|at| sentence[..at].ends_with(['"', '”', '»', '“']))
}

/// Returns whether a German or French sentence begins with a definite article and is not about its writer. In a report such a
/// subject was introduced by the sentence before.
pub(super) fn is_definite(tokens: &[Token], language: Language) -> bool {
    let articles = match language {
        Language::German => "der die das",
        Language::French => "le la les",
        _ => return false,
    };
    tokens.first().is_some_and(|first| is_in(articles, &first.lower)) && !definite::is_of_writer(tokens, language)
}

const WRITER: &str = "i me my mine we us our ours you your";
const QUANTITIES: &str = "all about around more fewer less at some several many most half nearly almost over only up";
/// First words of sentences that introduce something, or that are judged elsewhere.
const OPENING: &str = "a an this that these those there here it he she they if when while as in on at after before during for from with by to \
    what who why how where no not never please and but so";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::tokens::tokens;

    #[test]
    fn sentence_without_name_or_writer_continues_the_one_before() {
        fn check(sentence: &str, expect: bool) {
            assert_eq!(is(&tokens(sentence)), expect, "{sentence}");
        }
        check("The suspects are due in court on Friday.", true);
        check("All five people on board died.", true);
        check("Turnout was 38%.", true);
        check("3.1% of checkouts failed.", true);
        check("Approved by the SRE guild.", true);
        check("More than 17,000 people were evacuated.", true);
        check("The lighthouse was moved by the Coast Trust.", false);
        check("Fixed the pump that was broken.", false);
        check("The pump in our cellar was repaired.", false);
        check("A fire destroyed the mill.", false);
        check("In May the pump was repaired.", false);
        check("Bread, oranges, gas", false);
        check("Room 12 has green chairs.", false);
    }

    #[test]
    fn quote_of_a_pronoun_continues_the_sentence_before() {
        fn check(sentence: &str, expect: bool) {
            assert_eq!(is_quote_of_someone(sentence), expect, "{sentence}");
        }
        check("“It is time,” she told reporters.", true);
        check("\"The work begins,\" he said.", true);
        check("“It is time,” the mayor said.", false);
        check("I said \"go\" he left.", false);
    }
}
