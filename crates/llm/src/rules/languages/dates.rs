//! Translates dates of a language to the English words that `rules/dates.rs` reads.

use regex::Regex;

/// Returns the date patterns of a language: those of its list, then calendar days and months, with the words `before` that may
/// precede them.
pub(super) fn compiled(list: &[(&str, &'static str)], months: &[&str; 12], before: &str) -> Vec<(Regex, &'static str)> {
    let mut dates: Vec<(Regex, &'static str)> = list.iter().map(|(date, english)| (word(date), *english)).collect();
    for (month, (of_day, of_month)) in months.iter().zip(ENGLISH) {
        dates.push((
            word(&format!(r"{before}?(?P<day>\d{{1,2}})\.?(?: de)? {month}(?:(?: de)? (?P<year>\d{{4}}))?")),
            of_day,
        ));
        dates.push((word(&format!(r"{before}{month}(?:(?: de)? (?P<year>\d{{4}}))?")), of_month));
    }
    dates
}

fn word(pattern: &str) -> Regex {
    Regex::new(&format!(r"(?i)(?:^|\b)(?:{pattern})(?:\b|$)")).expect("a date of a language is valid")
}

/// English for a day of a month, and for a month.
const ENGLISH: [(&str, &str); 12] = [
    ("on $day January $year", "in January $year"),
    ("on $day February $year", "in February $year"),
    ("on $day March $year", "in March $year"),
    ("on $day April $year", "in April $year"),
    ("on $day May $year", "in May $year"),
    ("on $day June $year", "in June $year"),
    ("on $day July $year", "in July $year"),
    ("on $day August $year", "in August $year"),
    ("on $day September $year", "in September $year"),
    ("on $day October $year", "in October $year"),
    ("on $day November $year", "in November $year"),
    ("on $day December $year", "in December $year"),
];
