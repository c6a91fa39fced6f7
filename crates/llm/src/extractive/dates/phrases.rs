//! Words for times: English units, weekdays and months, and the simplest phrases of other languages.

use annals_core::{CalendarNames, Date, TimeWords, number_words};
use jiff::civil::Weekday;

use super::Found;
use super::span::{Span, Unit};
use super::table::{Time, phrases};
use crate::extractive::language::Language;
use crate::extractive::tokens::is_in;

const ENGLISH: CalendarNames = CalendarNames::ENGLISH;

/// Returns an English weekday from its lower-case name or abbreviation.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    const SHORT: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    // "Mons" is a title ("Mons. Blanquefort") or a town, not a Monday.
    const LONGER: [&str; 7] = ["mond", "tues", "weds", "thurs", "frid", "satur", "sund"];
    let short = || position(&SHORT, word).or_else(|| position(&LONGER, word)).map(Weekday::from_monday_zero_offset);
    ENGLISH.weekday(word).or_else(|| short()?.ok())
}

/// Returns an English month from its lower-case name or abbreviation.
pub(super) fn month(word: &str) -> Option<i8> {
    if word.len() == 3 { ENGLISH.month_beginning_with(word) } else { ENGLISH.month(word) }
}

/// Returns an English month from its full name in lower case.
pub(super) fn full_month(word: &str) -> Option<i8> {
    ENGLISH.month(word)
}

/// Returns an English unit from its lower-case name.
pub(super) fn unit(word: &str) -> Option<Unit> {
    Some(match word.strip_suffix('s').unwrap_or(word) {
        "day" | "night" => Unit::Day,
        "week" => Unit::Week,
        "fortnight" => Unit::Fortnight,
        "month" => Unit::Month,
        "year" => Unit::Year,
        _ => return None,
    })
}

fn position(names: &[&str], word: &str) -> Option<i8> {
    names.iter().position(|name| *name == word).and_then(|position| i8::try_from(position).ok())
}

/// First and last month of seasons (northern hemisphere), holidays and the semester. They only decide which year "last" and
/// "next" mean, so none may cross a year: winter counts as the December in which it begins, and a semester as December.
const SEASONS: [(&str, i8, i8); 10] = [
    ("spring", 3, 5),
    ("summer", 6, 8),
    ("autumn", 9, 11),
    ("fall", 9, 11),
    ("winter", 12, 12),
    ("easter", 4, 4),
    ("christmas", 12, 12),
    ("halloween", 10, 10),
    ("thanksgiving", 11, 11),
    ("semester", 12, 12),
];

/// Returns the month for the name of a month, or the year for a season or holiday; `None` for other words. `side` -1 selects
/// the last one before the month of `day`, 1 the next one after it, and 0 the one in the same year.
pub(super) fn season(word: &str, day: Date, side: i32) -> Option<Span> {
    let now = day.month();
    if let Some(month) = ENGLISH.month(word) {
        let years = match side {
            -1 => -i16::from(month >= now),
            0 => 0,
            _ => i16::from(month <= now),
        };
        return Some(Span::Label(format!("{:04}-{month:02}", day.year() + years)));
    }
    let (_, first, last) = SEASONS.iter().find(|(name, ..)| *name == word)?;
    let years = match side {
        -1 => -i16::from(*last >= now),
        0 => 0,
        _ => i16::from(*first <= now),
    };
    Some(Span::Label(format!("{:04}", day.year() + years)))
}

