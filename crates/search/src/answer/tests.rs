//! Tests of answers over in-memory stores that are filled through the ports.

mod models;
mod reranking;
mod scores;

use annals_core::ports::{Accesses, DocumentWrite, Documents, Expected, Journal, Seals};
use annals_core::prelude::*;
use annals_core::{Extracted, Extraction, Kind, Period, Settings, Statement};
use annals_testkit::{agent, at, document, message, statement, summary, turn_of};
use jiff::ToSpan;

use super::*;
use crate::fixture::{NOW, World, about};

const TURNS: [(&str, &str); 4] = [
    ("2026-03-01T23:59:59Z", "the red boat was sold"),
    ("2026-03-02T00:00:00Z", "the blue boat was bought"),
    ("2026-03-05T10:00:00Z", "rain all day"),
    ("2026-03-09T10:00:00Z", "a boat trip to the island"),
];

#[tokio::test]
async fn best_match_comes_first() {
    let world = World::with(&TURNS, &[]).await;
    let answer = world.ask(about("blue boat")).await;
    assert_eq!(answer.results[0].memory.text, "the blue boat was bought");
    assert!(answer.results.windows(2).all(|pair| pair[0].score >= pair[1].score));
}

#[tokio::test]
async fn dates_are_hard_filters_to_the_microsecond() {
    let world = World::with(&TURNS, &[]).await;
    let day = |text: &str| Some(text.parse().unwrap());
    let query = Query { from: day("2026-03-02"), to: day("2026-03-05"), ..about("boat") };
    World::check(&world.ask(query).await, &["the blue boat was bought", "rain all day"]);
    let query = Query { max_days_ago: Some(1), ..about("boat") };
    World::check(&world.ask(query).await, &["a boat trip to the island"]);
    let query = Query { period: Some("2026-W10".parse().unwrap()), min_days_ago: Some(6), ..about("boat") };
    World::check(&world.ask(query).await, &["the blue boat was bought"]);
}

#[tokio::test]
async fn query_without_text_lists_the_newest_first() {
    let world = World::with(&TURNS, &[("2026-03-02", "a boat"), ("2026-W09", "sold")]).await;
    let texts = [
        "a boat trip to the island",
        "rain all day",
        "a boat",
        "the blue boat was bought",
        "sold",
        "the red boat was sold",
    ];
    World::check(&world.ask(Query::default()).await, &texts);
    World::check(&world.ask(Query { grains: vec![Grain::Weekly], ..Query::default() }).await, &["sold"]);
    World::check(&world.ask(about("  ")).await, &texts);
}

#[tokio::test]
async fn empty_range_is_reported() {
    let world = World::with(&TURNS, &[]).await;
    let query = Query { period: Some("2025".parse().unwrap()), ..about("boat") };
    let answer = world.ask(query).await;
    assert!(answer.results.is_empty() && answer.range_is_empty);
}

#[tokio::test]
async fn summary_over_the_edge_counts_days_outside_and_strict_drops_it() {
    let world = World::with(&TURNS, &[("2026-W10", "a boat was bought")]).await;
    let query = |strict| Query {
        grains: vec![Grain::Weekly],
        from: Some("2026-03-04".parse().unwrap()),
        strict,
        ..about("boat")
    };
    assert_eq!(world.ask(query(false)).await.results[0].days_outside, 2);
    assert!(world.ask(query(true)).await.results.is_empty());
}

#[tokio::test]
async fn conversation_is_a_hard_filter() {
    let world = World::with(&TURNS, &[("2026-W10", "a boat was bought")]).await;
    let query = |conversation: &str| Query { conversation: Some(conversation.into()), ..about("boat") };
    assert_eq!(world.ask(query("talk")).await.results.len(), 4);
    let none = world.ask(query("other' OR 1=1 --")).await;
    assert!(none.results.is_empty() && none.range_is_empty, "no memory is of that conversation");
}

