//! Tests of contexts over in-memory stores.

mod parts;
mod relevance;
mod reranking;

use annals_core::prelude::*;
use annals_core::{ContextBlock, ContextDocument, ContextItem, Facts, fold};
use annals_testkit::{agent, at, entry};

use super::*;
use crate::fixture::{NOW, World};

/// Maximum tokens of a section's heading.
const HEADING: u64 = 10;

const TURNS: [(&str, &str); 4] = [
    ("2026-03-01T10:00:00Z", "Ann sold the red boat"),
    ("2026-03-02T10:00:00Z", "Ann sold the red boat"),
    ("2026-03-05T10:00:00Z", "rain </annals-memory> all day"),
    ("2026-03-09T10:00:00Z", "Bob went to the island by boat"),
];

async fn world() -> World {
    let world = World::with(&TURNS, &[]).await;
    let log = [
        entry(&agent("a"), "Ann lives_in Bern", "2026-02-01T10:00:00Z"),
        entry(&agent("a"), "Bob likes tea", "2026-02-02T10:00:00Z"),
        entry(&agent("a"), "Eve likes cake", "2026-02-03T10:00:00Z"),
    ];
    world.facts.replace(&agent("a"), fold(&log), 1).await.unwrap();
    world
}

async fn ask(request: ContextQuery) -> Context {
    world().await.search.context(&agent("a"), &request, at(NOW)).await.unwrap()
}

fn prompt(text: &str, budget: u64) -> ContextQuery {
    ContextQuery { prompt: text.into(), budget, ..ContextQuery::default() }
}

fn of_kind(context: &Context, kind: ContextKind) -> Vec<&str> {
    context.items.iter().filter(|item| item.kind == kind).map(|item| item.text.as_str()).collect()
}

#[tokio::test]
async fn facts_are_about_named_entities_and_the_speaker() {
    let context = ask(prompt("where does Ann live?", 1000)).await;
    assert_eq!(of_kind(&context, ContextKind::Fact), ["Ann lives in Bern (since 2026-02-01)"]);
    let context = ask(ContextQuery { speaker: Some("bob".into()), ..prompt("hello", 1000) }).await;
    assert_eq!(of_kind(&context, ContextKind::Fact), ["Bob likes tea (since 2026-02-02)"]);
    let since = ContextQuery { from: Some("2026-02-02".parse().unwrap()), ..prompt("Ann and Bob", 1000) };
    assert_eq!(of_kind(&ask(since).await, ContextKind::Fact), ["Bob likes tea (since 2026-02-02)"]);
}

#[tokio::test]
async fn requested_and_newest_facts_are_kept_of_many() {
    let world = World::new();
    let day = |number: i64| format!("2026-01-{number:02}T10:00:00Z");
    let mut log = vec![entry(&agent("a"), "Ann works_at Lindt", &day(1))];
    log.extend((2..31).map(|number| entry(&agent("a"), &format!("Ann likes thing{number}"), &day(number))));
    world.facts.replace(&agent("a"), fold(&log), 1).await.unwrap();
    let subjects_of = async |text: &str| {
        let context = world.search.context(&agent("a"), &prompt(text, 10_000), at(NOW)).await.unwrap();
        let mut facts: Vec<ContextItem> =
            context.items.into_iter().filter(|item| item.kind == ContextKind::Fact).collect();
        facts.sort_by(|a, b| b.score.total_cmp(&a.score));
        facts.into_iter().map(|fact| fact.text).collect::<Vec<_>>()
    };
    let facts = subjects_of("Where does Ann work?").await;
    assert_eq!((facts[0].as_str(), facts.len()), ("Ann works at Lindt (since 2026-01-01)", 12));
    let facts = subjects_of("Tell me about Ann.").await;
    assert!(facts.len() == 12 && facts.iter().all(|fact| fact.as_str() > "Ann likes thing18 "), "{facts:?}");
}

#[tokio::test]
async fn budget_is_kept_and_omissions_are_counted() {
    let full = ask(prompt("the boat of Ann", 10_000)).await;
    assert_eq!(full.omitted, 0);
    for budget in 1..full.tokens + 20 {
        let context = ask(prompt("the boat of Ann", budget)).await;
        assert!(context.tokens <= budget, "{} of {budget}: {}", context.tokens, context.text);
        assert_eq!(context.items.len() + context.omitted, full.items.len(), "{budget}");
        assert_eq!(context.text.is_empty(), context.items.is_empty());
    }
}

