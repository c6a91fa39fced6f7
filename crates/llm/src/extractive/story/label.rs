//! The label of a record: the name of its conversation, or the first name of its first entry.
//!
//! A label stands in front of many lines, so it is short. A wrong one is worse than none: the first name of a newspaper's first
//! entry would be put in front of news about something else.

use std::collections::BTreeSet;

use annals_core::{CalendarNames, MemoryId};

use super::{COMPARED, Entry, is_in, tells};
use crate::extractive::full_names::{self, bare};
use crate::extractive::language::Language;
use crate::extractive::tokens::{Token, tokens};
use crate::extractive::{definite, verbs};

/// Minimum share of the later entries that repeat the subject of the first one. The first number is for a single conversation
/// and counts every name in its first entry. The second is for several conversations, such as articles of a newspaper, and
/// counts only the names in the label.
const RECURRING: (f64, f64) = (0.08, 0.25);
/// The share for a single conversation in German, where all nouns are capitalised and count as names.
const RECURRING_NOUNS: f64 = 0.15;

/// Number of later entries among which one that repeats the subject is enough. Among more entries, at least two must.
const FEW: usize = 6;

/// Number of entries at the beginning that are searched for a name.
const FIRST: usize = 3;

/// Maximum words of a label, because it stands in front of many lines. A longer name gives no label.
const LABEL: usize = 6;

/// A label that says what the lines of a record are about.
#[derive(Debug)]
pub(super) struct Label {
    pub(super) text: String,
    /// Words in lower case. A line that contains one of them needs no label.
    pub(super) names: BTreeSet<String>,
    /// The turn that the label is quoted from; `None` for the name of the conversation.
    pub(super) from: Option<MemoryId>,
}

/// Returns the telling words of the name of a conversation, if a person can read it: "harrow-tunnel", but not "conv-26" or
/// "journal". `None` if no word or more than [`LABEL`] words tell anything.
pub(super) fn title(conversation: &str, speaker: &str) -> Option<Vec<String>> {
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
pub(super) fn titled(title: Vec<String>, entries: &[Entry]) -> Label {
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
pub(super) fn first_named(entries: &[Entry]) -> Option<Label> {
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
pub(super) fn is_one_of(words: &BTreeSet<String>, token: &Token) -> bool {
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

/// Words of names of conversations that say nothing about them.
const GENERIC: &str = "log logs logbook timeline timelines note notes notebook journal journals diary diaries chat chats conversation conversations \
    conv session sessions thread threads channel default main general misc test tests demo import imported imports daily weekly monthly day days \
    week weeks entry entries news feed feeds messages message memory memories agent agents user users assistant chronik tagebuch protokoll \
    notizen cronología cronologia diario bitácora bitacora journal carnet chronologie story stories article articles summary summaries update updates \
    ticker tickers wire newswire agency agencies desk newsdesk bulletin bulletins headlines live blog \
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
        for other in
            ["journal", "2024-03-04", "conv-26", "c", "ruth", "9f86d081-884c", "session_3", "news ticker", "D3:11", ""]
        {
            check(other, None);
        }
    }
}
