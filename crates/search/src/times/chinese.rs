//! Reads times in Chinese, which has no spaces between words: "上个月", "三天前", "上周二". `dates.rs` reads dates and parts of
//! years. Pure.

mod dates;

use annals_core::{CHINESE_DAYS, CHINESE_WEEKDAYS, Date, chinese_numerals};
use jiff::ToSpan;

use super::Holiday::{
    Christmas, DragonBoatFestival, Easter, Halloween, LabourDay, LanternFestival, MidAutumnFestival, NationalDay,
    NewYear, SpringFestival, SummerBreak, TombSweepingDay, ValentinesDay,
};
use super::Length::{Day, Month, Quarter, Week, Weekend, Year};
use super::Season::{Autumn, Spring, Summer, Winter};
use super::Token::{
    Ago, BeforeLast, Count, Days, Earlier, Filler, HalfYear, Holiday, In, Last, Number, Other, OtherDay, Season, Since,
    This, ThisTime, To, Unit, Weekday,
};
use super::{Length, Token, Word, calendar};
use chinese_numerals::digit;

/// Words with their tokens. The first entry that matches is taken, so longer entries come before their beginnings. Some words
/// without a time are listed because they contain the characters of a time.
const WORDS: &[(&str, Token)] = &[
    ("圣诞节", Holiday(Christmas)),
    ("圣诞", Holiday(Christmas)),
    ("平安夜", Holiday(Christmas)),
    ("元旦", Holiday(NewYear)),
    ("春节", Holiday(SpringFestival)),
    ("大年", Other),
    ("元宵节", Holiday(LanternFestival)),
    ("清明", Holiday(TombSweepingDay)),
    ("端午", Holiday(DragonBoatFestival)),
    ("中秋", Holiday(MidAutumnFestival)),
    ("暑假", Holiday(SummerBreak)),
    ("五一", Holiday(LabourDay)),
    ("劳动节", Holiday(LabourDay)),
    ("国庆节", Holiday(NationalDay)),
    ("国庆", Holiday(NationalDay)),
    ("复活节岛", Other),
    ("复活节", Holiday(Easter)),
    ("万圣节", Holiday(Halloween)),
    ("情人节", Holiday(ValentinesDay)),
    ("周末", Unit(Weekend)),
    ("这个时候", ThisTime),
    ("这时候", ThisTime),
    ("同期", ThisTime),
    ("早些时候", Earlier),
    ("前几天", OtherDay),
    ("前些天", OtherDay),
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
    ("附近", Other),
    ("近", Last),
    ("自从", Since),
    ("星期", Unit(Week)),
    ("礼拜", Unit(Week)),
    ("晚上", Other),
    ("早上", Other),
    ("上午", Other),
    ("目前", Other),
    ("上上个", BeforeLast),
    ("上上", BeforeLast),
    ("上个", Last),
    ("这个", This),
    ("上", Last),
    ("本", This),
    ("这", This),
    ("半年", HalfYear),
    ("周", Unit(Week)),
    ("月", Unit(Month)),
    ("年", Unit(Year)),
    ("天", Unit(Day)),
    ("日", Unit(Day)),
    ("号", Unit(Day)),
    ("以前", Ago),
    ("之前", Ago),
    ("前", Ago),
    ("几", Count(3)),
    ("从", In),
    ("到", To),
    ("至", To),
    ("个", Filler),
    ("的", Filler),
];
/// Words besides [`CHINESE_DAYS`] for units that are counted from today, each with the number of units back.
const COUNTED: [(&str, Length, i64); 3] = [("前晚", Day, 2), ("昨夜", Day, 1), ("半个月前", Week, 2)];
/// Words before a weekday or a part of a month, each with the number of weeks or months back; negative numbers count forward.
const WHICH: [(&str, i64); 9] =
    [("上上个", 2), ("上上", 2), ("上个", 1), ("上", 1), ("这个", 0), ("这", 0), ("本", 0), ("下个", -1), ("下", -1)];
/// Times of day that may follow the word for a day and are then part of it.
const TIMES_OF_DAY: [&str; 9] = ["晚上", "早上", "早晨", "上午", "中午", "下午", "傍晚", "夜里", "凌晨"];
/// Traditional characters, each with the simplified one that the words above are written in.
const TRADITIONAL: &str = "個个週周禮礼兩两號号過过聖圣誕诞節节萬万從从國国慶庆幾几這这勞劳動动復复發发請请們们說说講讲時时間间麼么樣样總总結结顧顾";

/// Splits a text without spaces into tokens and appends them to `words`.
pub(super) fn read<'a>(text: &'a str, today: Date, words: &mut Vec<Word<'a>>) {
    let simple = simplified(text);
    let mut at = 0;
    while at < text.len() {
        let rest = &simple[at..];
        let before = words.last().map_or(Other, |word| word.token);
        let weekend = || Some(("周末".len(), weekend(&simple[..at], rest, before, today)?));
        let (length, token) = timed(rest, today).or_else(weekend).unwrap_or_else(|| next(rest, before));
        words.push(Word { text: &text[at..at + length], token });
        at += length;
    }
}

