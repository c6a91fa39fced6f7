//! Translates dates of a language to the English words that `rules/dates.rs` reads.

use annals_core::CalendarNames;
use regex::Regex;

use super::super::grammar::capitalised;

/// Returns the date patterns of a language, each with its English words: those of its list, then weekdays, calendar days and
/// months. `weekday` is the pattern around the name of a weekday; `before` is a pattern of the words that precede a day or a
/// month.
pub(super) fn compiled(
    list: &[(&str, &str)],
    names: &CalendarNames,
    weekday: &str,
    before: &str,
) -> Vec<(Regex, String)> {
    let english = CalendarNames::ENGLISH;
    let mut dates: Vec<(Regex, String)> =
        list.iter().map(|(date, english)| (word(date), (*english).to_owned())).collect();
    for (name, english) in names.weekdays.iter().zip(english.weekdays.map(capitalised)) {
        dates.push((word(&weekday.replace("{weekday}", name)), format!("on {english}")));
    }
    for (month, english) in names.months.iter().zip(english.months.map(capitalised)) {
        dates.push((
            word(&format!(r"{before}(?P<day>\d{{1,2}})\.?(?: de)? {month}(?:(?: de)? (?P<year>\d{{4}}))?")),
            format!("on $day {english} $year"),
        ));
        dates.push((word(&format!(r"{before}{month}(?:(?: de)? (?P<year>\d{{4}}))?")), format!("in {english} $year")));
    }
    dates
}

fn word(pattern: &str) -> Regex {
    Regex::new(&format!(r"(?i)(?:^|\b)(?:{pattern})(?:\b|$)")).expect("a date of a language is valid")
}
