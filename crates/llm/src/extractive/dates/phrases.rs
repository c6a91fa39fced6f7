//! Words for times: English units, weekdays and months, and the simplest phrases of other languages.

use annals_core::{CalendarNames, Date};
use jiff::civil::Weekday;

use super::Found;
use super::span::{Span, Unit};
use crate::extractive::language::Language;

const ENGLISH: CalendarNames = CalendarNames::ENGLISH;

/// Returns an English weekday from its lower-case name or abbreviation.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    const SHORT: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    const LONGER: [&str; 7] = ["mons", "tues", "weds", "thurs", "frid", "satur", "sund"];
    let short = || place(&SHORT, word).or_else(|| place(&LONGER, word)).map(Weekday::from_monday_zero_offset);
    ENGLISH.weekday(word).or_else(|| short()?.ok())
}

/// Returns an English month from its lower-case name or abbreviation.
pub(super) fn month(word: &str) -> Option<i8> {
    let full = ENGLISH.months.into_iter().find(|name| word.len() == 3 && name.starts_with(word));
    ENGLISH.month(full.unwrap_or(word))
}

/// Returns an English unit from its lower-case name.
pub(super) fn unit(word: &str) -> Option<Unit> {
    Some(match word.strip_suffix('s').unwrap_or(word) {
        "day" | "night" => Unit::Day,
        "week" => Unit::Week,
        "month" => Unit::Month,
        "year" => Unit::Year,
        _ => return None,
    })
}

fn place(names: &[&str], word: &str) -> Option<i8> {
    names.iter().position(|name| *name == word).and_then(|place| i8::try_from(place).ok())
}

/// First and last month of seasons, in the northern hemisphere, and of holidays.
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

/// Returns the month for the name of a month, or the year for a season or holiday. `side` -1 selects the last one before the month
/// of `day`, 1 the next one after it, and 0 the one in the same year.
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

#[derive(Clone, Copy)]
enum Time {
    Day(i32),
    Week(i32),
    Weekend(i32),
    Month(i32),
    Year(i32),
}

use Time::{Day, Month, Week, Weekend, Year};

impl Time {
    fn from(self, day: Date) -> Option<Span> {
        match self {
            Day(offset) => Span::day(day, offset),
            Week(offset) => Span::week(day, offset),
            Weekend(offset) => Span::weekend(day, offset),
            Month(offset) => Span::month(day, offset),
            Year(offset) => Span::year(day, offset),
        }
    }
}

type Phrases = &'static [(&'static str, Time)];

