//! Reads dates and times as programs write them in different countries: `14/10/21, 3:34 PM`, `14.10.2021 15:34`, `2021年10月14日
//! 下午3:34`. The order of day and month is decided from all dates of a source. Used by `whatsapp` and `csv`.

use annals_core::{Date, Timestamp};
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;

use super::notes::clock;
use crate::options::DateOrder;

/// A date and time. The order of day and month is not decided yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Written {
    /// The three numbers of the date, in the order of the text.
    fields: [i32; 3],
    /// Whether dots separate the numbers. No country writes the month first with dots.
    is_dotted: bool,
    /// The time; `None` for a date alone.
    pub time: Option<Time>,
}

impl Written {
    /// Returns the date, reading the numbers in this order. A first number above 31 is always read as the year. Returns `None`
    /// if the calendar has no such day.
    pub fn date(&self, order: DateOrder) -> Option<Date> {
        let [a, b, c] = self.fields;
        let (year, month, day) = match order {
            _ if self.is_year_first() => (a, b, c),
            DateOrder::YearMonthDay => (a, b, c),
            DateOrder::DayMonthYear => (c, b, a),
            DateOrder::MonthDayYear => (c, a, b),
        };
        let year = match year {
            0..=99 => 2000 + year,
            // Years of the Thai calendar, which is 543 years ahead.
            2400..=2700 => year - 543,
            _ => year,
        };
        Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
    }

    /// Returns the instant, reading the date in this order; noon if there is no time of day. Returns `None` if there is no such
    /// day or the instant is out of range.
    pub fn instant(&self, order: DateOrder, zone: &TimeZone) -> Option<Timestamp> {
        let time = self.time.or_else(|| Time::new(12, 0, 0, 0).ok())?;
        clock::instant(DateTime::from_parts(self.date(order)?, time), zone)
    }

    fn is_year_first(&self) -> bool {
        self.fields[0] > 31
    }
}

/// Collects the dates of a source and decides the order of day and month.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    day_first: u64,
    month_first: u64,
    is_ambiguous: bool,
    /// The last date that was added, read in both orders.
    last: [Option<Date>; 2],
    back: [u64; 2],
}

const BOTH: [DateOrder; 2] = [DateOrder::DayMonthYear, DateOrder::MonthDayYear];

impl Orders {
    /// Counts what a date shows about the order of day and month.
    pub fn add(&mut self, written: &Written) {
        let [a, b, _] = written.fields;
        if written.is_year_first() {
            return;
        }
        self.day_first += u64::from((a > 12 || written.is_dotted) && b <= 12);
        self.month_first += u64::from(b > 12 && a <= 12);
        self.is_ambiguous |= a != b;
        for (index, order) in BOTH.into_iter().enumerate() {
            let Some(date) = written.date(order) else { continue };
            self.back[index] += u64::from(self.last[index].is_some_and(|last| date < last));
            self.last[index] = Some(date);
        }
    }

    /// Returns whether any date differs between day first and month first.
    pub fn is_shown(&self) -> bool {
        self.is_ambiguous
    }

    /// Returns the order that the dates show: by numbers above 12 or dots, or else because the dates go back more often in the
    /// other order. Returns day first if no date is ambiguous, and `None` if the dates do not show the order.
    pub fn decide(&self) -> Option<DateOrder> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match (self.day_first.cmp(&self.month_first), self.back[0].cmp(&self.back[1])) {
            (Greater, _) | (Equal, Less) => Some(DateOrder::DayMonthYear),
            (Less, _) | (Equal, Greater) => Some(DateOrder::MonthDayYear),
            (Equal, Equal) if !self.is_ambiguous => Some(DateOrder::DayMonthYear),
            (Equal, Equal) => None,
        }
    }
}

/// Reads a date and an optional time at the beginning of a text. Returns them with the rest of the text, or `None` without a
/// date.
pub fn leading(text: &str) -> Option<(Written, &str)> {
    let mut cursor = Cursor { rest: text };
    let fields = cursor.date()?;
    let is_dotted = text.chars().find(|c| digit(*c).is_none()) == Some('.');
    let date = Written { fields, is_dotted, time: None };
    let after_date = cursor.rest;
    match cursor.time() {
        Some(time) => Some((Written { time: Some(time), ..date }, cursor.rest)),
        None => Some((date, after_date)),
    }
}