/// Replaces traditional characters that the words for times and for questions have. The text keeps its length in bytes.
pub(super) fn simplified(text: &str) -> String {
    let simple = |c: char| TRADITIONAL.chars().step_by(2).position(|traditional| traditional == c);
    text.chars().map(|c| simple(c).and_then(|index| TRADITIONAL.chars().nth(2 * index + 1)).unwrap_or(c)).collect()
}

/// Reads a time that states its days. A day includes the time of day after it.
fn timed(text: &str, today: Date) -> Option<(usize, Token)> {
    let (length, token) = dates::read(text, today).or_else(|| relative(text, today))?;
    let rest = &text[length..];
    let time_of_day = || TIMES_OF_DAY.iter().find(|time| rest.starts_with(**time)).map_or(0, |time| time.len());
    match token {
        Days(first, last) if first == last => Some((length + time_of_day(), token)),
        _ => Some((length, token)),
    }
}

/// Reads a number, a word or a character. `before` is the token in front of it.
fn next(text: &str, before: Token) -> (usize, Token) {
    if let Some((length, value)) = number(text) {
        return (length, Number(value));
    }
    if let Some(rest) = text
        .strip_prefix('前')
        .filter(|rest| is_several(rest) && !rest.starts_with("几天") && !matches!(before, Unit(_)))
    {
        return (text.len() - rest.len(), Last);
    }
    let known = WORDS.iter().find(|(word, _)| text.starts_with(word));
    known.map_or_else(|| (text.chars().next().map_or(1, char::len_utf8), Other), |(word, token)| (word.len(), *token))
}

/// Reads "周末" alone as the latest weekend that has begun. "每周末" is every weekend, "下周末" the next one.
fn weekend(earlier: &str, text: &str, before: Token, today: Date) -> Option<Token> {
    let is_alone = !matches!(before, Last | BeforeLast | This | Filler | Number(_) | Count(_) | Days(..));
    let is_named = text.starts_with("周末") && is_alone && !earlier.ends_with(['每', '下']);
    let (first, last) = calendar::latest(Weekend, today).filter(|_| is_named)?;
    Some(Days(first, last))
}

/// Returns whether a text begins with a number above one, as after "前" in "前三天".
fn is_several(text: &str) -> bool {
    text.starts_with('几') || number(text).is_some_and(|(_, value)| value > 1)
}

/// Reads "前天", "上周二", "上个月底", "星期三": forms that the patterns of tokens do not cover.
fn relative(text: &str, today: Date) -> Option<(usize, Token)> {
    counted(text, today).or_else(|| WHICH.iter().find_map(|which| inside(text, *which, today))).or_else(|| {
        let (length, weekday) = weekday_sign(text)?;
        Some((length, Weekday(weekday)))
    })
}

fn counted(text: &str, today: Date) -> Option<(usize, Token)> {
    let past = CHINESE_DAYS.iter().filter(|(_, distance)| *distance <= 0);
    let days = past.map(|(word, distance)| (*word, Day, i64::from(-distance)));
    let (word, unit, back) = days.chain(COUNTED).find(|(word, ..)| text.starts_with(word))?;
    let (first, last) = calendar::back(unit, back, today)?;
    Some((word.len(), Days(first, last)))
}

/// Reads a weekday of a week, or a part of a month: "上周二", "本月初".
fn inside(text: &str, (which, back): (&str, i64), today: Date) -> Option<(usize, Token)> {
    let rest = text.strip_prefix(which)?;
    if let Some((length, weekday)) = weekday_sign(rest) {
        let (monday, _) = calendar::back(Week, back, today)?;
        let day = monday.checked_add(i64::from(weekday).days()).ok()?;
        return Some((which.len() + length, Days(day, day)));
    }
    let (length, third) = dates::third_of_month(rest.strip_prefix('月')?)?;
    let (first, last) = calendar::part(third, calendar::back(Month, back, today)?)?;
    Some((which.len() + '月'.len_utf8() + length, Days(first, last)))
}

/// Reads "周一" or "星期天".
fn weekday_sign(text: &str) -> Option<(usize, i8)> {
    ["星期", "礼拜", "周"].into_iter().find_map(|sign| {
        let day = text.strip_prefix(sign)?.chars().next()?;
        Some((sign.len() + day.len_utf8(), weekday(day)?))
    })
}

fn weekday(sign: char) -> Option<i8> {
    let index = CHINESE_WEEKDAYS.iter().position(|day| *day == sign);
    let index = if sign == '天' { Some(6) } else { index };
    index.and_then(|index| i8::try_from(index).ok())
}

/// Reads digits, Chinese numerals up to ninety-nine, or the four numerals of a year.
fn number(text: &str) -> Option<(usize, i16)> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 {
        return Some((digits, text[..digits].parse().ok()?));
    }
    let signs: Vec<char> = text.chars().take_while(|c| digit(*c).is_some() || *c == '十').collect();
    let length = signs.iter().map(|sign| sign.len_utf8()).sum();
    let value = match *signs.as_slice() {
        [_, _, _, _] => signs.iter().try_fold(0, |year, sign| Some(10 * year + digit(*sign)?))?,
        _ => chinese_numerals::below_hundred(&signs)?,
    };
    Some((length, i16::try_from(value).ok()?))
}
