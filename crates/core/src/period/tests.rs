//! Tests of the tree of periods and of their labels.

use std::collections::BTreeSet;

use jiff::ToSpan;
use jiff::civil::{Date, ISOWeekDate, Weekday, date};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::Period;
use crate::Grain;

fn period(label: &str) -> Period {
    label.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn days(first: Date, last: Date) -> impl Iterator<Item = Date> {
    first.series(1.day()).take_while(move |day| *day <= last)
}

#[test]
fn day_has_one_ancestor_in_each_grain() {
    fn check(day: &str, expect: [&str; 4]) {
        let day = period(day);
        let ancestors = Grain::SUMMARIES[1..].iter().map(|grain| day.ancestor(*grain).to_string());
        assert_eq!(ancestors.collect::<Vec<_>>(), expect, "{day}");
    }
    check("2026-03-04", ["2026-W10", "2026-03", "2026-Q1", "2026"]);
    check("2026-03-01", ["2026-W09", "2026-02", "2026-Q1", "2026"]);
    check("2026-03-30", ["2026-W14", "2026-04", "2026-Q2", "2026"]);
    check("2024-12-29", ["2024-W52", "2024-12", "2024-Q4", "2024"]);
    check("2024-12-30", ["2025-W01", "2025-01", "2025-Q1", "2025"]);
    check("2027-01-03", ["2026-W53", "2026-12", "2026-Q4", "2026"]);
    check("2027-01-04", ["2027-W01", "2027-01", "2027-Q1", "2027"]);
    check("1969-12-29", ["1970-W01", "1970-01", "1970-Q1", "1970"]);
    check("0001-12-31", ["0002-W01", "0002-01", "0002-Q1", "0002"]);
    check("9999-01-03", ["9998-W53", "9998-12", "9998-Q4", "9998"]);
}

#[test]
fn label_gives_nominal_days_and_whole_week_cover() {
    fn check(label: &str, nominal: [&str; 2], cover: [&str; 2]) {
        let period = period(label);
        let (first, last) = period.cover_days();
        assert_eq!([period.first_day().to_string(), period.last_day().to_string()], nominal, "{label}");
        assert_eq!([first.to_string(), last.to_string()], cover, "{label}");
    }
    check("2024-02-29", ["2024-02-29"; 2], ["2024-02-29"; 2]);
    check("2025-W01", ["2024-12-30", "2025-01-05"], ["2024-12-30", "2025-01-05"]);
    check("2026-W53", ["2026-12-28", "2027-01-03"], ["2026-12-28", "2027-01-03"]);
    check("2026-03", ["2026-03-01", "2026-03-31"], ["2026-03-02", "2026-03-29"]);
    check("2026-04", ["2026-04-01", "2026-04-30"], ["2026-03-30", "2026-05-03"]);
    check("2026-Q1", ["2026-01-01", "2026-03-31"], ["2025-12-29", "2026-03-29"]);
    check("2026", ["2026-01-01", "2026-12-31"], ["2025-12-29", "2027-01-03"]);
    check("2024", ["2024-01-01", "2024-12-31"], ["2024-01-01", "2024-12-29"]);
}

#[test]
fn period_returns_its_children() {
    fn check(label: &str, expect: &[&str]) {
        let children: Vec<_> = period(label).children().iter().map(Period::to_string).collect();
        assert_eq!(children, expect, "{label}");
    }
    check("2026-03-04", &[]);
    check("2026-03", &["2026-W10", "2026-W11", "2026-W12", "2026-W13"]);
    check("2026-04", &["2026-W14", "2026-W15", "2026-W16", "2026-W17", "2026-W18"]);
    check("2026-Q4", &["2026-10", "2026-11", "2026-12"]);
    check("2026", &["2026-Q1", "2026-Q2", "2026-Q3", "2026-Q4"]);
    assert_eq!(period("2026-12").children().last().map(Period::to_string).as_deref(), Some("2026-W53"));
    assert_eq!(period("2026").parent(), None);
}

/// Returns every period of a grain in the years 1600 to 2200, which cover 1600-01-03 to 2200-12-28. Each is computed
/// from the one before.
fn six_centuries(grain: Grain) -> impl Iterator<Item = Period> {
    let [first, last] = [date(1600, 1, 3), date(2200, 12, 28)].map(|day| Period::of(grain, day));
    std::iter::successors(Some(first), |period| Some(period.next())).take_while(move |period| *period <= last)
}

#[test]
fn covers_are_contiguous_for_six_centuries() {
    let number = |grain| {
        for period in six_centuries(grain) {
            let (next, (first, last)) = (period.next(), period.cover_days());
            assert!(first <= last && last.tomorrow().unwrap() == next.cover_days().0, "{period} and {next}");
            assert!(period.last_day().tomorrow().unwrap() == next.first_day(), "{period} and {next}");
        }
        six_centuries(grain).count()
    };
    let days = days(date(1600, 1, 3), date(2200, 12, 28)).count();
    assert_eq!(Grain::SUMMARIES.map(number), [days, days / 7, 601 * 12, 601 * 4, 601]);
}

#[test]
fn children_fill_the_parent_cover_for_six_centuries() {
    for grain in [Grain::Weekly, Grain::Monthly, Grain::Quarterly, Grain::Yearly] {
        for parent in six_centuries(grain) {
            let children = parent.children();
            let covers: Vec<_> = children.iter().map(|child| child.cover_days()).collect();
            assert!(children.iter().all(|child| child.parent() == Some(parent)), "{parent}: {children:?}");
            assert!(covers.windows(2).all(|pair| pair[0].1.tomorrow().unwrap() == pair[1].0), "{parent}: {children:?}");
            assert_eq!((covers[0].0, covers[covers.len() - 1].1), parent.cover_days(), "{parent}");
        }
    }
}

/// Compares with an independent computation: the Thursday of the calendar library's ISO week of the day.
#[test]
fn ancestors_follow_the_iso_thursday_for_six_centuries() {
    for day in days(date(1600, 1, 1), date(2200, 12, 31)) {
        let week = day.iso_week_date();
        let thursday = ISOWeekDate::new(week.year(), week.week(), Weekday::Thursday).unwrap().date();
        let (year, month) = (thursday.year(), thursday.month());
        assert_eq!(year, week.year(), "{day}");
        let of = |grain| Period::of(grain, day).first;
        assert_eq!(of(Grain::Daily), day);
        assert_eq!(of(Grain::Weekly), week.first_of_week().unwrap().date(), "{day}");
        assert_eq!(of(Grain::Monthly), date(year, month, 1), "{day}");
        assert_eq!(of(Grain::Quarterly), date(year, [1, 1, 1, 4, 4, 4, 7, 7, 7, 10, 10, 10][month as usize - 1], 1));
        assert_eq!(of(Grain::Yearly), date(year, 1, 1), "{day}");
        // Every step from the day upwards gives the same ancestors.
        let mut step = Period::of(Grain::Daily, day);
        while let Some(parent) = step.parent() {
            assert_eq!(parent, Period::of(parent.grain, day), "{day}");
            step = parent;
        }
        assert_eq!(step.grain, Grain::Yearly);
    }
}

#[test]
fn labels_round_trip_and_sort_by_time_for_six_centuries() {
    for grain in Grain::SUMMARIES {
        let mut before: Option<(Period, String)> = None;
        for period in six_centuries(grain) {
            let label = period.to_string();
            assert_eq!(label.parse::<Period>().unwrap(), period);
            assert!(before.is_none_or(|(former, text)| former < period && text < label), "{label}");
            before = Some((period, label));
        }
    }
}

#[test]
fn bad_labels_are_refused() {
    let bad = [
        "",
        " ",
        "26",
        "026",
        "02026",
        "+2026",
        "-026",
        "-2026",
        "2O26",
        "２０２６",
        "2026-",
        "-",
        "2026 ",
        "26-01",
        "2026-00",
        "2026-13",
        "2026-1",
        "2026-001",
        "2026-+1",
        "2026-Q0",
        "2026-Q5",
        "2026-Q",
        "2026-Q01",
        "2026-q1",
        "2026-W00",
        "2026-W54",
        "2025-W53",
        "2026-W1",
        "2026-W",
        "2026-w10",
        "2026-W010",
        "2026-W10-1",
        "2026-00-01",
        "2026-01-00",
        "2026-01-32",
        "2026-02-29",
        "2026-02-30",
        "2026-3-4",
        "2026-03-4",
        "2026-03-04-05",
        "2026-03-04 ",
        "2026-03-04T00:00",
        "2026/03/04",
        "20260304",
        "2026-Q1-01",
        "today",
        "0000",
        "0000-01-01",
        "0001",
        "0001-12-30",
        "0001-W52",
        "0001-12",
        "9999",
        "9999-W01",
        "9999-01",
        "9999-01-04",
        "9999-12-31",
        "10000",
    ];
    for label in bad {
        let refused = label.parse::<Period>().expect_err(label).to_string();
        assert!(
            refused.starts_with(&format!("period is {label:?}; expected an existing period such as 2026-03-04")),
            "{refused}"
        );
    }
}

#[test]
fn label_is_padded_to_the_given_width() {
    assert_eq!(format!("[{:<10}]", period("2026-W10")), "[2026-W10  ]");
}

/// Days missing from Samuel Pepys' diary in the corpus, which spans 1660-01-11 to 1669-06-10.
const DIARY_GAPS: &[(Date, Date)] = &[
    (date(1661, 7, 19), date(1661, 7, 23)),
    (date(1661, 7, 27), date(1661, 7, 29)),
    (date(1661, 11, 24), date(1661, 11, 24)),
    (date(1661, 12, 6), date(1661, 12, 6)),
    (date(1662, 4, 4), date(1662, 4, 4)),
    (date(1662, 5, 23), date(1662, 5, 23)),
    (date(1662, 5, 30), date(1662, 5, 30)),
    (date(1662, 8, 26), date(1662, 8, 26)),
    (date(1662, 11, 29), date(1662, 11, 29)),
    (date(1663, 9, 9), date(1663, 9, 9)),
    (date(1664, 12, 16), date(1664, 12, 16)),
    (date(1668, 4, 21), date(1668, 4, 21)),
    (date(1668, 10, 10), date(1668, 10, 20)),
];

#[test]
fn diary_has_expected_periods_and_differences_from_civil_calendar() {
    let is_missing = |day: &Date| DIARY_GAPS.iter().any(|(first, last)| first <= day && day <= last);
    let diary: Vec<Date> = days(date(1660, 1, 11), date(1669, 6, 10)).filter(|day| !is_missing(day)).collect();
    assert_eq!(diary.len(), 3410);
    let number = |grain| diary.iter().map(|day| Period::of(grain, *day)).collect::<BTreeSet<_>>().len();
    assert_eq!(Grain::SUMMARIES.map(number), [3410, 493, 114, 38, 10]);
    let elsewhere = |grain, civil: fn(&Date) -> Date| {
        diary.iter().filter(|day| Period::of(grain, **day).first_day() != civil(day)).count()
    };
    assert_eq!(elsewhere(Grain::Monthly, |day| day.first_of_month()), 195);
    assert_eq!(elsewhere(Grain::Yearly, |day| day.first_of_year()), 14);
}

fn any_day() -> impl Strategy<Value = Date> {
    let (first, last) = (date(1, 12, 31), date(9999, 1, 3));
    (0..=(last - first).get_days()).prop_map(move |number| first.saturating_add(number.days()))
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1660),
        failure_persistence: None,
        ..ProptestConfig::with_cases(5_000)
    })]

    #[test]
    fn tree_is_consistent_from_year_2_to_9998(day in any_day(), grain in prop::sample::select(&Grain::SUMMARIES[..])) {
        let period = Period::of(grain, day);
        let (first, last) = period.cover_days();
        prop_assert!(first <= day && day <= last);
        prop_assert_eq!(period.to_string().parse::<Period>().unwrap(), period);
        prop_assert_eq!(period.next().cover_days().0, last.tomorrow().unwrap());
        let related = |other: Period| other.ancestor(grain) == period;
        prop_assert!(period.children().into_iter().all(related));
        prop_assert!(period.parent().is_none_or(|parent| parent.children().contains(&period)));
        prop_assert!(Period::of(grain, first) == period && Period::of(grain, last) == period);
    }

    #[test]
    fn parsed_text_equals_its_label(text in "[0-9WQ+ -]{0,12}|\\PC{0,12}") {
        if let Ok(period) = text.parse::<Period>() {
            prop_assert_eq!(period.to_string(), text);
        }
    }
}
