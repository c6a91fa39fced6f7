//! Computes the days of units, months, seasons and holidays. Pure.

use annals_core::{Date, Grain, Period};
use jiff::civil::{ISOWeekDate, Weekday};
use jiff::{Span, ToSpan, Unit};

use super::{Holiday, Length, Part, Season};

/// First and last day.
pub(super) type Days = (Date, Date);

const SATURDAY: i8 = 5;
/// The year of the first entry of the tables of lunar days.
const FIRST_LUNAR_YEAR: i16 = 2000;
/// The day of each year, from 1 for 1 January, on which the Chinese lunar year begins.
const SPRING_FESTIVALS: LunarDays = [
    36, 24, 43, 32, 22, 40, 29, 49, 38, 26, 45, 34, 23, 41, 31, 50, 39, 28, 47, 36, 25, 43, 32, 22, 41, 29, 48, 37, 26,
    44, 34, 23, 42, 31, 50, 39, 28, 46, 35, 24, 43,
];
/// The day of each year that is the fifth day of the fifth lunar month.
const DRAGON_BOAT_FESTIVALS: LunarDays = [
    158, 176, 166, 155, 174, 162, 151, 170, 160, 148, 167, 157, 175, 163, 153, 171, 161, 150, 169, 158, 177, 165, 154,
    173, 162, 151, 170, 160, 149, 167, 156, 175, 164, 152, 171, 161, 151, 169, 158, 147, 166,
];
/// The day of each year that is the fifteenth day of the eighth lunar month.
const MID_AUTUMN_FESTIVALS: LunarDays = [
    256, 274, 264, 254, 272, 261, 279, 268, 258, 276, 265, 255, 274, 262, 251, 270, 259, 277, 267, 256, 275, 264, 253,
    272, 261, 279, 268, 258, 277, 265, 255, 274, 263, 251, 270, 259, 278, 267, 256, 275, 264,
];
type LunarDays = [u16; 41];

/// Returns the days of the unit that contains a day. A month is the calendar month, not the weeks that a monthly
/// summary covers. For a fortnight, returns the week that contains the day.
pub(super) fn around(length: Length, day: Date) -> Option<Days> {
    let month = day.first_of_month();
    let first = match length {
        Length::Day => return Some((day, day)),
        Length::Week | Length::Fortnight => return nominal(Period::of(Grain::Weekly, day)),
        Length::Weekend => {
            let (monday, sunday) = around(Length::Week, day)?;
            return Some((monday.checked_add(5.days()).ok()?, sunday));
        }
        Length::Month => month,
        Length::Quarter => month.checked_sub((i64::from(month.month() - 1) % 3).months()).ok()?,
        Length::Half => month.checked_sub((i64::from(month.month() - 1) % 6).months()).ok()?,
        Length::Year => Date::new(day.year(), 1, 1).ok()?,
    };
    Some((first, first.checked_add(span(length, 1)).ok()?.yesterday().ok()?))
}

/// Returns the days of the unit that lies `units` units before the unit of today; negative numbers count forward.
pub(super) fn back(length: Length, units: i64, today: Date) -> Option<Days> {
    around(length, shifted(length, units, today)?)
}

/// Returns the days from `units` units before today up to today.
pub(super) fn last(length: Length, units: i64, today: Date) -> Option<Days> {
    Some((shifted(length, units, today)?, today))
}

fn shifted(length: Length, units: i64, today: Date) -> Option<Date> {
    today.checked_sub(span(length, units)).ok()
}

fn span(length: Length, units: i64) -> Span {
    match length {
        Length::Day => units.days(),
        Length::Week | Length::Weekend => units.weeks(),
        Length::Fortnight => (2 * units).weeks(),
        Length::Month => units.months(),
        Length::Quarter => (3 * units).months(),
        Length::Half => (6 * units).months(),
        Length::Year => units.years(),
    }
}

pub(super) fn nominal(period: Period) -> Option<Days> {
    Some((period.first_day(), period.last_day()))
}