/// Parses the time phrase that begins at `words[at]`, in a language other than English.
pub(super) fn find(language: Language, words: &[&str], at: usize, day: Date) -> Found {
    let starts = |phrase: &str| {
        let mut length = 0;
        let fits = phrase.split(' ').all(|word| {
            length += 1;
            words.get(at + length - 1) == Some(&word)
        });
        fits.then_some(length)
    };
    let found = phrases(language).find_map(|(phrase, time)| Some((starts(phrase)?, time)));
    let before = at.checked_sub(1).map_or("", |position| words[position]);
    match found {
        // The words for tomorrow also mean morning.
        Some((1, Time::Day(1))) if MORNING.contains(&before) => None,
        Some((length, time @ Time::Day(_))) => {
            let (rest, span) = (&words[at + length..], time.from(day)?);
            let (more, span) = counted_from(language, rest, &span).unwrap_or((part_of_day(language, rest), span));
            Some((length + more, span))
        }
        Some((length, time)) => Some((length, time.from(day)?)),
        None => ago(language, words, at, day)
            .or_else(|| ahead(language, words, at, day))
            .or_else(|| weekday_beside(language, words, at, day)),
    }
}

/// Parses an amount after a German day: "heute in einer Woche", "gestern vor einem Jahr".
fn counted_from(language: Language, words: &[&str], day: &Span) -> Found {
    let sign = match *words.first()? {
        "in" => 1,
        "vor" => -1,
        _ => return None,
    };
    let (count, unit) = (count(words.get(1)?)?, foreign_unit(words.get(2)?)?);
    Some((3, day.moved(unit, sign * count)?)).filter(|_| language == Language::German)
}

/// Returns the number of words for a part of the day at the beginning of the words that follow a day: "gestern Abend", "ayer
/// por la tarde".
fn part_of_day(language: Language, words: &[&str]) -> usize {
    let parts: &[&str] = match language {
        Language::German => &["morgen", "früh", "vormittag", "mittag", "nachmittag", "abend", "nacht"],
        Language::French => &["matin", "midi", "après-midi", "soir"],
        Language::Spanish => &["por la mañana", "por la tarde", "por la noche", "en la noche", "al mediodía"],
        Language::Portuguese => &["de manhã", "à tarde", "à noite"],
        Language::Italian => &["mattina", "pomeriggio", "sera", "notte"],
        Language::Dutch => &["ochtend", "middag", "avond", "nacht"],
        _ => &[],
    };
    let lengths = parts.iter().map(|part| part.split(' ').collect::<Vec<_>>());
    lengths.filter(|part| words.starts_with(part)).map(|part| part.len()).max().unwrap_or(0)
}

/// Parses "letzten Freitag", "vendredi prochain", "el próximo lunes". A weekday without such a word may be on either side of
/// the day, and the tenses of these languages are not read: it gets a date only if [`plain_weekday`] finds another word that
/// shows the side.
fn weekday_beside(language: Language, words: &[&str], at: usize, day: Date) -> Found {
    let names = CalendarNames::of(language.code()?)?;
    let (first, second) = (*words.get(at)?, words.get(at + 1).copied().unwrap_or_default());
    let (weekday, side) = match (names.weekday(first), names.weekday(second)) {
        (Some(weekday), None) if side(second).is_some() => (weekday, side(second)?),
        (None, Some(weekday)) => (weekday, side(first)?),
        (Some(weekday), None) => {
            let from = plain_weekday(words, at, day, weekday)?;
            let counted = counted_from(language, &words[at + 1..], &from);
            return Some(counted.map_or((1, from), |(more, span)| (1 + more, span)));
        }
        _ => return None,
    };
    let span = if side < 0 { Span::weekday_beside(day, weekday, -1)? } else { Span::weekday_after(day, weekday)? };
    Some((2, span))
}

/// Parses "am Montag", "jeudi", "el lunes" if another word of the sentence shows the side: "Lieferung Freitag", "La rencontre
/// est prévue jeudi". `None` otherwise, and for habits: "jeden Montag".
fn plain_weekday(words: &[&str], at: usize, day: Date, weekday: Weekday) -> Option<Span> {
    let has = |list: &str| words.iter().any(|word| is_in(list, word));
    let before = at.checked_sub(1).map_or("", |position| words[position]);
    if ["jeden", "chaque", "cada", "le", "los", "ogni", "toda", "elke"].contains(&before) {
        None
    } else if has(AHEAD) {
        Span::weekday_after(day, weekday)
    } else if has(BEHIND) {
        Span::weekday_before(day, weekday)
    } else {
        None
    }
}

