//! Words for days relative to today, and for units of the calendar, in the languages in which times are read.
//!
//! Words are in lower case, spelled as in their language. Lists only words that every parser of times needs with the same
//! meaning. Parts of a day ("last night"), inflected forms that one parser needs ("Monats"), and words such as "last" and
//! "next" are in the parsers: questions about the past, messages that get dates for their times, and summaries under test
//! need different ones.

use jiff::Unit;

/// Words for days and for units of time in one language, in lower case.
#[derive(Debug)]
pub struct TimeWords {
    /// Words for days, each with its distance from today in days, negative for the past. Some entries have several words:
    /// "antes de ayer".
    pub days: &'static [(&'static str, i32)],
    /// The forms of day, week, month and year, separated by spaces.
    units: [&'static str; 4],
}

/// Chinese words for days, each with its distance from today in days. They are found in text without spaces.
pub const CHINESE_DAYS: &[(&str, i32)] = &[
    ("大前天", -3),
    ("前天", -2),
    ("昨天", -1),
    ("昨日", -1),
    ("昨晚", -1),
    ("今天", 0),
    ("今日", 0),
    ("今晚", 0),
    ("今早", 0),
    ("明天", 1),
    ("明日", 1),
    ("后天", 2),
    ("後天", 2),
    ("大后天", 3),
    ("大後天", 3),
];

impl TimeWords {
    /// Returns the words of a language by its two-letter code: en, de, fr, es, pt, it or nl. Returns `None` for any other
    /// code.
    pub fn of(language: &str) -> Option<&'static TimeWords> {
        LANGUAGES.iter().find(|(code, _)| *code == language).map(|(_, words)| words)
    }

    /// Returns the words of every language, English first.
    pub fn all() -> impl Iterator<Item = &'static TimeWords> {
        LANGUAGES.iter().map(|(_, words)| words)
    }

    /// Returns the words for units, each with its unit: a day, week, month or year.
    pub fn units(&self) -> impl Iterator<Item = (&'static str, Unit)> {
        let units = [Unit::Day, Unit::Week, Unit::Month, Unit::Year];
        self.units.into_iter().zip(units).flat_map(|(words, unit)| words.split(' ').map(move |word| (word, unit)))
    }
}

static LANGUAGES: [(&str, TimeWords); 7] = [
    (
        "en",
        TimeWords {
            days: &[("today", 0), ("tonight", 0), ("yesterday", -1), ("tomorrow", 1)],
            units: ["day days", "week weeks", "month months", "year years"],
        },
    ),
    (
        "de",
        TimeWords {
            days: &[
                ("heute", 0),
                ("gestern", -1),
                ("vorgestern", -2),
                ("vorvorgestern", -3),
                ("morgen", 1),
                ("übermorgen", 2),
            ],
            units: ["tag tage tagen", "woche wochen", "monat monate monaten", "jahr jahre jahren"],
        },
    ),
    (
        "fr",
        TimeWords {
            days: &[("aujourd'hui", 0), ("hier", -1), ("avant-hier", -2), ("demain", 1), ("après-demain", 2)],
            units: ["jour jours", "semaine semaines", "mois", "an ans année années"],
        },
    ),
    (
        "es",
        TimeWords {
            days: &[
                ("hoy", 0),
                ("ayer", -1),
                ("anoche", -1),
                ("anteayer", -2),
                ("antes de ayer", -2),
                ("mañana", 1),
                ("pasado mañana", 2),
            ],
            units: ["día días", "semana semanas", "mes meses", "año años"],
        },
    ),
    (
        "pt",
        TimeWords {
            days: &[("hoje", 0), ("ontem", -1), ("anteontem", -2), ("amanhã", 1), ("depois de amanhã", 2)],
            units: ["dia dias", "semana semanas", "mês meses", "ano anos"],
        },
    ),
    (
        "it",
        TimeWords {
            days: &[("oggi", 0), ("ieri", -1), ("domani", 1), ("dopodomani", 2)],
            units: ["giorno giorni", "settimana settimane", "mese mesi", "anno anni"],
        },
    ),
    (
        "nl",
        TimeWords {
            days: &[("vandaag", 0), ("gisteren", -1), ("eergisteren", -2), ("morgen", 1), ("overmorgen", 2)],
            units: ["dag dagen", "week weken", "maand maanden", "jaar jaren"],
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_return_their_days_and_units() {
        fn check(language: &str, word: &str, day: Option<i32>, unit: Option<Unit>) {
            let words = TimeWords::of(language).unwrap();
            let found = words.days.iter().find(|(known, _)| *known == word).map(|(_, distance)| *distance);
            let of_unit = words.units().find(|(known, _)| *known == word).map(|(_, unit)| unit);
            assert_eq!((found, of_unit), (day, unit), "{word}");
        }
        check("en", "yesterday", Some(-1), None);
        check("en", "weeks", None, Some(Unit::Week));
        check("de", "übermorgen", Some(2), None);
        check("fr", "mois", None, Some(Unit::Month));
        check("es", "años", None, Some(Unit::Year));
        check("nl", "dag", None, Some(Unit::Day));
        check("it", "sempre", None, None);
        assert!(TimeWords::of("zh").is_none());
    }
}
