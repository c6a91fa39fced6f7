//! Counts names, numbers and dates in a summary that none of its sources contains.
//!
//! The count is stored with the summary as a hint for people; it rejects nothing. English number words and months are recognised.
//! In other languages names and digits are compared literally; in German, where every noun is capitalised, only digits.

mod dates;
mod numbers;

use std::collections::{BTreeSet, HashSet};

use annals_core::{Date, entity_key};
use jiff::ToSpan;
use unicode_segmentation::UnicodeSegmentation;

use dates::{Written, month, take_dates, weekday};
use numbers::{compound, hours, number_word, numbers};

use super::lines::Line;
use super::sentences::CitedSentence;

/// Counts the different names, numbers and dates of the sentences that no line contains.
pub(super) fn ungrounded(drafted: &[CitedSentence], lines: &[Line], has_names: bool) -> u32 {
    let sources = Sources::of(lines);
    let mut found: HashSet<String> = HashSet::new();
    for sentence in drafted {
        let (rest, dates) = take_dates(&sentence.text);
        found.extend(dates.into_iter().filter(|date| !sources.holds_date(*date)).map(|date| format!("{date:?}")));
        found.extend(numbers(&rest).into_iter().filter(|number| !sources.holds_number(number)));
        if has_names {
            found.extend(names(&rest).into_iter().filter(|name| !sources.holds_name(name)));
        }
    }
    u32::try_from(found.len()).unwrap_or(u32::MAX)
}

/// Everything that the sources contain.
#[derive(Debug, Default)]
struct Sources {
    words: HashSet<String>,
    numbers: HashSet<String>,
    /// Days of the lines. Dates written in the text are in `written`.
    days: BTreeSet<Date>,
    written: BTreeSet<Written>,
    /// Whether the sources use relative dates, from which other days follow.
    is_relative: bool,
}

impl Sources {
    fn of(lines: &[Line]) -> Sources {
        let mut sources = Sources::default();
        for line in lines {
            sources.add(&format!("{}{}", line.head, line.text));
            for day in [line.days.0, line.days.1] {
                sources.days.insert(day);
                sources.numbers.extend([day.year().to_string(), day.day().to_string()]);
            }
        }
        sources
    }

    fn add(&mut self, text: &str) {
        let (_, dates) = take_dates(text);
        self.written.extend(dates);
        self.numbers.extend(numbers(text));
        self.numbers.extend(hours(text));
        for word in text.unicode_words() {
            let word = plain(word);
            self.numbers.extend(number_word(&word).map(|number| number.to_string()));
            self.is_relative |= RELATIVE.contains(&word.as_str()) || weekday(&word).is_some();
            self.words.insert(word);
        }
        self.numbers.extend(text.split_whitespace().filter_map(compound).map(|number| number.to_string()));
    }

    /// Returns whether the sources contain a date, or it can follow from one of their days: within 14 days of it if they use
    /// words such as "tomorrow", "last week", "on Friday", else within one day.
    fn holds_date(&self, date: Written) -> bool {
        let is_same_date = |other: &Written| {
            let same_year = date.year.is_none_or(|year| other.year.is_none_or(|other| other == year));
            date.month == other.month && date.day == other.day && same_year
        };
        let days = if self.is_relative { 14 } else { 1 };
        let near =
            |day: &Date| (-days..=days).any(|days: i64| day.checked_add(days.days()).is_ok_and(|other| date.is(other)));
        self.written.iter().any(is_same_date) || self.days.iter().any(near)
    }

    fn holds_number(&self, number: &str) -> bool {
        self.numbers.contains(number)
    }

    /// Returns whether the sources contain a name literally, or a part or derivation of it: "German" from "Germany".
    fn holds_name(&self, name: &str) -> bool {
        if let Some(month) = month(name) {
            return self.days.iter().any(|day| day.month() == month)
                || self.written.iter().any(|date| date.month == month)
                || self.words.contains(name);
        }
        if weekday(name).is_some() {
            return self.is_relative || self.days.iter().any(|day| weekday(name) == Some(day.weekday()));
        }
        let is_akin = |word: &String| {
            word == name
                || (word.len().min(name.len()) >= 5 && (word.starts_with(name) || name.starts_with(word.as_str())))
        };
        self.words.contains(name) || self.words.iter().any(is_akin)
    }
}