#[tokio::test]
async fn memory_missing_from_the_catalog_is_not_returned() {
    let world = World::with(&TURNS, &[("2026-W10", "a boat was bought")]).await;
    let gone = annals_core::Summary { sources: Vec::new(), draft: None, ..summary("2026-W10", 9, &[], "") };
    let gone = annals_testkit::replacing(&world.catalog, &agent("a"), gone).await;
    world.catalog.save_summaries(&agent("a"), vec![gone], at(NOW)).await.unwrap();
    let query = Query { grains: vec![Grain::Weekly], ..about("boat") };
    World::check(&world.ask(query).await, &[]);
}

#[tokio::test]
async fn limit_out_of_bounds_names_the_field() {
    let world = World::with(&TURNS, &[]).await;
    let error = world.search.answer(&agent("a"), &Query { limit: 0, ..about("boat") }, at(NOW)).await.unwrap_err();
    assert_eq!(error.to_string(), "limit is 0; 1 to 1000 are allowed");
    for (limit, expect) in [(1, true), (1000, true), (1001, false)] {
        let answer = world.search.answer(&agent("a"), &Query { limit, ..about("boat") }, at(NOW)).await;
        assert_eq!(answer.is_ok(), expect, "{limit}");
    }
}

#[tokio::test]
async fn searched_grains_are_chosen_and_reported() {
    let world =
        World::with(&TURNS, &[("2026-03-02", "a boat"), ("2026-02", "a cold month"), ("2026-W10", "sold")]).await;
    let check = async |query: Query, expect: &[Grain]| assert_eq!(world.ask(query).await.grains, expect);
    check(about("boat"), &[Grain::Working]).await;
    check(about("what happened in the week 2026-W10?"), &[Grain::Working]).await;
    check(Query { grains: vec![Grain::Daily], ..about("boat") }, &[Grain::Daily]).await;
    check(Query { grains: vec![Grain::Weekly, Grain::Daily], ..about("boat") }, &[Grain::Daily, Grain::Weekly]).await;
    check(Query::default(), &Grain::ALL).await;
}

#[tokio::test]
async fn passage_is_found_where_only_summaries_remain() {
    let world = World::with(&TURNS, &[("2026-01-05", "a boat")]).await;
    let before = Query { to: Some("2026-01-31".parse().unwrap()), ..about("boat") };
    assert_eq!(world.ask(before.clone()).await.grains, [Grain::Daily]);
    let written = at("2026-01-07T10:00:00Z");
    let write = DocumentWrite::Save(Box::new(document("a", written, "the boat of the document")), Expected::Any);
    world.catalog.write_documents(&agent("a"), vec![write], written).await.unwrap();
    world.project().await;
    let answer = world.ask(before).await;
    assert_eq!(answer.grains, [Grain::Working, Grain::Daily]);
    assert!(texts(&answer).iter().any(|text| text.ends_with("the boat of the document")), "{answer:?}");
}

#[tokio::test]
async fn pinned_day_does_not_hide_pruned_days() {
    let world = World::with(&TURNS, &[("2026-03-01", "a boat")]).await;
    assert_eq!(world.ask(about("boat")).await.grains, [Grain::Working]);
    let pruned = turn_of(&agent("a"), message(TURNS[1].0, TURNS[1].1)).id;
    let day = summary("2026-03-02", 9, &[pruned], "a blue boat");
    world.catalog.save_summaries(&agent("a"), vec![day], at(NOW)).await.unwrap();
    let all = world.catalog.children(&agent("a")).await.unwrap();
    let of_day = all.iter().find(|children| children.parent == "2026-03-02".parse().unwrap()).unwrap();
    world.catalog.seal(&agent("a"), of_day, 9).await.unwrap();
    assert_eq!(world.ask(about("boat")).await.grains, [Grain::Working, Grain::Daily]);
    let later = Query { from: Some("2026-03-03".parse().unwrap()), ..about("boat") };
    assert_eq!(world.ask(later).await.grains, [Grain::Working]);
}

