//! Queries by time, entity and predicate, and the order of their results.

use annals_core::{FactQuery, Facts, Interval, Timestamp};

use super::{about, day, everything, fact, facts, ids, me, store};

pub(super) async fn facts_are_ordered_by_time_then_id(tables: &dyn Facts) {
    let shuffled = ["c Ann likes tea 2026-03-02", "B Ann likes tea 2026-03-02", "z Ann likes tea 2026-03-01"]
        .into_iter()
        .chain(["aa Ann likes tea 2026-03-02", "a Ann likes tea 2026-03-02", "é Ann likes tea 2026-03-02"])
        .map(|line| line.split_once(' ').unwrap())
        .map(|(id, text)| fact(id, text))
        .collect();
    tables.replace(&me(), shuffled, 1).await.unwrap();
    assert_eq!(ids(tables, everything()).await, "z B a aa c é");
    assert_eq!(ids(tables, about("ann")).await, "z B a aa c é");
}

pub(super) async fn limit_returns_the_first_facts(tables: &dyn Facts) {
    store(tables, "Ann likes tea 2026-03-03\nAnn likes jazz 2026-03-01\nAnn likes rain 2026-03-02").await;
    for (limit, expect) in [(0, ""), (1, "b"), (2, "b c"), (3, "b c a"), (9, "b c a"), (usize::MAX, "b c a")] {
        assert_eq!(ids(tables, FactQuery { limit: Some(limit), ..everything() }).await, expect, "{limit}");
        assert_eq!(ids(tables, FactQuery { limit: Some(limit), ..about("Ann") }).await, expect, "{limit}");
    }
}

pub(super) async fn ended_facts_are_found_only_with_history(tables: &dyn Facts) {
    store(tables, "Ann lives_in Rome 2026-01-01..2026-02-01\nAnn lives_in Oslo 2026-02-01").await;
    assert_eq!(ids(tables, FactQuery::default()).await, "b");
    assert_eq!(ids(tables, everything()).await, "a b");
    // `history` returns all facts, whatever the instant.
    assert_eq!(ids(tables, FactQuery { as_of: Some(day("2020-01-01")), ..everything() }).await, "a b");
}

pub(super) async fn as_of_finds_the_facts_of_that_instant(tables: &dyn Facts) {
    store(
        tables,
        "Ann lives_in Rome 2026-01-01..2026-02-01
         Ann lives_in Oslo 2026-02-01..2026-03-01
         Ann lives_in Bern 2026-03-01
         Ann likes never 2026-02-10..2026-02-10",
    )
    .await;
    let before = |instant: Timestamp| Timestamp::from_microsecond(instant.as_microsecond() - 1).unwrap();
    for (instant, expect) in [
        (before(day("2026-01-01")), ""),
        (day("2026-01-01"), "a"),
        (before(day("2026-02-01")), "a"),
        (day("2026-02-01"), "b"),
        (day("2026-02-10"), "b"),
        (before(day("2026-03-01")), "b"),
        (day("2026-03-01"), "c"),
        (day("9000-01-01"), "c"),
        (Timestamp::MIN, ""),
        (Timestamp::MAX, "c"),
    ] {
        assert_eq!(ids(tables, FactQuery { as_of: Some(instant), ..FactQuery::default() }).await, expect, "{instant}");
    }
}

pub(super) async fn subjects_and_objects_match_any_spelling(tables: &dyn Facts) {
    store(tables, "José_García likes The_Louvre\nAnn knows jose_garcia\nAnn uses C++\nAnn likes 東京").await;
    for (name, expect) in [
        ("José García", "a b"),
        ("JOSE  GARCIA.", "a b"),
        ("Jose\u{301} Garci\u{301}a", "a b"),
        ("louvre", "a"),
        ("a Louvre", "a"),
        ("ann", "b c d"),
        ("c++", "c"),
        ("C", ""),
        ("東京", "d"),
    ] {
        assert_eq!(ids(tables, about(name)).await, expect, "{name:?}");
    }
}

pub(super) async fn names_match_only_as_a_whole(tables: &dyn Facts) {
    store(tables, "Ann_Lee likes tea\nAnnabel likes tea\nAnn likes tea_cake").await;
    for (name, expect) in
        [("Ann", "c"), ("Ann Lee", "a"), ("tea", "a b"), ("te", ""), ("%", ""), ("An%", ""), ("A_n", "")]
    {
        assert_eq!(ids(tables, about(name)).await, expect, "{name:?}");
    }
}

pub(super) async fn empty_name_finds_nothing(tables: &dyn Facts) {
    store(tables, "?? likes tea\nAnn says !").await;
    for name in ["", "  ", "?", "!!!", "\u{301}"] {
        assert_eq!(ids(tables, about(name)).await, "", "{name:?}");
    }
    assert_eq!(ids(tables, FactQuery::default()).await, "a b");
}

