//! Tests against the in-memory table: the same facts and queries give the same answers.

use annals_core::{Along, Direction};
use annals_testkit::MemoryFacts;
use proptest::prelude::*;

use super::*;

fn instant() -> impl Strategy<Value = Timestamp> {
    (0..12_i64).prop_map(|number| Timestamp::from_microsecond(1_000_000 + number).unwrap())
}

fn interval() -> impl Strategy<Value = Interval> {
    (instant(), instant()).prop_map(|(start, end)| Interval { start, end })
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["Ann", "the Ann", "Bob", "Róbert", "robert", "Eve", "?", "", "tea"]).prop_map_into()
}

fn predicate() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["likes", "also_known_as", "lives_in", ""]).prop_map_into()
}

prop_compose! {
    fn any_fact()(
        names in (name(), name()), predicate in predicate(), valid_from in instant(), valid_to in prop::option::of(instant()),
        mentioned in interval(), sources in prop::collection::vec("[a-c\u{0}\",]{0,3}", 0..4), confidence in 0.0..1.0,
        superseded_by in prop::option::of("[a-z]{1,3}"), properties in prop::collection::btree_map(".{0,4}", ".{0,4}", 0..3),
    ) -> Fact {
        Fact {
            id: String::new(), subject: names.0, predicate, object: names.1, confidence, valid_from, valid_to, mentioned, superseded_by,
            recorded_at: valid_from,
            properties: properties.into_iter().map(|(name, value)| (name, value.into())).collect(),
            sources: sources.into_iter().map(MemoryId::from_text).collect(),
        }
    }
}

fn any_facts() -> impl Strategy<Value = Vec<Fact>> {
    prop::collection::vec(any_fact(), 0..12).prop_map(|facts| {
        facts
            .into_iter()
            .enumerate()
            .map(|(number, fact)| Fact { id: format!("o-{}", (number * 7) % 12), ..fact })
            .collect()
    })
}

prop_compose! {
    fn any_query()(
        about in prop::option::of(name()), predicate in prop::option::of(predicate()), as_of in prop::option::of(instant()),
        history in any::<bool>(), said_within in prop::option::of(interval()), limit in prop::option::of(0..6_usize),
    ) -> FactQuery {
        FactQuery { about, predicate, as_of, history, said_within, limit }
    }
}

prop_compose! {
    fn any_along()(
        direction in prop::sample::select(vec![Direction::Out, Direction::In, Direction::Both]),
        predicates in prop::collection::vec(predicate(), 0..3), as_of in prop::option::of(instant()), history in any::<bool>(),
        said_within in prop::option::weighted(0.2, interval()),
    ) -> Along {
        Along { direction, predicates, as_of, history, said_within }
    }
}

prop_compose! {
    fn any_walk()(
        from in name(), depth in 1..5_u32, along in any_along(), limit in prop::option::of(0..6_usize),
    ) -> Walk {
        Walk { from, depth, along, limit }
    }
}

prop_compose! {
    fn any_route()(from in name(), to in name(), depth in 1..5_u32, along in any_along()) -> Route {
        Route { from, to, depth, along }
    }
}

/// Generates facts as edges between few names, nearly all of which hold: graphs with cycles, loops and several paths.
fn any_graph() -> impl Strategy<Value = Vec<Fact>> {
    let node = || prop::sample::select(vec!["Ann", "Bob", "Eve", "Rob", "Ida", "Kai", "?", "ann."]);
    let predicate = prop::sample::select(vec!["likes", "knows", "knows", "likes", "likes", "also_known_as"]);
    let edge = (node(), predicate, node(), prop::option::weighted(0.1, instant()));
    prop::collection::vec(edge, 0..14).prop_map(|edges| {
        let numbered = (0_i64..).zip(edges);
        let made = numbered.map(|(number, (subject, predicate, object, valid_to))| Fact {
            id: format!("o-{}", (number * 5) % 14),
            valid_from: Timestamp::from_microsecond(1_000_000 + (number * 7) % 4).unwrap(),
            valid_to,
            ..fact(subject, predicate, object)
        });
        made.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn walks_and_paths_agree_with_the_in_memory_table(
        facts in prop_oneof![any_graph(), any_facts()], walks in prop::collection::vec(any_walk(), 12),
        routes in prop::collection::vec(any_route(), 12), names in prop::collection::vec(name(), 4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let folder = TempDir::new().unwrap();
            let (tables, memory) = (DuckFacts::open(folder.path()).unwrap(), MemoryFacts::new());
            tables.replace(&me(), facts.clone(), 1).await.unwrap();
            memory.replace(&me(), facts, 1).await.unwrap();
            for walk in &walks {
                let (reached, expect) = (tables.walk(&me(), walk).await.unwrap(), memory.walk(&me(), walk).await.unwrap());
                prop_assert_eq!(reached, expect, "{:?}", walk);
            }
            for route in &routes {
                let (path, expect) = (tables.path(&me(), route).await.unwrap(), memory.path(&me(), route).await.unwrap());
                prop_assert_eq!(path, expect, "{:?}", route);
            }
            let (known, expect) = (tables.known(&me(), &names).await.unwrap(), memory.known(&me(), &names).await.unwrap());
            prop_assert_eq!(known, expect);
            Ok(())
        })?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn answers_agree_with_the_in_memory_table(
        facts in any_facts(), queries in prop::collection::vec(any_query(), 12), cold in any::<bool>(), word in "[a-z\"]{1,2}",
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let folder = TempDir::new().unwrap();
            let mut tables = DuckFacts::open(folder.path()).unwrap();
            let memory = MemoryFacts::new();
            tables.replace(&me(), facts.clone(), 1).await.unwrap();
            memory.replace(&me(), facts, 1).await.unwrap();
            if cold {
                tables = DuckFacts::open(folder.path()).unwrap();
            }
            for query in &queries {
                let (found, expect) = (tables.find(&me(), query).await.unwrap(), memory.find(&me(), query).await.unwrap());
                prop_assert_eq!(found, expect, "{:?}", query);
            }
            prop_assert_eq!(tables.predicates(&me(), 2).await.unwrap(), memory.predicates(&me(), 2).await.unwrap());
            let held = tables.find_leftovers(&me(), std::slice::from_ref(&word)).await.unwrap().len();
            let expect = memory.find_leftovers(&me(), &[word]).await.unwrap().len();
            // Keys are stored too, so more files can match than texts do.
            prop_assert!(held >= expect, "{} {}", held, expect);
            Ok(())
        })?;
    }
}
