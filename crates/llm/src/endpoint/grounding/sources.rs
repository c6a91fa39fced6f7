//! What the sources of a summary or statement contain: words, numbers, dates and months. Decides whether they support a claim.

use std::collections::{BTreeSet, HashSet};

use annals_core::{Date, chinese_numerals};
use jiff::{ToSpan, Unit};
use unicode_segmentation::UnicodeSegmentation;

use super::dates::{Dates, Written, month, take_dates, weekday};
use super::numbers::{compound, foreign_word, hours, number_word, numbers};
use super::{Claim, plain, relative};
use crate::endpoint::lines::Line;

/// The longest span in months or years that is counted from the day of a line.
const MAX_SPAN: i64 = 60;

/// What the sources contain, in comparable form.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Words as written, to tell names from words that begin a sentence.
    pub(super) written_words: HashSet<String>,
    words: HashSet<String>,
    numbers: HashSet<String>,
    /// Days of the lines. Dates written in the text are in `written`.
    days: BTreeSet<Date>,
    written: BTreeSet<Written>,
    months: BTreeSet<i8>,
    /// Whether the sources use words such as "tomorrow", from which a day near theirs follows.
    is_relative: bool,
    /// Whether the sources mention weeks, months or years, from which a distant date may follow.
    is_distant: bool,
    /// Whether lines mention months or years, from which another month or year follows: "next month", "three years ago".
    has_months: bool,
    has_years: bool,
    /// Numbers in the text of the lines, which may count months or years: "three years ago".
    counts: HashSet<String>,
}

impl Sources {
    pub(super) fn of(lines: &[&Line]) -> Sources {
        let mut sources = Sources::default();
        for line in lines {
            sources.add(&format!("{}{}", line.head, line.text));
            sources.has_months |= relative::has_unit(&line.text, Unit::Month);
            sources.has_years |= relative::has_unit(&line.text, Unit::Year);
            sources.counts.extend(all_numbers(&line.text));
            for day in [line.days.0, line.days.1] {
                sources.days.insert(day);
                sources.numbers.extend([day.year().to_string(), day.day().to_string()]);
            }
        }
        sources
    }

    /// Adds the other name of each name if the sources contain all words of the name.
    pub(super) fn add_aliases(&mut self, aliases: &[[String; 2]]) {
        for [one, other] in aliases {
            for (held, added) in [(one, other), (other, one)] {
                if held.unicode_words().all(|word| self.words.contains(&plain(word))) {
                    self.words.extend(added.unicode_words().map(plain));
                }
            }
        }
    }

    pub(super) fn add(&mut self, text: &str) {
        let Dates { days, months, .. } = take_dates(text);
        self.written.extend(days);
        self.months.extend(months);
        self.is_relative |= relative::is_relative(text);
        self.is_distant |= relative::is_distant(text);
        self.numbers.extend(all_numbers(text));
        self.numbers.extend(hours(text));
        for word in text.unicode_words() {
            self.written_words.insert(word.to_owned());
            let word = plain(word);
            self.months.extend(month(&word));
            self.words.insert(word);
        }
    }

    pub(super) fn support(&self, claim: &Claim) -> bool {
        match claim {
            Claim::Date(date) => self.contains_date(*date),
            Claim::Month(month) => self.contains_month(*month),
            Claim::Number(number) => self.contains_number(number) || self.implies_year(number),
            Claim::Name(name) => self.contains_name(name),
        }
    }

    /// Returns whether a claim may follow from the sources although it is not in them: a date or a year from "in two years", a
    /// time of the day from its hour.
    pub(super) fn may_imply(&self, claim: &Claim) -> bool {
        match claim {
            Claim::Date(_) | Claim::Month(_) => self.is_distant,
            Claim::Number(number) => match number.split_once(':') {
                Some((hour, _)) => hour.parse::<u32>().is_ok_and(|hour| self.contains_hour(hour)),
                None => self.is_distant && number.len() == 4 && number.starts_with(['1', '2']),
            },
            Claim::Name(_) => false,
        }
    }