#[tokio::test]
async fn as_many_results_as_the_limit_are_returned() {
    let turns: Vec<String> = (0..250).map(|number| format!("boat number{number}")).collect();
    let turns: Vec<(&str, &str)> = turns.iter().map(|text| ("2026-03-01T10:00:00Z", text.as_str())).collect();
    let world = World::with(&turns, &[]).await;
    let query = Query { limit: 250, ..about("boat") };
    assert_eq!(world.search.answer(&agent("a"), &query, at(NOW)).await.unwrap().results.len(), 250);
}

#[tokio::test]
async fn limit_above_the_candidates_raises_the_candidates() {
    let turns: Vec<String> = (0..1_000)
        .map(|number| if number < 500 { format!("boat number{number}") } else { format!("rain on day{number}") })
        .collect();
    let turns: Vec<(&str, &str)> = turns.iter().map(|text| ("2026-03-01T10:00:00Z", text.as_str())).collect();
    let world = World::with(&turns, &[]).await;
    let search = world.search.clone().scoring_whole(100);
    let query = Query { limit: 480, ..about("boat") };
    let answer = search.answer(&agent("a"), &query, at(NOW)).await.unwrap();
    let boats = answer.results.iter().filter(|found| found.memory.text.starts_with("boat")).count();
    assert_eq!((answer.results.len(), boats), (480, 480));
}

#[tokio::test]
async fn folded_summary_uses_no_budget() {
    let world = World::with(&TURNS, &[("2026-W10", "Bern, and a boat")]).await;
    let query = Query { grains: vec![Grain::Working, Grain::Weekly], ..about("the blue boat was bought") };
    let turns = world.ask(Query { grains: vec![Grain::Working], ..query.clone() }).await;
    let sizes: u64 = turns.results.iter().map(|found| tokens(&found.memory.text)).sum();
    let answer = world.ask(Query { tokens: Some(sizes), ..query }).await;
    assert_eq!(texts(&answer), texts(&turns), "the week stands below its own turn, and leaves them the room");
}

#[tokio::test]
async fn token_budget_is_never_exceeded() {
    let world = World::with(&TURNS, &[]).await;
    let all = world.ask(about("boat")).await;
    for tokens in [0, 5, 12, 30, 1000] {
        let answer = world.ask(Query { tokens: Some(tokens), ..about("boat") }).await;
        let spent: u64 = answer.results.iter().map(|found| annals_core::tokens(&found.memory.text)).sum();
        assert!(spent <= tokens && answer.results.len() <= all.results.len());
        assert_eq!(answer.results.len() == all.results.len(), tokens == 1000, "{tokens}");
        assert!(!answer.range_is_empty, "there is something, but no room");
    }
    // The budget is exact to the token. A shorter result takes the place of one that is too long.
    let sizes: Vec<u64> = all.results.iter().map(|found| tokens(&found.memory.text)).collect();
    let exact = world.ask(Query { tokens: Some(sizes.iter().sum()), ..about("boat") }).await;
    assert_eq!(exact.results.len(), sizes.len());
    let world = World::with(&LONG_AND_SHORT, &[]).await;
    let room = tokens(LONG_AND_SHORT[1].1) - 1;
    let answer = world.ask(Query { tokens: Some(room), ..about("boat") }).await;
    assert!(texts(&answer).contains(&"boat?") && !texts(&answer).contains(&LONG_AND_SHORT[1].1), "{answer:?}");
}

/// Turns about a boat. The ranking puts the long text first, because it says more; the word scores alone favour the short one.
const LONG_AND_SHORT: [(&str, &str); 4] = [
    ("2026-03-01T10:00:00Z", "boat?"),
    (
        "2026-03-02T10:00:00Z",
        "Ann told at length how the blue boat was bought in the harbour for very little money, and what a boat costs each year",
    ),
    ("2026-03-05T10:00:00Z", "rain all day"),
    ("2026-03-09T10:00:00Z", "a boat trip to the island"),
];

