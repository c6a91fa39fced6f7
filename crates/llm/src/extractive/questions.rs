//! Detects questions, in English also those without a question mark, as they are usual in chats: "has the room gone".
//!
//! Such a question begins with a question word or a verb, and its subject follows: "why did you …", "is that …". Where a statement
//! could leave out its subject ("did the dishes", "have the keys"), only a pronoun is taken for a subject.

use super::language::Language;
use super::tokens::{Token, tokens};

/// Maximum words of a question without a question mark. A longer sentence that begins like one usually goes on to say something.
const MAX_WORDS: usize = 14;

/// Returns whether a text ends with a question.
pub(super) fn end(text: &str, language: Language) -> bool {
    let last = text.trim_end().rsplit(['.', '!', '\n']).next().unwrap_or_default();
    is_marked(text) || language == Language::English && is_unmarked(&tokens(last))
}

/// Returns whether a sentence ends with a question mark.
pub(super) fn is_marked(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !['?', '？', '.', '。'].contains(&c));
    end.ends_with(['?', '？'])
}

/// Returns whether an English sentence asks something without a question mark.
pub(super) fn is_unmarked(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    let is_short = (2..=MAX_WORDS).contains(&tokens.len());
    is_short && (asks_for(word(0), word(1), tokens.len()) || is_inverted(word(0), word(1)))
}

/// Returns whether the first two words ask for something: "why did", "which van", "anyone up".
fn asks_for(first: &str, second: &str, words: usize) -> bool {
    let is_verb = is_in(VERBS, second);
    match first {
        "what's" | "where's" | "how's" | "who's" | "whose" | "anyone" | "anybody" => true,
        "why" => is_verb || second == "not",
        "what" => is_verb || is_in("time about kind sort day size colour color happened", second),
        "how" => is_verb || is_in("many much long old far often big come", second),
        "when" | "where" => is_verb,
        "who" => words < 10 && !is_in("knows knew", second),
        "which" => words < 8 && !is_verb,
        "any" => words < 6,
        _ => false,
    }
}

/// Returns whether a verb precedes its subject: "can we", "is that", "has the".
fn is_inverted(first: &str, second: &str) -> bool {
    let is_pronoun = is_in("i you u ya he she it we they someone anyone anybody there that this", second);
    let is_article = is_in("the your", second);
    match first {
        "is" | "are" | "has" | "does" | "can" | "could" | "will" | "would" | "should" => is_pronoun || is_article,
        "was" | "were" | "am" | "do" | "did" | "have" | "had" | "shall" | "isn't" | "didn't" | "can't" | "won't" => {
            is_pronoun
        }
        _ => false,
    }
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

const VERBS: &str =
    "is are was were am do does did has have had can could will would shall should isn't didn't doesn't";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_need_no_mark() {
        fn check(sentence: &str, expect: bool) {
            assert_eq!(is_unmarked(&tokens(sentence)), expect, "{sentence}");
        }
        for question in [
            "has the room gone",
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
            "Which is why we left Bergen in the end",
            "will ring you when the train is in",
            "how I missed that house",
        ] {
            check(statement, false);
        }
    }

    #[test]
    fn last_sentence_tells_whether_a_text_ends_with_a_question() {
        assert!(end("We move in May. has the room gone", Language::English));
        assert!(end("Wie alt ist das Boot?", Language::German));
        assert!(!end("Has the room gone? We move in May.", Language::English));
    }
}