/// Returns the latest day with this weekday (Monday is 0) before today, or today itself if allowed.
pub(super) fn weekday(weekday: i8, today: Date, is_today_allowed: bool) -> Option<Days> {
    let since = i64::from((today.weekday().to_monday_zero_offset() - weekday).rem_euclid(7));
    let since = if since == 0 && !is_today_allowed { 7 } else { since };
    let day = today.checked_sub(since.days()).ok()?;
    Some((day, day))
}

/// Returns the day with this weekday that is the `count`th before today: the last, the one before last.
pub(super) fn weekday_back(weekday: i8, count: i64, today: Date) -> Option<Days> {
    let (last, _) = self::weekday(weekday, today, false)?;
    let day = last.checked_sub((count - 1).weeks()).ok()?;
    Some((day, day))
}

/// Returns the day with this weekday in the week after that of today.
pub(super) fn weekday_of_next_week(weekday: i8, today: Date) -> Option<Days> {
    let (monday, _) = back(Length::Week, -1, today)?;
    let day = monday.checked_add(i64::from(weekday).days()).ok()?;
    Some((day, day))
}

/// Returns the first day with this weekday after a day.
pub(super) fn weekday_after(day_of_week: i8, day: Date) -> Option<Days> {
    weekday(day_of_week, day.checked_add(1.week()).ok()?, true)
}

/// Returns the unit before the one that contains a day. A week is the seven days before the day.
pub(super) fn previous(length: Length, day: Date) -> Option<Days> {
    match length {
        Length::Week => Some((day.checked_sub(1.week()).ok()?, day.yesterday().ok()?)),
        _ => back(length, 1, day),
    }
}

/// Returns the unit after the one that contains a day. A week is the seven days after the day, a weekend the first that begins
/// after it.
pub(super) fn next(length: Length, day: Date) -> Option<Days> {
    match length {
        Length::Week => Some((day.tomorrow().ok()?, day.checked_add(1.week()).ok()?)),
        Length::Weekend => around(length, weekday_after(SATURDAY, day)?.0),
        _ => back(length, -1, day),
    }
}

/// Returns the month with this number in a year or, without a year, the latest that has begun. `None` for an impossible number.
pub(super) fn month(month: i8, year: Option<i16>, today: Date) -> Option<Days> {
    let begun = if month > today.month() { today.year() - 1 } else { today.year() };
    around(Length::Month, Date::new(year.unwrap_or(begun), month, 1).ok()?)
}

/// Returns a day of a year or, without a year, the latest such day up to today. `None` for a day that does not exist.
pub(super) fn day(day: i16, month: i8, year: Option<i16>, today: Date) -> Option<Days> {
    let of = |year| Date::new(year, month, i8::try_from(day).ok()?).ok();
    let day = match year {
        Some(year) => of(year),
        // 29 February may be up to eight years ago.
        None => (0..=8).find_map(|years| of(today.year() - years).filter(|day| *day <= today)),
    }?;
    Some((day, day))
}

/// Returns the day that lies exactly `units` units before today.
pub(super) fn same_day(length: Length, units: i64, today: Date) -> Option<Days> {
    let day = shifted(length, units, today)?;
    Some((day, day))
}

pub(super) fn year(year: i16) -> Option<Days> {
    around(Length::Year, Date::new(year, 1, 1).ok()?)
}

/// Returns a part of the unit that contains today or, if that part has not begun, the same part of the unit before.
pub(super) fn latest_part(part: Part, length: Length, today: Date) -> Option<Days> {
    let begun = self::part(part, around(length, today)?).filter(|(first, _)| *first <= today);
    begun.or_else(|| self::part(part, back(length, 1, today)?))
}

/// Returns a third or a half of a range. The early and the late part of a year are its first and last quarter, which have
/// summaries of their own. `None` for a third of a range of less than a week.
pub(super) fn part(part: Part, (first, last): Days) -> Option<Days> {
    let days = i64::from(first.until((Unit::Day, last)).ok()?.get_days()) + 1;
    let after = |thirds: i64| first.checked_add((days * thirds / 3).days()).ok().filter(|_| days >= 7);
    match part {
        Part::FirstHalf => Some((first, half(first, last)?.yesterday().ok()?)),
        Part::SecondHalf => Some((half(first, last)?, last)),
        Part::Early if year(first.year()) == Some((first, last)) => {
            Some((first, first.checked_add(3.months()).ok()?.yesterday().ok()?))
        }
        Part::Late if year(first.year()) == Some((first, last)) => Some((first.checked_add(9.months()).ok()?, last)),
        Part::Early => Some((first, after(1)?.yesterday().ok()?)),
        Part::Mid => Some((after(1)?, after(2)?.yesterday().ok()?)),
        Part::Late => Some((after(2)?, last)),
    }
}