    /// Returns whether the sources contain an hour, from 0 to 23, as one of twelve.
    fn contains_hour(&self, hour: u32) -> bool {
        let of_twelve = if hour.is_multiple_of(12) { 12 } else { hour % 12 };
        self.contains_number(&of_twelve.to_string())
    }

    /// Returns whether the sources contain a date, or it can follow from one of their days: within 14 days of it if they use
    /// words such as "tomorrow", "last week", "on Friday", otherwise within one day.
    fn contains_date(&self, date: Written) -> bool {
        let is_same_date = |other: &Written| {
            let same_year = date.year.is_none_or(|year| other.year.is_none_or(|other| other == year));
            date.month == other.month && date.day == other.day && same_year
        };
        let days = if self.is_relative { 14 } else { 1 };
        let near =
            |day: &Date| (-days..=days).any(|days: i64| day.checked_add(days.days()).is_ok_and(|other| date.is(other)));
        self.written.iter().any(is_same_date) || self.days.iter().any(near)
    }

    /// Returns whether the sources name a month, are from it, or imply it: "next month".
    fn contains_month(&self, month: i8) -> bool {
        self.months.contains(&month)
            || self.days.iter().any(|day| day.month() == month)
            || self.written.iter().any(|date| date.month == month)
            || self.has_months && self.days_of_spans(Unit::Month).any(|day| day.month() == month)
    }

    /// Returns whether the sources imply a year: "last year", "three years ago", "next month" in December.
    fn implies_year(&self, number: &str) -> bool {
        let spans = [(self.has_months, Unit::Month), (self.has_years, Unit::Year)];
        number.parse::<i16>().is_ok_and(|year| {
            spans.iter().any(|(has, unit)| *has && self.days_of_spans(*unit).any(|day| day.year() == year))
        })
    }

    /// Returns the days that lie a number of months or years before or after the day of a line. The number is one, or any
    /// number in the lines up to [`MAX_SPAN`].
    fn days_of_spans(&self, unit: Unit) -> impl Iterator<Item = Date> {
        let counted = (1..=MAX_SPAN).filter(|count| *count == 1 || self.counts.contains(&count.to_string()));
        let spans = counted.map(move |count| if unit == Unit::Year { count.years() } else { count.months() });
        spans.flat_map(|span| {
            let around = self.days.iter().flat_map(move |day| [day.checked_add(span), day.checked_sub(span)]);
            around.flatten()
        })
    }

    fn contains_number(&self, number: &str) -> bool {
        self.numbers.contains(number)
    }

    /// Returns whether the sources contain a name literally, or a part or derivation of it: "German" from "Germany". A month is
    /// looked up with [`Sources::contains_month`] too. A weekday is supported if a line is of that day, or if the sources use
    /// words such as "tomorrow".
    fn contains_name(&self, name: &str) -> bool {
        if let Some(month) = month(name) {
            return self.contains_month(month) || self.words.contains(name);
        }
        if weekday(name).is_some() {
            return self.is_relative || self.days.iter().any(|day| weekday(name) == Some(day.weekday()));
        }
        let is_akin = |word: &String| {
            word == name
                || (word.len().min(name.len()) >= 5 && (word.starts_with(name) || name.starts_with(word.as_str())))
        };
        // "Ole300欧元": a number may follow a name without a space.
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
        self.words.contains(name) || self.words.contains(bare) || self.words.iter().any(is_akin)
    }
}

/// Returns the numbers of a text, in digits and in the words of every language that is read.
fn all_numbers(text: &str) -> impl Iterator<Item = String> {
    let words = text.unicode_words().flat_map(|word| [foreign_word(word), number_word(&plain(word))]).flatten();
    let compounds = text.split_whitespace().filter_map(compound);
    let spelled = words.map(|number| number.to_string()).chain(compounds.map(|number| number.to_string()));
    numbers(text).into_iter().chain(chinese_numerals::numbers(text).map(|number| number.to_string())).chain(spelled)
}
