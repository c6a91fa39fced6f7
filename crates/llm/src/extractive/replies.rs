//! Messages that cannot be understood without the one before.
//!
//! An answer gets the question in front of it: "(Bob: “How old is the boat?”) Five years." Somebody else asked it at the end of the
//! message before. A message gets behind it what its writer adds a moment later: "Oma fell / on the way to the bathroom".

use annals_core::Memory;
use jiff::SignedDuration;

use super::dependence::Dependence;
use super::language::Language;
use super::names::Names;
use super::reading::Read;
use super::tokens::{Token, tokens};
use super::word_kinds::{self, Kind};
use super::{budget, ellipsis, questions, story, unnamed};

/// Maximum words of a question or message that is quoted with the next message. More would cost more words than the message is
/// worth.
const MAX_WORDS: usize = 14;

/// Maximum time between a question and its answer, and between two messages of one writer that belong together.
const ANSWERED: SignedDuration = SignedDuration::from_hours(4);
const GOES_ON: SignedDuration = SignedDuration::from_mins(3);

/// Stands between two messages of one writer.
pub(super) const THEN: &str = " / ";

/// What the next message of the conversation may need.
pub(super) struct Before<'a> {
    /// Index of the turn among the sources of the summary.
    pub(super) child: usize,
    pub(super) turn: &'a Memory,
    text: String,
    language: Language,
    is_question: bool,
}

/// Returns what a message says that the next one may need: the question at its end or the whole message, if it can be understood by
/// itself, has content, and has at most [`MAX_WORDS`] words.
pub(super) fn before<'a>(child: usize, turn: &'a Memory, read: &[Read], names: &Names) -> Option<Before<'a>> {
    let last = read.last()?;
    let is_question = last.dependence == Dependence::Aside && questions::end(&last.text, last.language);
    let text = if is_question { last.text.clone() } else { whole(read)? };
    let has_content = word_kinds::has_content(&text, last.language, names);
    let is_clear = last.language != Language::English || !unnamed::is_in(&text);
    let is_short = budget::length(&text) <= MAX_WORDS;
    // A line of a pasted mail begins with its sender.
    let is_own = story::parts(&text).0.is_none() && !text.contains("[masked");
    let language = last.language;
    (has_content && is_clear && is_short && is_own).then_some(Before { child, turn, text, language, is_question })
}

/// Returns an English message of one line that can be understood alone.
fn whole(read: &[Read]) -> Option<String> {
    let is_plain = read.iter().all(|one| one.language == Language::English);
    let is_one_line = read.iter().all(|one| one.position == 0 || !one.begins_line);
    let can_begin = read.first()?.dependence < Dependence::Leaning;
    // Passages come behind the sentence with which they begin.
    let sentences = read.chunk_by(|one, next| one.position == next.position).filter_map(|same| same.first());
    let text = || {
        sentences
            .filter(|one| one.dependence < Dependence::Aside)
            .map(|one| one.text.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    };
    (is_plain && is_one_line && can_begin).then(text)
}

impl Before<'_> {
    /// Puts the question in front of the first sentence of its answer, and of the passages that begin with it, if the sentence needs
    /// it. Returns the position of the sentence in its message.
    pub(super) fn quote_question(&self, turn: &Memory, read: &mut [Read], names: &Names) -> Option<usize> {
        let asker = self.turn.speaker().filter(|_| self.is_question && self.is_soon(turn, ANSWERED))?;
        let position = dependent(read)?;
        let mut answers = read.iter_mut().filter(|one| one.position == position && says_more(one, names)).peekable();
        answers.peek()?;
        for one in answers {
            one.text = format!("({asker}: “{}”) {}", self.text, one.text);
            one.dependence = Dependence::Independent;
        }
        Some(position)
    }

    /// Returns this message with what its writer says next, if that needs it, once for each passage.
    pub(super) fn continued(&self, turn: &Memory, read: &[Read], names: &Names) -> Vec<Read> {
        let is_next = !self.is_question && self.turn.speaker() == turn.speaker() && self.is_soon(turn, GOES_ON);
        let Some(position) = dependent(read).filter(|_| is_next) else { return Vec::new() };
        let continued = read.iter().filter(|one| one.position == position && says_more(one, names));
        let joined = |one: &Read| Read {
            text: format!("{}{THEN}{}", self.text, one.text),
            language: self.language,
            dependence: Dependence::Independent,
            position: 0,
            ..one.clone()
        };
        continued.map(joined).collect()
    }

    /// Returns whether the turn is in the same conversation, at most `limit` later, and by another speaker if this is a question.
    fn is_soon(&self, turn: &Memory, limit: SignedDuration) -> bool {
        let is_of_other = self.turn.speaker() != turn.speaker();
        let is_same = self.turn.conversation() == turn.conversation();
        is_same && is_of_other == self.is_question && turn.at().duration_since(self.turn.at()) <= limit
    }
}

/// Returns the position of the first sentence that is not an aside, if it needs what was said before it.
fn dependent(read: &[Read]) -> Option<usize> {
    read.iter()
        .find(|one| one.dependence != Dependence::Aside)
        .filter(|first| needs_more(first))
        .map(|first| first.position)
}

