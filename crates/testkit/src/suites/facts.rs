//! Conformance suite of port `Facts`.

mod aliases;
mod find;
mod graph;
mod write;

use annals_core::{Agent, Fact, FactQuery, Facts, Interval, MemoryId, Timestamp, predicate_name};

use super::{SuiteTest, cases, run};
use crate::{agent, at};

/// Runs every case, each on a new store without tables from `make`.
pub async fn facts_suite<F: Facts + 'static>(mut make: impl AsyncFnMut() -> F) {
    let cases: Vec<SuiteTest<dyn Facts>> = cases![
        write::unwritten_table_is_empty,
        write::table_without_facts_has_a_version,
        write::facts_round_trip,
        write::any_text_round_trips,
        write::early_and_late_years_round_trip,
        write::replacing_removes_the_former_table,
        write::replacing_twice_changes_nothing,
        write::newer_table_is_not_replaced,
        write::many_facts_are_stored,
        write::tables_are_per_agent,
        write::removed_table_is_empty_and_writable,
        write::leftovers_are_searched_in_every_text_of_a_fact,
        find::facts_are_ordered_by_time_then_id,
        find::limit_returns_the_first_facts,
        find::ended_facts_are_found_only_with_history,
        find::as_of_finds_the_facts_of_that_instant,
        find::subjects_and_objects_match_any_spelling,
        find::names_match_only_as_a_whole,
        find::empty_name_finds_nothing,
        find::predicates_match_any_spelling,
        find::said_within_is_half_open,
        find::all_filters_must_match,
        find::special_characters_are_matched_literally,
        find::predicates_are_ordered_by_use,
        aliases::aliases_are_followed_in_both_directions,
        aliases::aliases_of_aliases_are_followed,
        aliases::cycle_of_aliases_ends,
        aliases::former_alias_is_followed,
        aliases::retracted_alias_is_not_followed,
        aliases::only_the_alias_predicate_makes_aliases,
        aliases::empty_alias_joins_nothing,
        aliases::alias_of_another_agent_is_ignored,
        graph::walk_respects_depth_and_direction,
        graph::cycles_are_walked_once,
        graph::walk_returns_the_nearest_first_up_to_the_limit,
        graph::walk_follows_only_facts_that_match_the_filter,
        graph::aliases_of_an_entity_are_one_node,
        graph::unknown_name_reaches_nothing,
        graph::shortest_path_is_found,
        graph::ties_between_paths_go_to_the_earlier_facts,
        graph::names_match_any_spelling,
        graph::graph_follows_replaced_tables,
    ];
    run("facts", cases, async || Box::new(make().await) as Box<dyn Facts>).await;
}

fn me() -> Agent {
    agent("tester")
}

/// Parses a fact from `subject predicate object [from[..to]]`, in which `from` and `to` are days. Underscores in names stand
/// for spaces.
fn fact(id: &str, text: &str) -> Fact {
    let words: Vec<&str> = text.split(' ').collect();
    let name = |word: &str| word.replace('_', " ");
    let (from, to) = match words.get(3).copied().unwrap_or("2026-03-04").split_once("..") {
        Some((from, to)) => (day(from), Some(day(to))),
        None => (day(words.get(3).unwrap_or(&"2026-03-04")), None),
    };
    Fact {
        id: id.into(),
        subject: name(words[0]),
        predicate: predicate_name(words[1]),
        object: name(words[2]),
        properties: Default::default(),
        confidence: 0.9,
        valid_from: from,
        valid_to: to,
        recorded_at: at("2026-03-05T00:00:00Z"),
        mentioned: Interval { start: from, end: Timestamp::from_microsecond(from.as_microsecond() + 1).unwrap() },
        sources: vec![MemoryId::from_text(format!("t-{id}"))],
        superseded_by: None,
    }
}

/// Returns noon of a day in UTC.
fn day(date: &str) -> Timestamp {
    at(&format!("{date}T12:00:00Z"))
}

/// Parses one fact per line. Their ids are `a`, `b`, and so on.
fn facts(lines: &str) -> Vec<Fact> {
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    ('a'..='z').zip(lines).map(|(id, line)| fact(&id.to_string(), line)).collect()
}

async fn store(tables: &dyn Facts, lines: &str) {
    tables.replace(&me(), facts(lines), 1).await.unwrap();
}

/// Returns the ids of the facts that a query finds, in order.
async fn ids(tables: &dyn Facts, query: FactQuery) -> String {
    let found = tables.find(&me(), &query).await.unwrap();
    found.iter().map(|fact| fact.id.as_str()).collect::<Vec<_>>().join(" ")
}

fn about(name: &str) -> FactQuery {
    FactQuery { about: Some(name.into()), ..FactQuery::default() }
}

fn everything() -> FactQuery {
    FactQuery { history: true, ..FactQuery::default() }
}