/// A phrase comes before phrases that are a prefix of it.
fn phrases(language: Language) -> Phrases {
    match language {
        Language::German => &[
            ("heute", Day(0)),
            ("gestern", Day(-1)),
            ("vorgestern", Day(-2)),
            ("morgen", Day(1)),
            ("übermorgen", Day(2)),
            ("diese woche", Week(0)),
            ("letzte woche", Week(-1)),
            ("vorige woche", Week(-1)),
            ("vergangene woche", Week(-1)),
            ("nächste woche", Week(1)),
            ("kommende woche", Week(1)),
            ("dieses wochenende", Weekend(0)),
            ("letztes wochenende", Weekend(-1)),
            ("nächstes wochenende", Weekend(1)),
            ("diesen monat", Month(0)),
            ("letzten monat", Month(-1)),
            ("nächsten monat", Month(1)),
            ("dieses jahr", Year(0)),
            ("letztes jahr", Year(-1)),
            ("voriges jahr", Year(-1)),
            ("letzten jahr", Year(-1)),
            ("nächstes jahr", Year(1)),
            ("nächsten jahr", Year(1)),
        ],
        Language::French => &[
            ("aujourd'hui", Day(0)),
            ("hier", Day(-1)),
            ("avant-hier", Day(-2)),
            ("demain", Day(1)),
            ("après-demain", Day(2)),
            ("ce soir", Day(0)),
            ("ce matin", Day(0)),
            ("cette semaine", Week(0)),
            ("la semaine dernière", Week(-1)),
            ("la semaine prochaine", Week(1)),
            ("le week-end dernier", Weekend(-1)),
            ("le week-end prochain", Weekend(1)),
            ("ce week-end", Weekend(0)),
            ("ce mois-ci", Month(0)),
            ("le mois dernier", Month(-1)),
            ("le mois prochain", Month(1)),
            ("cette année", Year(0)),
            ("l'année dernière", Year(-1)),
            ("l'an dernier", Year(-1)),
            ("l'année prochaine", Year(1)),
        ],
        Language::Spanish => &[
            ("hoy", Day(0)),
            ("ayer", Day(-1)),
            ("anteayer", Day(-2)),
            ("anoche", Day(-1)),
            ("pasado mañana", Day(2)),
            ("mañana", Day(1)),
            ("esta semana", Week(0)),
            ("la semana pasada", Week(-1)),
            ("la próxima semana", Week(1)),
            ("la semana que viene", Week(1)),
            ("este fin de semana", Weekend(0)),
            ("el fin de semana pasado", Weekend(-1)),
            ("el próximo fin de semana", Weekend(1)),
            ("este mes", Month(0)),
            ("el mes pasado", Month(-1)),
            ("el próximo mes", Month(1)),
            ("el mes que viene", Month(1)),
            ("este año", Year(0)),
            ("el año pasado", Year(-1)),
            ("el próximo año", Year(1)),
            ("el año que viene", Year(1)),
        ],
        Language::Portuguese => &[
            ("hoje", Day(0)),
            ("ontem", Day(-1)),
            ("anteontem", Day(-2)),
            ("depois de amanhã", Day(2)),
            ("amanhã", Day(1)),
            ("esta semana", Week(0)),
            ("essa semana", Week(0)),
            ("a semana passada", Week(-1)),
            ("na semana passada", Week(-1)),
            ("semana passada", Week(-1)),
            ("próxima semana", Week(1)),
            ("semana que vem", Week(1)),
            ("fim de semana passado", Weekend(-1)),
            ("este mês", Month(0)),
            ("mês passado", Month(-1)),
            ("próximo mês", Month(1)),
            ("mês que vem", Month(1)),
            ("este ano", Year(0)),
            ("ano passado", Year(-1)),
            ("próximo ano", Year(1)),
            ("ano que vem", Year(1)),
        ],
        Language::Italian => &[
            ("oggi", Day(0)),
            ("ieri", Day(-1)),
            ("l'altro ieri", Day(-2)),
            ("domani", Day(1)),
            ("dopodomani", Day(2)),
            ("stasera", Day(0)),
            ("questa settimana", Week(0)),
            ("la settimana scorsa", Week(-1)),
            ("la scorsa settimana", Week(-1)),
            ("la settimana prossima", Week(1)),
            ("la prossima settimana", Week(1)),
            ("lo scorso fine settimana", Weekend(-1)),
            ("questo mese", Month(0)),
            ("il mese scorso", Month(-1)),
            ("il mese prossimo", Month(1)),
            ("il prossimo mese", Month(1)),
            ("quest'anno", Year(0)),
            ("l'anno scorso", Year(-1)),
            ("l'anno prossimo", Year(1)),
        ],
        Language::Dutch => &[
            ("vandaag", Day(0)),
            ("gisteren", Day(-1)),
            ("eergisteren", Day(-2)),
            ("morgen", Day(1)),
            ("overmorgen", Day(2)),
            ("vanavond", Day(0)),
            ("gisteravond", Day(-1)),
            ("deze week", Week(0)),
            ("vorige week", Week(-1)),
            ("afgelopen week", Week(-1)),
            ("volgende week", Week(1)),
            ("dit weekend", Weekend(0)),
            ("vorig weekend", Weekend(-1)),
            ("afgelopen weekend", Weekend(-1)),
            ("volgend weekend", Weekend(1)),
            ("deze maand", Month(0)),
            ("vorige maand", Month(-1)),
            ("volgende maand", Month(1)),
            ("dit jaar", Year(0)),
            ("vorig jaar", Year(-1)),
            ("volgend jaar", Year(1)),
        ],
        Language::Unspaced => &[
            ("昨天", Day(-1)),
            ("昨日", Day(-1)),
            ("昨晚", Day(-1)),
            ("前天", Day(-2)),
            ("今天", Day(0)),
            ("今日", Day(0)),
            ("今晚", Day(0)),
            ("今早", Day(0)),
            ("明天", Day(1)),
            ("明日", Day(1)),
            ("后天", Day(2)),
            ("後天", Day(2)),
            ("上个周末", Weekend(-1)),
            ("上周末", Weekend(-1)),
            ("这个周末", Weekend(0)),
            ("下周末", Weekend(1)),
            ("上周", Week(-1)),
            ("上週", Week(-1)),
            ("上个星期", Week(-1)),
            ("这周", Week(0)),
            ("本周", Week(0)),
            ("这个星期", Week(0)),
            ("下周", Week(1)),
            ("下週", Week(1)),
            ("下个星期", Week(1)),
            ("先週", Week(-1)),
            ("今週", Week(0)),
            ("来週", Week(1)),
            ("上个月", Month(-1)),
            ("上個月", Month(-1)),
            ("先月", Month(-1)),
            ("这个月", Month(0)),
            ("本月", Month(0)),
            ("今月", Month(0)),
            ("下个月", Month(1)),
            ("下個月", Month(1)),
            ("来月", Month(1)),
            ("去年", Year(-1)),
            ("昨年", Year(-1)),
            ("今年", Year(0)),
            ("明年", Year(1)),
            ("来年", Year(1)),
        ],
        Language::English | Language::Other => &[],
    }
}

