//! English weekdays without "last" or "next": "on Friday", "Friday night", "by Monday", "Friday 24th".

use annals_core::Date;
use jiff::ToSpan;
use jiff::civil::Weekday;

use super::span::Span;
use super::{Found, Sentence, beside, direction, part_of_day, phrases, strip, tense};
use crate::extractive::tokens::is_in;
use crate::extractive::verbs;

/// Words before a weekday that form no name with it, even if they are capitalised, as at the beginning of a sentence.
const BEFORE_WEEKDAYS: [&str; 10] = ["on", "by", "until", "since", "before", "after", "from", "till", "til", "for"];

/// Plural nouns before which a weekday names no single day: "a strike threatens Saturday services".
const REGULAR_EVENTS: [&str; 7] = ["buses", "classes", "lessons", "prayers", "services", "shifts", "trains"];

/// Number of words before a weekday that are searched for its date: "It is on 16 May, a Saturday". With a date there, the
/// weekday gets no other.
const NEAR: usize = 6;

/// Words after a weekday that are not a noun which the weekday describes.
const NO_NOUNS: [&str; 9] = ["is", "was", "has", "had", "will", "i", "we", "before", "after"];

/// Words before a weekday that describes a noun: "the Monday meeting".
const DETERMINERS: [&str; 7] = ["the", "our", "my", "their", "his", "her", "your"];

/// Words that form a name with the weekday after them, which then gets no date: "Good Friday".
const OF_NAMES: [&str; 15] = [
    "good",
    "ash",
    "palm",
    "easter",
    "shrove",
    "whit",
    "cyber",
    "super",
    "ruby",
    "maundy",
    "holy",
    "giving",
    "mothering",
    "remembrance",
    "sheffield",
];

/// Words before "last" that make it the end of something: "our last Sunday". "Her" may be an object: "I saw her last Sunday".
pub(super) const POSSESSIVES: [&str; 5] = ["my", "our", "your", "his", "their"];

/// Maximum distance in days between the message and a day that is given by its number: "Friday 24th".
const MAX_DAYS_AWAY: i32 = 45;

/// Parses the weekday at a word, with the words that belong to it: "Friday night", "Friday 24th".
pub(super) fn find(sentence: Sentence<'_>, at: usize, day: Date) -> Found {
    let words = sentence.words;
    let weekday = phrases::weekday(strip(words[at]))?;
    if let Some((length, weeks)) = week_of(words, at) {
        let in_week = i32::from(weekday.to_monday_zero_offset()) - i32::from(day.weekday().to_monday_zero_offset());
        return Some((length, Span::day(day, in_week + 7 * weeks)?));
    }
    if let Some(span) = beside::end_of_move(words, at, day).filter(|_| !is_regular(words, at)) {
        return Some((1, span));
    }
    if !is_written_as_day(sentence, at) || is_one_of_several(sentence, at) {
        return None;
    }
    if let Some((length, number)) = day_of_month(sentence, at) {
        return Some((length, nearest(day, (weekday, number), direction::is_ahead(sentence, at))?));
    }
    let has_date = has_date_before(words, at);
    if is_name(sentence, at) || is_relative(words, at) || is_attributive(sentence, at) || has_date {
        return None;
    }
    // British: "Saturday week" is a week after Saturday.
    if word_after(words, at) == "week" {
        return Some((2, Span::weekday_in_weeks(day, weekday, 1)?));
    }
    if let Some(found) = beside::weeks_after_weekday(sentence, at, day) {
        return Some(found);
    }
    let span = beside_message(sentence, at, day, weekday)?;
    Some((1 + part_of_day(word_after(words, at)), span))
}

/// Returns whether a date shortly before the weekday is its own. What somebody said about the date has a weekday of its own: "on
/// trial on September 8, a court said on Friday".
fn has_date_before(words: &[&str], at: usize) -> bool {
    const SAID: [&str; 6] = ["said", "says", "announced", "reported", "ruled", "confirmed"];
    let near = &words[at.saturating_sub(NEAR)..at];
    let clause = near.iter().rposition(|word| SAID.contains(word)).map_or(near, |verb| &near[verb + 1..]);
    super::name_a_day(clause)
}

fn word_before<'a>(words: &[&'a str], at: usize) -> &'a str {
    at.checked_sub(1).map_or("", |position| words[position])
}

fn word_after<'a>(words: &[&'a str], at: usize) -> &'a str {
    words.get(at + 1).copied().unwrap_or_default()
}