pub(super) async fn predicates_match_any_spelling(tables: &dyn Facts) {
    store(tables, "Ann lives_in Rome\nAnn lives Rome\nAnn 住在 Rome\nAnn likes Rome").await;
    for (predicate, expect) in [
        ("lives_in", "a"),
        ("Lives in", "a"),
        ("livesIn", "a"),
        (" LIVES ", "b"),
        ("住在", "c"),
        ("live", ""),
        ("", ""),
        ("?", ""),
        ("%", ""),
    ] {
        let query = FactQuery { predicate: Some(predicate.into()), ..FactQuery::default() };
        assert_eq!(ids(tables, query).await, expect, "{predicate:?}");
    }
}

pub(super) async fn said_within_is_half_open(tables: &dyn Facts) {
    let instant = |micros: i64| Timestamp::from_microsecond(1_000_000 + micros).unwrap();
    let within = |start, end| Interval { start: instant(start), end: instant(end) };
    let mut table = facts("Ann likes tea\nAnn likes jazz\nAnn likes rain");
    for (fact, mentioned) in table.iter_mut().zip([within(0, 3), within(3, 4), within(5, 5)]) {
        fact.mentioned = mentioned;
    }
    tables.replace(&me(), table.clone(), 1).await.unwrap();
    for (start, end) in (-1..7).flat_map(|start| (-1..7).map(move |end| (start, end))) {
        let interval = within(start, end);
        let expect = table.iter().filter(|fact| fact.mentioned.overlaps(&interval)).map(|fact| fact.id.as_str());
        let expect = expect.collect::<Vec<_>>().join(" ");
        assert_eq!(
            ids(tables, FactQuery { said_within: Some(interval), ..everything() }).await,
            expect,
            "{start}..{end}"
        );
    }
    assert_eq!(ids(tables, FactQuery { said_within: Some(Interval::ALWAYS), ..everything() }).await, "a b");
}

pub(super) async fn all_filters_must_match(tables: &dyn Facts) {
    store(
        tables,
        "Ann likes tea 2026-03-01..2026-03-09
         Ann likes tea 2026-03-10
         Bob likes tea 2026-03-10
         Ann drinks tea 2026-03-10
         Ann likes jazz 2026-03-20
         Ann likes rain 2026-03-10",
    )
    .await;
    let query = FactQuery {
        about: Some("ANN".into()),
        predicate: Some("Likes".into()),
        as_of: Some(day("2026-03-15")),
        said_within: Some(Interval { start: day("2026-03-02"), end: day("2026-04-01") }),
        ..FactQuery::default()
    };
    assert_eq!(ids(tables, query.clone()).await, "b f");
    assert_eq!(ids(tables, FactQuery { limit: Some(1), ..query.clone() }).await, "b");
    assert_eq!(ids(tables, FactQuery { as_of: None, ..query.clone() }).await, "b f e");
    assert_eq!(ids(tables, FactQuery { said_within: None, history: true, ..query.clone() }).await, "a b f e");
    assert_eq!(ids(tables, FactQuery { predicate: None, ..query.clone() }).await, "b d f");
    assert_eq!(ids(tables, FactQuery { about: Some("tea".into()), ..query }).await, "b c");
}

pub(super) async fn special_characters_are_matched_literally(tables: &dyn Facts) {
    store(tables, "Ann likes tea\nRobert'); is \"x\"").await;
    for odd in ["' OR '1'='1", "'; DROP TABLE facts; --", "$1", "a\0b", "\u{202e}", &"x".repeat(100_000)] {
        assert_eq!(ids(tables, about(odd)).await, "", "{odd:?}");
        let query = FactQuery { predicate: Some(odd.into()), ..FactQuery::default() };
        assert_eq!(ids(tables, query).await, "", "{odd:?}");
    }
    assert_eq!(ids(tables, FactQuery::default()).await, "a b");
    assert_eq!(ids(tables, about("robert');")).await, "b");
}

pub(super) async fn predicates_are_ordered_by_use(tables: &dyn Facts) {
    store(
        tables,
        "Ann likes tea
         Ann likes jazz 2026-01-01..2026-01-02
         Ann knows Bob
         Ann has dog
         Ann knows Eve
         Ann likes rain
         Ann eats bread 2026-01-01..2026-01-02",
    )
    .await;
    for (limit, expect) in [
        (9, ["likes", "knows", "eats", "has"].as_slice()),
        (2, &["likes", "knows"]),
        (0, &[]),
        (usize::MAX, &["likes", "knows", "eats", "has"]),
    ] {
        assert_eq!(tables.predicates(&me(), limit).await.unwrap(), expect, "{limit}");
    }
}