/// Returns the first day of the second half of a range. The second half of a year begins on 1 July.
fn half(first: Date, last: Date) -> Option<Date> {
    if year(first.year()) == Some((first, last)) {
        return first.checked_add(6.months()).ok();
    }
    let days = i64::from(first.until((Unit::Day, last)).ok()?.get_days()) + 1;
    first.checked_add((days / 2).days()).ok()
}

/// Returns the unit that contains today or, if it has not begun, the unit before: on a Thursday, the last weekend.
pub(super) fn latest(length: Length, today: Date) -> Option<Days> {
    around(length, today).filter(|(first, _)| *first <= today).or_else(|| back(length, 1, today))
}

/// Returns the latest day up to today that has this number in its month. `None` for a number that no month has.
pub(super) fn day_of_month(day: i16, today: Date) -> Option<Days> {
    let day = i8::try_from(day).ok()?;
    let of = |months: i64| today.first_of_month().checked_sub(months.months()).ok()?.with().day(day).build().ok();
    // Of two months in a row, at least one has 31 days.
    let day = (0..=2).filter_map(of).find(|day| *day <= today)?;
    Some((day, day))
}

/// Returns the days around the day that lies `units` units before today. Longer units give a wider range.
pub(super) fn this_time(length: Length, units: i64, today: Date) -> Option<Days> {
    let days = match length {
        Length::Year | Length::Half | Length::Quarter => 7,
        Length::Month => 3,
        _ => 0,
    };
    let day = shifted(length, units, today)?;
    Some((day.checked_sub(days.days()).ok()?, day.checked_add(days.days()).ok()?))
}

/// Returns the ten years from `first`. If `first` has no century, such as 90, returns the latest such decade that has begun.
/// `None` for a decade that has not begun, or before 1900.
pub(super) fn decade(first: i16, today: Date) -> Option<Days> {
    let year = [first, 2000 + first, 1900 + first].into_iter().find(|year| (1900..=today.year()).contains(year))?;
    Some((Date::new(year, 1, 1).ok()?, Date::new(year + 9, 12, 31).ok()?))
}

/// Returns the last `days` days of a range.
pub(super) fn end((_, last): Days, days: i64) -> Option<Days> {
    Some((last.checked_sub((days - 1).days()).ok()?, last))
}

/// Returns the seven days of a month with this number, from 1 for days 1 to 7. The fifth has the remaining days; a month of 28
/// days has no fifth.
pub(super) fn week_of(number: i16, (first, last): Days) -> Option<Days> {
    let from = first.checked_add((7 * (i64::from(number) - 1)).days()).ok()?;
    Some((from, from.checked_add(6.days()).ok()?.min(last))).filter(|_| first <= from && from <= last)
}

/// Returns the ISO week with this number in a year or, without a year, the latest that has begun. `None` for a week that the
/// year lacks.
pub(super) fn week(week: i16, year: Option<i16>, today: Date) -> Option<Days> {
    let week = i8::try_from(week).ok()?;
    let of = |year| ISOWeekDate::new(year, week, Weekday::Monday).ok().map(ISOWeekDate::date);
    let monday = match year {
        Some(year) => of(year),
        // Some years have no week 53, so several years are tried.
        None => (-1..=6).find_map(|years| of(today.year() - years).filter(|monday| *monday <= today)),
    }?;
    around(Length::Week, monday)
}

/// Returns the quarter or half with this number in a year or, without a year, the latest that has begun. `None` for an
/// impossible number.
pub(super) fn part_of_year(length: Length, number: i16, year: Option<i16>, today: Date) -> Option<Days> {
    let months = if length == Length::Half { 6 } else { 3 };
    if !(1..=12 / months).contains(&number) {
        return None;
    }
    let first = i8::try_from(months * (number - 1) + 1).ok()?;
    let begun = if first > today.month() { today.year() - 1 } else { today.year() };
    around(length, Date::new(year.unwrap_or(begun), first, 1).ok()?)
}

