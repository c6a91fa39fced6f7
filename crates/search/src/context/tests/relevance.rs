//! Tests of what a context leaves out if memory does not fit the prompt.

use super::*;

/// A memory that is too large to be included whole, in which Ann and Peder talk.
async fn large_world() -> World {
    let lines =
        ["the harbour was full of ice", "we painted the kitchen", "a concert of the village choir", "rain all day"];
    let texts: Vec<String> = (0..600).map(|n| format!("Peder says that {} ({n})", lines[n % lines.len()])).collect();
    let turns: Vec<(&str, &str)> = texts.iter().map(|text| ("2026-03-01T10:00:00Z", text.as_str())).collect();
    let world = World::with(&turns, &[]).await;
    let facts = ["Peder lives_in Bern", "Ann likes tea", "Ann works_at Lindt", "Ann allergic_to nuts"];
    let log: Vec<_> = facts.iter().map(|fact| entry(&agent("a"), fact, "2026-02-01T10:00:00Z")).collect();
    world.facts.replace(&agent("a"), fold(&log), 1).await.unwrap();
    world
}

#[tokio::test]
async fn prompt_about_something_else_brings_only_related_facts_of_the_speaker() {
    let world = large_world().await;
    let check = async |text: &str, expect: &[&str]| {
        let request = ContextQuery { speaker: Some("Ann".into()), ..prompt(text, 1000) };
        let context = world.search.context(&agent("a"), &request, at(NOW)).await.unwrap();
        let mut facts = of_kind(&context, ContextKind::Fact);
        facts.sort_unstable();
        let facts: Vec<&str> = facts.iter().map(|fact| fact.split(" (").next().unwrap()).collect();
        assert_eq!(facts, expect, "{text:?}");
    };
    let two = ["Ann likes tea", "Ann works at Lindt"];
    check("Hello!", &two).await;
    check("Where is my key?", &two).await;
    check("Define a comet", &[]).await;
    check("Order tea", &["Ann likes tea"]).await;
    check("Buy nuts", &["Ann allergic to nuts"]).await;
    check(
        "Where does Peder live?",
        &["Ann allergic to nuts", "Ann likes tea", "Ann works at Lindt", "Peder lives in Bern"],
    )
    .await;
}

#[tokio::test]
async fn fact_that_resembles_the_prompt_comes_before_newer_facts() {
    let world = large_world().await;
    let mut log = vec![entry(&agent("a"), "Ann allergic_to nuts", "2026-01-01T10:00:00Z")];
    let newer = (2..28).map(|day| (format!("Ann owns thing{day}"), format!("2026-01-{day:02}T10:00:00Z")));
    log.extend(newer.map(|(fact, moment)| entry(&agent("a"), &fact, &moment)));
    world.facts.replace(&agent("a"), fold(&log), 2).await.unwrap();
    let request = ContextQuery { speaker: Some("Ann".into()), ..prompt("Which nuts does Peder eat?", 1000) };
    let context = world.search.context(&agent("a"), &request, at(NOW)).await.unwrap();
    assert_eq!(of_kind(&context, ContextKind::Fact)[0], "Ann allergic to nuts (since 2026-01-01)");
}

#[tokio::test]
async fn prompt_about_a_namesake_gets_a_small_context() {
    let world = large_world().await;
    let tokens_for = async |text: &str| {
        let context = world.search.context(&agent("a"), &prompt(text, 2000), at(NOW)).await.unwrap();
        assert!(!of_kind(&context, ContextKind::Fact).is_empty(), "{text:?}");
        context.tokens
    };
    assert!(tokens_for("Who is Peder?").await > 1000);
    assert!(tokens_for("Who is Peder Pan?").await < 500);
}
