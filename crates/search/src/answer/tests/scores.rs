//! Tests of what raises and lowers the scores of results.

use super::*;

#[tokio::test]
async fn explained_score_is_the_sum_of_its_parts() {
    let world = World::with(&TURNS, &[("2026-W10", "a boat was bought")]).await;
    let query = Query { explain: true, grains: Grain::ALL.to_vec(), ..about("who bought the blue boat?") };
    let answer = world.ask(query.clone()).await;
    for found in &answer.results {
        let sum: f64 = found.parts.iter().map(|part| part.value).sum();
        assert!((sum - found.score).abs() < 1e-9 && !found.parts.is_empty(), "{found:?}");
    }
    let names: Vec<&str> = answer.results[0].parts.iter().map(|part| part.name).collect();
    assert_eq!(names[..2], ["vector", "words"], "both have their say");
    let plain = world.ask(Query { explain: false, ..query }).await;
    assert!(plain.results.iter().all(|found| found.parts.is_empty()));
}

#[tokio::test]
async fn dates_in_the_question_raise_matches_and_hide_nothing() {
    let turns = [
        ("2025-07-01T10:00:00Z", "the boat was painted in the harbour"),
        ("2026-03-01T10:00:00Z", "the boat was painted in the harbour again"),
    ];
    let world = World::with(&turns, &[]).await;
    let answer = world.ask(about("who painted the boat in July 2025?")).await;
    assert_eq!(answer.results.len(), 2);
    assert_eq!(answer.results[0].memory.text, turns[0].1);
    let days = &answer.times[0].days;
    assert_eq!((answer.times[0].words.as_str(), days.from), ("July 2025", Some("2025-07-01".parse().unwrap())));
    assert!(world.ask(about("the boat")).await.times.is_empty());
    let ignored = world.ask(Query { ignore_times: true, ..about("who painted the boat in July 2025?") }).await;
    assert!(ignored.times.is_empty());
}

#[tokio::test]
async fn turn_of_a_named_time_is_raised_and_by_half_one_of_the_week_after() {
    let turns = [
        ("2025-07-31T10:00:00Z", "the boat is green"),
        ("2025-08-07T10:00:00Z", "the boat is blue"),
        ("2025-08-08T10:00:00Z", "a boat is red"),
    ];
    let world = World::with(&turns, &[]).await;
    let answer = world.ask(Query { explain: true, ..about("the boat in July 2025") }).await;
    for (_, text) in turns {
        let found = answer.results.iter().find(|found| found.memory.text == text).unwrap();
        let said = found.parts.iter().find(|part| part.name == "said").map(|part| part.value);
        let expect = match text {
            "the boat is green" => Some(5.0),
            "the boat is blue" => Some(2.5),
            _ => None,
        };
        assert_eq!(said, expect, "{text}");
    }
}

#[tokio::test]
async fn questions_of_stop_words_or_without_spaces_are_answered() {
    let turns = [("2026-03-01T10:00:00Z", "Who is it?"), ("2026-03-02T10:00:00Z", "我昨天在东京吃了拉面。")];
    let world = World::with(&turns, &[]).await;
    assert_eq!(world.ask(about("who is it")).await.results[0].memory.text, turns[0].1);
    assert_eq!(world.ask(about("东京")).await.results[0].memory.text, turns[1].1);
}

#[tokio::test]
async fn conversations_are_ranked_with_their_best_turn() {
    let world = World::with(&TURNS, &[]).await;
    let answer = world.ask(about("blue boat")).await;
    assert_eq!(answer.conversations.len(), 1);
    assert_eq!(answer.conversations[0].conversation, "talk");
    assert_eq!(answer.conversations[0].best, answer.results[0].memory.id);
}

#[tokio::test]
async fn repeated_text_ranks_lower() {
    let turns = [
        ("2026-03-01T10:00:00Z", "Ann sold the old red boat"),
        ("2026-03-01T11:00:00Z", "Ann sold the old red boat!"),
        ("2026-03-03T10:00:00Z", "the boat was red"),
    ];
    let world = World::with(&turns, &[]).await;
    let answer = world.ask(Query { explain: true, ..about("Ann red boat") }).await;
    let repeats = answer.results.iter().filter(|found| found.parts.iter().any(|part| part.name == "repeat")).count();
    assert_eq!(repeats, 1, "{answer:?}");
    assert!(answer.results[0].parts.iter().all(|part| part.name != "repeat"));
}

