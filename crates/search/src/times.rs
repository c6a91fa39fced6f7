//! Finds the times in a question: "last week", "im März 2024", "hace dos semanas", "上个月", "before Easter", "2026-Q1". Pure.
//!
//! A question becomes tokens (`tokens.rs` with the tables of `vocabulary.rs`, `chinese.rs`). Tokens that belong to a name are
//! set apart (`names.rs`), and days named by an article or without a year are read (`nth_day.rs`). Patterns of tokens become
//! days (`pattern.rs`, `span.rs`), which `calendar.rs` computes, with the seasons of the agent's hemisphere (`hemisphere.rs`).
//! The words are looked up in English and in the language that has an entry for most of them; between equals the agent's
//! language decides. The days only raise the score of memories of that time, unless the question asks for the period itself
//! (`about.rs`). They never filter, because most answers are said on another day than the day they are about. A month or day
//! without a year is the latest one that has begun. Names, numbers, days and units are words of `annals_core`; the patterns are
//! only those of questions.

mod about;
mod calendar;
mod chinese;
mod hemisphere;
mod names;
mod nth_day;
mod pattern;
mod span;
mod tokens;
mod vocabulary;

use annals_core::{Date, DateRange, TimeExpression, folded};
use jiff::Unit;

pub(crate) use about::{asks_for_a_period, is_neutral, names_only_a_period};
use tokens::bare;

/// Maximum number of words that are read, from the end of the question, because people paste text above their question.
const LAST: usize = 400;
/// Verbs before a person: "What did June do?". An ambiguous month name right after one of them is no time.
const DOES: [&str; 12] = ["did", "does", "do", "has", "have", "had", "is", "hat", "hatte", "macht", "machte", "ist"];
/// Words for the asker's own time, as in "my week".
const OWN: &[&str] = &[
    "my", "our", "mein", "meine", "meinen", "unser", "unsere", "unseren", "mon", "ma", "notre", "mi", "nuestro",
    "nuestra", "meu", "minha", "nosso", "nossa", "mio", "mia", "mijn", "onze", "ons",
];

/// A word or sign of a question, classified as far as it matters for times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token {
    /// "last", "past", "previous".
    Last,
    /// "next", "coming".
    Next,
    This,
    /// "ago" after a number of units.
    Ago,
    /// "the year so far".
    SoFar,
    /// "hace", "il y a", "vor": "ago" before a number of units.
    AgoBefore,
    Since,
    Before,
    After,
    /// "until". Between two times it means the same as [`Token::To`].
    Until,
    /// "to" between two times: "from May to July".
    To,
    /// "between": the next "and" joins two times.
    Between,
    And,
    /// A single word for "before last": "vorletzte", "avant-dernière".
    BeforeLast,
    Today,
    Yesterday,
    DayBeforeYesterday,
    /// A single word for the day three days ago: "vorvorgestern".
    ThreeDaysAgo,
    Unit(Length),
    HalfYear,
    /// "early", "mid", "late", "the first half": a part of the time after it, such as a month or year.
    Part(Part),
    /// "Q3", "H1": a quarter or half of a year by its number, from 1.
    Numbered(Length, i16),
    /// "the nineties": the first year of a decade, with or without its century.
    Decade(i16),
    /// "this time" before "last year".
    ThisTime,
    /// "the other day".
    OtherDay,
    /// "earlier" before "this year".
    Earlier,
    /// "weekends", which is a time only after a number.
    Weekends,
    /// The number of the weekday; Monday is 0.
    Weekday(i8),
    /// "Saturdays", which is a time only after a number and before "ago".
    Weekdays(i8),
    /// A word that only means a month; January is 1.
    Month(i8),
    /// A month name that also has other meanings, such as "may" and "march".
    PerhapsMonth(i8),
    Season(Season),
    Holiday(Holiday),
    /// A number in digits or in Chinese numerals.
    Number(i16),
    /// A number in letters, including "a".
    Count(i16),
    /// "3rd" and the like.
    Ordinal(i16),
    Year(i16),
    /// Days that the word states by itself, such as "2026-W10".
    Days(Date, Date),
    /// "in", "during": shows that an ambiguous word after it is a time.
    In,
    /// "over", "at": like `In` for seasons and weekends.
    Over,
    /// "of": like `In`, and may also occur inside a time.
    Of,
    /// "how many": the unit after it is asked for, so it is not a time.
    HowMany,
    /// Articles.
    Filler,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Day,
    Week,
    Weekend,
    /// Two weeks. Counted back, it is the week that lies two weeks back.
    Fortnight,
    Month,
    Quarter,
    /// Six months, from January or from July.
    Half,
    Year,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The first third; of a year, the first quarter.
    Early,
    Mid,
    Late,
    FirstHalf,
    SecondHalf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Season {
    Spring,
    Summer,
    Autumn,
    Winter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holiday {
    Easter,
    Christmas,
    NewYear,
    NewYearsEve,
    /// The Chinese New Year, from its eve.
    SpringFestival,
    LanternFestival,
    TombSweepingDay,
    /// With the day before and the day after, as for the middle of autumn.
    DragonBoatFestival,
    MidAutumnFestival,
    /// The school holidays of July and August.
    SummerBreak,
    LabourDay,
    /// The week from 1 October, in China.
    NationalDay,
    Halloween,
    ValentinesDay,
}

/// A token with the piece of the question that it was read from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    text: &'a str,
    token: Token,
}

