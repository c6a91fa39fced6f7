//! What a record is about: a label for its lines, and the full names of its people.
//!
//! The entries of a timeline or a log seldom name its subject, because writer and reader know it. A line that is read alone
//! needs it: "(Harrow tunnel) Toll rises to 21." The label is the readable name of the conversation. A record of reports
//! without one is labelled with the first name in its first entry, if its entries belong together. The name comes from an
//! earlier turn, which is then a source of the line.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use annals_core::{CalendarNames, Date, Memory, MemoryId};

use super::full_names::{self, FullNames, bare};
use super::language::Language;
use super::openers::capitalized;
use super::record;
use super::tokens::{Token, tokens};
use super::{continuations, dates, definite, labels, split, verbs};

/// Minimum share of the later entries that repeat the subject of the first one. The first number is for a single conversation
/// and counts every name in its first entry. The second is for several conversations, such as articles of a newspaper, and
/// counts only the names in the label.
const RECURRING: (f64, f64) = (0.08, 0.25);
/// The share for a single conversation in German, where all nouns are capitalised and count as names.
const RECURRING_NOUNS: f64 = 0.15;

/// Minimum entries of a record for it to count as reports.
const COMPARED: usize = 4;

/// Number of later entries among which one that repeats the subject is enough. Among more entries, at least two must.
const FEW: usize = 6;

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

/// Number of entries at the beginning that are searched for a name.
const FIRST: usize = 3;

/// Maximum words of a label, because it stands in front of many lines. A longer name gives no label.
const LABEL: usize = 6;

/// What the entries of a record up to a day show about its subject and its people.
#[derive(Debug, Default)]
pub(super) struct Story {
    label: Option<Label>,
    names: FullNames,
    /// Words that occur in so many entries that they carry no information: "meds", "breakfast".
    routine: BTreeSet<String>,
}

