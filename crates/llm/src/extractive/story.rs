//! What a record is about: a label for its lines, and the full names of its people.
//!
//! The entries of a timeline or a log seldom name its subject, because writer and reader know it. A line that is read alone
//! needs it: "(Harrow tunnel) Toll rises to 21." The label is the readable name of the conversation. A record of reports
//! without one is labelled with the first name in its first entry, if its entries belong together. The name comes from an
//! earlier turn, which is then a source of the line.

mod label;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use annals_core::{Date, Memory, MemoryId};

use label::Label;

use super::full_names::{FullNames, bare};
use super::language::Language;
use super::openers::capitalized;
use super::record;
use super::tokens::{Token, is_in, tokens};
use super::{continuations, dates, definite, labels, split, verbs};

/// Minimum entries of a record for it to count as reports.
const COMPARED: usize = 4;

/// Share of entries in which the writer is the subject, from which on a record does not count as reports.
const OWN: f64 = 0.25;

/// Share of entries without any name, from which on a record of reports has one subject and may get its first name as a label.
/// Papers, agencies and logs of a region introduce each subject: 9 to 25 % of their entries have no name. Timelines, which take
/// theirs for granted, have 29 to 73 %.
const NAMELESS: f64 = 0.28;
/// The same in German, where all nouns count as names: the share of entries that need others to be understood. A paper had 23 %,
/// a timeline 42 %.
const OPEN_IN_GERMAN: f64 = 0.3;

/// Minimum number and share of the entries that contain a word, for it to count as routine.
const ROUTINE: (usize, f64) = (5, 0.15);

/// Minimum words other than those of routine; a line of routine with fewer says nothing.
const MIN_OTHER_WORDS: usize = 3;

/// Maximum characters of an entry that are read.
const MAX_CHARS: usize = 3_000;

/// What the entries of a record up to a day show about its subject and its people.
#[derive(Debug, Default)]
pub(super) struct Story {
    label: Option<Label>,
    names: FullNames,
    /// Words that occur in so many entries that they carry no information: "meds", "breakfast".
    routine: BTreeSet<String>,
}

/// Returns the words that occur in a large share of the entries before the day.
fn routine(entries: &[Entry], day: Date) -> BTreeSet<String> {
    let entries: Vec<&Entry> = entries.iter().filter(|entry| entry.turn.days.0 < day).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for entry in &entries {
        let words: BTreeSet<String> = tokens(&entry.text).into_iter().map(|token| token.lower).collect();
        words.into_iter().filter(|word| tells(word)).for_each(|word| *counts.entry(word).or_default() += 1);
    }
    let least = ROUTINE.0.max((ROUTINE.1 * entries.len() as f64) as usize);
    counts.into_iter().filter(|(_, count)| *count >= least).map(|(word, _)| word).collect()
}

fn tells(word: &str) -> bool {
    word.chars().filter(|c| c.is_alphabetic()).count() > 3
}

/// An entry of a record, with the names and nouns that were read from it.
struct Entry<'a> {
    turn: &'a Memory,
    /// Text of the entry without labels and names of authors.
    text: Cow<'a, str>,
    language: Language,
    names: BTreeSet<String>,
    /// Nouns after a definite article.
    definite: BTreeSet<String>,
    is_own: bool,
}

impl Story {
    /// Reads the turns of a record, up to the day of an entry.
    pub(super) fn of(turns: &[&Memory], entry: &Memory) -> Story {
        let language = Language::of_texts(turns.iter().map(|turn| turn.text.as_str()));
        let entries: Vec<Entry> = turns.iter().map(|turn| Entry::of(turn, language)).collect();
        let mut names = FullNames::default();
        entries.iter().for_each(|one| names.read(&one.text, one.language, Some(&one.turn.id)));
        let speaker = entry.speaker().unwrap_or_default();
        let title = label::title(entry.conversation().unwrap_or_default(), speaker);
        let label = match title {
            Some(title) => Some(label::titled(title, &entries)),
            None if is_of_reports(&entries) && has_one_subject(&entries, language) => label::first_named(&entries),
            None => None,
        };
        Story { label, names, routine: routine(&entries, entry.days.0) }
    }

    /// Returns the full names in the entries up to the day, which is included.
    pub(super) fn names(&self) -> &FullNames {
        &self.names
    }

    /// Returns whether the lines of this record get a label that says what they are about.
    pub(super) fn is_labelled(&self) -> bool {
        self.label.is_some()
    }

    /// Returns whether the label is the name of a conversation, which can be a person: "(Mum) Left the gas on."
    pub(super) fn is_titled(&self) -> bool {
        self.label.as_ref().is_some_and(|label| label.from.is_none())
    }

    /// Returns whether a line has a word of routine and fewer than [`MIN_OTHER_WORDS`] other words.
    pub(super) fn is_routine(&self, line: &str) -> bool {
        let words: BTreeSet<String> =
            tokens(line).into_iter().map(|token| token.lower).filter(|word| tells(word)).collect();
        words.iter().any(|word| self.routine.contains(word))
            && words.difference(&self.routine).count() < MIN_OTHER_WORDS
    }

