//! Formats dates, counts and states for people.

use annals_core::{Date, Grain, Period, Timestamp, Zones};
pub(crate) use annals_service::numbers::{count, plural};
use annals_service::wire::PeriodState;

/// Returns the English name of the month of a day: `June`.
pub(crate) fn month(day: Date) -> String {
    day.strftime("%B").to_string()
}

/// Returns the abbreviated name of the month of a day: `Jun`.
pub(crate) fn short_month(day: Date) -> String {
    day.strftime("%b").to_string()
}

/// Formats a day: `10 June 2026`.
pub(crate) fn day(day: Date) -> String {
    format!("{} {} {}", day.day(), month(day), day.year())
}

/// Formats a day with its weekday: `Wed 10 June 2026`.
pub(crate) fn weekday(date: Date) -> String {
    const NAMES: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    format!("{} {}", NAMES[usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or_default()], day(date))
}

/// Formats a range of days: `8–14 June 2026`, `29 June – 5 July 2026`, or a range over two years. Formats a single day as
/// [`weekday`] does.
pub(crate) fn days(first: Date, last: Date) -> String {
    match () {
        () if first == last => weekday(first),
        () if (first.year(), first.month()) == (last.year(), last.month()) => {
            format!("{}–{} {} {}", first.day(), last.day(), month(first), first.year())
        }
        () if first.year() == last.year() => format!("{} {} – {}", first.day(), month(first), day(last)),
        () => format!("{} – {}", day(first), day(last)),
    }
}

/// Returns the name of a period: `Week 24 of 2026`, `June 2026`, `Wed 10 June 2026`.
pub(crate) fn period(period: Period) -> String {
    let first = period.first_day();
    match period.grain() {
        Grain::Working | Grain::Daily => weekday(first),
        Grain::Weekly => {
            let week = first.iso_week_date();
            format!("Week {} of {}", week.week(), week.year())
        }
        Grain::Monthly => format!("{} {}", month(first), first.year()),
        Grain::Quarterly => format!("Quarter {} of {}", (first.month() + 2) / 3, first.year()),
        Grain::Yearly => first.year().to_string(),
    }
}

/// Returns the local time of day: `18:30`.
pub(crate) fn time(at: Timestamp, zones: &Zones) -> String {
    local(at, zones).map_or_else(|| at.to_string(), |time| time.strftime("%H:%M").to_string())
}

/// Returns the local day and time: `10 June 2026, 18:30`.
pub(crate) fn moment(at: Timestamp, zones: &Zones) -> String {
    let text = local(at, zones).map(|time| format!("{}, {}", day(time.date()), time.strftime("%H:%M")));
    text.unwrap_or_else(|| at.to_string())
}

fn local(at: Timestamp, zones: &Zones) -> Option<jiff::Zoned> {
    at.in_tz(zones.name_at(at)).ok()
}

/// Returns a time in UTC for the operator: `2026-06-10 18:30 UTC`.
pub(crate) fn utc(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Returns the name of the lane of a grain, which is also the plural name of its memories: `Weeks`.
pub(crate) fn grain(grain: Grain) -> &'static str {
    ["Turns", "Days", "Weeks", "Months", "Quarters", "Years"][grain as usize]
}

/// Returns the singular name of a memory of a grain: `week`.
pub(crate) fn one(grain: Grain) -> &'static str {
    ["turn", "day", "week", "month", "quarter", "year"][grain as usize]
}

/// All states, most important first. A combined bar shows the first of them that occurs. The legend lists them in reverse.
pub(crate) const STATES: [PeriodState; 10] = [
    PeriodState::Failed,
    PeriodState::Stale,
    PeriodState::Waiting,
    PeriodState::Writing,
    PeriodState::Degraded,
    PeriodState::Forgotten,
    PeriodState::Pruned,
    PeriodState::Sealed,
    PeriodState::Open,
    PeriodState::Closed,
];

/// Returns the word for a state, which is also its class in the style sheet.
pub(crate) fn state(state: PeriodState) -> &'static str {
    match state {
        PeriodState::Open => "open",
        PeriodState::Closed => "closed",
        PeriodState::Stale => "stale",
        PeriodState::Waiting => "waiting",
        PeriodState::Writing => "writing",
        PeriodState::Degraded => "degraded",
        PeriodState::Failed => "failed",
        PeriodState::Pruned => "pruned",
        PeriodState::Sealed => "sealed",
        PeriodState::Forgotten => "forgotten",
    }
}

/// Returns what a state means, as tooltips and the legend show it.
pub(crate) fn meaning(state: PeriodState) -> &'static str {
    match state {
        PeriodState::Open => "not over yet; its summary is still to come",
        PeriodState::Closed => "over, and its summary covers everything",
        PeriodState::Stale => "something arrived or changed since the summary was written",
        PeriodState::Waiting => "over, and its summary is due",
        PeriodState::Writing => "its summary is being written",
        PeriodState::Degraded => "written by the built-in engine because the model could not",
        PeriodState::Failed => "the last attempt failed; it is tried again",
        PeriodState::Pruned => "removed by the retention plan; a coarser summary covers it",
        PeriodState::Sealed => "what it was made from was pruned; it can only be amended",
        PeriodState::Forgotten => "nothing is left of it",
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn dates_are_as_people_write_them() {
        assert_eq!(days(date(2026, 6, 8), date(2026, 6, 14)), "8–14 June 2026");
        assert_eq!(days(date(2026, 6, 29), date(2026, 7, 5)), "29 June – 5 July 2026");
        assert_eq!(days(date(2025, 12, 29), date(2026, 1, 4)), "29 December 2025 – 4 January 2026");
        assert_eq!(days(date(2026, 6, 10), date(2026, 6, 10)), "Wed 10 June 2026");
        assert_eq!(period("2026-W24".parse().unwrap()), "Week 24 of 2026");
        assert_eq!(period("2026-Q2".parse().unwrap()), "Quarter 2 of 2026");
        let zones = Zones::new("Europe/Lisbon").unwrap();
        assert_eq!(moment("2026-06-10T18:30:00Z".parse().unwrap(), &zones), "10 June 2026, 19:30");
    }

    #[test]
    fn numbers_are_grouped_and_words_are_plural() {
        assert_eq!((count(0), count(999), count(1_234_567)), ("0".into(), "999".into(), "1,234,567".into()));
        assert_eq!((plural(1, "turn"), plural(2000, "turn")), ("1 turn".into(), "2,000 turns".into()));
        assert_eq!((plural(2, "summary"), plural(2, "day")), ("2 summaries".into(), "2 days".into()));
    }
}
