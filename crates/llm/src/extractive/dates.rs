//! Appends dates to relative times: "yesterday [2026-03-03]", "next week [2026-03-09 to 2026-03-15]".
//!
//! A summary is read months later and next to sentences of other days. The date follows from the local day of the message;
//! whether a plain "on Friday" is before or after that day follows from the nearest verb. A vague time gets only a direction:
//! "a few weeks ago [before 2026-03-04]".
//!
//! Names, numbers, days and units are words of `annals_core`. The grammar is not that of questions, which only look back and
//! ask for ranges: a message may look ahead. A time without a clear date gets none, because readers would believe a wrong one.

mod beside;
mod clock;
mod direction;
mod last_this_next;
mod months;
mod phrases;
mod span;
mod table;
mod tense;
#[cfg(test)]
mod tests;
mod unspaced;
mod weekdays;

use std::ops::Range;

use annals_core::{CalendarNames, Date, number_words};

use super::language::Language;
use super::tokens::{Token, tokens};
use span::{Span, Unit};

/// A time in a sentence: its number of words, and the time span. `None` if no time begins at the word.
type Found = Option<(usize, Span)>;

/// A sentence, its words, and the words in lower case.
#[derive(Clone, Copy)]
struct Sentence<'s> {
    text: &'s str,
    tokens: &'s [Token<'s>],
    words: &'s [&'s str],
    /// The day of the last earlier time in the sentence that is a single day before the message, and the position of the word
    /// after it.
    past_day: Option<(usize, Date)>,
}

impl Sentence<'_> {
    /// Returns whether only spaces separate the words of a range.
    fn is_joined(&self, words: Range<usize>) -> bool {
        let pairs = self.tokens[words].windows(2);
        pairs.into_iter().all(|pair| self.text[pair[0].span.end..pair[1].span.start].trim().is_empty())
    }
}

/// Returns whether lower-case words contain a calendar day, such as "24 april" and "june 3rd".
pub(super) fn name_a_day(words: &[impl AsRef<str>]) -> bool {
    let is_month = |word: &str| phrases::month(word).is_some();
    let is_day = |word: &str| {
        let number = word.trim_end_matches(char::is_alphabetic);
        word.len() <= number.len() + 2 && number.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day))
    };
    let names = |first: &str, second: &str| is_month(first) && is_day(second) || is_day(first) && is_month(second);
    words.windows(2).any(|pair| names(pair[0].as_ref(), pair[1].as_ref()))
}

/// Returns whether a lower-case word is an English month or weekday, or its abbreviation.
pub(super) fn is_calendar_word(word: &str) -> bool {
    phrases::month(word).is_some() || is_weekday(word)
}

/// Returns whether a lower-case word is the English name of a weekday, or a short form of one.
pub(super) fn is_weekday(word: &str) -> bool {
    phrases::weekday(strip(word)).is_some()
}

/// Returns whether a lower-case word of a language other than English is a time by itself: "gestern". Always false for English.
pub(super) fn is_time(word: &str, language: Language) -> bool {
    table::phrases(language).any(|(phrase, _)| phrase == word)
}

/// Maximum words of a part of a sentence that are searched for times. "fri" 250 times took 13 s, 80 times 0.4 s.
const MAX_WORDS: usize = 80;

/// Returns the sentence with dates after the times whose date is clear. `day` is the day on which it was said.
pub(super) fn resolve(sentence: &str, day: Date, language: Language) -> String {
    if language == Language::Unspaced {
        return unspaced::resolve(sentence, day);
    }
    parts(sentence).map(|part| resolve_beginning(part, day, language)).collect()
}

/// Resolves the times in the first [`MAX_WORDS`] words. The time that this takes grows with the cube of the words.
fn resolve_beginning(part: &str, day: Date, language: Language) -> String {
    let end = tokens(part).get(MAX_WORDS).map_or(part.len(), |token| token.span.start);
    resolve_part(&part[..end], day, language) + &part[end..]
}

/// Splits a line of notes at its full stops and semicolons, so that the tense of a time is read from the verb of the same part:
/// "rolled back. review thursday". Sentences without capitals arrive as one. A stop after a short word may belong to an
/// abbreviation.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    let is_end = |(position, _): &(usize, &str)| {
        let word = line[..*position].rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        line[*position..].starts_with("; ") || word.len() > 3
    };
    let mut start = 0;
    let mut ends: Vec<usize> = line
        .match_indices(['.', ';'])
        .filter(|(position, _)| line[position + 1..].starts_with(' '))
        .filter(is_end)
        .map(|(position, _)| position + 1)
        .collect();
    ends.push(line.len());
    ends.into_iter().map(move |end| &line[std::mem::replace(&mut start, end)..end])
}