/// Returns the range from a day to the day with the number `last` of the same month. `None` if that day is earlier or does not
/// exist.
pub(super) fn days_until((first, _): Days, last: i16) -> Option<Days> {
    let last = first.with().day(i8::try_from(last).ok()?).build().ok()?;
    (first <= last).then_some((first, last))
}

/// Returns the three months of a season of the northern hemisphere in a year or, without a year, the latest such season that
/// has begun. A winter belongs to the year in which it begins.
pub(super) fn season(season: Season, year: Option<i16>, today: Date) -> Option<Days> {
    let first = match season {
        Season::Spring => 3,
        Season::Summer => 6,
        Season::Autumn => 9,
        Season::Winter => 12,
    };
    let of = |year| Date::new(year, first, 1).ok();
    let first = match year {
        Some(year) => of(year),
        None => of(today.year()).filter(|day| *day <= today).or_else(|| of(today.year() - 1)),
    }?;
    Some((first, first.checked_add(3.months()).ok()?.yesterday().ok()?))
}

/// Returns the days of a holiday in a year or, without a year, of the latest that has begun.
pub(super) fn holiday(holiday: Holiday, year: Option<i16>, today: Date) -> Option<Days> {
    match year {
        Some(year) => holiday_of(holiday, year),
        None => holiday_of(holiday, today.year())
            .filter(|(first, _)| *first <= today)
            .or_else(|| holiday_of(holiday, today.year() - 1)),
    }
}

fn holiday_of(holiday: Holiday, year: i16) -> Option<Days> {
    let (first, days) = match holiday {
        Holiday::Easter => (easter(year)?.checked_sub(2.days()).ok()?, 4),
        Holiday::Christmas => (Date::new(year, 12, 24).ok()?, 3),
        Holiday::NewYear => (Date::new(year, 1, 1).ok()?, 1),
        Holiday::NewYearsEve => (Date::new(year, 12, 31).ok()?, 1),
        Holiday::SpringFestival => (lunar(&SPRING_FESTIVALS, year)?.yesterday().ok()?, 8),
        Holiday::LanternFestival => (lunar(&SPRING_FESTIVALS, year)?.checked_add(14.days()).ok()?, 1),
        Holiday::TombSweepingDay => (Date::new(year, 4, 4).ok()?, 3),
        Holiday::DragonBoatFestival => (lunar(&DRAGON_BOAT_FESTIVALS, year)?.yesterday().ok()?, 3),
        Holiday::MidAutumnFestival => (lunar(&MID_AUTUMN_FESTIVALS, year)?.yesterday().ok()?, 3),
        Holiday::SummerBreak => (Date::new(year, 7, 1).ok()?, 62),
        Holiday::LabourDay => (Date::new(year, 5, 1).ok()?, 5),
        Holiday::NationalDay => (Date::new(year, 10, 1).ok()?, 7),
        Holiday::Halloween => (Date::new(year, 10, 31).ok()?, 1),
        Holiday::ValentinesDay => (Date::new(year, 2, 14).ok()?, 1),
    };
    Some((first, first.checked_add((days - 1).days()).ok()?))
}

/// Returns Easter Sunday of the western churches, by the anonymous Gregorian algorithm.
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let n = h + l - 7 * m + 114;
    Date::new(year, i8::try_from(n / 31).ok()?, i8::try_from(n % 31 + 1).ok()?).ok()
}

/// Returns the day of a year that a table of lunar days has. `None` for a year outside the table.
fn lunar(days: &LunarDays, year: i16) -> Option<Date> {
    let index = usize::try_from(year - FIRST_LUNAR_YEAR).ok()?;
    let day = days.get(index)?;
    Date::new(year, 1, 1).ok()?.checked_add(i64::from(day - 1).days()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_easter_sundays_are_computed() {
        for expect in ["2000-04-23", "2024-03-31", "2025-04-20", "2026-04-05", "2038-04-25"] {
            let expect: Date = expect.parse().unwrap();
            assert_eq!(easter(expect.year()), Some(expect));
        }
    }
}