/// The times found in a question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Understood {
    /// The times in the order of the question. A time inside a longer one is not listed.
    pub(crate) times: Vec<TimeExpression>,
    /// The question without the times.
    pub(crate) rest: String,
}

/// Returns the times that a text names, in the order of the text. Times are relative to `today`; the language and the time zone
/// are the agent's. The zone decides which months a season has.
pub fn find_times(text: &str, language: &str, zone: &str, today: Date) -> Vec<TimeExpression> {
    understand(text, language, zone, today).times
}

/// Splits a question into the times that it names and the rest. See [`find_times`].
pub(crate) fn understand(text: &str, language: &str, zone: &str, today: Date) -> Understood {
    let text = tail(text);
    let words = tokens::read(text, language, zone, today);
    let (mut times, mut rest) = (Vec::new(), Vec::new());
    let mut index = 0;
    while index < words.len() {
        if let Some((length, (from, to))) = span::days(&words[index..], before(&words, index), today) {
            times.push(TimeExpression { words: joined(&words[index..index + length]), days: DateRange { from, to } });
            index += length;
        } else {
            rest.push(words[index].text);
            index += 1;
        }
    }
    let found = Understood { times, rest: spaced(&rest) };
    if found.times.is_empty() { lone_period(&words, today).unwrap_or(found) } else { found }
}

/// Returns the token in front of a word. Skips articles, as in "in the summer", except before an ambiguous month, as in "in the
/// march". The "and" after a month counts as "in", as in "in April and June".
fn before(words: &[Word<'_>], index: usize) -> Token {
    let is_month = matches!(words[index].token, Token::PerhapsMonth(_));
    let is_skipped = |word: &&Word<'_>| !is_month && word.token == Token::Filler;
    let mut tokens = words[..index].iter().rev().skip_while(is_skipped).map(|word| word.token);
    match (tokens.next(), tokens.next()) {
        (Some(Token::And), Some(Token::Month(_) | Token::PerhapsMonth(_))) if is_month => Token::In,
        (token, _) => token.unwrap_or(Token::Other),
    }
}

/// Reads an ambiguous word as a time, if the question has no other topic: "How was March?", "How was my summer?", "Summarise my
/// week". A month must begin with a capital letter and not follow a verb, because "What did June do?" asks about a person.
fn lone_period(words: &[Word<'_>], today: Date) -> Option<Understood> {
    let before = |index: usize| index.checked_sub(1).map(|index| folded(bare(words[index].text))).unwrap_or_default();
    let is_capital = |word: &Word<'_>| bare(word.text).starts_with(char::is_uppercase);
    let index = (0..words.len()).find(|index| match words[*index].token {
        Token::PerhapsMonth(_) => is_capital(&words[*index]) && !DOES.contains(&before(*index).as_str()),
        Token::Season(_) => true,
        Token::Unit(_) => OWN.contains(&before(*index).as_str()),
        _ => false,
    })?;
    let others = words.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, word)| word.text);
    let rest = spaced(&others.collect::<Vec<_>>());
    let found = match words[index].token {
        Token::Unit(length) => calendar::around(length, today).map(|(from, to)| (Some(from), Some(to))),
        _ => span::days(&words[index..=index], Token::In, today).map(|(_, days)| days),
    };
    let (from, to) = found.filter(|_| names_only_a_period(&rest))?;
    let days = DateRange { from, to };
    Some(Understood { times: vec![TimeExpression { words: bare(words[index].text).to_owned(), days }], rest })
}

/// Returns pieces of a question as one text, with spaces except between pieces that the question does not separate, and
/// between Chinese characters.
fn spaced(pieces: &[&str]) -> String {
    let mut text = String::new();
    let mut end = None;
    for piece in pieces {
        let bytes = piece.as_bytes().as_ptr_range();
        let is_wide = text.ends_with(annals_core::is_wide) && piece.starts_with(annals_core::is_wide);
        if !text.is_empty() && end != Some(bytes.start) && !is_wide {
            text.push(' ');
        }
        text.push_str(piece);
        end = Some(bytes.end);
    }
    text
}

fn tail(text: &str) -> &str {
    let first = text.split_whitespace().rev().take(LAST).last();
    first.map_or("", |first| &text[first.as_ptr() as usize - text.as_ptr() as usize..])
}

/// Returns the words of a time as one text, without surrounding punctuation. Chinese words are joined without spaces.
fn joined<'a>(words: &[Word<'a>]) -> String {
    let is_wide = words.iter().any(|word| word.text.chars().any(annals_core::is_wide));
    let shown = |word: &Word<'a>| Some(bare(word.text)).filter(|bare| !bare.is_empty()).unwrap_or(word.text);
    let texts: Vec<&str> = words.iter().map(shown).collect();
    texts.join(if is_wide { "" } else { " " })
}

/// Returns the number of days in a range, or `None` if an end is open.
pub(crate) fn length(days: DateRange) -> Option<i64> {
    let span = days.from?.until((Unit::Day, days.to?)).ok()?;
    Some(i64::from(span.get_days()) + 1)
}

#[cfg(test)]
mod tests;
