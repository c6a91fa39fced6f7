//! Reads dates and parts of years in Chinese: "2023年7月", "去年三月", "今年第二季度", "年底", "上半年", "2026/10/14". Pure.

use annals_core::Date;

use super::number;
use crate::times::Part::{Early, Late, Mid};
use crate::times::Token::{self, Year};
use crate::times::calendar::{self, Days};
use crate::times::{Length, Part, tokens};

/// Words for years, each with the number of years back.
const YEARS: [(&str, i16); 4] = [("大前年", 3), ("前年", 2), ("去年", 1), ("今年", 0)];
/// The coming year is read only together with its month.
const NEXT_YEAR: &str = "明年";
const HALVES: [(&str, i16); 2] = [("上半年", 1), ("下半年", 2)];
const THIRDS_OF_YEAR: [(&str, Part); 3] = [("年初", Early), ("年底", Late), ("年末", Late)];
/// Endings of a year: "去年底".
const AFTER_YEAR: [(&str, Part); 3] = [("初", Early), ("底", Late), ("末", Late)];
const THIRDS_OF_MONTH: [(&str, Part); 6] =
    [("初", Early), ("上旬", Early), ("中旬", Mid), ("下旬", Late), ("底", Late), ("末", Late)];
const MONTH: [&str; 2] = ["月份", "月"];
const DAY: [&str; 2] = ["日", "号"];
/// Things that have a number with "号".
const NUMBERED: [char; 10] = ['线', '楼', '房', '门', '院', '机', '店', '桌', '人', '码'];
const CENTURY: [&str; 3] = ["上世纪", "二十世纪", "20世纪"];
const UNTIL: [&str; 4] = ["到", "至", "-", "~"];

/// Reads a date, a year or a part of a year at the beginning of a text: its length and its token.
pub(super) fn read(text: &str, today: Date) -> Option<(usize, Token)> {
    let found = numeric(text)
        .or_else(|| decade(text, today))
        .or_else(|| within(text, None, today))
        .or_else(|| next_year(text, today))
        .or_else(|| day_of_month(text, today));
    found.map(|(length, (first, last))| (length, Token::Days(first, last))).or_else(|| with_year(text, today))
}

/// Reads a year, with a month or part after it: "2023年7月", "去年", "去年底".
fn with_year(text: &str, today: Date) -> Option<(usize, Token)> {
    let (length, year) = year(text, today)?;
    let rest = &text[length..];
    let inner = rest.strip_prefix('的').unwrap_or(rest);
    let Some((more, (first, last))) = within(inner, Some(year), today).or_else(|| end_of_year(inner, year)) else {
        return Some((length, Year(year)));
    };
    Some((text.len() - inner.len() + more, Token::Days(first, last)))
}

fn year(text: &str, today: Date) -> Option<(usize, i16)> {
    let word = YEARS.iter().find(|(word, _)| text.starts_with(word));
    word.map(|(word, back)| (word.len(), today.year() - back))
        .or_else(|| signed(text, &["年"]).filter(|(_, year)| (1900..2100).contains(year)))
}

/// Reads "九十年代", "1990年代", "上世纪九十年代".
fn decade(text: &str, today: Date) -> Option<(usize, Days)> {
    let rest = CENTURY.iter().find_map(|century| text.strip_prefix(century)).unwrap_or(text);
    let (length, first) = signed(rest, &["年代"])?;
    Some((text.len() - rest.len() + length, calendar::decade(first, today)?))
}

/// Reads "2号" as the latest such day, unless the number names a thing, as in "2号线".
fn day_of_month(text: &str, today: Date) -> Option<(usize, Days)> {
    let (length, day) = signed(text, &["号"])?;
    let is_thing = text[length..].starts_with(NUMBERED);
    Some((length, calendar::day_of_month(day, today).filter(|_| !is_thing)?))
}

fn next_year(text: &str, today: Date) -> Option<(usize, Days)> {
    let (length, days) = within(text.strip_prefix(NEXT_YEAR)?, Some(today.year() + 1), today)?;
    Some((NEXT_YEAR.len() + length, days))
}

/// Reads a part of a year: a month, a day, a quarter, a half or a third. Without a year, it is the latest that has begun.
fn within(text: &str, year: Option<i16>, today: Date) -> Option<(usize, Days)> {
    month(text, year, today)
        .or_else(|| quarter(text, year, today))
        .or_else(|| half(text, year, today))
        .or_else(|| third(text, year, today))
}

fn half(text: &str, year: Option<i16>, today: Date) -> Option<(usize, Days)> {
    let (length, half) = listed(text, &HALVES)?;
    Some((length, calendar::part_of_year(Length::Half, half, year, today)?))
}

