//! Times in text without spaces, which are found by characters: "昨天", "下周三", "两个月后".

use annals_core::{CHINESE_WEEKDAYS, Date, chinese_numerals};
use jiff::ToSpan;

use super::span::{Span, Unit};
use super::table::{Time, phrases};
use crate::extractive::language::Language;

/// Words for "last", "this" and "next" before a week, each with its offset in weeks. A longer word comes before the words that
/// it begins with.
const WHICH: [(&str, i32); 7] = [("上上", -2), ("下下", 2), ("上", -1), ("下", 1), ("这", 0), ("這", 0), ("本", 0)];
const WEEKS: [&str; 5] = ["周", "週", "星期", "礼拜", "禮拜"];
/// Characters before "上" that make it the end of a part of the day: "晚上周末".
const BEFORE_UP: [char; 3] = ['晚', '早', '晨'];
/// Weekdays in Japanese, before "曜".
const JAPANESE: [char; 7] = ['月', '火', '水', '木', '金', '土', '日'];
/// Beginnings of words that follow a week and begin with the sign of a weekday: "下周一起", "下周日本".
const OTHER_WORDS: [&str; 15] = [
    "一定", "一起", "一直", "一共", "一样", "一樣", "一般", "一些", "一旦", "一切", "日本", "日程", "日常", "日记",
    "日語",
];
/// Measure words. Before one of them, the sign of a weekday is a number: "这周三次".
const MEASURES: [char; 8] = ['个', '個', '次', '场', '場', '位', '天', '節'];
const UNITS: [(&str, Unit); 13] = [
    ("天", Unit::Day),
    ("个星期", Unit::Week),
    ("個星期", Unit::Week),
    ("星期", Unit::Week),
    ("个礼拜", Unit::Week),
    ("個禮拜", Unit::Week),
    ("週間", Unit::Week),
    ("周", Unit::Week),
    ("週", Unit::Week),
    ("个月", Unit::Month),
    ("個月", Unit::Month),
    ("ヶ月", Unit::Month),
    ("年", Unit::Year),
];
/// Words for "ago" and "later", each with its sign. A longer word comes before the words that it begins with.
const SIDES: [(&str, i32); 9] =
    [("以前", -1), ("之前", -1), ("前", -1), ("以后", 1), ("之后", 1), ("以後", 1), ("之後", 1), ("后", 1), ("後", 1)];

/// Appends dates to the times of a sentence.
pub(super) fn resolve(sentence: &str, day: Date) -> String {
    let mut resolved = String::with_capacity(sentence.len());
    let mut at = 0;
    while let Some(first) = sentence[at..].chars().next() {
        let found = find(sentence, at, day);
        let length = found.as_ref().map_or(first.len_utf8(), |(length, _)| *length);
        resolved.push_str(&sentence[at..at + length]);
        at += length;
        if let Some((_, span)) = found.filter(|_| !sentence[at..].starts_with('[')) {
            resolved.push_str(&format!("[{}]", span.label(day)));
        }
    }
    resolved
}

/// Returns the time at a byte of the sentence, and its length in bytes.
fn find(sentence: &str, at: usize, day: Date) -> Option<(usize, Span)> {
    counted(sentence, at, day).or_else(|| which_week(sentence, at, day)).or_else(|| phrase(&sentence[at..], day))
}

fn phrase(text: &str, day: Date) -> Option<(usize, Span)> {
    let (phrase, time) = phrases(Language::Unspaced).find(|(phrase, _)| text.starts_with(phrase))?;
    match time {
        Time::Week(offset) => in_week(text, phrase.len(), offset, day),
        _ => Some((phrase.len(), time.from(day)?)),
    }
}

/// Parses "上周", "下个星期三", "这周末".
fn which_week(sentence: &str, at: usize, day: Date) -> Option<(usize, Span)> {
    let text = &sentence[at..];
    let (which, offset) = WHICH.into_iter().find(|(which, _)| text.starts_with(which))?;
    let rest = &text[which.len()..];
    let rest = rest.strip_prefix(['个', '個']).unwrap_or(rest);
    let week = WEEKS.into_iter().find(|week| rest.starts_with(week))?;
    let is_part_of_day = which.starts_with('上') && sentence[..at].ends_with(BEFORE_UP);
    let length = text.len() - rest.len() + week.len();
    if is_part_of_day {
        return None;
    }
    if text[length..].starts_with('末') {
        return Some((length + '末'.len_utf8(), Span::weekend(day, offset)?));
    }
    in_week(text, length, offset, day)
}

