//! Walks and paths: depth, direction, predicates and time.

use annals_core::{Along, Direction, Facts, Interval, Route, Walk};

use super::{day, fact, facts, me, store};
use crate::agent;

/// Facts around Ann, in both directions. Bob is her child.
const FAMILY: &str = "Ann parent_of Bob
    Bob lives_in Bern
    Eve lives_in Bern
    Eve knows Ida
    Ida parent_of Ann";

/// Returns the facts that a walk reaches, as `depth:ids`.
async fn reached(tables: &dyn Facts, walk: Walk) -> String {
    let reached = tables.walk(&me(), &walk).await.unwrap();
    let depths: std::collections::BTreeSet<u32> = reached.iter().map(|reached| reached.depth).collect();
    let of = |depth: &u32| {
        let ids = reached.iter().filter(|reached| reached.depth == *depth).map(|reached| reached.fact.id.as_str());
        format!("{depth}:{}", ids.collect::<String>())
    };
    assert!(reached.is_sorted_by_key(|reached| reached.depth));
    depths.iter().map(of).collect::<Vec<_>>().join(" ")
}

fn from(name: &str, depth: u32, direction: Direction) -> Walk {
    Walk { from: name.into(), depth, along: Along { direction, ..Along::default() }, limit: None }
}

/// Returns the ids of the facts of a path, or `None`.
async fn path(tables: &dyn Facts, from: &str, to: &str, depth: u32, along: Along) -> Option<String> {
    let route = Route { from: from.into(), to: to.into(), depth, along };
    let path = tables.path(&me(), &route).await.unwrap()?;
    Some(path.iter().map(|fact| fact.id.as_str()).collect())
}

pub(super) async fn walk_respects_depth_and_direction(tables: &dyn Facts) {
    store(tables, FAMILY).await;
    use Direction::{Both, In, Out};
    for (direction, depth, expect) in [
        (Out, 1, "1:a"),
        (Out, 2, "1:a 2:b"),
        (Out, 9, "1:a 2:b"),
        (In, 1, "1:e"),
        (In, 2, "1:e 2:d"),
        (Both, 1, "1:ae"),
        (Both, 2, "1:ae 2:bd"),
        (Both, 3, "1:ae 2:bd 3:c"),
        (Both, 10, "1:ae 2:bd 3:c"),
    ] {
        assert_eq!(reached(tables, from("ann", depth, direction)).await, expect, "{direction:?} {depth}");
    }
    assert_eq!(reached(tables, from("Nobody", 3, Both)).await, "");
    assert_eq!(reached(tables, from("", 3, Both)).await, "");
}

pub(super) async fn cycles_are_walked_once(tables: &dyn Facts) {
    store(tables, "Ann knows Bob\nBob knows Eve\nEve knows Ann\nAnn likes Ann\nAnn knows Bob 2026-03-05").await;
    assert_eq!(reached(tables, from("Ann", 10, Direction::Out)).await, "1:ade 2:b 3:c");
    assert_eq!(reached(tables, from("Ann", 10, Direction::In)).await, "1:cd 2:b 3:ae");
    assert_eq!(reached(tables, from("Ann", 10, Direction::Both)).await, "1:acde 2:b");
}

pub(super) async fn walk_returns_the_nearest_first_up_to_the_limit(tables: &dyn Facts) {
    store(
        tables,
        "Bob knows Eve 2026-01-01
         Ann knows Ida 2026-03-03
         Ann knows Bob 2026-03-02
         Ida knows Kai 2025-01-01",
    )
    .await;
    for (limit, expect) in [(0, ""), (1, "c"), (2, "cb"), (3, "cbd"), (4, "cbda"), (9, "cbda")] {
        let walk = Walk { limit: Some(limit), ..from("Ann", 5, Direction::Out) };
        let reached = tables.walk(&me(), &walk).await.unwrap();
        assert_eq!(reached.iter().map(|reached| reached.fact.id.as_str()).collect::<String>(), expect, "{limit}");
    }
    let whole = tables.walk(&me(), &from("Ann", 1, Direction::Out)).await.unwrap();
    assert_eq!(whole[0].fact, fact("c", "Ann knows Bob 2026-03-02"));
}

pub(super) async fn walk_follows_only_facts_that_match_the_filter(tables: &dyn Facts) {
    store(
        tables,
        "Ann knows Bob 2026-01-01..2026-02-01
         Ann knows Eve 2026-02-01
         Bob likes tea 2026-01-01
         Eve likes jazz 2026-01-01
         Eve lives_in Bern 2026-01-01",
    )
    .await;
    let walk = |along: Along| Walk {
        from: "Ann".into(),
        depth: 2,
        along: Along { direction: Direction::Out, ..along },
        limit: None,
    };
    let then = Along { as_of: Some(day("2026-01-15")), ..Along::default() };
    let mentioned = Interval { start: day("2026-01-01"), end: day("2026-01-02") };
    for (along, expect) in [
        (Along::default(), "1:b 2:de"),
        (then.clone(), "1:a 2:c"),
        (Along { as_of: Some(day("2020-01-01")), ..Along::default() }, ""),
        // A fact holds from its first instant until just before its end.
        (Along { as_of: Some(day("2026-01-01")), ..Along::default() }, "1:a 2:c"),
        (Along { as_of: Some(day("2026-02-01")), ..Along::default() }, "1:b 2:de"),
        (Along { history: true, ..Along::default() }, "1:ab 2:cde"),
        (Along { history: true, ..then }, "1:ab 2:cde"),
        (Along { predicates: vec!["Knows".into()], ..Along::default() }, "1:b"),
        (Along { predicates: vec!["knows".into(), "lives in".into()], ..Along::default() }, "1:b 2:e"),
        (Along { predicates: vec!["likes".into()], ..Along::default() }, ""),
        (Along { predicates: vec!["unknown".into()], ..Along::default() }, ""),
        (Along { history: true, said_within: Some(mentioned), ..Along::default() }, "1:a 2:c"),
    ] {
        assert_eq!(reached(tables, walk(along.clone())).await, expect, "{along:?}");
    }
}