/// Reads "二季度" or "第二个季度". "二个季度" is a number of quarters.
fn quarter(text: &str, year: Option<i16>, today: Date) -> Option<(usize, Days)> {
    let ordinal = text.strip_prefix('第');
    let signs: &[&str] = if ordinal.is_some() { &["季度", "个季度"] } else { &["季度"] };
    let rest = ordinal.unwrap_or(text);
    let (length, quarter) = signed(rest, signs)?;
    let days = calendar::part_of_year(Length::Quarter, quarter, year, today)?;
    Some((text.len() - rest.len() + length, days))
}

fn third(text: &str, year: Option<i16>, today: Date) -> Option<(usize, Days)> {
    let (length, third) = listed(text, &THIRDS_OF_YEAR)?;
    let days = match year {
        Some(year) => calendar::part(third, calendar::year(year)?),
        None => calendar::latest_part(third, Length::Year, today),
    };
    Some((length, days?))
}

fn end_of_year(text: &str, year: i16) -> Option<(usize, Days)> {
    let (length, third) = listed(text, &AFTER_YEAR)?;
    Some((length, calendar::part(third, calendar::year(year)?)?))
}

/// Reads the end of "月初" and the like.
pub(super) fn third_of_month(text: &str) -> Option<(usize, Part)> {
    listed(text, &THIRDS_OF_MONTH)
}

/// Reads "7月4日", "7月", "7月底", "7月到9月" or "7月4日到6日". Of the month alone ("月底"), it reads the latest part.
fn month(text: &str, year: Option<i16>, today: Date) -> Option<(usize, Days)> {
    if let Some(rest) = text.strip_prefix('月') {
        let (length, third) = third_of_month(rest).filter(|_| year.is_none())?;
        return Some(('月'.len_utf8() + length, calendar::latest_part(third, Length::Month, today)?));
    }
    let (length, number) = signed(text, &MONTH)?;
    let number = i8::try_from(number).ok().filter(|month| (1..=12).contains(month))?;
    let rest = &text[length..];
    if let Some((more, day)) = signed(rest, &DAY) {
        let (last, days) = until_day(&rest[more..], calendar::day(day, number, year, today)?);
        return Some((length + more + last, days));
    }
    let days = calendar::month(number, year, today)?;
    let (more, days) = part_of_month(rest, days).or_else(|| until_month(rest, days)).unwrap_or((0, days));
    Some((length + more, days))
}

fn part_of_month(text: &str, month: Days) -> Option<(usize, Days)> {
    let (length, third) = third_of_month(text)?;
    Some((length, calendar::part(third, month)?))
}

/// Reads a second day of the same month after a day.
fn until_day(text: &str, days: Days) -> (usize, Days) {
    let last = until(text, &DAY).and_then(|(length, last)| Some((length, calendar::days_until(days, last)?)));
    last.unwrap_or((0, days))
}

/// Reads a second month of the same year after a month.
fn until_month(text: &str, (first, _): Days) -> Option<(usize, Days)> {
    let (length, number) = until(text, &MONTH)?;
    if signed(&text[length..], &DAY).is_some() {
        return None;
    }
    let number = i8::try_from(number).ok().filter(|number| (first.month()..=12).contains(number))?;
    let (_, last) = calendar::month(number, Some(first.year()), first)?;
    Some((length, (first, last)))
}

fn until(text: &str, signs: &[&str]) -> Option<(usize, i16)> {
    let mark = UNTIL.into_iter().find(|mark| text.starts_with(mark))?;
    let (length, number) = signed(&text[mark.len()..], signs)?;
    Some((mark.len() + length, number))
}

/// Reads a date in digits: "2026/10/14".
fn numeric(text: &str) -> Option<(usize, Days)> {
    let is_part = |c: char| c.is_ascii_digit() || ['/', '-', '.'].contains(&c);
    let word = &text[..text.find(|c: char| !is_part(c)).unwrap_or(text.len())];
    Some((word.len(), tokens::numeric(word, "zh")?))
}

/// Reads a number and one of the signs after it.
fn signed(text: &str, signs: &[&str]) -> Option<(usize, i16)> {
    let (length, value) = number(text)?;
    let sign = signs.iter().find(|sign| text[length..].starts_with(**sign))?;
    Some((length + sign.len(), value))
}

fn listed<T: Copy>(text: &str, list: &[(&str, T)]) -> Option<(usize, T)> {
    list.iter().find(|(word, _)| text.starts_with(word)).map(|(word, value)| (word.len(), *value))
}