/// Returns the time phrase that begins at `words[at]`, and its length in words. For languages other than English.
pub(super) fn find(language: Language, words: &[&str], at: usize, day: Date) -> Found {
    let starts = |phrase: &str| {
        let mut length = 0;
        let fits = phrase.split(' ').all(|word| {
            length += 1;
            words.get(at + length - 1) == Some(&word)
        });
        fits.then_some(length)
    };
    let found = phrases(language).iter().find_map(|(phrase, time)| Some((starts(phrase)?, *time)));
    let before = at.checked_sub(1).map_or("", |place| words[place]);
    match found {
        // The words for tomorrow also mean morning.
        Some((1, Day(1))) if MORNING.contains(&before) => None,
        Some((length, time)) => Some((length, time.from(day)?)),
        None => ago(language, words, at, day).or_else(|| weekday_beside(language, words, at, day)),
    }
}

/// Reads "letzten Freitag", "vendredi prochain", "el próximo lunes". A weekday without such a word may be on either side of the
/// day, and the tenses of these languages are not read.
fn weekday_beside(language: Language, words: &[&str], at: usize, day: Date) -> Found {
    let names = CalendarNames::of(language.code()?)?;
    let (first, second) = (*words.get(at)?, *words.get(at + 1)?);
    let (weekday, side) = match (names.weekday(first), names.weekday(second)) {
        (Some(weekday), None) => (weekday, side(second)?),
        (None, Some(weekday)) => (weekday, side(first)?),
        _ => return None,
    };
    let span = if side < 0 { Span::weekday_beside(day, weekday, -1)? } else { Span::weekday_after(day, weekday)? };
    Some((2, span))
}

/// -1 for words like "last", 1 for words like "next".
fn side(word: &str) -> Option<i32> {
    const LAST: &str =
        "letzten letzter vorigen vergangenen dernier pasado último passado passada scorso scorsa afgelopen vorige";
    const NEXT: &str =
        "nächsten nächster kommenden kommender prochain próximo próxima prossimo prossima volgende komende aanstaande";
    let is_in = |words: &str| words.split(' ').any(|one| one == word);
    if is_in(LAST) { Some(-1) } else { is_in(NEXT).then_some(1) }
}

const MORNING: [&str; 14] =
    ["guten", "heute", "gestern", "am", "jeden", "diesen", "den", "la", "una", "esta", "goede", "de", "goeie", "cada"];

/// Reads "vor zwei Wochen", "il y a deux ans", "hace tres días", "due anni fa", "twee weken geleden".
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

fn count(word: &str) -> Option<i32> {
    const COUNTS: [&str; 10] = [
        "ein eine einem einer un une uno una um uma een",
        "zwei deux dos dois duas due twee",
        "drei trois tres três tre drie",
        "vier quatre cuatro quatro quattro",
        "fünf cinq cinco cinque vijf",
        "sechs six seis sei zes",
        "sieben sept siete sete sette zeven",
        "acht huit ocho oito otto",
        "neun neuf nueve nove negen",
        "zehn dix diez dez dieci tien",
    ];
    let spelled = COUNTS.iter().position(|words| words.split(' ').any(|one| one == word));
    spelled
        .and_then(|place| i32::try_from(place + 1).ok())
        .or_else(|| word.parse().ok().filter(|n| (1..=400).contains(n)))
}

fn foreign_unit(word: &str) -> Option<Unit> {
    const UNITS: [(&str, Unit); 4] = [
        ("tag tage tagen jour jours día días dia dias giorno giorni dag dagen", Unit::Day),
        ("woche wochen semaine semaines semana semanas settimana settimane week weken", Unit::Week),
        ("monat monate monaten mois mes meses mês mese mesi maand maanden", Unit::Month),
        ("jahr jahre jahren an ans année années año años ano anos anno anni jaar jaren", Unit::Year),
    ];
    UNITS.iter().find(|(words, _)| words.split(' ').any(|one| one == word)).map(|(_, unit)| *unit)
}

/// Appends dates to times in text without spaces, where phrases are found by characters.
pub(super) fn resolve_unspaced(sentence: &str, day: Date) -> String {
    let mut resolved = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(first) = rest.chars().next() {
        let found = phrases(Language::Unspaced).iter().find(|(phrase, _)| rest.starts_with(phrase));
        let length = found.map_or(first.len_utf8(), |(phrase, _)| phrase.len());
        resolved.push_str(&rest[..length]);
        rest = &rest[length..];
        let span = found.and_then(|(_, time)| time.from(day));
        if let Some(span) = span.filter(|_| !rest.starts_with('[')) {
            resolved.push_str(&format!("[{}]", span.label(day)));
        }
    }
    resolved
}