/// A label that says what the lines of a record are about.
#[derive(Debug)]
struct Label {
    text: String,
    /// Words in lower case. A line that contains one of them needs no label.
    names: BTreeSet<String>,
    /// The turn that the label is quoted from; `None` for the name of the conversation.
    from: Option<MemoryId>,
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
        let title = title(entry.conversation().unwrap_or_default(), speaker);
        let label = match title {
            Some(title) => Some(titled(title, &entries)),
            None if is_of_reports(&entries) && has_one_subject(&entries, language) => first_named(&entries),
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
        let label =
            self.label.as_ref().filter(|label| !tokens(&shown).iter().any(|token| is_one_of(&label.names, token)));
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

/// Returns the telling words of the name of a conversation, if a person can read it: "harrow-tunnel", but not "conv-26" or
/// "journal". `None` if no word or more than [`LABEL`] words tell anything.
fn title(conversation: &str, speaker: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = conversation.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_readable = |word: &&str| word.chars().all(char::is_alphabetic) && word.chars().count() > 2;
    let is_plain = words.iter().all(|word| {
        is_readable(word) || word.len() <= 4 && word.chars().all(|c| c.is_ascii_digit()) || word.len() <= 2
    });
    let speaker = speaker.to_lowercase();
    let is_telling = |word: &&str| {
        let word = word.to_lowercase();
        let is_month = word.len() == 3 && CalendarNames::ENGLISH.month_beginning_with(&word).is_some();
        let is_generic = is_in(GENERIC, &word) || word.ends_with("log") || is_month;
        is_readable(&word.as_str()) && !is_generic && !speaker.contains(&word)
    };
    let kept: Vec<String> = words.iter().filter(|word| is_telling(word)).map(|word| (*word).to_owned()).collect();
    (is_plain && (1..=LABEL).contains(&kept.len())).then_some(kept)
}

/// Returns the label of a title: the first name in the first entries that has all its words, otherwise its words.
fn titled(title: Vec<String>, entries: &[Entry]) -> Label {
    let words: BTreeSet<String> = title.iter().map(|word| word.to_lowercase()).collect();
    let has_all = |phrase: &String| {
        let found: BTreeSet<String> = tokens(phrase).iter().map(|token| bare(&token.lower).to_owned()).collect();
        words.is_subset(&found)
    };
    let named = entries.iter().take(FIRST).find_map(|entry| {
        let phrase = phrases(entry, entries).into_iter().find(has_all)?;
        Some((phrase, entry.turn.id.clone()))
    });
    match named {
        Some((text, from)) => Label { names: name_words(&text, &words), text, from: Some(from) },
        None => Label { text: title.join(" "), names: words, from: None },
    }
}

/// Returns the first name in the first entries as a label, if later entries are about the same subject.
fn first_named(entries: &[Entry]) -> Option<Label> {
    let (first, text) =
        entries.iter().take(FIRST).find_map(|entry| Some((entry, phrases(entry, entries).into_iter().next()?)))?;
    let names = name_words(&text, &BTreeSet::new());
    let is_one_conversation = entries.iter().all(|entry| entry.turn.conversation() == first.turn.conversation());
    let (mut expected, mut share) = (names.clone(), RECURRING.1);
    if is_one_conversation {
        share = if first.language == Language::German { RECURRING_NOUNS } else { RECURRING.0 };
        expected.extend(first.names.iter().cloned());
        expected.extend(tokens(&text).into_iter().map(|token| token.lower).filter(|word| tells(word)));
    }
    // In several conversations only a name counts, not the word "new" of "The New Year".
    let is_name = |token: &Token| is_one_conversation || token.is_capital();
    let has_one = |entry: &Entry| tokens(&entry.text).iter().any(|token| is_name(token) && is_one_of(&expected, token));
    // Once enough entries up to some day repeat the subject, it stays the subject.
    let mut later = 0;
    let is_recurring =
        entries.iter().filter(|entry| entry.turn.id != first.turn.id).enumerate().any(|(position, entry)| {
            later += usize::from(has_one(entry));
            let least = if position < FEW { 1 } else { 2 };
            position + 2 >= COMPARED && later >= least && later as f64 >= share * (position + 1) as f64
        });
    // If no other entry repeats a word of the label, the entries are about something else that the first one names.
    let own: BTreeSet<String> =
        tokens(&text).into_iter().map(|token| bare(&token.lower).to_owned()).filter(|word| tells(word)).collect();
    let others = entries.iter().filter(|entry| entry.turn.id != first.turn.id);
    let is_named_again = || others.clone().any(|entry| tokens(&entry.text).iter().any(|token| is_one_of(&own, token)));
    (is_recurring && is_named_again()).then(|| Label { names, text, from: Some(first.turn.id.clone()) })
}

/// Returns whether a token is one of the words, apart from endings: "Stadtmuseums".
fn is_one_of(words: &BTreeSet<String>, token: &Token) -> bool {
    const STEM: usize = 5;
    let word = bare(&token.lower);
    words.contains(word) || words.iter().any(|one| one.len() >= STEM && word.starts_with(one.as_str()))
}

/// Returns the capitalised words of a label in lower case, and the given words.
fn name_words(label: &str, given: &BTreeSet<String>) -> BTreeSet<String> {
    let tokens = tokens(label);
    let capital = tokens.iter().filter(|token| token.is_capital()).map(|token| bare(&token.lower).to_owned());
    capital.chain(given.iter().cloned()).collect()
}

/// Returns the names in an entry, in order, each with a common noun beside it if the record uses that noun with a definite
/// article: "Harrow Sound tunnel", "ferry Estrella", "mina de Castrel". Leaves out names that are too long for a label, and in
/// German names of one word.
fn phrases(entry: &Entry, entries: &[Entry]) -> Vec<String> {
    let text = &*entry.text;
    let tokens = tokens(text);
    let is_known = |token: &Token| {
        let is_noun = !token.is_capital() && token.lower.len() > 2 && !verbs::is_finite(&token.lower);
        is_noun && entries.iter().any(|one| one.definite.contains(&token.lower))
    };
    let joined = |one: usize, next: usize| {
        tokens.get(next).is_some_and(|token| &text[tokens[one].span.end..token.span.start] == " ")
    };
    let mut found = Vec::new();
    for run in full_names::runs(text, &tokens) {
        let first = tokens.iter().position(|token| token.span == run[0].span).unwrap_or_default();
        let begins = first == 0
            || text[tokens[first - 1].span.end..run[0].span.start]
                .contains(['.', '!', '?', '\n', ':', '"', '“', '«', '„']);
        let is_name = |token: &Token| full_names::is_name(token) && !entry.language.is_grammar(&token.lower);
        let run = if run.len() > 1 && !is_name(&run[0]) { &run[1..] } else { run };
        // The first word of a sentence is a name if it is one elsewhere.
        let is_confirmed = |token: &Token| entries.iter().any(|one| one.names.contains(bare(&token.lower)));
        if !run.iter().all(|token| full_names::is_name(token) || definite::is_acronym(token.raw))
            || begins && run.len() == 1 && !is_confirmed(&run[0])
            || run.len() == 1 && entry.language == Language::German
        {
            continue;
        }
        let (mut start, mut end) =
            (first, tokens.iter().position(|token| token.span == run[run.len() - 1].span).unwrap_or(first) + 1);
        if run[0].span != tokens[first].span {
            start = first + 1;
        }
        let is_genitive = bare(tokens[end - 1].raw) != tokens[end - 1].raw;
        let of = start >= 2 && is_in("de del of von da di", &tokens[start - 1].lower);
        let is_number = |token: &Token| token.raw.chars().all(|c| c.is_ascii_digit());
        if !is_genitive && joined(end - 1, end) && is_known(&tokens[end]) {
            // "Meridian flight 612"
            let is_numbered = joined(end, end + 1) && is_number(&tokens[end + 1]);
            end += 1 + usize::from(is_numbered);
        } else if of && joined(start - 2, start - 1) && joined(start - 1, start) && is_known(&tokens[start - 2]) {
            start -= 2;
        } else if start >= 1 && joined(start - 1, start) && is_known(&tokens[start - 1]) {
            start -= 1;
        }
        let last = &tokens[end - 1];
        let length = bare(last.raw).len();
        if end - start <= LABEL {
            found.push(text[tokens[start].span.start..last.span.start + length].to_owned());
        }
    }
    found
}

/// Returns the words after definite articles, in lower case.
fn definite_nouns(tokens: &[Token]) -> BTreeSet<String> {
    const ARTICLES: &str = "the el la los las le les il lo i gli o a os as de het";
    let behind = tokens.windows(2).filter(|pair| is_in(ARTICLES, &pair[0].lower));
    behind.map(|pair| pair[1].lower.clone()).collect()
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| one == word)
}

/// Words of names of conversations that say nothing about them.
const GENERIC: &str = "log logs logbook timeline timelines note notes notebook journal journals diary diaries chat chats conversation conversations \
    conv session sessions thread threads channel default main general misc test tests demo import imported imports daily weekly monthly day days \
    week weeks entry entries news feed feeds messages message memory memories agent agents user users assistant chronik tagebuch protokoll \
    notizen cronología cronologia diario bitácora bitacora journal carnet chronologie story stories article articles summary summaries update updates \
    my the and for of from new old all data file files text texts";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_readable_names_of_conversations_are_titles() {
        #[track_caller]
        fn check(conversation: &str, expect: Option<&str>) {
            assert_eq!(title(conversation, "Ruth").map(|words| words.join(" ")).as_deref(), expect, "{conversation}");
        }
        check("harrow-tunnel", Some("harrow tunnel"));
        check("Kitchen renovation 2024", Some("Kitchen renovation"));
        check("mum", Some("mum"));
        check("garden_log", Some("garden"));
        for other in ["journal", "2024-03-04", "conv-26", "c", "ruth", "9f86d081-884c", "session_3", "D3:11", ""] {
            check(other, None);
        }
    }

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