/// Returns whether a sentence still has a weekday without a date after [`resolve`]. Always false for English, and for languages
/// whose weekdays are not known.
pub(super) fn is_undated(sentence: &str, language: Language) -> bool {
    let Some(names) = language.code().filter(|code| *code != "en").and_then(CalendarNames::of) else { return false };
    let is_open = |token: &Token| names.weekday(&token.lower).is_some() && !is_dated(sentence, token.span.end, &[]);
    tokens(sentence).iter().any(is_open)
}

fn resolve_part(sentence: &str, day: Date, language: Language) -> String {
    let tokens = tokens(sentence);
    let is_english = language == Language::English;
    let word = |token| if is_english { in_full(token) } else { token };
    let words: Vec<&str> = tokens.iter().map(|token| word(token.lower.as_str())).collect();
    let mut resolved = String::with_capacity(sentence.len() + 16);
    let (mut at, mut copied) = (0, 0);
    let mut past_day = None;
    while at < words.len() {
        let found = match language {
            Language::English => {
                english(Sentence { text: sentence, tokens: &tokens, words: &words, past_day }, at, day)
            }
            _ => phrases::find(language, &words, at, day),
        };
        let Some((length, span)) = found else {
            at += 1;
            continue;
        };
        at += length;
        if let Span::Days(first, last) = span
            && first == last
            && last < day
        {
            past_day = Some((at, last));
        }
        let end = tokens[at - 1].span.end;
        if span != Span::Unclear && !is_dated(sentence, end, &words[at..]) {
            resolved.push_str(&sentence[copied..end]);
            resolved.push_str(&format!(" [{}]", span.label(day)));
            copied = end;
        }
    }
    resolved + &sentence[copied..]
}

/// Returns the usual spelling of a word for a time.
fn in_full(word: &str) -> &str {
    match word {
        "yday" | "ystday" => "yesterday",
        "tmrw" | "tmr" | "tmrow" | "tomoz" | "2moro" | "2morrow" => "tomorrow",
        "tonite" | "2nite" | "2night" => "tonight",
        "nite" => "night",
        "wknd" | "wkend" => "weekend",
        "wk" => "week",
        "wks" => "weeks",
        "nxt" => "next",
        _ => word,
    }
}

/// Returns whether a date follows the time that ends at byte `end`: "tomorrow [2026-03-05]", "Friday 28 March", "Monday, May
/// 3". `next` are the words after the time.
fn is_dated(sentence: &str, end: usize, next: &[&str]) -> bool {
    let rest = sentence[end..].trim_start_matches([',', ' ', '(']);
    rest.starts_with('[')
        || next.first() == Some(&"the") && has_digit(&next[1..next.len().min(2)])
        || next
            .iter()
            .take(3)
            .any(|word| phrases::month(word).is_some() && next[0].len() < 12 && has_digit(&next[..next.len().min(3)]))
}