/// Returns whether the weekday is a habit, an end of a range, or counted: "The first Monday of the year", "our last Sunday", but
/// "Monday, of course".
fn is_one_of_several(sentence: Sentence<'_>, at: usize) -> bool {
    let words = sentence.words;
    let before = word_before(words, at);
    let is_range = at >= 2 && before == "to" && phrases::weekday(words[at - 2]).is_some();
    let is_moved_to = before == "to" && !is_range;
    let is_habit = is_repeated(words, at) && !is_moved_to || is_regular(words, at);
    let is_counted = word_after(words, at) == "of" && words.get(at + 2) != Some(&"course")
        || before == "last" && at > 1 && POSSESSIVES.contains(&words[at - 2]);
    // "Fri 2 to Mon 5 May"
    let is_dated_range =
        matches!(&words[at + 1..], [day, "to", rest @ ..] if super::has_digit(&[day]) && super::name_a_day(rest));
    is_habit || is_counted || is_range || is_dated_range || is_between_days(sentence, at)
}

/// Returns the day that a weekday alone names: the day of the message, or the nearest one on the side that the sentence shows.
fn beside_message(sentence: Sentence<'_>, at: usize, day: Date, weekday: Weekday) -> Option<Span> {
    let words = sentence.words;
    let is_today = day.weekday() == weekday && may_be_today(sentence, at);
    if is_ordinal(word_before(words, at)) && !is_today || is_abandoned(&words[at.saturating_sub(NEAR)..at]) {
        return None;
    }
    match day_of_plan(sentence, at) {
        _ if is_today => Span::day(day, 0),
        Some(planned_on) => Span::weekday_after(planned_on, weekday),
        None if direction::is_ahead(sentence, at) => Span::weekday_after(day, weekday),
        None => Span::weekday_before(day, weekday),
    }
}

fn is_ordinal(word: &str) -> bool {
    ["first", "second", "third", "fourth", "final"].contains(&word)
}

/// Returns whether the weekday is that of the message if it falls on it: "It's Friday", "My first Wednesday at home", "how was
/// everyone's Sunday", or a note of two words, "Free Wednesday", but "Dentist Wednesday" announces something.
fn may_be_today(sentence: Sentence<'_>, at: usize) -> bool {
    const SHORT: [&str; 8] = ["how's", "what's", "there's", "here's", "let's", "that's", "who's", "where's"];
    let words = sentence.words;
    let before = word_before(words, at);
    let is_refused = before == "not" && at == 1;
    let is_said =
        ["it's", "its"].contains(&before) || is_refused || (before == "is" && at > 1 && words[at - 2] == "it");
    let is_genitive = before.ends_with("'s") && !SHORT.contains(&before);
    let is_of_somebody = DETERMINERS[1..].contains(&before) || is_genitive;
    let is_note = words.len() == 2
        && at == 1
        && !BEFORE_WEEKDAYS.contains(&before)
        && before != "reopening"
        && !is_in(direction::EVENTS, before);
    is_said || is_first(sentence, at) || is_of_somebody || is_ordinal(before) || is_note
}

/// Returns the day on which a plan was reported, from which the planned weekday counts: "I told her on Monday that I would come
/// on Wednesday". In "he'd called", the verb is "had".
fn day_of_plan(sentence: Sentence<'_>, at: usize) -> Option<Date> {
    let (from, day) = sentence.past_day?;
    let words = sentence.words;
    let is_would = |position: usize| words[position].ends_with("'d") && !verbs::is_past(words[position + 1]);
    (from..at).any(|position| words[position] == "would" || is_would(position)).then_some(day)
}

/// Returns whether the weekday is a habit, a range of days or a name with a date of its own: "every Friday", "Black Friday".
fn is_repeated(words: &[&str], at: usize) -> bool {
    let before = word_before(words, at);
    let after = word_after(words, at);
    const HABITS: [&str; 12] =
        ["every", "each", "most", "some", "a", "any", "all", "usual", "per", "through", "to", "black"];
    const REGULAR: [&str; 10] =
        ["group", "club", "choir", "letter", "paper", "market", "one", "team", "lot", "edition"];
    let is_one_of_many = at > 1 && ["every", "one"].contains(&words[at - 2]) || before == "one";
    let is_usual = (0..words.len()).any(|position| is_habitual(words, at, position));
    HABITS.contains(&before)
        || is_one_of_many
        || is_usual
        || ["school", "mass", "roast", "times", "league", "mornings", "evenings", "nights"].contains(&after)
        || words[at + 1..].iter().take(3).any(|word| *word == "rotates")
        || REGULAR_EVENTS.contains(&after) && !BEFORE_WEEKDAYS.contains(&before)
        || DETERMINERS.contains(&before) && REGULAR.contains(&after)
        || (["to", "through", "or"].contains(&after)
            && words.get(at + 2).is_some_and(|word| phrases::weekday(word).is_some()))
}