/// Returns the week named by the first `length` bytes, or a day of it: "下周三", "来週の水曜日".
fn in_week(text: &str, length: usize, offset: i32, day: Date) -> Option<(usize, Span)> {
    let week = Span::week(day, offset)?;
    let (Some((more, weekday)), Span::Days(monday, _)) = (weekday(&text[length..]), &week) else {
        return Some((length, week));
    };
    let day = monday.checked_add(weekday.days()).ok()?;
    Some((length + more, Span::Days(day, day)))
}

/// Returns the weekday at the beginning of a text that follows a week, as days from Monday, and its length in bytes.
fn weekday(text: &str) -> Option<(usize, i64)> {
    let index = |signs: &[char], sign: char| (0..).zip(signs).find(|(_, one)| **one == sign).map(|(index, _)| index);
    let bare = text.strip_prefix('の').unwrap_or(text);
    let sign = bare.chars().next()?;
    let rest = &bare[sign.len_utf8()..];
    if let Some(after) = rest.strip_prefix('曜') {
        let after = after.strip_prefix('日').unwrap_or(after);
        return Some((text.len() - after.len(), index(&JAPANESE, sign)?));
    }
    let weekday =
        if sign == '天' && !rest.starts_with(['气', '氣']) { Some(6) } else { index(&CHINESE_WEEKDAYS, sign) };
    let is_weather = rest.starts_with("天气") || rest.starts_with("天氣");
    let is_number = !['日', '天'].contains(&sign) && rest.starts_with(MEASURES) && !is_weather;
    let is_other = OTHER_WORDS.iter().any(|word| text.starts_with(word));
    weekday.filter(|_| !is_number && !is_other).map(|weekday| (sign.len_utf8(), weekday))
}

/// Parses "三周前", "两个月后", "几天前".
fn counted(sentence: &str, at: usize, day: Date) -> Option<(usize, Span)> {
    let text = &sentence[at..];
    // "第三天后" counts from another day, and the end of a longer number is no number.
    if sentence[..at].ends_with(|c: char| c == '第' || is_numeral(c)) {
        return None;
    }
    let (length, count) = number(text)?;
    let rest = &text[length..];
    let (unit, meaning) = UNITS.iter().find(|(unit, _)| rest.starts_with(unit))?;
    let rest = &rest[unit.len()..];
    let (side, sign) = SIDES.into_iter().find(|(side, _)| rest.starts_with(side))?;
    let rest = &rest[side.len()..];
    // "三天前后" means around that time.
    if side == "前" && rest.starts_with(['后', '後']) || sign > 0 && is_told(sentence) {
        return None;
    }
    let span = match count {
        Some(count) => Span::away(day, *meaning, sign * count)?,
        None if sign < 0 => Span::Before,
        None => Span::After,
    };
    Some((text.len() - rest.len(), span))
}

/// Returns whether a sentence tells what happened, so that "两个月后" counts from another day.
fn is_told(sentence: &str) -> bool {
    sentence.contains(['了', '过', '過']) && !sentence.contains(['要', '会', '會', '将', '將'])
}

fn is_numeral(c: char) -> bool {
    c.is_ascii_digit() || chinese_numerals::digit(c).is_some() || ['十', '百', '几', '幾'].contains(&c)
}

/// Parses digits from 1 to 400, or Chinese numerals below a hundred. Returns the length in bytes, and the number, which is
/// `None` for "几" ("a few").
fn number(text: &str) -> Option<(usize, Option<i32>)> {
    let length = text.find(|c| !is_numeral(c)).unwrap_or(text.len());
    let signs: Vec<char> = text[..length].chars().collect();
    let count = match *signs.as_slice() {
        ['几' | '幾'] => return Some((length, None)),
        [first, ..] if !first.is_ascii_digit() => i32::try_from(chinese_numerals::below_hundred(&signs)?).ok()?,
        _ => text[..length].parse().ok()?,
    };
    (1..=400).contains(&count).then_some((length, Some(count)))
}
