//! Matches patterns of tokens and returns the days that they mean. Pure.

use annals_core::Date;

use super::calendar::{self, Days};
use super::{Length, Token, Word};

/// Maximum number of tokens of one time, articles and "of" included.
const MAX_TOKENS: usize = 8;
/// Maximum count of units. Larger numbers are not read as counts, such as in "500 days ago".
const MAX_UNITS: i16 = 400;

/// Matches the longest time at the beginning of the words. Returns its number of words and its days. `before` is the token in
/// front of the words.
pub(super) fn days(words: &[Word<'_>], before: Token, today: Date) -> Option<(usize, Days)> {
    use Token::{And, Filler, In, Of, Other, Over};
    let is_bound = |token: Token| matches!(token, Other | Filler | In | Over | Of | And);
    // "passé la semaine" in "s'est passé la semaine dernière": no adjective stands before an article.
    let is_verb = words.first()?.token == Token::Last && words.get(1).is_some_and(|word| word.token == Filler);
    if is_bound(words.first()?.token) || is_verb || before == Token::HowMany {
        return None;
    }
    let most = words.len().min(MAX_TOKENS);
    let ends = |length: &usize| !is_bound(words[*length - 1].token);
    (1..=most).rev().filter(ends).find_map(|length| {
        let telling: Vec<Token> = words[..length]
            .iter()
            .map(|word| word.token)
            .filter(|token| !matches!(token, Filler | Of))
            .map(|token| if token == Token::Weekends && length > 1 { Token::Unit(Length::Weekend) } else { token })
            .collect();
        let days = meaning(&telling, before, today);
        Some((length, days.or_else(|| part_of(&words[..length], &telling, today))?))
    })
}

/// Reads a part of a unit or time that is relative to today: "the beginning of the year", "the end of last month". Without an
/// article or preposition, as in "it will end this week", the first word is not part of the time.
fn part_of(words: &[Word<'_>], telling: &[Token], today: Date) -> Option<Days> {
    use Length::{Month, Quarter, Week, Year};
    let [Token::Part(third), whole @ ..] = telling else { return None };
    if !matches!(words.get(1)?.token, Token::Filler | Token::Of) {
        return None;
    }
    match *whole {
        [Token::Unit(length @ (Week | Month | Quarter | Year))] => calendar::latest_part(*third, length, today),
        _ => calendar::part(*third, relative(whole, today)?),
    }
}

fn meaning(tokens: &[Token], before: Token, today: Date) -> Option<Days> {
    relative(tokens, today)
        .or_else(|| dated(tokens, today))
        .or_else(|| part(tokens, today))
        .or_else(|| beside(tokens, today))
        .or_else(|| around(tokens, today))
        .or_else(|| in_relative_year(tokens, today))
        .or_else(|| lone(tokens, before, today))
}

/// Reads a part of a year that is given relative to today: "Q3 last year", "last year in March", "Christmas two years ago".
fn in_relative_year(tokens: &[Token], today: Date) -> Option<Days> {
    (1..tokens.len()).find_map(|middle| {
        let (first, second) = tokens.split_at(middle);
        let with = |year: &[Token], rest: &[Token]| {
            let year = Token::Year(relative_year(year, today)?);
            let dated_in = [rest, &[year]].concat();
            dated(&dated_in, today).or_else(|| part(&dated_in, today))
        };
        with(second, first).or_else(|| with(first, second.strip_prefix(&[Token::In]).unwrap_or(second)))
    })
}

/// Returns the year that an expression such as "last year" or "two years ago" means.
fn relative_year(tokens: &[Token], today: Date) -> Option<i16> {
    let is_year = tokens.contains(&Token::Unit(Length::Year));
    let (first, last) = relative(tokens, today).filter(|_| is_year)?;
    (calendar::year(first.year()) == Some((first, last))).then(|| first.year())
}

/// Reads a part of a month, year or quarter: "early March", "the last week of February", "week 53 of 2020", "3 to 5 March".
fn part(tokens: &[Token], today: Date) -> Option<Days> {
    use Token::{And, Count, Last, Month, Number, Numbered, Ordinal, PerhapsMonth, To, Unit, Until, Year};
    match *tokens {
        [Token::Part(part), Token::In, ref whole @ ..] | [Token::Part(part), ref whole @ ..] => {
            let days = dated(whole, today).or_else(|| lone(whole, Token::In, today));
            calendar::part(part, days.or_else(|| in_relative_year(whole, today))?)
        }
        [Last, Unit(Length::Week | Length::Day), Month(_) | PerhapsMonth(_), ..] => {
            let days = if tokens[1] == Unit(Length::Week) { 7 } else { 1 };
            calendar::end(named_month(&tokens[2..], today)?, days)
        }
        [
            Last,
            Number(count) | Count(count),
            Unit(length @ (Length::Week | Length::Day)),
            Month(_) | PerhapsMonth(_),
            ..,
        ] if is_count(count) => {
            let days = if length == Length::Week { 7 } else { 1 };
            calendar::end(named_month(&tokens[3..], today)?, days * i64::from(count))
        }
        [Ordinal(number), Unit(Length::Week), ref month @ ..] => calendar::week_of(number, named_month(month, today)?),
        [Unit(Length::Week), Number(week) | Ordinal(week)] => calendar::week(week, None, today),
        [Unit(Length::Week), Number(week) | Ordinal(week), Year(year)]
        | [Year(year), Unit(Length::Week), Number(week) | Ordinal(week)] => calendar::week(week, Some(year), today),
        [Numbered(Length::Quarter, number)] => calendar::part_of_year(Length::Quarter, number, None, today),
        [Ordinal(number), Unit(length @ (Length::Quarter | Length::Half))] => {
            calendar::part_of_year(length, number, None, today)
        }
        [Number(number) | Ordinal(number), Unit(length @ (Length::Quarter | Length::Half)), Year(year)] => {
            calendar::part_of_year(length, number, Some(year), today)
        }
        [Numbered(length, number), Year(year)] | [Year(year), Numbered(length, number)] => {
            calendar::part_of_year(length, number, Some(year), today)
        }
        [Number(_) | Ordinal(_), To | Until | And | Token::In, Number(last) | Ordinal(last), ref month @ ..] => {
            calendar::days_until(dated(&[&tokens[..1], month].concat(), today)?, last)
        }
        [
            Month(_) | PerhapsMonth(_),
            Number(_) | Ordinal(_),
            To | Until,
            Number(last) | Ordinal(last),
            ref year @ ..,
        ] => calendar::days_until(dated(&[&tokens[..2], year].concat(), today)?, last),
        _ => None,
    }
}

/// Reads a day or unit that is given relative to another time: "the Friday before 5 March", "the week after Easter", "two
/// months before July 2024".
fn beside(tokens: &[Token], today: Date) -> Option<Days> {
    use Token::{After, AgoBefore, Before, Count, Number, Unit, Weekday};
    let side = tokens.iter().position(|token| matches!(token, Before | After | AgoBefore))?;
    let rest = &tokens[side + 1..];
    let time = || relative(rest, today).or_else(|| dated(rest, today)).or_else(|| lone(rest, Token::In, today));
    match (&tokens[..side], tokens[side]) {
        ([Weekday(weekday)], After) => calendar::weekday_after(*weekday, time()?.1),
        ([Weekday(weekday)], _) => calendar::weekday(*weekday, time()?.0, false),
        ([Unit(length)], After) => calendar::next(*length, time()?.1),
        ([Unit(length)], _) => calendar::previous(*length, time()?.0),
        ([Number(count) | Count(count), Unit(length)], After) if is_count(*count) => {
            calendar::back(*length, -i64::from(*count), time()?.1)
        }
        ([Number(count) | Count(count), Unit(length)], _) if is_count(*count) => {
            calendar::back(*length, (*count).into(), time()?.0)
        }
        _ => None,
    }
}

/// Reads a month, with or without its year.
fn named_month(tokens: &[Token], today: Date) -> Option<Days> {
    match *tokens {
        [Token::Month(month) | Token::PerhapsMonth(month)] => calendar::month(month, None, today),
        [Token::Month(month) | Token::PerhapsMonth(month), Token::Year(year)] => {
            calendar::month(month, Some(year), today)
        }
        _ => None,
    }
}

/// Reads a unit that is given by a day in it: "the week of 8 May 2023".
fn around(tokens: &[Token], today: Date) -> Option<Days> {
    let ([Token::Unit(length), Token::In, day @ ..] | [Token::Unit(length), day @ ..]) = tokens else { return None };
    let days = match *day {
        [Token::Days(first, last)] => Some((first, last)),
        _ => dated(day, today),
    };
    days.filter(|(first, last)| first == last).and_then(|(day, _)| calendar::around(*length, day))
}

/// Reads times relative to today: "yesterday", "two weeks ago", "last May".
fn relative(tokens: &[Token], today: Date) -> Option<Days> {
    use Token::{Ago, AgoBefore, Before, BeforeLast, Count, DayBeforeYesterday, HalfYear};
    use Token::{Last, Number, SoFar, This, ThreeDaysAgo, Today, Unit, Yesterday};
    let weekday = relative_weekday(tokens, today);
    if weekday.is_some() {
        return weekday;
    }
    match *tokens {
        [Number(count) | Count(count), Unit(length), Ago, Today]
        | [Today, AgoBefore, Number(count) | Count(count), Unit(length)]
            if is_count(count) =>
        {
            calendar::same_day(length, count.into(), today)
        }
        [HalfYear, Ago] | [AgoBefore, HalfYear] | [AgoBefore, Count(1), HalfYear] => {
            calendar::back(Length::Month, 6, today)
        }
        [Last, HalfYear] => calendar::last(Length::Month, 6, today),
        [Unit(length), Before, Last] | [BeforeLast, Unit(length)] | [Unit(length), BeforeLast] => {
            calendar::back(length, 2, today)
        }
        [Token::ThisTime, ref past @ ..] | [ref past @ .., Token::ThisTime] => this_time(past, today),
        [Token::Earlier, Token::In, This, Unit(length)] | [Token::Earlier, This, Unit(length)] => {
            calendar::around(length, today).map(|(first, _)| (first, today))
        }
        [Token::Year(year), Token::Earlier] if year == today.year() => Some((calendar::year(year)?.0, today)),
        [Token::OtherDay] => Some((calendar::back(Length::Day, 7, today)?.0, today.yesterday().ok()?)),
        [Today] => Some((today, today)),
        [Yesterday] => calendar::back(Length::Day, 1, today),
        [DayBeforeYesterday] => calendar::back(Length::Day, 2, today),
        [ThreeDaysAgo] => calendar::back(Length::Day, 3, today),
        [Number(count) | Count(count), Unit(length), Ago] | [AgoBefore, Number(count) | Count(count), Unit(length)]
            if is_count(count) =>
        {
            calendar::back(length, count.into(), today)
        }
        [Unit(length), Ago] | [AgoBefore, Unit(length)] => calendar::back(length, 1, today),
        [Last, Number(count) | Count(count), Unit(length)]
        | [Number(count) | Count(count), Last, Unit(length)]
        | [Number(count) | Count(count), Unit(length), Last]
            if is_count(count) =>
        {
            calendar::last(length, count.into(), today)
        }
        [Last, Unit(Length::Day)] | [Unit(Length::Day), Last] => None,
        [Last, Unit(length @ Length::Fortnight)] | [Unit(length @ Length::Fortnight), Last] => {
            calendar::last(length, 1, today)
        }
        [Last, Unit(length)] | [Unit(length), Last] => calendar::back(length, 1, today),
        [This, Unit(length)] | [Unit(length), SoFar] | [This, Unit(length), SoFar] => calendar::back(length, 0, today),
        [This, yearly] => this_yearly(yearly, today),
        [Last, yearly] | [yearly, Last] => {
            // In May, "last May" is May of the year before.
            let (first, last) = yearly_before(yearly, today)?;
            if last < today { Some((first, last)) } else { yearly_before(yearly, first.yesterday().ok()?) }
        }
        _ => None,
    }
}

/// Reads weekdays relative to today: "last Friday", "two Sundays ago", "this Monday".
fn relative_weekday(tokens: &[Token], today: Date) -> Option<Days> {
    use Token::{Ago, AgoBefore, Before, BeforeLast, Count, Last, Next, Number, This, Unit, Weekday, Weekdays};
    match *tokens {
        [Last, Weekday(weekday)] | [Weekday(weekday), Last] => calendar::weekday(weekday, today, false),
        [Weekday(weekday), Before, Last] | [BeforeLast, Weekday(weekday)] | [Weekday(weekday), BeforeLast] => {
            calendar::weekday_back(weekday, 2, today)
        }
        [Number(count) | Count(count), Weekday(weekday) | Weekdays(weekday), Ago]
        | [AgoBefore, Number(count) | Count(count), Weekday(weekday) | Weekdays(weekday)]
            if is_count(count) =>
        {
            calendar::weekday_back(weekday, count.into(), today)
        }
        [Next, Weekday(weekday)] | [Weekday(weekday), Next] => calendar::weekday_of_next_week(weekday, today),
        [Last, Unit(Length::Week), Weekday(weekday)]
        | [Weekday(weekday), Last, Unit(Length::Week)]
        | [Weekday(weekday), Unit(Length::Week), Last] => {
            let (monday, _) = calendar::back(Length::Week, 1, today)?;
            calendar::weekday(weekday, monday.saturating_add(jiff::Span::new().days(6)), true)
        }
        [This, Weekday(weekday)] => calendar::weekday(weekday, today, true),
        _ => None,
    }
}

/// Reads the time after or before "this time": "last year", "two weeks ago".
fn this_time(past: &[Token], today: Date) -> Option<Days> {
    use Token::{Ago, AgoBefore, Count, Last, Number, Unit};
    match *past {
        [Last, Unit(length)] | [Unit(length), Last] | [Unit(length), Ago] => calendar::this_time(length, 1, today),
        [Number(count) | Count(count), Unit(length), Ago] | [AgoBefore, Number(count) | Count(count), Unit(length)] => {
            calendar::this_time(length, count.into(), today)
        }
        [Token::Year(year)] => calendar::this_time(Length::Year, (today.year() - year).into(), today),
        [Token::Yesterday] => calendar::back(Length::Day, 1, today),
        _ => None,
    }
}

/// Returns the month, season or holiday of this year, or one that lasts until now: "this winter" in January. `None` if it has not
/// begun: "this summer", asked in May, is no time of which memory tells.
fn this_yearly(token: Token, today: Date) -> Option<Days> {
    yearly_before(token, today).filter(|(first, last)| first.year() == today.year() || *last >= today)
}

/// Returns the latest month, season or holiday that had begun on a day.
fn yearly_before(token: Token, day: Date) -> Option<Days> {
    match token {
        Token::Month(month) | Token::PerhapsMonth(month) => calendar::month(month, None, day),
        Token::Season(season) => calendar::season(season, None, day),
        Token::Holiday(holiday) => calendar::holiday(holiday, None, day),
        _ => None,
    }
}

/// Reads times with an absolute date: "5 March", "March 2024", "summer 2023".
fn dated(tokens: &[Token], today: Date) -> Option<Days> {
    use Token::{Holiday, Month, Number, Ordinal, PerhapsMonth, Season, Year};
    match *tokens {
        [Number(day) | Ordinal(day), Month(month) | PerhapsMonth(month)]
        | [Month(month) | PerhapsMonth(month), Number(day) | Ordinal(day)] => calendar::day(day, month, None, today),
        [Number(day) | Ordinal(day), Month(month) | PerhapsMonth(month), Year(year)]
        | [Month(month) | PerhapsMonth(month), Number(day) | Ordinal(day), Year(year)]
        | [Year(year), Month(month), Number(day)] => calendar::day(day, month, Some(year), today),
        [Month(month) | PerhapsMonth(month), Year(year)] | [Year(year), Month(month)] => {
            calendar::month(month, Some(year), today)
        }
        [Season(season), Year(year)] | [Year(year), Season(season)] => calendar::season(season, Some(year), today),
        [Holiday(holiday), Year(year)] | [Year(year), Holiday(holiday)] => {
            calendar::holiday(holiday, Some(year), today)
        }
        _ => None,
    }
}

/// Reads a single word that is a time. Ambiguous words, and seasons, are read only if the word before them indicates a time. A
/// time after "next" has not begun and is not read.
fn lone(tokens: &[Token], before: Token, today: Date) -> Option<Days> {
    use Token::{Between, In, Of, Over, Since};
    use Token::{Days, Decade, Holiday, Month, Number, PerhapsMonth, Season, Unit, Weekday, Year};
    // With "this", such a time is read by `this_yearly`, unless it has not begun.
    let is_yearly = matches!(*tokens, [Month(_) | PerhapsMonth(_) | Season(_) | Holiday(_)]);
    if before == Token::Next || (before == Token::This && is_yearly) {
        return None;
    }
    let is_sure = matches!(before, In | Of | Since | Between | Token::Last | Token::This);
    match *tokens {
        [Days(first, last)] => Some((first, last)),
        [Year(year)] => calendar::year(year),
        [Month(month)] => calendar::month(month, None, today),
        [PerhapsMonth(month)] if is_sure => calendar::month(month, None, today),
        [Season(season)] if is_sure || before == Over => calendar::season(season, None, today),
        [Token::Numbered(length, number)] if is_sure => calendar::part_of_year(length, number, None, today),
        [Decade(first)] | [Decade(first), Unit(Length::Year)] if is_sure => calendar::decade(first, today),
        // "años 90", "anni novanta".
        [Unit(Length::Year), Number(first) | Token::Count(first) | Decade(first)] if is_decade(first) => {
            calendar::decade(first, today)
        }
        [Weekday(weekday)] => calendar::weekday(weekday, today, false),
        [Holiday(holiday)] => calendar::holiday(holiday, None, today),
        _ => None,
    }
}

fn is_decade(number: i16) -> bool {
    number % 10 == 0 && (20..100).contains(&number)
}

fn is_count(count: i16) -> bool {
    (1..=MAX_UNITS).contains(&count)
}