#[tokio::test]
async fn recency_counts_only_in_questions_about_the_present() {
    let world = World::with(&TURNS, &[]).await;
    let check = async |query: Query, expect: bool| {
        let answer = world.ask(Query { explain: true, ..query.clone() }).await;
        let parts = answer.results.iter().flat_map(|found| &found.parts);
        assert_eq!(parts.filter(|part| part.name == "recency").count() > 0, expect, "{query:?}");
    };
    check(about("who has the boat now?"), true).await;
    check(about("who bought a boat lately?"), true).await;
    check(about("who has the boat?"), false).await;
    check(about("who was still on the boat?"), false).await;
    check(about("who has the boat now, in February 2026?"), false).await;
    check(about("who has the boat now, today?"), true).await;
    let day = |text: &str| Some(text.parse().unwrap());
    check(Query { to: day("2026-03-09"), ..about("who has the boat now?") }, false).await;
    check(Query { to: day("2026-03-10"), ..about("who has the boat now?") }, true).await;
    // A range that ends with a day is over at the midnight that ends the day.
    let query = Query { to: day("2026-03-09"), explain: true, limit: 10, ..about("who has the boat now?") };
    let answer = world.search.answer(&agent("a"), &query, at("2026-03-10T00:00:00Z")).await.unwrap();
    let is_recent = answer.results.iter().flat_map(|found| &found.parts).any(|part| part.name == "recency");
    assert!(!is_recent);
}

#[tokio::test]
async fn frequently_returned_memory_outranks_only_its_equals() {
    let turns = [
        // The neighbouring turns are equal, so that they make no difference to the score.
        ("2026-03-01T09:00:00Z", "it rained all day long and longer"),
        ("2026-03-01T10:00:00Z", "the red boat was painted in May"),
        ("2026-03-02T09:00:00Z", "it rained all day long and longer"),
        ("2026-03-02T10:00:00Z", "the red boat was painted in June"),
        ("2026-03-03T09:00:00Z", "it rained all day long and longer"),
        ("2026-03-03T10:00:00Z", "somebody saw a red kite there too"),
    ];
    let world = World::with(&turns, &[]).await;
    let before = world.ask(about("painted red boat")).await;
    let ids: Vec<MemoryId> = before.results.iter().map(|found| found.memory.id.clone()).collect();
    let accessed = async |id: &MemoryId, times| {
        let access = Access { times, last: at(NOW) };
        world.catalog.add_accesses(&agent("a"), &[(id.clone(), access)]).await.unwrap();
        let answer = world.ask(Query { explain: true, ..about("painted red boat") }).await;
        let parts = answer.results.iter().flat_map(|found| found.parts.iter().map(|part| (part.name, part.value)));
        let parts: Vec<f64> = parts.filter(|(name, _)| *name == "access").map(|(_, value)| value).collect();
        (answer.results.into_iter().map(|found| found.memory.id).collect::<Vec<_>>(), parts)
    };
    assert!(before.results[0].score - before.results[1].score < 0.3, "these two are equals: {before:?}");
    let (after, parts) = accessed(&ids[1], 20).await;
    assert_eq!((after[..2].to_vec(), parts), (vec![ids[1].clone(), ids[0].clone()], vec![0.3]));
    let (after, parts) = accessed(&ids[2], 1_000_000).await;
    assert_eq!((&after[2], parts), (&ids[2], vec![0.3, 0.3]), "what fits less stays below");
}

#[tokio::test]
async fn statement_is_lowered_by_its_doubt() {
    let world = World::with(&TURNS, &[]).await;
    let turn = turn_of(&agent("a"), message(TURNS[0].0, TURNS[0].1));
    let statement_with = |text: &str, confidence| Statement { confidence, ..statement(&agent("a"), &turn, text) };
    let statements = vec![
        statement_with("Ann keeps bees.", Some(0.2)),
        statement_with("Ann keeps cows.", Some(1.0)),
        statement_with("Ann keeps hens.", None),
    ];
    let found = Extracted { statements, ..Extracted::default() };
    let extraction = Extraction { turns: vec![turn.id], found, after: 0, extracted: 99, degraded: None };
    world.catalog.save_extraction(&agent("a"), extraction, at(NOW)).await.unwrap();
    world.project().await;
    let query = Query { kinds: vec![Kind::Statement], explain: true, ..about("what does Ann keep?") };
    let answer = world.ask(query).await;
    let doubts = answer.results.iter().map(|found| {
        let part = found.parts.iter().find(|part| part.name == "confidence");
        (found.memory.text.as_str(), part.map(|part| part.value))
    });
    let doubts: Vec<_> = doubts.collect();
    assert_eq!(doubts.last(), Some(&("Ann keeps bees.", Some(-0.4))), "{doubts:?}");
    assert_eq!(doubts.iter().filter(|(_, doubt)| doubt.is_none()).count(), 2, "{doubts:?}");
    // A listing by kind also finds a memory that is older than all memories of other kinds.
    let listed = Query { kinds: vec![Kind::Statement], limit: 1, ..Query::default() };
    let answer = world.search.answer(&agent("a"), &listed, at(NOW)).await.unwrap();
    assert_eq!(answer.results.len(), 1);
}
