//! Reads times in Chinese, which has no spaces between words: "上个月", "2023年7月", "三天前", "上周二". Pure.

use annals_core::Date;
use jiff::ToSpan;

use super::Holiday::{Christmas, NewYear};
use super::Length::{Day, Month, Quarter, Week, Weekend, Year};
use super::Season::{Autumn, Spring, Summer, Winter};
use super::Token::{
    Ago, DayBeforeYesterday, Filler, Holiday, Last, Number, Other, Season, Since, This, Today, Unit, Weekday, Yesterday,
};
use super::{Token, Word, calendar};

/// Words with their tokens. The first entry that matches is taken, so longer entries come before their beginnings.
const WORDS: &[(&str, Token)] = &[
    ("圣诞节", Holiday(Christmas)),
    ("前天", DayBeforeYesterday),
    ("昨天", Yesterday),
    ("昨日", Yesterday),
    ("今天", Today),
    ("今日", Today),
    ("周末", Unit(Weekend)),
    ("圣诞", Holiday(Christmas)),
    ("元旦", Holiday(NewYear)),
    ("季度", Unit(Quarter)),
    ("春天", Season(Spring)),
    ("春季", Season(Spring)),
    ("夏天", Season(Summer)),
    ("夏季", Season(Summer)),
    ("秋天", Season(Autumn)),
    ("秋季", Season(Autumn)),
    ("冬天", Season(Winter)),
    ("冬季", Season(Winter)),
    ("过去", Last),
    ("最近", Last),
    ("自从", Since),
    ("星期", Unit(Week)),
    ("礼拜", Unit(Week)),
    ("上个", Last),
    ("这个", This),
    ("上", Last),
    ("本", This),
    ("这", This),
    ("周", Unit(Week)),
    ("月", Unit(Month)),
    ("年", Unit(Year)),
    ("天", Unit(Day)),
    ("日", Unit(Day)),
    ("号", Unit(Day)),
    ("前", Ago),
    ("个", Filler),
    ("的", Filler),
];
const DIGITS: [char; 10] = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// Splits a text without spaces into tokens and appends them to `words`.
pub(super) fn read<'a>(text: &'a str, today: Date, words: &mut Vec<Word<'a>>) {
    let mut rest = text;
    while !rest.is_empty() {
        let (length, token) = date(rest, today).or_else(|| relative(rest, today)).unwrap_or_else(|| next(rest));
        words.push(Word { text: &rest[..length], token });
        rest = &rest[length..];
    }
}

fn next(text: &str) -> (usize, Token) {
    if let Some((length, value)) = number(text) {
        return (length, Number(value));
    }
    let known = WORDS.iter().find(|(word, _)| text.starts_with(word));
    known.map_or_else(|| (text.chars().next().map_or(1, char::len_utf8), Other), |(word, token)| (word.len(), *token))
}

/// Reads "2023年7月4日", "2023年7月", "2023年", "7月4日" or "7月": each part is a number and the character of its unit.
fn date(text: &str, today: Date) -> Option<(usize, Token)> {
    let part = |text: &str, signs: &[&str]| {
        let (length, value) = number(text)?;
        let sign = signs.iter().find(|sign| text[length..].starts_with(**sign))?;
        Some((length + sign.len(), value))
    };
    let year = part(text, &["年"]).filter(|(_, year)| (1900..2100).contains(year));
    let at_month = year.map_or(0, |(length, _)| length);
    let month = part(&text[at_month..], &["月"]).filter(|(_, month)| (1..=12).contains(month));
    let at_day = at_month + month.map_or(0, |(length, _)| length);
    let day = month.and_then(|_| part(&text[at_day..], &["日", "号"]));
    let year_number = year.map(|(_, year)| year);
    let (length, days) = match (month, day) {
        (Some((_, month)), Some((length, day))) => {
            (at_day + length, calendar::day(day, i8::try_from(month).ok()?, year_number, today)?)
        }
        (Some((_, month)), None) => (at_day, calendar::month(i8::try_from(month).ok()?, year_number, today)?),
        (None, _) => (at_month, calendar::around(Year, Date::new(year_number?, 1, 1).ok()?)?),
    };
    Some((length, Token::Days(days.0, days.1)))
}

/// Reads "去年", "前年", "今年", "上周二", "星期三": forms that the patterns of tokens do not cover.
fn relative(text: &str, today: Date) -> Option<(usize, Token)> {
    for (word, back) in [("去年", 1), ("前年", 2), ("今年", 0)] {
        if text.starts_with(word) {
            let (first, last) = calendar::back(Year, back, today)?;
            return Some((word.len(), Token::Days(first, last)));
        }
    }
    let weeks = [("上个", Some(1)), ("上", Some(1)), ("这个", Some(0)), ("这", Some(0)), ("本", Some(0)), ("", None)];
    weeks.into_iter().find_map(|(which, back)| {
        let (length, weekday) = weekday_sign(text.strip_prefix(which)?)?;
        let token = match back {
            Some(back) => {
                let (monday, _) = calendar::back(Week, back, today)?;
                let day = monday.checked_add(i64::from(weekday).days()).ok()?;
                Token::Days(day, day)
            }
            None => Weekday(weekday),
        };
        Some((which.len() + length, token))
    })
}

/// Reads "周一" or "星期天".
fn weekday_sign(text: &str) -> Option<(usize, i8)> {
    ["星期", "礼拜", "周"].into_iter().find_map(|sign| {
        let day = text.strip_prefix(sign)?.chars().next()?;
        Some((sign.len() + day.len_utf8(), weekday(day)?))
    })
}

fn weekday(sign: char) -> Option<i8> {
    let index = ['一', '二', '三', '四', '五', '六', '日'].iter().position(|day| *day == sign);
    let index = if sign == '天' { Some(6) } else { index };
    index.and_then(|index| i8::try_from(index).ok())
}

/// Reads digits, or Chinese numerals up to ninety-nine.
fn number(text: &str) -> Option<(usize, i16)> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 {
        return Some((digits, text[..digits].parse().ok()?));
    }
    let signs: Vec<char> = text.chars().take_while(|c| digit(*c).is_some() || *c == '十').collect();
    let length = signs.iter().map(|sign| sign.len_utf8()).sum();
    let value = match *signs.as_slice() {
        ['十'] => 10,
        ['十', ones] => 10 + digit(ones)?,
        [tens, '十'] => 10 * digit(tens)?,
        [tens, '十', ones] => 10 * digit(tens)? + digit(ones)?,
        [one] => digit(one)?,
        _ => return None,
    };
    Some((length, value))
}

fn digit(sign: char) -> Option<i16> {
    let index = if sign == '两' { Some(2) } else { DIGITS.iter().position(|digit| *digit == sign) };
    index.and_then(|index| i16::try_from(index).ok())
}