fn texts(answer: &Answer) -> Vec<&str> {
    answer.results.iter().map(|found| found.memory.text.as_str()).collect()
}

#[tokio::test]
async fn question_for_a_period_returns_its_summary_first() {
    let summaries = [
        ("2026-02", "the red boat was sold"),
        ("2026-W09", "a boat went"),
        ("2026-03-01", "a red boat sold"),
        ("2026-03-02", "a blue boat bought"),
        ("2026-W10", "a blue boat came and it rained"),
    ];
    let world = World::with(&TURNS, &summaries).await;
    let first = async |query: Query| texts(&world.ask(query).await).first().map(|text| (*text).to_owned());
    let check = async |question: &str, expect: &str| {
        assert_eq!(first(about(question)).await.as_deref(), Some(expect), "{question}");
    };
    check("what happened last month?", "the red boat was sold").await;
    check("How was last week?", "a blue boat came and it rained").await;
    check("Summarise February 2026", "the red boat was sold").await;
    check("what happened on 2026-03-02?", "a blue boat bought").await;
    // A question about a detail is answered by the turn.
    check("who bought the blue boat last week?", "the blue boat was bought").await;
    check("what happened to the blue boat last week?", "the blue boat was bought").await;
    // The range of the query may state the time instead of the question. The caller may also turn off the reading of times from
    // the question.
    let range = Query { period: "2026-02".parse().ok(), ..about("what happened?") };
    assert_eq!(first(range).await.as_deref(), Some("the red boat was sold"));
    let ignored = world.ask(Query { ignore_times: true, ..about("what happened last month?") }).await;
    assert!(ignored.period.is_none() && ignored.results.iter().all(|found| found.memory.kind() == Kind::Turn));
    let turns = world.ask(Query { kinds: vec![Kind::Turn], ..about("what happened last month?") }).await;
    assert!(turns.results.iter().all(|found| found.memory.kind() == Kind::Turn));
}

#[tokio::test]
async fn summary_of_a_period_displaces_no_held_turn() {
    let summaries =
        [("2026-02", "boats"), ("2026-W09", "boat"), ("2026-W10", "boat"), ("2026", "all boats of the year")];
    let world = World::with(&TURNS, &summaries).await;
    for question in ["what happened in 2026?", "boats", "all boats of the year", "what happened last week?"] {
        let answer = world.ask(about(question)).await;
        let turns = answer.results.iter().filter(|found| found.memory.kind() == Kind::Turn).count();
        assert_eq!(turns, TURNS.len(), "{question}: {answer:?}");
    }
}

#[tokio::test]
async fn nothing_later_than_now_is_found() {
    let summaries = [("2026-03-02", "a boat"), ("2026-W10", "a boat was bought"), ("2026-02", "a boat was sold")];
    let world = World::with(&TURNS, &summaries).await;
    let now = at("2026-03-02T00:00:00Z");
    let queries = [
        about("boat"),
        about("what happened this week?"),
        Query::default(),
        Query { grains: Grain::ALL.to_vec(), ..about("boat") },
        Query { from: "2026-03-01".parse().ok(), ..about("boat") },
    ];
    for query in queries {
        let query = Query { limit: 10, ..query };
        let answer = world.search.answer(&agent("a"), &query, now).await.unwrap();
        let late = answer
            .results
            .iter()
            .filter(|found| found.memory.at() > now || found.memory.days.1 > "2026-03-02".parse().unwrap());
        assert_eq!(late.count(), 0, "{query:?}: {answer:?}");
        assert!(texts(&answer).contains(&TURNS[1].1), "what is said at that moment is found: {query:?}");
    }
}