struct Cursor<'t> {
    rest: &'t str,
}

impl<'t> Cursor<'t> {
    fn date(&mut self) -> Option<[i32; 3]> {
        let mut fields = [0; 3];
        for (index, field) in fields.iter_mut().enumerate() {
            *field = self.number(if index == 1 { 2 } else { 4 })?;
            let separators: &[char] =
                if index == 2 { &['日', '일', '.'] } else { &['/', '.', '-', '年', '月', '년', '월'] };
            let has_separator = self.eat(separators);
            if index < 2 && !has_separator {
                return None;
            }
            if index < 2 {
                self.spaces();
            }
        }
        Some(fields)
    }

    /// Reads a time after a date. Skips a comma and a word such as "at" before the time; AM or PM may come before or after it.
    /// Returns `None` if no time follows.
    fn time(&mut self) -> Option<Time> {
        self.eat(&[',', '،', 'T']);
        self.spaces();
        let before = self.word();
        self.spaces();
        let hour = i8::try_from(self.number(2)?).ok()?;
        if !self.eat(&[':', '.']) {
            return None;
        }
        let minute = i8::try_from(self.number(2)?).ok()?;
        let mut second = 0;
        let mut ahead = Cursor { rest: self.rest };
        if ahead.eat(&[':', '.'])
            && let Some(found) = ahead.number(2)
        {
            (second, self.rest) = (i8::try_from(found).ok()?, ahead.rest);
        }
        let mut ahead = Cursor { rest: self.rest };
        ahead.spaces();
        let behind = ahead.word();
        let afternoon = half_of_day(&behind);
        if afternoon.is_some() {
            self.rest = ahead.rest;
        }
        let hour = match afternoon.or(half_of_day(&before)) {
            Some(afternoon) => clock::twelve_hours(hour, afternoon)?,
            None => hour,
        };
        Time::new(hour, minute, second, 0).ok()
    }

    fn number(&mut self, most: usize) -> Option<i32> {
        let digits: Vec<i32> = self.rest.chars().map_while(digit).take(most + 1).collect();
        if digits.is_empty() || digits.len() > most {
            return None;
        }
        let bytes: usize = self.rest.chars().take(digits.len()).map(char::len_utf8).sum();
        self.rest = &self.rest[bytes..];
        Some(digits.into_iter().fold(0, |number, digit| number * 10 + digit))
    }

    fn eat(&mut self, chars: &[char]) -> bool {
        let rest = self.rest.strip_prefix(chars);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn spaces(&mut self) {
        self.rest = self.rest.trim_start_matches(is_space);
    }

    /// Reads a short word with its dots and the spaces after them: `PM`, `p. m.`, `à`, `下午`.
    fn word(&mut self) -> String {
        let mut word = String::new();
        let mut end = 0;
        for (at, c) in self.rest.char_indices() {
            let follows_dot = word.ends_with('.') && is_space(c);
            let is_mark = matches!(c, '\u{200e}' | '\u{200f}');
            if !(c.is_alphabetic() || is_combining(c) || c == '.' || follows_dot || is_mark)
                || word.chars().count() > 12
            {
                break;
            }
            if !follows_dot && !is_mark {
                word.push(c);
                end = at + c.len_utf8();
            }
        }
        self.rest = &self.rest[end..];
        word.retain(|c| c != '.');
        word
    }
}

/// Returns whether a character combines with the letter before it, as in Hindi.
fn is_combining(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036f}' | '\u{0900}'..='\u{0963}')
}

/// Returns whether a character is a space that programs write between the parts of a time, such as a narrow or non-breaking
/// space.
pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

/// Returns the value of a decimal digit in one of the scripts in which phones write times; `None` for other characters.
fn digit(c: char) -> Option<i32> {
    let zero = match c {
        '0'..='9' => '0',
        '\u{660}'..='\u{669}' => '\u{660}',
        '\u{6f0}'..='\u{6f9}' => '\u{6f0}',
        '\u{966}'..='\u{96f}' => '\u{966}',
        '\u{9e6}'..='\u{9ef}' => '\u{9e6}',
        _ => return None,
    };
    i32::try_from(u32::from(c) - u32::from(zero)).ok()
}