fn has_digit(words: &[&str]) -> bool {
    words.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

fn english(sentence: Sentence<'_>, at: usize, day: Date) -> Found {
    beside::find(sentence, at, day).or_else(|| months::find(sentence, at, day)).or_else(|| plain(sentence, at, day))
}

/// Parses a time that is not relative to another time in the sentence.
fn plain(sentence: Sentence<'_>, at: usize, day: Date) -> Found {
    let words = sentence.words;
    let word = |offset: usize| words.get(at + offset).copied().unwrap_or_default();
    let before = at.checked_sub(1).map_or("", |position| words[position]);
    match strip(word(0)) {
        "yesterday" => Some((1 + part_of_day(word(1)), Span::day(day, -1)?)),
        "today" | "to-day" | "tonight" | "to-night" => Some((1, Span::day(day, 0)?)),
        "tomorrow" | "to-morrow" => Some((1 + part_of_day(word(1)), Span::day(day, 1)?)),
        // Genitives are left to this rule: "the day before yesterday's vote".
        "day" if word(1) == "before" && strip(word(2)) == "yesterday" => Some((3, Span::day(day, -2)?)),
        "day" if word(1) == "after" && strip(word(2)) == "tomorrow" => Some((3, Span::day(day, 2)?)),
        // British: "the move is a week today".
        "week" if before == "a" && word(1) == "today" => Some((2, Span::day(day, 7)?)),
        "week" if before == "a" && word(1) == "tomorrow" => Some((2, Span::day(day, 8)?)),
        "other" if before == "the" && ["day", "night", "week", "evening", "morning"].contains(&word(1)) => {
            Some((2, Span::Before))
        }
        "weekend" if before == "the" && !["of", "after", "before", "when"].contains(&word(1)) => {
            Some((1, Span::weekend(day, if tense::is_past(words, at) { tense::this_weekend(day) } else { 0 })?))
        }
        "last" if word(1) == "night" && clock::is_after_midnight(sentence, at) => Some((2, Span::day(day, 0)?)),
        "last" | "past" | "previous" => last_this_next::find(words, at, day, -1),
        "this" => last_this_next::find(words, at, day, 0),
        "next" | "coming" | "upcoming" => last_this_next::find(words, at, day, 1),
        weekday if phrases::weekday(weekday).is_some() => weekdays::find(sentence, at, day),
        _ => ago(words, at, day).or_else(|| ahead(words, at, day)),
    }
}

/// Removes the genitive ending `'s`.
fn strip(word: &str) -> &str {
    word.strip_suffix("'s").unwrap_or(word)
}

fn part_of_day(word: &str) -> usize {
    usize::from(["morning", "afternoon", "evening", "night", "noon"].contains(&strip(word)))
}

/// Parses "two weeks ago", "a few days back", "years ago", "two Sundays ago".
fn ago(words: &[&str], at: usize, day: Date) -> Found {
    let word = |offset: usize| words.get(at + offset).copied().unwrap_or_default();
    let (count, length) = match word(0) {
        "couple" if word(1) == "of" => (None, 2),
        first if is_vague(first) => (None, 1),
        "while" => return ["ago", "back"].contains(&word(1)).then_some((2, Span::Before)),
        first => match number(first) {
            Some(count) => (Some(count), 1),
            None if first.ends_with('s') && word(1) == "ago" && phrases::unit(first).is_some() => {
                return Some((2, Span::Before));
            }
            None => return None,
        },
    };
    let weekday = word(length).strip_suffix('s').and_then(phrases::weekday);
    if let (Some(weekday), Some(count), "ago") = (weekday, count, word(length + 1)) {
        return Some((length + 2, Span::weekday_beside(day, weekday, -1)?.moved(Unit::Week, 1 - count)?));
    }
    let unit = phrases::unit(word(length))?;
    let before = at.checked_sub(1).map_or("", |position| words[position]);
    // "She wants her two days back", "we get 210 a month back".
    let is_own = weekdays::POSSESSIVES.contains(&before) || before == "her";
    let is_returned = word(length + 1) == "back" && (is_own || has_digit(&[before]));
    if !["ago", "back"].contains(&word(length + 1)) || is_returned {
        return None;
    }
    let span = count.map_or(Some(Span::Before), |count| Span::away(day, unit, -count))?;
    Some((length + 2, span))
}

/// Number of words before "in a day" that are searched for an amount. With an amount, the phrase is a rate and gets no date.
const RATE: usize = 5;

/// Number of words before "in seven weeks" that are searched for a count.
const COUNTED: usize = 3;

/// Parses "in two weeks", "in a few days", "a month from now".
fn ahead(words: &[&str], at: usize, day: Date) -> Found {
    let word = |offset: usize| words.get(at + offset).copied().unwrap_or_default();
    let is_in = word(0) == "in" || word(0) == "within";
    let start = usize::from(is_in);
    let (count, length) = match word(start) {
        "couple" if word(start + 1) == "of" => (None, 2),
        "a" if word(start + 1) == "couple" && word(start + 2) == "of" => (None, 3),
        "a" if word(start + 1) == "few" => (None, 2),
        first if is_vague(first) => (None, 1),
        first => (Some(number(first)?), 1),
    };
    let unit = phrases::unit(word(start + length))?;
    let end = start + length + 1;
    let is_from_now = word(end) == "from" && ["now", "today"].contains(&word(end + 1));
    let is_each = ["a", "an"].contains(&word(start)) && has_digit(&words[at.saturating_sub(RATE)..at]);
    // "90 mm of rain in a day" and "no missed readings in 7 weeks" are rates.
    let near = &words[at.saturating_sub(COUNTED)..at];
    let is_counted =
        near.iter().any(|word| ["zero", "no", "time", "times", "twice", "double", "doubles", "triple"].contains(word));
    let is_rate = is_each || is_counted || has_digit(near);
    // "It clears in a day or two."
    let is_loose = word(end) == "or";
    let is_meant = is_from_now && !is_counted
        || (is_in
            && word(end) != "time"
            && !is_rate
            && !is_loose
            && !tense::counts_back(words, at)
            && !tense::is_perfect(words, at)
            && tense::is_future(words, at));
    // "In three weeks on Saturday".
    let weekday = phrases::weekday(word(end + 1)).filter(|_| unit == Unit::Week && word(end) == "on");
    if let (true, Some(weekday), Some(count)) = (is_meant, weekday, count) {
        return Some((end + 2, Span::weekday_in_weeks(day, weekday, count)?));
    }
    let span = count.map_or(Some(Span::After), |count| Span::away(day, unit, count))?;
    is_meant.then_some((if is_from_now { end + 2 } else { end }, span))
}

fn is_vague(word: &str) -> bool {
    ["few", "couple", "several", "some", "many"].contains(&word)
}

fn number(word: &str) -> Option<i32> {
    if ["a", "an"].contains(&word) {
        return Some(1);
    }
    let spelled = number_words::english(word).filter(|number| *number <= 12);
    let number = spelled.or_else(|| word.parse().ok().filter(|count| (1..=400).contains(count)))?;
    i32::try_from(number).ok()
}