    /// Returns the line with the label and the headline of its entry, where it needs them, and the turn that the label comes
    /// from. The turn is `None` if the line gets no label, or if the label is the name of the conversation.
    pub(super) fn labelled(&self, line: &str, headline: Option<&str>) -> (String, Option<MemoryId>) {
        let shown = format!("{} {line}", headline.unwrap_or_default());
        let label = self
            .label
            .as_ref()
            .filter(|label| !tokens(&shown).iter().any(|token| label::is_one_of(&label.names, token)));
        let from = label.and_then(|label| label.from.clone());
        let parts: Vec<&str> = label.map(|label| label.text.as_str()).into_iter().chain(headline).collect();
        let text =
            if parts.is_empty() { line.to_owned() } else { format!("({}) {line}", capitalized(&parts.join(": "))) };
        (text, from)
    }
}

/// Splits a line into its label, if it has one, and the rest.
pub(super) fn parts(line: &str) -> (Option<&str>, &str) {
    let split = || line.strip_prefix('(')?.split_once(") ");
    match split() {
        Some((label, rest)) if !label.contains(": “") && !rest.is_empty() => (Some(label), rest),
        _ => (None, line),
    }
}

impl Entry<'_> {
    fn of(turn: &Memory, language: Language) -> Entry<'_> {
        let end = turn.text.char_indices().nth(MAX_CHARS).map_or(turn.text.len(), |(at, _)| at);
        let text = labels::without(&turn.text[..end]);
        let tokens = tokens(&text);
        let unquoted = record::unquoted(&text);
        let written = self::tokens(&unquoted);
        let is_own = match language {
            Language::English => {
                continuations::is_of_writer(&written)
                    || tokens
                        .first()
                        .is_some_and(|first| verbs::is_past(&first.lower) || first.raw.starts_with(char::is_lowercase))
            }
            other => definite::is_of_writer(&written, other),
        };
        let names = names(&text, &tokens, language);
        let definite = definite_nouns(&tokens);
        drop(tokens);
        Entry { turn, text, language, names, definite, is_own }
    }
}

/// Returns the names in a text in lower case, without the first words of sentences.
fn names(text: &str, tokens: &[Token], language: Language) -> BTreeSet<String> {
    let is_inside = |pair: &[Token]| {
        let between = &text[pair[0].span.end..pair[1].span.start];
        !between.contains(['.', '!', '?', ':', '\n', '"', '“', '«', '„'])
    };
    let is_one = |token: &Token| {
        token.is_capital() && token.raw.chars().count() > 2 && !dates::is_calendar_word(bare(&token.lower))
    };
    let inside = tokens.windows(2).filter(|pair| is_inside(pair) && is_one(&pair[1])).map(|pair| &pair[1]);
    let is_known = |token: &&Token| !language.is_grammar(&token.lower);
    inside.filter(is_known).map(|token| bare(&token.lower).to_owned()).collect()
}

/// Returns whether the entries are reports about others and not a diary: there are at least [`COMPARED`] entries, and the
/// writer is the subject of less than [`OWN`] of them.
fn is_of_reports(entries: &[Entry]) -> bool {
    let count = entries.iter().filter(|entry| entry.is_own).count();
    entries.len() >= COMPARED && (count as f64) < OWN * entries.len() as f64
}

/// Returns whether the entries take their subject for granted. Where each introduces its own, as in a newspaper, the name in the
/// first one would mislead: "(Halden) The river floods Tarn."
fn has_one_subject(entries: &[Entry], language: Language) -> bool {
    let share =
        |is_counted: fn(&&Entry) -> bool| entries.iter().filter(is_counted).count() as f64 / entries.len() as f64;
    match language {
        Language::German => share(needs_others) >= OPEN_IN_GERMAN,
        _ => share(|entry| entry.names.is_empty()) >= NAMELESS,
    }
}

/// Returns whether an entry begins with something that an earlier one introduced, or has no sentence that stands alone.
fn needs_others(entry: &&Entry) -> bool {
    let is_known = |sentence: &str| record::is_known(&tokens(sentence), entry.language);
    let mut sentences = split::sentences(&entry.text, usize::MAX).peekable();
    let begins = sentences.peek().is_some_and(|first| is_known(first));
    begins || sentences.all(|one| is_known(one) || record::continues(&tokens(one), entry.language))
}

/// Returns the words after definite articles, in lower case.
fn definite_nouns(tokens: &[Token]) -> BTreeSet<String> {
    const ARTICLES: &str = "the el la los las le les il lo i gli o a os as de het";
    let behind = tokens.windows(2).filter(|pair| is_in(ARTICLES, &pair[0].lower));
    behind.map(|pair| pair[1].lower.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_is_split_from_its_line() {
        fn check(line: &str, expect: (Option<&str>, &str)) {
            assert_eq!(parts(line), expect, "{line}");
        }
        check("(Harrow tunnel) Toll rises.", (Some("Harrow tunnel"), "Toll rises."));
        check("(Bob: “How old?”) Five years.", (None, "(Bob: “How old?”) Five years."));
        check("Toll rises (again) today.", (None, "Toll rises (again) today."));
    }
}