/// Words that indicate that a sentence is about the future.
const AHEAD: &str = "wird werden soll sollen will wollen findet beginnt bis ab lieferung termin kommt kommen fällig geplant startet liefert \
    prévu prévue prévus prévues sera seront aura auront doit doivent livraison rendez-vous rdv passage jusqu'à d'ici attendu attendue va vont \
    será serán habrá previsto prevista entrega cita hasta va van declararán";

/// Words that indicate that a sentence is about the past.
const BEHIND: &str = "war waren wurde wurden hatte hatten était étaient avait ont fue fueron había";

/// Returns -1 for words such as "last", 1 for words such as "next", and `None` for others.
fn side(word: &str) -> Option<i32> {
    const LAST: &str =
        "letzten letzter vorigen vergangenen dernier pasado último passado passada scorso scorsa afgelopen vorige";
    const NEXT: &str =
        "nächsten nächster kommenden kommender prochain próximo próxima prossimo prossima volgende komende aanstaande";
    if is_in(LAST, word) { Some(-1) } else { is_in(NEXT, word).then_some(1) }
}

const MORNING: [&str; 14] =
    ["guten", "heute", "gestern", "am", "jeden", "diesen", "den", "la", "una", "esta", "goede", "de", "goeie", "cada"];

/// Parses "vor zwei Wochen", "il y a deux ans", "hace tres días", "due anni fa", "twee weken geleden".
fn ago(language: Language, words: &[&str], at: usize, day: Date) -> Found {
    let (before, after): (&[&str], &str) = match language {
        Language::German => (&["vor"], ""),
        Language::French => (&["il", "y", "a"], ""),
        Language::Spanish => (&["hace"], ""),
        Language::Portuguese => (&["há"], ""),
        Language::Italian => (&[], "fa"),
        Language::Dutch => (&[], "geleden"),
        _ => return None,
    };
    let rest = words.get(at..)?.strip_prefix(before)?;
    let (count, unit) = (count(rest.first()?)?, foreign_unit(rest.get(1)?)?);
    if !after.is_empty() && rest.get(2) != Some(&after) {
        return None;
    }
    let length = before.len() + 2 + usize::from(!after.is_empty());
    Some((length, Span::away(day, unit, -count)?))
}

/// Parses "dentro de una semana", "dans deux mois". German "in" and Dutch "over" have other meanings.
fn ahead(language: Language, words: &[&str], at: usize, day: Date) -> Found {
    let before: &[&[&str]] = match language {
        Language::French => &[&["dans"]],
        Language::Spanish => &[&["dentro", "de"]],
        Language::Portuguese => &[&["daqui", "a"], &["dentro", "de"]],
        Language::Italian => &[&["tra"], &["fra"]],
        _ => return None,
    };
    let length = before.iter().find(|before| words[at..].starts_with(before))?.len();
    let (count, unit) = (count(words.get(at + length)?)?, foreign_unit(words.get(at + length + 1)?)?);
    Some((length + 2, Span::away(day, unit, count)?))
}

/// Returns an amount that is written as a word up to ten, in any language other than English, or in digits up to 400.
fn count(word: &str) -> Option<i32> {
    let spelled = number_words::foreign(word).filter(|number| *number <= 10);
    let number = spelled.or_else(|| word.parse().ok().filter(|number| (1..=400).contains(number)))?;
    i32::try_from(number).ok()
}

/// Returns the unit of a word in any language other than English; `None` for units shorter than a day.
fn foreign_unit(word: &str) -> Option<Unit> {
    let (_, unit) = TimeWords::all().skip(1).flat_map(TimeWords::units).find(|(known, _)| *known == word)?;
    match unit {
        jiff::Unit::Day => Some(Unit::Day),
        jiff::Unit::Week => Some(Unit::Week),
        jiff::Unit::Month => Some(Unit::Month),
        jiff::Unit::Year => Some(Unit::Year),
        _ => None,
    }
}