/// Returns whether a word makes the weekday a habit. One of a clause that follows the weekday says nothing about it: "on Tuesday,
/// which usually means a delay".
fn is_habitual(words: &[&str], at: usize, position: usize) -> bool {
    let opens = |word: &&str| ["which", "that", "who", "and", "but"].contains(word);
    ["always", "usually", "normally", "generally"].contains(&words[position])
        && (position < at || !words[position.saturating_sub(2).max(at)..position].iter().any(opens))
}

/// Parses a week after a weekday: "on Tuesday last week", "Thursday of next week", "Monday and Tuesday next week". Returns the
/// number of words up to it, one if other weekdays are between, and the number of weeks from now.
fn week_of(words: &[&str], at: usize) -> Option<(usize, i32)> {
    let word = |position: usize| words.get(position).copied().unwrap_or_default();
    let mut next = at + 1;
    while ["and", "or"].contains(&word(next)) && phrases::weekday(word(next + 1)).is_some() {
        next += 2;
    }
    let is_next = next == at + 1;
    next += usize::from(word(next) == "of");
    let weeks = [("last", -1), ("this", 0), ("next", 1)].into_iter().find(|(name, _)| *name == word(next))?.1;
    (strip(word(next + 1)) == "week").then_some((if is_next { next + 2 - at } else { 1 }, weeks))
}

/// Returns the day that "this Monday" means: the last one if the sentence is in the past, otherwise the next one, or today.
pub(super) fn this(words: &[&str], at: usize, day: Date, weekday: Weekday) -> Option<Span> {
    if day.weekday() == weekday {
        Span::day(day, 0)
    } else if tense::is_past(words, at + 1) {
        Span::weekday_before(day, weekday)
    } else {
        Span::weekday_after(day, weekday)
    }
}

/// Returns whether the weekday describes something that is no event of one day: "the Sunday crossword".
fn is_attributive(sentence: Sentence<'_>, at: usize) -> bool {
    const NOT_DESCRIBED: &str = "of at on in for to from that when he she they you it and but or with as by than who which there \
        this are were be been being had have has can could would should might may must then so if because until since about during";
    let words = sentence.words;
    let (Some(after), true) = (words.get(at + 1), at > 0 && DETERMINERS.contains(&words[at - 1])) else { return false };
    let is_other = NO_NOUNS.contains(after)
        || is_in(NOT_DESCRIBED, after)
        || is_in(direction::EVENTS, after)
        || part_of_day(after) > 0;
    let is_verb = verbs::is_past(after) || *after == "week" || phrases::weekday(after).is_some();
    sentence.is_joined(at..at + 2) && !is_other && !is_verb && after.chars().all(char::is_alphabetic)
}

/// Returns whether the weekday is one end of a range of days: "Mon–Fri".
fn is_between_days(sentence: Sentence<'_>, at: usize) -> bool {
    let is_pair = |first: usize| {
        let (Some(one), Some(other)) = (sentence.tokens.get(first), sentence.tokens.get(first + 1)) else {
            return false;
        };
        let is_day = |word: &str| phrases::weekday(word).is_some();
        let between = sentence.text[one.span.end..other.span.start].trim();
        ["-", "–", "—", "/"].contains(&between) && is_day(&one.lower) && is_day(&other.lower)
    };
    is_pair(at) || at > 0 && is_pair(at - 1)
}

/// Returns whether the words before a time tell of a plan that may have failed: "I was supposed to call her Sunday".
fn is_abandoned(words: &[&str]) -> bool {
    words.windows(2).any(|pair| ["was", "were"].contains(&pair[0]) && pair[1] == "supposed")
}

/// Returns whether the weekday describes something that is regular: "The Monday meeting moved to Tuesdays".
fn is_regular(words: &[&str], at: usize) -> bool {
    let is_plural =
        |word: &str| word.len() > 6 && word.strip_suffix('s').is_some_and(|day| phrases::weekday(day).is_some());
    let shows =
        |word: &&str| is_plural(word) || ["every", "weekly", "biweekly", "fortnightly", "regular"].contains(word);
    let is_described = at > 0 && DETERMINERS.contains(&words[at - 1]);
    let has_noun = words.get(at + 1).is_some_and(|word| !NO_NOUNS.contains(word));
    is_described && has_noun && words.iter().any(shows)
}

