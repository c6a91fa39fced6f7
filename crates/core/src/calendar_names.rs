//! Names of months and weekdays in the languages that parsers of dates understand.
//!
//! Names are in lower case, spelled as in their language. Irregular short forms ("Sept.", "Tues") and regional names
//! ("Jänner") are not listed: each parser of dates has its own. Chinese is not listed, because it numbers its months and all
//! weekdays except Sunday.

use jiff::civil::Weekday;

/// The signs of the weekdays from Monday to Sunday in Chinese, as in "周一".
pub const CHINESE_WEEKDAYS: [char; 7] = ['一', '二', '三', '四', '五', '六', '日'];

/// The full names of months and weekdays in one language, in lower case.
#[derive(Debug, PartialEq, Eq)]
pub struct CalendarNames {
    /// From January to December.
    pub months: [&'static str; 12],
    /// From Monday to Sunday.
    pub weekdays: [&'static str; 7],
}

impl CalendarNames {
    /// The English names. They are also the first that [`CalendarNames::all`] returns.
    pub const ENGLISH: CalendarNames = CalendarNames {
        months: [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ],
        weekdays: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    };

    /// Returns the names of a language by its two-letter code: en, de, fr, es, pt, it or nl. Returns `None` for any other
    /// code.
    pub fn of(language: &str) -> Option<&'static CalendarNames> {
        let (_, names) = LANGUAGES.iter().find(|(code, _)| *code == language)?;
        Some(names)
    }

    /// Returns the names of every language, English first.
    pub fn all() -> impl Iterator<Item = &'static CalendarNames> {
        LANGUAGES.iter().map(|(_, names)| names)
    }

    /// Returns the number of a month, counted from 1, by its name in lower case; `None` if no month has this name.
    pub fn month(&self, name: &str) -> Option<i8> {
        let index = self.months.iter().position(|month| *month == name)?;
        i8::try_from(index + 1).ok()
    }

    /// Returns the number, counted from 1, of the first month whose name begins with `letters`, as in `jan` or `janu`. The
    /// letters must be in lower case.
    pub fn month_beginning_with(&self, letters: &str) -> Option<i8> {
        let index = self.months.iter().position(|month| month.starts_with(letters))?;
        i8::try_from(index + 1).ok()
    }

    /// Returns a weekday by its name in lower case; `None` if no weekday has this name.
    pub fn weekday(&self, name: &str) -> Option<Weekday> {
        let index = self.weekdays.iter().position(|weekday| *weekday == name)?;
        Weekday::from_monday_zero_offset(i8::try_from(index).ok()?).ok()
    }
}

static LANGUAGES: [(&str, CalendarNames); 7] = [
    ("en", CalendarNames::ENGLISH),
    (
        "de",
        CalendarNames {
            months: [
                "januar",
                "februar",
                "märz",
                "april",
                "mai",
                "juni",
                "juli",
                "august",
                "september",
                "oktober",
                "november",
                "dezember",
            ],
            weekdays: ["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"],
        },
    ),
    (
        "fr",
        CalendarNames {
            months: [
                "janvier",
                "février",
                "mars",
                "avril",
                "mai",
                "juin",
                "juillet",
                "août",
                "septembre",
                "octobre",
                "novembre",
                "décembre",
            ],
            weekdays: ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
        },
    ),
    (
        "es",
        CalendarNames {
            months: [
                "enero",
                "febrero",
                "marzo",
                "abril",
                "mayo",
                "junio",
                "julio",
                "agosto",
                "septiembre",
                "octubre",
                "noviembre",
                "diciembre",
            ],
            weekdays: ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
        },
    ),
    (
        "pt",
        CalendarNames {
            months: [
                "janeiro",
                "fevereiro",
                "março",
                "abril",
                "maio",
                "junho",
                "julho",
                "agosto",
                "setembro",
                "outubro",
                "novembro",
                "dezembro",
            ],
            weekdays: [
                "segunda-feira",
                "terça-feira",
                "quarta-feira",
                "quinta-feira",
                "sexta-feira",
                "sábado",
                "domingo",
            ],
        },
    ),
    (
        "it",
        CalendarNames {
            months: [
                "gennaio",
                "febbraio",
                "marzo",
                "aprile",
                "maggio",
                "giugno",
                "luglio",
                "agosto",
                "settembre",
                "ottobre",
                "novembre",
                "dicembre",
            ],
            weekdays: ["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"],
        },
    ),
    (
        "nl",
        CalendarNames {
            months: [
                "januari",
                "februari",
                "maart",
                "april",
                "mei",
                "juni",
                "juli",
                "augustus",
                "september",
                "oktober",
                "november",
                "december",
            ],
            weekdays: ["maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"],
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_return_their_numbers() {
        fn check(language: &str, name: &str, month: Option<i8>, weekday: Option<Weekday>) {
            let names = CalendarNames::of(language).unwrap();
            assert_eq!((names.month(name), names.weekday(name)), (month, weekday), "{name}");
        }
        check("en", "january", Some(1), None);
        check("de", "dezember", Some(12), None);
        check("fr", "août", Some(8), None);
        check("es", "miércoles", None, Some(Weekday::Wednesday));
        check("it", "domenica", None, Some(Weekday::Sunday));
        check("en", "noon", None, None);
        assert_eq!(CalendarNames::of("zh"), None);
    }

    #[test]
    fn beginnings_of_months_return_their_numbers() {
        fn check(letters: &str, expect: Option<i8>) {
            assert_eq!(CalendarNames::ENGLISH.month_beginning_with(letters), expect, "{letters}");
        }
        check("mar", Some(3));
        check("may", Some(5));
        check("sept", Some(9));
        check("septem", Some(9));
        check("sap", None);
    }

    #[test]
    fn names_of_a_language_are_distinct_and_in_lower_case() {
        for (language, names) in &LANGUAGES {
            let all: std::collections::BTreeSet<&str> = names.months.into_iter().chain(names.weekdays).collect();
            assert_eq!(all.len(), 19, "{language}");
            assert!(all.iter().all(|name| *name == name.to_lowercase()), "{language}");
        }
    }
}
