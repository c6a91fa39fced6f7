//! Answers that cannot be understood without their question: "(Bob: “How old is the boat?”) Five years."

use super::dependence::Dependence;
use super::language::Language;
use super::names::Names;
use super::reading::Read;
use super::word_kinds::{self, Kind};
use super::{budget, unnamed};

/// Maximum words of a question that is quoted before its answer. Longer questions cost more words than their answers are worth.
const MAX_WORDS: usize = 14;

/// Returns the question at the end of a message if it can be understood by itself, has content, and has at most [`MAX_WORDS`]
/// words.
pub(super) fn question(read: &[Read], names: &Names) -> Option<String> {
    let last = read.last().filter(|last| last.dependence == Dependence::Aside && last.text.ends_with(['?', '？']))?;
    let words = word_kinds::of(&last.text, last.language, names);
    let has_content = words.iter().any(|(_, kind)| *kind != Kind::Light);
    let is_clear = last.language != Language::English || !unnamed::is_in(&last.text);
    (has_content && is_clear && budget::length(&last.text) <= MAX_WORDS).then(|| last.text.clone())
}

/// Puts the question in front of the first sentence that is not an aside and returns the index of that sentence. Returns `None`
/// and changes nothing if the sentence can be understood alone, has no content, or begins with "that", "this" or "you".
pub(super) fn answer(read: &mut [Read], asker: &str, question: &str, names: &Names) -> Option<usize> {
    let first = read.iter_mut().find(|one| one.dependence != Dependence::Aside)?;
    let words = word_kinds::of(&first.text, first.language, names);
    let has_content = words.iter().any(|(_, kind)| *kind != Kind::Light);
    // "That movie sounds good" is about something else.
    let is_other =
        ["that", "this", "you"].iter().any(|word| words.first().is_some_and(|(first, _)| first.starts_with(word)));
    if first.dependence != Dependence::Leaning || !has_content || is_other {
        return None;
    }
    first.text = joined(asker, question, &first.text);
    first.dependence = Dependence::Independent;
    Some(first.position)
}

fn joined(asker: &str, question: &str, answer: &str) -> String {
    format!("({asker}: “{question}”) {answer}")
}

/// Splits a quoted answer into the question before it, if there is one, and the rest.
pub(super) fn parts(sentence: &str) -> (Option<&str>, &str) {
    let split = || sentence.strip_prefix('(')?.split_once("”) ")?.0.split_once(": “");
    let Some((_, question)) = split() else { return (None, sentence) };
    (Some(question), sentence.split_once("”) ").map_or(sentence, |(_, answer)| answer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::reading;
    use crate::extractive::record::Form;
    use crate::extractive::story::Story;

    #[test]
    fn only_a_dependent_answer_gets_its_question() {
        fn check(question: &str, reply: &str, expect: &str) {
            let names = Names::of(["Ann", "Bob"].into_iter());
            let read =
                |text| reading::of(text, "2026-03-04".parse().unwrap(), 60, &names, Form::Chat, &Story::default());
            let question = super::question(&read(question), &names);
            let mut replied = read(reply);
            question.and_then(|question| answer(&mut replied, "Bob", &question, &names));
            assert_eq!(replied[0].text, expect);
        }
        check("How old is the boat?", "Five years already!", "(Bob: “How old is the boat?”) Five years already!");
        check("Wie alt ist das Boot?", "Sie hat es gekauft.", "(Bob: “Wie alt ist das Boot?”) Sie hat es gekauft.");
        check("How old is the boat?", "I sold the boat.", "I sold the boat.");
        check("How old is it?", "Five years already!", "Five years already!");
        check("How are you?", "Five years already!", "Five years already!");
        check("How old is the boat?", "That movie sounds interesting!", "That movie sounds interesting!");
    }

    #[test]
    fn answer_is_split_into_question_and_rest() {
        fn check(sentence: &str, expect: (Option<&str>, &str)) {
            assert_eq!(parts(sentence), expect);
        }
        check(&joined("Bob", "How old is it?", "Five years."), (Some("How old is it?"), "Five years."));
        check("I moved.", (None, "I moved."));
        check("(Bob: gone) I moved.", (None, "(Bob: gone) I moved."));
    }
}