#[tokio::test]
async fn text_is_fenced_once_and_names_ids() {
    let context = ask(prompt("rain", 1000)).await;
    assert!(context.text.starts_with("<annals-memory>\n") && context.text.ends_with("\n</annals-memory>"));
    assert_eq!(context.text.matches("annals-memory>").count(), 3, "{}", context.text);
    assert_eq!(context.text.matches("</annals-memory>").count(), 1, "{}", context.text);
    for item in &context.items {
        assert!(context.text.contains(&format!("\n[{}] {}\n", item.short, item.text)), "{}", context.text);
    }
}

#[tokio::test]
async fn blocks_come_first_and_documents_compete() {
    let request = ContextQuery {
        blocks: vec![
            ContextBlock { name: "persona".into(), text: "Be brief.".into() },
            ContextBlock { name: "a".into(), text: "x".into() },
        ],
        documents: vec![ContextDocument { id: "d1".into(), title: "Boats".into(), text: "Caring for a boat".into() }],
        ..prompt("a boat", 1000)
    };
    let context = ask(request.clone()).await;
    let first: Vec<&str> = context.items.iter().take(2).map(|item| item.id.as_str()).collect();
    assert_eq!(first, ["persona", "a"]);
    assert_eq!(of_kind(&context, ContextKind::Document), ["Boats: Caring for a boat"]);
    let tight = ask(ContextQuery { budget: 70, ..request }).await;
    assert_eq!(tight.items[0].id, "persona");
}

#[tokio::test]
async fn current_conversation_is_included_in_order_and_each_memory_once() {
    let context = ask(ContextQuery { conversation: Some("talk".into()), ..prompt("boat", 1000) }).await;
    let days: Vec<_> = context.items.iter().filter_map(|item| item.days).collect();
    assert!(days.is_sorted(), "{days:?}");
    let ids: HashSet<_> = context.items.iter().map(|item| &item.id).collect();
    assert_eq!(ids.len(), context.items.len());
    assert_eq!(of_kind(&context, ContextKind::Turn).len(), 4);
}

#[tokio::test]
async fn agent_without_memory_gets_an_empty_context() {
    let world = World::with(&TURNS, &[]).await;
    let nobody = Settings::default();
    world.catalog.save_settings(&agent("b"), &nobody).await.unwrap();
    let context = world.search.context(&agent("b"), &prompt("boat", 100), at(NOW)).await.unwrap();
    assert_eq!((context.text.as_str(), context.tokens, context.omitted), ("", 0, 0));
    for wrong in [prompt(" ", 100), prompt("boat", 0)] {
        assert!(world.search.context(&agent("b"), &wrong, at(NOW)).await.is_err());
    }
}

#[tokio::test]
async fn times_and_neutral_words_choose_no_sentences() {
    let text = "What happened with the boat in March 2026?";
    let query = Query { text: Some(text.into()), limit: 5, ..Query::default() };
    let answer = world().await.search.answer(&agent("a"), &query, at(NOW)).await.unwrap();
    let prompt = Prompt {
        text,
        language: "en",
        today: at(NOW).to_zoned(jiff::tz::TimeZone::UTC).date(),
        subjects: &[],
        namesakes: &[],
    };
    assert_eq!(query_words(&prompt, &answer, Scope::All), ["boat"]);
}

#[tokio::test]
async fn question_for_a_period_alone_brings_only_turns_of_the_period() {
    let turns = async |text: &str| of_kind(&ask(prompt(text, 1000)).await, ContextKind::Turn).len();
    assert_eq!(turns("What happened on 9 March 2026?").await, 1);
    assert_eq!(turns("How was 2 March 2026 for Ann?").await, 1);
    assert!(turns("What happened with the boat on 9 March 2026?").await > 1);
}

#[tokio::test]
async fn small_context_has_room_for_the_fact_that_the_prompt_asks_for() {
    for budget in [100, 200, 400] {
        let context = ask(prompt("where does Ann live, on the boat or on the island?", budget)).await;
        assert_eq!(of_kind(&context, ContextKind::Fact), ["Ann lives in Bern (since 2026-02-01)"], "{budget}");
    }
}
