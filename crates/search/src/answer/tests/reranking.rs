//! Answers with and without a reranking model's order.

use std::sync::Arc;

use annals_core::{EngineChoice, Reranker};
use annals_testkit::{Faulty, WordReranker};

use super::*;

async fn ask_with(world: &World, reranker: Arc<dyn Reranker>, candidates: usize, query: Query) -> Answer {
    let search = world.search.clone().reranked_by(reranker, candidates);
    search.answer(&agent("a"), &Query { limit: 10, ..query }, at(NOW)).await.unwrap()
}

#[tokio::test]
async fn model_puts_the_best_into_its_order() {
    let world = World::with(&LONG_AND_SHORT, &[]).await;
    let reranker = Arc::new(WordReranker::new());
    let query = Query { explain: true, ..about("boat") };
    let answer = ask_with(&world, reranker.clone(), 50, query.clone()).await;
    assert_eq!(answer.reranked, Reranked::Yes);
    let plain = world.ask(query).await;
    assert_eq!(texts(&plain)[0], LONG_AND_SHORT[1].1);
    assert_eq!(texts(&answer)[0], LONG_AND_SHORT[0].1);
    for found in &answer.results {
        let sum: f64 = found.parts.iter().map(|part| part.value).sum();
        assert!((sum - found.score).abs() < 1e-9, "{found:?}");
    }
    assert!(answer.results[0].parts.iter().any(|part| part.name == "rerank" && part.value > 0.0));
    // The model reads each text with its days and speaker, in our order.
    let sent: Vec<String> = plain.results.iter().map(|found| as_line(&found.memory)).collect();
    assert_eq!(reranker.requests(), [sent]);
    // Conversations are ranked by the turns that the model put first.
    assert_eq!(answer.conversations[0].best, answer.results[0].memory.id);
}

#[tokio::test]
async fn model_reads_only_the_best_and_the_rest_stays_below() {
    let world = World::with(&LONG_AND_SHORT, &[]).await;
    let plain = world.ask(about("boat")).await;
    let reranker = Arc::new(WordReranker::new());
    let answer = ask_with(&world, reranker.clone(), 2, about("boat")).await;
    assert_eq!(reranker.requests()[0].len(), 2);
    assert_eq!(texts(&answer)[2..], texts(&plain)[2..]);
    // One text has no order.
    assert_eq!(ask_with(&world, reranker, 1, about("boat")).await.reranked, Reranked::NotRequested);
}

#[tokio::test]
async fn failed_model_leaves_the_answer_unchanged_and_is_reported() {
    let world = World::with(&LONG_AND_SHORT, &[]).await;
    let away = Arc::new(Faulty::at_call(WordReranker::new(), 1));
    let answer = ask_with(&world, away, 50, about("boat")).await;
    let plain = world.ask(about("boat")).await;
    assert_eq!(answer.reranked, Reranked::No("it is away".into()));
    assert_eq!(Answer { reranked: Reranked::NotRequested, ..answer }, plain);
}

#[tokio::test]
async fn model_is_not_called_for_lists_or_extractive_agents() {
    let world = World::with(&LONG_AND_SHORT, &[]).await;
    let reranker = Arc::new(WordReranker::new());
    let listed = ask_with(&world, reranker.clone(), 50, Query::default()).await;
    assert_eq!((listed.reranked, reranker.requests().len()), (Reranked::NotRequested, 0));
    let private = Settings { engine: EngineChoice::Extractive, ..Settings::default() };
    world.catalog.save_settings(&agent("a"), &private).await.unwrap();
    let answer = ask_with(&world, reranker.clone(), 50, about("boat")).await;
    assert_eq!((answer.reranked, reranker.requests().len()), (Reranked::NotRequested, 0));
    assert_eq!(answer.results.len(), 4);
}
