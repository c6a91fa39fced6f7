//! The simplest phrases for times in languages other than English: "gestern", "la semaine dernière".

use annals_core::{CHINESE_DAYS, Date, TimeWords};

use super::span::Span;
use crate::extractive::language::Language;

/// A time relative to the day of a message: the number is an offset in the unit of the variant.
#[derive(Clone, Copy)]
pub(super) enum Time {
    Day(i32),
    Week(i32),
    Weekend(i32),
    Month(i32),
    Year(i32),
}

use Time::{Day, Month, Week, Weekend, Year};

impl Time {
    pub(super) fn from(self, day: Date) -> Option<Span> {
        match self {
            Day(offset) => Span::day(day, offset),
            Week(offset) => Span::week(day, offset),
            Weekend(offset) => Span::weekend(day, offset),
            Month(offset) => Span::month(day, offset),
            Year(offset) => Span::year(day, offset),
        }
    }
}

type Table = &'static [(&'static str, Time)];

/// Returns the phrases of a language, with its words for days at the end; none for English. A phrase comes before phrases that
/// are a prefix of it. Weeks such as "上周" are not among them: `unspaced` parses them.
pub(super) fn phrases(language: Language) -> impl Iterator<Item = (&'static str, Time)> {
    let days: &'static [(&'static str, i32)] = match language {
        Language::English | Language::Other => &[],
        Language::Unspaced => CHINESE_DAYS,
        _ => language.code().and_then(TimeWords::of).map_or(&[], |words| words.days),
    };
    own(language).iter().copied().chain(days.iter().map(|(word, offset)| (*word, Day(*offset))))
}

/// Returns the phrases of a language without its words for days.
fn own(language: Language) -> Table {
    match language {
        Language::German => GERMAN,
        Language::French => FRENCH,
        Language::Spanish => SPANISH,
        Language::Portuguese => PORTUGUESE,
        Language::Italian => ITALIAN,
        Language::Dutch => DUTCH,
        Language::Unspaced => UNSPACED,
        Language::English | Language::Other => &[],
    }
}

const GERMAN: Table = &[
    // Eight days are a week in German.
    ("heute in acht tagen", Day(7)),
    ("heute in 8 tagen", Day(7)),
    ("heute vor acht tagen", Day(-7)),
    ("heute vor 8 tagen", Day(-7)),
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
];

const FRENCH: Table = &[
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
];

const SPANISH: Table = &[
    ("antier", Day(-2)),
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
];

const PORTUGUESE: Table = &[
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
];

const ITALIAN: Table = &[
    ("l'altro ieri", Day(-2)),
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
];

const DUTCH: Table = &[
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
];

const UNSPACED: Table = &[
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
];