/// Returns whether a sentence says something with the text before it: "Ding dong" does not.
fn says_more(one: &Read, names: &Names) -> bool {
    let words = word_kinds::of(&one.text, one.language, names);
    let least = if one.dependence == Dependence::Leaning { 1 } else { 2 };
    one.dependence < Dependence::Aside && words.iter().filter(|(_, kind)| *kind != Kind::Light).count() >= least
}

/// Returns whether a sentence needs what was said before it.
fn needs_more(first: &Read) -> bool {
    let tokens = tokens(&first.text);
    // "That movie sounds good" is about something else.
    let is_other = |token: &Token| ["that", "this", "you"].iter().any(|word| token.lower.starts_with(word));
    // "Sold the boat to Tom" can be understood alone.
    let lacks_verb = first.language == Language::English && !ellipsis::has_verb(&tokens);
    (first.dependence == Dependence::Leaning || lacks_verb) && !tokens.first().is_some_and(is_other)
}

/// Splits a quoted answer into the question before it, if there is one, and the rest.
pub(super) fn parts(sentence: &str) -> (Option<&str>, &str) {
    let split = || sentence.strip_prefix('(')?.split_once("”) ")?.0.split_once(": “");
    let Some((_, question)) = split() else { return (None, sentence) };
    (Some(question), sentence.split_once("”) ").map_or(sentence, |(_, answer)| answer))
}

#[cfg(test)]
mod tests {
    use annals_core::Role;

    use super::*;
    use crate::extractive::reading;
    use crate::extractive::record::Form;
    use crate::extractive::story::Story;
    use crate::extractive::tests::turn;

    /// Returns the quotable texts of two messages of a chat, the second by Ann, `minutes` after the first.
    fn quotable(speaker: &str, first: &str, minutes: i64, second: &str) -> Vec<String> {
        let names = Names::of(["Ann", "Bob"].into_iter());
        let read = |text| reading::of(text, "2023-05-08".parse().unwrap(), 60, &names, Form::Chat, &Story::default());
        let (asked, next) = (turn(8, 0, Role::User, speaker, first), turn(8, minutes, Role::User, "Ann", second));
        let before = before(0, &asked, &read(first), &names);
        let mut replied = read(second);
        let continued = before.as_ref().map_or(Vec::new(), |before| before.continued(&next, &replied, &names));
        before.and_then(|before| before.quote_question(&next, &mut replied, &names));
        let independent = replied.into_iter().chain(continued).filter(|one| one.dependence == Dependence::Independent);
        independent.map(|one| one.text).collect()
    }

    #[test]
    fn dependent_answer_gets_its_question() {
        fn check(question: &str, reply: &str, expect: &[&str]) {
            assert_eq!(quotable("Bob", question, 60, reply), expect, "{question} {reply}");
        }
        check("How old is the boat?", "Five years already!", &["(Bob: “How old is the boat?”) Five years already!"]);
        check("how old is the boat", "Five years already!", &["(Bob: “how old is the boat”) Five years already!"]);
        check("Wie alt ist das Boot?", "Sie hat es gekauft.", &["(Bob: “Wie alt ist das Boot?”) Sie hat es gekauft."]);
        check("How old is the boat?", "I sold the boat.", &["I sold the boat."]);
        check("How old is it?", "Five years already!", &[]);
        check("How are you?", "Five years already!", &[]);
        check("How old is the boat?", "That movie sounds interesting!", &[]);
        check("is that a bill", "yep. 1650 instead of 1400", &["(Bob: “is that a bill”) yep. 1650 instead of 1400"]);
        check("The boat leaks.", "It needs a plank.", &[]);
        assert_eq!(quotable("Bob", "How old is the boat?", 300, "Five years already!"), Vec::<String>::new());
    }

    #[test]
    fn message_gets_what_its_writer_says_next() {
        fn check(minutes: i64, first: &str, next: &str, expect: &[&str]) {
            assert_eq!(quotable("Ann", first, minutes, next), expect, "{first} {next}");
        }
        check(1, "Oma fell", "on the way to the bathroom", &["Oma fell / on the way to the bathroom"]);
        check(9, "Oma fell", "on the way to the bathroom", &[]);
        check(1, "Oma fell yesterday", "on the stairs", &["Oma fell yesterday [2023-05-07] / on the stairs"]);
        check(1, "Who fell?", "on the way to the bathroom", &[]);
        check(1, "It leaks", "on the way to the bathroom", &[]);
        check(1, "We sold the red boat", "haha", &[]);
        assert_eq!(quotable("Bob", "Oma fell", 1, "on the way to the bathroom"), Vec::<String>::new());
    }

    #[test]
    fn answer_is_split_into_question_and_rest() {
        fn check(sentence: &str, expect: (Option<&str>, &str)) {
            assert_eq!(parts(sentence), expect);
        }
        check("(Bob: “How old is it?”) Five years.", (Some("How old is it?"), "Five years."));
        check("I moved.", (None, "I moved."));
        check("(Bob: gone) I moved.", (None, "(Bob: gone) I moved."));
    }
}
