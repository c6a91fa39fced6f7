//! Conformance suite of port `Facts`.

mod aliases;
mod find;
mod graph;
mod write;

use annals_core::{Agent, Fact, FactQuery, Facts, Interval, MemoryId, Timestamp, predicate_name};

use super::{Case, cases, run};
use crate::{agent, at};

/// Runs every case, each on a new store without tables from `make`.
pub async fn facts_suite<F: Facts + 'static>(mut make: impl AsyncFnMut() -> F) {
    let cases: Vec<Case<dyn Facts>> = cases![
        write::a_table_that_was_never_written_is_empty,
        write::a_table_of_no_facts_has_a_version,
        write::facts_come_back_whole,
        write::any_text_is_stored,
        write::early_and_late_years_are_stored,
        write::replacing_leaves_nothing_of_the_former_table,
        write::replacing_twice_is_replacing_once,
        write::a_later_table_is_not_replaced,
        write::many_facts_are_stored,
        write::agents_are_kept_apart,
        write::a_removed_table_is_empty_and_can_be_written,
        write::every_text_of_a_fact_is_searched_for_words,
        find::facts_come_in_the_order_of_time_then_id,
        find::the_limit_counts_from_the_first,
        find::those_that_hold_are_found_unless_more_is_asked,
        find::an_instant_finds_what_held_then,
        find::subjects_and_objects_are_found_by_any_spelling,
        find::names_are_found_whole_or_not_at_all,
        find::an_empty_name_finds_nothing,
        find::predicates_are_found_by_any_spelling,
        find::the_time_of_saying_is_half_open,
        find::all_that_is_asked_must_fit,
        find::odd_questions_are_no_syntax,
        find::predicates_come_by_use,
        aliases::other_names_are_found_in_both_directions,
        aliases::names_of_names_are_found,
        aliases::a_circle_of_names_ends,
        aliases::a_former_name_is_a_name,
        aliases::a_name_that_was_taken_back_is_none,
        aliases::only_the_alias_predicate_gives_names,
        aliases::an_empty_alias_joins_nobody,
        aliases::an_alias_of_another_agent_is_none,
        graph::a_walk_goes_as_far_and_which_way_it_may,
        graph::circles_and_loops_are_walked_once,
        graph::a_walk_answers_the_nearest_first_and_no_more_than_asked,
        graph::only_what_is_asked_is_followed,
        graph::all_names_of_an_entity_are_one_node,
        graph::what_is_nobodys_name_leads_nowhere,
        graph::the_shortest_path_is_found,
        graph::of_paths_as_short_the_one_is_taken_whose_facts_come_first,
        graph::names_are_known_by_any_spelling,
        graph::the_graph_is_that_of_the_table_as_it_is_now,
    ];
    run("facts", cases, async || Box::new(make().await) as Box<dyn Facts>).await;
}

fn me() -> Agent {
    agent("tester")
}

/// Parses a fact from `subject predicate object [from[..to]]` with days. Underscores in names stand for spaces.
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