/// Returns whether the weekday is counted from another day: "the Sunday after", "the Friday before".
fn is_relative(words: &[&str], at: usize) -> bool {
    let after = word_after(words, at);
    at > 0 && words[at - 1] == "the" && ["after", "before", "following"].contains(&after)
}

/// Parses the day of the month after a weekday: "Friday 24th", "Friday the 24th", and "Friday 24" if nothing follows
/// that could be counted. Returns the number of words up to it. If a month follows, the text is a whole date and needs
/// no other.
fn day_of_month(sentence: Sentence<'_>, at: usize) -> Option<(usize, i8)> {
    let Sentence { text, tokens, words, .. } = sentence;
    let length = if words.get(at + 1) == Some(&"the") { 3 } else { 2 };
    let word = *words.get(at + length - 1)?;
    let digits = word.trim_end_matches(char::is_alphabetic);
    let rest = &text[tokens[at + length - 1].span.end..];
    // "Thursday, 4,000 of the black"
    let is_thousand = rest.strip_prefix(',').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_end =
        rest.is_empty() || rest.starts_with([',', ';', ')', '!', '?']) || rest.starts_with(". ") || rest == ".";
    let is_last = is_end && !is_thousand;
    let is_ordinal = ["st", "nd", "rd", "th"].contains(&&word[digits.len()..]);
    let has_month = words.iter().skip(at + length).take(2).any(|word| phrases::month(word).is_some());
    let number = digits.parse::<i8>().ok().filter(|number| (1..=31).contains(number))?;
    (!has_month && (is_ordinal || (word == digits && is_last))).then_some((length, number))
}

/// Returns the nearest day with this weekday and this number in the month; `None` if there is none within [`MAX_DAYS_AWAY`]
/// days of `day`. Searches the future first if the sentence looks ahead, otherwise the past; then the other side.
fn nearest(day: Date, (weekday, number): (Weekday, i8), is_ahead: bool) -> Option<Span> {
    let side = if is_ahead { 1 } else { -1 };
    let days = (0..=MAX_DAYS_AWAY).map(|away| side * away).chain((0..=MAX_DAYS_AWAY).map(|away| -side * away));
    let is_meant = |away: &i32| {
        day.checked_add(away.days()).is_ok_and(|other| other.day() == number && other.weekday() == weekday)
    };
    days.into_iter().find(is_meant).and_then(|away| Span::day(day, away))
}

/// Returns whether a word is spelled as the name of a weekday. Notes and logs leave out capitals, so that "sat" and
/// "sun" may be other words. Such short names count only if they are capitalised, do not begin a sentence and are not
/// part of a name such as "Sun City".
pub(super) fn is_written_as_day(sentence: Sentence<'_>, at: usize) -> bool {
    let word = sentence.words[at];
    let is_full = strip(word).len() >= 6;
    let is_clear = ["tue", "tues", "weds", "thu", "thurs", "fri"].contains(&word);
    let is_sun = at > 0 && sentence.words[at - 1] == "the";
    let is_capital = |at: usize| sentence.tokens[at].is_capital() && !is_first(sentence, at);
    let is_in_name = at + 1 < sentence.words.len() && is_capital(at + 1);
    is_full || is_clear || (is_capital(at) && !is_sun && !is_in_name)
}

/// Returns whether the weekday is part of a name: "Good Friday", "the Daily Wednesday". The first word of a sentence has a
/// capital anyway.
fn is_name(sentence: Sentence<'_>, at: usize) -> bool {
    let next = sentence
        .tokens
        .get(at + 1)
        .filter(|next| next.is_capital() && next.raw.len() > 1 && !next.lower.starts_with("i'"));
    // "Wednesday Addams is her favourite."
    let is_first_name =
        at == 0 && next.is_some_and(|next| phrases::month(&next.lower).is_none()) && sentence.is_joined(0..2);
    let Some(before) = at.checked_sub(1) else { return is_first_name };
    let word = sentence.words[before];
    // "In Harlow Tuesday"
    let is_place = before > 0 && ["in", "at", "near", "from"].contains(&sentence.words[before - 1]);
    let has_capital = sentence.tokens[before].is_capital() && !is_first(sentence, before) && !is_place;
    OF_NAMES.contains(&word) || (has_capital && !BEFORE_WEEKDAYS.contains(&word) && phrases::weekday(word).is_none())
}

/// Returns whether a word begins a sentence, or a part after a colon.
fn is_first(sentence: Sentence<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    let between = &sentence.text[sentence.tokens[before].span.end..sentence.tokens[at].span.start];
    between.contains(['.', '!', '?', ':', ';', '\n', '(', '"', '“', '–', '—'])
}