#[tokio::test]
async fn month_bounds_turns_by_its_days_and_summaries_by_its_weeks() {
    let turns = [
        ("2026-03-01T10:00:00Z", "a boat on Sunday, the first"),
        ("2026-03-31T10:00:00Z", "a boat on the last day"),
        ("2026-04-01T10:00:00Z", "a boat in April"),
    ];
    let summaries = [("2026-W09", "week nine"), ("2026-W13", "week thirteen"), ("2026-W14", "week fourteen")];
    let world = World::with(&turns, &summaries).await;
    let query = Query { period: "2026-03".parse().ok(), limit: 10, ..about("boat") };
    let ask = async |query: &Query| world.search.answer(&agent("a"), query, at("2026-05-01T00:00:00Z")).await.unwrap();
    let answer = ask(&query).await;
    let mut found = texts(&answer);
    found.sort_unstable();
    assert_eq!(found, [turns[0].1, turns[1].1]);
    let day = |text: &str| Some(text.parse().unwrap());
    assert_eq!(answer.range, DateRange { from: day("2026-03-01"), to: day("2026-03-31") });
    assert_eq!(answer.summary_range, Some(DateRange { from: day("2026-03-02"), to: day("2026-03-29") }));
    let weeks = ask(&Query { grains: vec![Grain::Weekly], ..query }).await;
    assert_eq!(texts(&weeks), ["week thirteen"]);
}

/// Agents begin on every weekday, and at the end and the beginning of months and quarters. If nothing was pruned, no summary is
/// searched; otherwise the summaries that cover the pruned days are searched.
#[tokio::test]
async fn only_pruned_times_are_searched_in_summaries_whenever_an_agent_begins() {
    for first in ["2026-01-01", "2026-01-31", "2026-03-29", "2026-03-30", "2026-04-01", "2025-12-29", "2025-12-31"] {
        for shift in 0..7 {
            let begins = first.parse::<Date>().unwrap().saturating_add(shift.days());
            let day = |number: i64| begins.saturating_add(number.days());
            let turns: Vec<(String, String)> =
                (0..20).map(|number| (format!("{}T10:00:00Z", day(number)), format!("boat number{number}"))).collect();
            let turns: Vec<(&str, &str)> = turns.iter().map(|(at, text)| (at.as_str(), text.as_str())).collect();
            let periods: std::collections::BTreeSet<(Grain, String)> = Grain::SUMMARIES
                .into_iter()
                .flat_map(|grain| (0..20).map(move |number| (grain, Period::of(grain, day(number)).to_string())))
                .collect();
            let texts: Vec<(String, String)> =
                periods.iter().map(|(_, label)| (label.clone(), format!("boat {label}"))).collect();
            let summaries: Vec<(&str, &str)> =
                texts.iter().map(|(label, text)| (label.as_str(), text.as_str())).collect();
            let world = World::with(&turns, &summaries).await;
            let later = at("2028-01-01T00:00:00Z");
            let query = Query { limit: 10, ..about("boat") };
            let answer = world.search.answer(&agent("a"), &query, later).await.unwrap();
            assert_eq!(answer.grains, [Grain::Working], "begun on {begins}");
            assert!(answer.results.iter().all(|found| found.memory.kind() == Kind::Turn));
            let pruned = turn_of(&agent("a"), message(turns[0].0, turns[0].1)).id;
            let of_first = summary(&begins.to_string(), 99, &[pruned], "a boat");
            let of_first = annals_testkit::replacing(&world.catalog, &agent("a"), of_first).await;
            world.catalog.save_summaries(&agent("a"), vec![of_first], at(NOW)).await.unwrap();
            let all = world.catalog.children(&agent("a")).await.unwrap();
            let of_day = all.iter().find(|children| children.parent == Period::of(Grain::Daily, begins)).unwrap();
            world.catalog.seal(&agent("a"), of_day, 99).await.unwrap();
            let answer = world.search.answer(&agent("a"), &query, later).await.unwrap();
            assert_eq!(answer.grains, [Grain::Working, Grain::Daily], "begun on {begins}, its first day pruned");
        }
    }
}
