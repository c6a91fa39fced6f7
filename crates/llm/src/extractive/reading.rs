//! The sentences of a message, made to be read without it: what nobody said is left out, what ties a sentence to the one before goes,
//! pronouns get names and times get dates.

use annals_core::Date;

use super::budget::length;
use super::language::Language;
use super::names::Names;
use super::standing::{self, Standing};
use super::tokens::tokens;
use super::{clean, dates, openers, pronouns, split, unnamed, words};

/// So many sentences of one message are read: more than the longest message holds that is stored.
const SENTENCES: usize = 4096;

/// A passage of more words is left to its first sentence: a line of a summary is read at a glance.
const PASSAGE: usize = 26;

/// A sentence of a message, as it may be quoted.
#[derive(Clone, Debug)]
pub(super) struct Read {
    /// A piece of the message, without its first words where they only link, with names and dates put in.
    pub(super) text: String,
    /// The language of the message.
    pub(super) language: Language,
    /// Whether it can be read by itself.
    pub(super) standing: Standing,
    /// Which sentence of the message it begins with. Of those that begin with the same one, a summary quotes one.
    pub(super) place: usize,
    /// Whether a line of the message begins with it: the lines of a log or a list do not go on from each other.
    begins_line: bool,
}

/// The sentences of a message of a day, none longer than `room` words unless it has no clauses.
pub(super) fn of(message: &str, day: Date, room: usize, names: &Names) -> Vec<Read> {
    let spoken = clean::spoken(message);
    let language = Language::of(&tokens(&spoken));
    // Where sentences begin with capitals, a piece that does not is a clause of a longer one.
    let is_capitalized = language == Language::English && spoken.trim_start().starts_with(char::is_uppercase);
    let mut before = String::new();
    let mut read = Vec::new();
    for sentence in split::sentences(&spoken, room).take(SENTENCES) {
        let text = told(without_number(sentence), &before, language, names);
        let standing = standing::of(&text, &tokens(&text), language);
        let standing =
            if is_capitalized && is_loose_clause(sentence) { standing.max(Standing::Leaning) } else { standing };
        let text = if is_capitalized { openers::capitalized(&text) } else { text };
        let text_with_dates = dates::resolve(&text, day, language);
        read.push(Read {
            text: text_with_dates,
            language,
            standing,
            place: read.len(),
            begins_line: begins_line(&spoken, sentence),
        });
        before = text;
    }
    with_passages(read, names)
}

/// The sentences, and behind each that stands alone the passages that go on from it: "We got a puppy. She eats shoes." What leans on
/// the sentence before it is told with that sentence or not at all.
fn with_passages(read: Vec<Read>, names: &Names) -> Vec<Read> {
    let mut found = Vec::with_capacity(read.len());
    for (place, first) in read.iter().enumerate() {
        found.push(first.clone());
        // What says nothing itself names nothing that the next could speak of.
        if first.standing != Standing::Alone || !words::tell(&first.text, first.language, names) {
            continue;
        }
        let mut text = first.text.clone();
        let leans =
            |next: &Read| next.standing == Standing::Leaning || (next.standing == Standing::Alone && is_unnamed(next));
        let goes_on = |next: &&Read| !next.begins_line && leans(next);
        for next in read[place + 1..].iter().take_while(goes_on) {
            text = format!("{text} {}", next.text);
            if length(&text) > PASSAGE {
                break;
            }
            found.push(Read { text: text.clone(), ..first.clone() });
        }
    }
    found
}

/// Whether a sentence, a piece of the text, is the first of its line.
fn begins_line(text: &str, sentence: &str) -> bool {
    let start = (sentence.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    text.get(..start).is_none_or(|before| before.trim_end_matches([' ', '\t', '-', '*', '•']).ends_with('\n'))
}

/// "I sold it", which says what only with the sentence before it.
fn is_unnamed(read: &Read) -> bool {
    read.language == Language::English && unnamed::is_in(&read.text)
}

/// Whether a piece of a sentence lacks its subject: "did give us wine".
fn is_loose_clause(sentence: &str) -> bool {
    const SUBJECTS: [&str; 9] = ["i", "we", "my", "our", "the", "a", "an", "this", "there"];
    let first = sentence.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    first.starts_with(char::is_lowercase) && !SUBJECTS.contains(&first)
}

/// The sentence without what ties it to the one before, and with a name for the pronoun that it begins with.
fn told(sentence: &str, before: &str, language: Language, names: &Names) -> String {
    if language != Language::English {
        return sentence.to_owned();
    }
    let (rest, is_shorter) = openers::strip(sentence, names);
    let named = pronouns::resolve(before, rest, names);
    named.unwrap_or_else(|| if is_shorter { openers::capitalized(rest) } else { rest.to_owned() })
}

/// Without the number of a list or the day of a diary: "2. Buy milk", "12th. Up early".
fn without_number(sentence: &str) -> &str {
    let rest = sentence.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = (1..=2).contains(&(sentence.len() - rest.len()));
    let rest = ["st", "nd", "rd", "th"].iter().find_map(|end| rest.strip_prefix(end)).unwrap_or(rest);
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(rest) if is_number && !rest.trim().is_empty() => rest.trim_start(),
        _ => sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leans_is_read_with_the_sentence_before_it() {
        fn check(message: &str, expect: &[&str]) {
            let read = of(message, "2026-03-04".parse().unwrap(), 60, &Names::of(["Ann"].into_iter()));
            let standing = read.iter().filter(|one| one.standing == Standing::Alone);
            assert_eq!(standing.map(|one| one.text.as_str()).collect::<Vec<_>>(), expect, "{message}");
        }
        check("I bought a red boat. It leaks.", &["I bought a red boat.", "I bought a red boat. It leaks."]);
        check("Thanks! It leaks.", &[]);
        check("I bought a red boat.\nIt leaks.", &["I bought a red boat."]);
        check(
            "Ayer firmé el contrato del piso. Eso fue un susto.",
            &[
                "Ayer [2026-03-03] firmé el contrato del piso.",
                "Ayer [2026-03-03] firmé el contrato del piso. Eso fue un susto.",
            ],
        );
    }
}