/// Returns `true` if a word means PM, `false` if it means AM, and `None` for other words.
fn half_of_day(word: &str) -> Option<bool> {
    const MORNING: [&str; 13] = ["am", "a", "ص", "上午", "오전", "午前", "πμ", "पूर्वाह्न", "sa", "öö", "de", "dop", "fm"];
    const AFTERNOON: [&str; 13] =
        ["pm", "p", "م", "下午", "오후", "午後", "μμ", "अपराह्न", "ch", "ös", "du", "odp", "em"];
    let word = word.to_lowercase();
    let has = |words: &[&str]| words.contains(&word.as_str());
    if has(&AFTERNOON) { Some(true) } else { has(&MORNING).then_some(false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str, rest: &str) {
        let (written, found) = leading(text).unwrap();
        assert_eq!(written.instant(DateOrder::DayMonthYear, &TimeZone::UTC).unwrap().to_string(), expect);
        assert_eq!(found, rest, "{text}");
    }

    #[test]
    fn dates_of_many_countries_are_read() {
        check("14/10/2021, 3:34:09\u{202f}PM] x", "2021-10-14T15:34:09Z", "] x");
        check("14.10.21, 15:34 - x", "2021-10-14T15:34:00Z", " - x");
        check("14.10.2021 klo 15.34 - x", "2021-10-14T15:34:00Z", " - x");
        check("14/10/2021 à 15:34 - x", "2021-10-14T15:34:00Z", " - x");
        check("14/10/21, 3:34 p.\u{202f}m. - x", "2021-10-14T15:34:00Z", " - x");
        check("14-10-21 12:10 a. m. - x", "2021-10-14T00:10:00Z", " - x");
        check("١٤/١٠/٢٠٢١، ٣:٣٤ م - x", "2021-10-14T15:34:00Z", " - x");
        check("2021/10/14 下午3:34 - x", "2021-10-14T15:34:00Z", " - x");
        check("2021년 10월 14일 오후 3:34, x", "2021-10-14T15:34:00Z", ", x");
        check("2021-10-14T15:34:09", "2021-10-14T15:34:09Z", "");
        check("14/10/2564 15:34 - x", "2021-10-14T15:34:00Z", " - x");
        check("14/10/2021 - x", "2021-10-14T12:00:00Z", " - x");
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in ["", "14", "14/10", "14/x/2021", "20211014", "1/123/2021", "call 14/10/2021", "14/10/20211"] {
            assert_eq!(leading(text), None, "{text}");
        }
        let impossible = leading("31/02/21, 15:34").unwrap().0;
        assert_eq!(impossible.instant(DateOrder::DayMonthYear, &TimeZone::UTC), None);
    }

    #[track_caller]
    fn check_order(dates: &[&str], expect: Option<DateOrder>) {
        let mut orders = Orders::default();
        dates.iter().for_each(|date| orders.add(&leading(date).unwrap().0));
        assert_eq!(orders.decide(), expect, "{dates:?}");
    }

    #[test]
    fn order_is_decided_over_all_dates() {
        check_order(&["1/2/22", "13/2/22"], Some(DateOrder::DayMonthYear));
        check_order(&["1/2/22", "1/13/22"], Some(DateOrder::MonthDayYear));
        check_order(&["3/1/22", "4/1/22", "1/2/22"], Some(DateOrder::DayMonthYear));
        check_order(&["1/30/22", "1/31/22", "2/1/22", "30/1/22"], Some(DateOrder::MonthDayYear));
        check_order(&["1.2.22", "2.2.22"], Some(DateOrder::DayMonthYear));
        check_order(&["1/2/22", "2/2/22"], None);
        check_order(&["5/5/22"], Some(DateOrder::DayMonthYear));
        check_order(&["2022-01-02"], Some(DateOrder::DayMonthYear));
        check_order(&[], Some(DateOrder::DayMonthYear));
    }
}
