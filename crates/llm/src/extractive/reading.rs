//! The sentences of a message, made to be read without it: what nobody said is left out, what ties a sentence to the one before goes,
//! pronouns get names and times get dates.

use annals_core::Date;

use super::language::Language;
use super::names::Names;
use super::standing::{self, Standing};
use super::tokens::tokens;
use super::{clean, dates, openers, pronouns, split};

/// So many sentences of one message are read: more than the longest message holds that is stored.
const SENTENCES: usize = 4096;

/// A sentence of a message, as it may be quoted.
#[derive(Clone, Debug)]
pub(super) struct Read {
    /// A piece of the message, without its first words where they only link, with names and dates put in.
    pub(super) text: String,
    /// The language of the message.
    pub(super) language: Language,
    /// Whether it can be read by itself.
    pub(super) standing: Standing,
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
        read.push(Read { text: dates::resolve(&text, day, language), language, standing });
        before = text;
    }
    read
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
