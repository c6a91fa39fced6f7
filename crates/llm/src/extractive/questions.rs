//! Detects questions, in English also those without a question mark, as they are usual in chats: "has he rung".
//!
//! Such a question is short, has no comma, and begins with a question word or a verb, with its subject behind it: "why did you …", "is that
//! …". Statements that begin so are left out where they are known: "anyone can join", "did I tell you …".

use super::language::Language;
use super::tokens::{Token, is_in, tokens};
use super::verbs;

/// Maximum words of a question without a question mark. A longer sentence that begins like one usually goes on to say something.
const MAX_WORDS: usize = 14;

/// Returns whether a text ends with a question.
pub(super) fn end(text: &str, language: Language) -> bool {
    let last = text.trim_end().rsplit(['.', '!', '\n']).next().unwrap_or_default();
    is_marked(text) || language == Language::English && is_unmarked(last, &tokens(last))
}

/// Returns whether a sentence ends with a question mark.
pub(super) fn is_marked(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !['?', '？', '.', '。'].contains(&c));
    end.ends_with(['?', '？'])
}

/// Returns whether an English sentence asks something without a question mark.
pub(super) fn is_unmarked(sentence: &str, tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    let is_short = (2..=MAX_WORDS).contains(&tokens.len()) && !sentence.contains([',', ':', '!']);
    let has_verb = tokens.iter().skip(2).any(|token| verbs::is_finite(&token.lower));
    is_short && (asks_for(word(0), word(1), tokens.len(), has_verb) || is_inverted([word(0), word(1), word(2)]))
}

/// Returns whether the first two words ask for something: "why did", "which van", "anyone up". `has_verb` is true if there is a verb
/// behind them: "what's left goes to Anna".
fn asks_for(first: &str, second: &str, words: usize, has_verb: bool) -> bool {
    let is_verb = is_in(VERBS, second);
    match first {
        "what's" | "where's" | "how's" | "who's" => !has_verb,
        "whose" => words < 8,
        "anyone" | "anybody" | "any" => words < 6 && !is_verb && !has_verb,
        "why" => is_verb || second == "not",
        // "What did you buy", but "what is left goes to Anna".
        "what" => {
            let is_noun = is_in("time about kind sort day size colour color happened", second);
            is_noun || is_verb && !(has_verb && is_in("is are was were", second))
        }
        "how" => is_verb || is_in("many much long old far often big come", second),
        "when" | "where" => is_verb,
        "who" => words < 10 && !is_in("knows knew", second),
        "which" => words < 8 && !is_verb,
        _ => false,
    }
}

/// Returns whether a verb precedes its subject: "can we", "is that". With an article, a statement could leave its subject out:
/// "has the flu", "is the best of all".
fn is_inverted([first, second, third]: [&str; 3]) -> bool {
    let is_pronoun = is_in("i you u ya he she it we they someone anyone anybody there that this", second);
    // "Did I tell you", "can you believe"
    let is_phrase = is_in("tell mention believe imagine", third);
    is_pronoun && !is_phrase && is_in(VERBS, first) && !is_in("should had am", first)
        || is_in("can could does", first) && is_in("the your", second)
        || first == "should" && is_in("i we", second)
}

const VERBS: &str =
    "is are was were am do does did has have had can could will would shall should isn't didn't doesn't can't won't";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_need_no_mark() {
        fn check(sentence: &str, expect: bool) {
            assert_eq!(is_unmarked(sentence, &tokens(sentence)), expect, "{sentence}");
        }
        for question in [
            "has he rung",
            "is that a section 13",
            "why did you let me drink",
            "which van",
            "whats the netflix password",
            "did she take the tablets",
            "can we test",
            "who put a party hat on Kevin",
            "how many hours on it",
            "anyone up",
            "any news from the bank",
            "should I come",
            "what did you buy",
            "what time is dinner",
        ] {
            check(question, true);
        }
        for statement in [
            "did the accounts today",
            "have the keys with me",
            "do the dishes before you go",
            "was the wrong key all along",
            "when I got home the door was open",
            "what we agreed is on the fridge",
            "who knows",
            "Should the boiler fail, call Marco",
            "Can you believe it was stolen",
            "Did I tell you I got the job in Bergen",
            "Has the flu and is off work",
            "What's left of the money goes to Anna",
            "Anyone can join the choir in Bern",
            "How many people came to the wedding, 140 in all",
            "Am I happy to have the job in Bergen",
            "any clothes are fine",
            "what is left of the flowers goes to Anna",
            "Which is why we left Bergen in the end",
            "will ring you when the train is in",
            "how I missed that house",
        ] {
            check(statement, false);
        }
    }

    #[test]
    fn last_sentence_tells_whether_a_text_ends_with_a_question() {
        assert!(end("We move in May. has he rung", Language::English));
        assert!(end("Wie alt ist das Boot?", Language::German));
        assert!(!end("Has he rung? We move in May.", Language::English));
    }
}
