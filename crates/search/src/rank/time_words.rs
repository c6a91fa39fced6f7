//! Detects English words for times in a text. Pure.

use annals_core::{CalendarNames, spaced};

/// Words for times other than names of months and weekdays.
const TIMES: [&str; 19] = [
    "yesterday",
    "today",
    "tonight",
    "tomorrow",
    "last",
    "next",
    "ago",
    "week",
    "weekend",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "recently",
    "morning",
    "evening",
    "summer",
    "winter",
];

/// Returns whether the text contains a word for a time, such as "yesterday", the name of a month or weekday, or a year.
pub(super) fn says_a_time(text: &str) -> bool {
    spaced(text).split(' ').any(|word| TIMES.contains(&word) || is_calendar_name(word) || is_year(word))
}

fn is_calendar_name(word: &str) -> bool {
    let CalendarNames { months, weekdays } = &CalendarNames::ENGLISH;
    months.contains(&word) || weekdays.contains(&word)
}

fn is_year(word: &str) -> bool {
    word.len() == 4
        && (word.starts_with("19") || word.starts_with("20"))
        && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_times_and_years_are_found() {
        fn check(text: &str, expect: bool) {
            assert_eq!(says_a_time(text), expect, "{text:?}");
        }
        check("We went last Friday!", true);
        check("In 2019 we moved", true);
        check("It lasted, weekly", false);
        check("Room 3019", false);
    }
}
