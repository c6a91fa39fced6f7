//! Conformance suite of port `Engine`.

use annals_core::ports::SummaryTask;
use annals_core::{Draft, Engine, Grain, Memory, MemoryId, Result, Settings};

use super::{SuiteTest, cases, run};
use crate::catalog::remember;
use crate::{agent, at, period, turn};

/// Runs every case on `engine`.
pub async fn engine_suite<E: Engine + 'static>(engine: &E) {
    let cases: Vec<SuiteTest<dyn Engine>> =
        cases![recipe_is_constant, day_is_summarized_from_its_turns, single_turn_is_summarized];
    run("engine", cases, async || engine as &dyn Engine).await;
}

fn turns() -> Vec<Memory> {
    let messages = [
        ("2026-03-04T09:00:00Z", "Today I signed the contract for the new flat in Lisbon."),
        ("2026-03-04T12:00:00Z", "The movers come on Friday at seven, and Marta brings the keys."),
        ("2026-03-04T20:00:00Z", "I told my sister about the move; she was very happy."),
    ];
    messages.iter().map(|(at, text)| remember(turn(&agent("tester"), at, text), 1)).collect()
}

async fn summarize(engine: &dyn Engine, sources: &[Memory]) -> Result<Draft> {
    let (agent, settings, now) = (agent("tester"), Settings::default(), at("2026-03-05T08:00:00Z"));
    let period = period("2026-03-04");
    engine
        .summarize(SummaryTask {
            agent: &agent,
            settings: &settings,
            period,
            sources,
            base: None,
            read_seq: 0,
            now,
            background: None,
            access_key: None,
        })
        .await
}

async fn recipe_is_constant(engine: &dyn Engine) {
    for grain in Grain::SUMMARIES {
        assert_eq!(engine.recipe(&Settings::default(), grain), engine.recipe(&Settings::default(), grain), "{grain}");
    }
}

async fn day_is_summarized_from_its_turns(engine: &dyn Engine) {
    let (day, sources) = (period("2026-03-04"), turns());
    let draft = summarize(engine, &sources).await.unwrap();
    assert!(!draft.text.trim().is_empty());
    assert!(!draft.sentences.is_empty());
    let ids: Vec<&MemoryId> = sources.iter().map(|source| &source.id).collect();
    for sentence in &draft.sentences {
        assert_eq!(sentence.day, day.first_day(), "{sentence:?}");
        assert!(!sentence.from.is_empty() && sentence.from.iter().all(|id| ids.contains(&id)), "{sentence:?}");
    }
}

async fn single_turn_is_summarized(engine: &dyn Engine) {
    let draft = summarize(engine, &turns()[..1]).await.unwrap();
    assert!(!draft.text.trim().is_empty());
}