pub(super) async fn aliases_of_an_entity_are_one_node(tables: &dyn Facts) {
    let mut table = facts(
        "Bob also_known_as Robert 2020-01-01..2021-01-01
         Ann knows bob
         Róbert lives_in Bern
         Rob also_known_as ROBERT
         Rob likes tea",
    );
    table[0].superseded_by = Some("f".into());
    tables.replace(&me(), table, 1).await.unwrap();
    assert_eq!(reached(tables, from("Ann", 2, Direction::Out)).await, "1:b 2:cde");
    assert_eq!(reached(tables, from("Bob", 1, Direction::Out)).await, "1:cde");
    assert_eq!(path(tables, "Ann", "tea", 2, Along::default()).await.as_deref(), Some("be"));
    assert_eq!(path(tables, "Bob", "Rob", 2, Along::default()).await.as_deref(), Some(""));
}

pub(super) async fn unknown_name_reaches_nothing(tables: &dyn Facts) {
    store(tables, "Ann owns ?\nBob owns ?\n! knows Eve\nAnn also_known_as ?").await;
    assert_eq!(reached(tables, from("Ann", 5, Direction::Both)).await, "1:ad");
    assert_eq!(reached(tables, from("?", 5, Direction::Both)).await, "");
    assert_eq!(path(tables, "Ann", "Bob", 5, Along::default()).await, None);
    assert_eq!(path(tables, "?", "?", 5, Along::default()).await, None);
}

pub(super) async fn shortest_path_is_found(tables: &dyn Facts) {
    store(tables, &format!("{FAMILY}\nAnn visited Lyon\nKai visited Lyon\nBob knows Bob")).await;
    let along = |direction| Along { direction, ..Along::default() };
    use Direction::{Both, In, Out};
    for (start, end, depth, direction, expect) in [
        ("Ann", "Bern", 10, Out, Some("ab")),
        ("Bern", "ANN", 10, In, Some("ba")),
        ("Ann", "Bern", 10, In, None),
        ("Ann", "Eve", 10, Both, Some("ed")),
        ("Eve", "Ann", 10, Out, Some("de")),
        ("Eve", "Ann", 1, Both, None),
        ("Kai", "Bern", 4, Both, Some("gfab")),
        ("Kai", "Bern", 3, Both, None),
        ("Bob", "Bob", 1, Both, Some("")),
        ("Ann", "Nobody", 10, Both, None),
        ("Nobody", "Nobody", 10, Both, None),
    ] {
        let found = path(tables, start, end, depth, along(direction)).await;
        assert_eq!(found.as_deref(), expect, "{start} {end} {depth} {direction:?}");
    }
    let by = |predicate: &str| Along { predicates: vec![predicate.into()], ..Along::default() };
    assert_eq!(path(tables, "Ann", "Bob", 5, by("parent of")).await.as_deref(), Some("a"));
    assert_eq!(path(tables, "Ann", "Bob", 5, by("lives in")).await, None);
}

pub(super) async fn ties_between_paths_go_to_the_earlier_facts(tables: &dyn Facts) {
    store(
        tables,
        "Ann knows Bob 2026-03-02
         Bob knows Eve 2026-03-01
         Ann knows Ida 2026-03-01
         Ida knows Eve 2026-03-09
         Ann knows Ida 2026-03-05
         Ida knows Eve 2026-03-08",
    )
    .await;
    assert_eq!(path(tables, "Ann", "Eve", 5, Along::default()).await.as_deref(), Some("cf"));
    assert_eq!(path(tables, "Eve", "Ann", 5, Along::default()).await.as_deref(), Some("ba"));
}

pub(super) async fn names_match_any_spelling(tables: &dyn Facts) {
    store(tables, "Ann lives_in New_York 2020-01-01..2021-01-01\nAnn owns ?").await;
    let names: Vec<String> = ["new york", "York", "ÁNN.", "?", "", "ann"].map(Into::into).to_vec();
    assert_eq!(tables.known(&me(), &names).await.unwrap(), ["new york", "ÁNN.", "ann"]);
    assert_eq!(tables.known(&agent("other"), &names).await.unwrap(), Vec::<String>::new());
}

pub(super) async fn graph_follows_replaced_tables(tables: &dyn Facts) {
    let walk = || from("Ann", 2, Direction::Out);
    assert_eq!(reached(tables, walk()).await, "");
    assert_eq!(path(tables, "Ann", "Bob", 3, Along::default()).await, None);
    store(tables, "Ann knows Bob").await;
    assert_eq!(reached(tables, walk()).await, "1:a");
    store(tables, "Ann knows Eve\nEve knows Bob").await;
    assert_eq!(reached(tables, walk()).await, "1:a 2:b");
    tables.replace(&agent("other"), facts("Ann knows Kai\nAnn knows Ida"), 1).await.unwrap();
    assert_eq!(reached(tables, walk()).await, "1:a 2:b");
    tables.remove(&me()).await.unwrap();
    assert_eq!(reached(tables, walk()).await, "");
}