/// Words that refer to a day relative to the day on which they are used.
const RELATIVE: [&str; 10] =
    ["today", "tomorrow", "yesterday", "tonight", "next", "last", "ago", "week", "weekend", "days"];

/// Returns a word in comparable form: without case, accents and genitive.
fn plain(word: &str) -> String {
    let key = entity_key(&word.replace('’', "'"));
    key.strip_suffix("'s").map(str::to_owned).unwrap_or(key)
}

/// Returns capitalised words that do not begin a sentence, in comparable form.
fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut begins = true;
    for piece in text.split_word_bounds() {
        if piece.starts_with(['.', '!', '?', ':', '“', '"', '…', '\n', '«']) {
            begins = true;
        } else if piece.starts_with(char::is_alphanumeric) {
            let is_name = piece.starts_with(char::is_uppercase) && piece.chars().count() > 1;
            if is_name && !begins && !piece.starts_with("I'") && !piece.starts_with("I’") {
                names.push(plain(piece));
            }
            begins = false;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts for a summary of a message from 4 March 2026, a Wednesday.
    fn count(summary: &str, source: &str) -> u32 {
        let day = jiff::civil::date(2026, 3, 4);
        let line = |text: &str| Line {
            head: "09:30 Ann: ".into(),
            text: text.into(),
            days: (day, day),
            from: Vec::new(),
            group: String::new(),
        };
        let drafted = CitedSentence { text: summary.into(), day, is_of_one_day: true, from: Vec::new() };
        ungrounded(&[drafted], &[line(source)], true)
    }

    #[test]
    fn content_of_the_sources_is_grounded() {
        fn check(summary: &str, source: &str) {
            assert_eq!(count(summary, source), 0, "{summary} / {source}");
        }
        check("Yesterday Ann met José in São Paulo.", "met jose in Sao Paulo");
        check("It was Ann's flat.", "my flat");
        check("Ann came 2nd.", "I came second!");
        check("She has 2 cats and 25 fish.", "two cats, twenty-five fish");
        check("It cost 1000 euros, then 2.5 more.", "€1,000 and 2,50 more");
        check("They met at 14:00.", "see you at 2 pm");
        check("They met at 9:30.", "now!");
        check("Ann moved on 4 March.", "I moved");
        check("Ann moved on March 4th, 2026.", "I moved today");
        check("On 2026-03-05 Ann moves.", "tomorrow I move");
        check("She will move on 2026-03-13.", "I move next Friday");
        check("The party was on 12 May 2019.", "it was on 2019-05-12");
        check("The party was on May 12.", "it was on the 12th of May");
        check("In March the Germans came.", "the german guests");
        check("On Wednesday it rained.", "rain");
        check("They saw German films on a Friday.", "we watch films from Germany, on friday");
        check("She said: The Moon is far. Nobody minds.", "moon is far");
        check("", "");
    }

    #[test]
    fn content_missing_from_the_sources_is_counted() {
        fn check(summary: &str, source: &str, expect: u32) {
            assert_eq!(count(summary, source), expect, "{summary} / {source}");
        }
        check("Then Ann met Bob.", "met somebody", 1);
        check("Then Bob met Bob.", "met somebody", 1);
        check("Ann flew to New York.", "flew away", 2);
        check("It cost 300 euros.", "it cost 30 euros", 1);
        check("On 2026-05-17 Ann moved.", "I moved", 1);
        check("Ann moved on 17 May 2026.", "I move on 17 May 2025", 1);
        check("Ann moved on 17 May 2026 with 3 cats and Tom.", "I moved", 3);
        check("It was in July.", "it was in june", 1);
        check("On Sunday it rained.", "rain", 1);
        check("She came 3rd.", "I came second", 1);
        // The first word of a sentence may or may not be a name, so it is not counted.
        check("Bob came.", "somebody came", 0);
    }

    #[test]
    fn german_nouns_are_not_counted_as_names() {
        let day = jiff::civil::date(2026, 3, 4);
        let text = "Sie kauft ein Haus für 300 Euro.".to_owned();
        let drafted = CitedSentence { text, day, is_of_one_day: true, from: Vec::new() };
        assert_eq!(ungrounded(&[drafted], &[], false), 1);
    }
}
