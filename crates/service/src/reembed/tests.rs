//! Tests of a change of the embedding model while a service answers, over stores in memory.

use std::sync::Arc;
use std::time::Duration;

use annals_core::{Agent, Grain, Query, Store};
use annals_testkit::{
    Faulty, MemoryCatalog, MemoryStrata, ThreeWords, WordEmbedder, WordEmbedders, agent, at, message,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fixture::{NOW, in_memory, ingest};
use crate::{Components, Parts, Service};

const QUESTIONS: [&str; 4] = ["who saw the boat", "cake or bread", "number 7 of the list", "a walk with Bob"];

#[derive(Clone, Default)]
struct Stores {
    catalog: MemoryCatalog,
    strata: MemoryStrata,
}

fn first() -> WordEmbedder {
    WordEmbedder::new()
}

/// Returns a second model, with so few dimensions that it ranks differently.
fn second() -> WordEmbedder {
    WordEmbedder::of("words-2", 7)
}

fn me() -> Agent {
    agent("a")
}

impl Stores {
    fn service(&self, configured: WordEmbedder, others: Vec<WordEmbedder>) -> Service {
        let store: Arc<dyn Store> = Arc::new(self.catalog.clone());
        let components = in_memory(store, Arc::new(ThreeWords), Arc::new(|| at(NOW)));
        let embedders = Arc::new(WordEmbedders::new(configured, others));
        Service::new(Parts::over(Components { strata: Arc::new(self.strata.clone()), embedders, ..components }))
    }

    /// Returns stores with a hundred searchable messages, and their service.
    async fn filled(configured: WordEmbedder) -> (Stores, Service) {
        let stores = Stores::default();
        let service = stores.service(configured, vec![]);
        let things = ["boat", "cake", "walk", "list", "bread"];
        let messages = (0..100).map(|number| {
            let (one, two) = (things[number % 5], things[number / 5 % 5]);
            message(
                "2026-03-04T18:30:00Z",
                &format!("number {number}: Bob saw a {one} and a {two}, {}", number * 31 % 17),
            )
        });
        ingest(&service, &me(), messages.collect()).await;
        service.make_searchable(&me(), &|_| ()).await.unwrap();
        (stores, service)
    }
}

/// Returns the ids of the best results for each question, in their order.
async fn orders(service: &Service) -> Vec<Vec<String>> {
    let mut orders = Vec::new();
    for question in QUESTIONS {
        let query = Query { text: Some(question.into()), grains: vec![Grain::Working], limit: 20, ..Query::default() };
        let answer = service.answer(&me(), &query, at(NOW)).await.unwrap();
        assert_eq!(answer.words_alone, None);
        orders.push(answer.results.iter().map(|found| found.memory.id.to_string()).collect());
    }
    orders
}

#[tokio::test]
async fn every_answer_is_of_one_model_while_tables_are_embedded_again() {
    let (stores, former) = Stores::filled(first()).await;
    let (by_first, by_second) = (orders(&former).await, orders(&Stores::filled(second()).await.1).await);
    assert!(by_first.iter().zip(&by_second).all(|(first, second)| first != second), "the models rank differently");
    let service = stores.service(second(), vec![first()]);
    let mut pieces = 0;
    while service.reembed_piece(&me(), 9, Instant::now()).await.unwrap().is_some() {
        let is_complete = service.reembedding(&me()).await.unwrap().is_none();
        assert_eq!(orders(&service).await, if is_complete { by_second.clone() } else { by_first.clone() });
        pieces += 1;
    }
    assert!(pieces > 10, "{pieces}");
    assert_eq!(orders(&service).await, by_second);
    let back = stores.service(first(), vec![second()]);
    back.reembed_in_background(CancellationToken::new()).await;
    assert_eq!(orders(&back).await, by_first);
}

/// Messages and searches of several tasks at once, with workers as the service runs them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_and_searches_go_on_meanwhile() {
    let (stores, _) = Stores::filled(first()).await;
    let service = stores.service(second(), vec![first()]);
    let stop = CancellationToken::new();
    let (working, until) = (service.clone(), stop.clone());
    let worker = tokio::spawn(async move { working.work(crate::Worker::Any, until).await });
    let (reembedding, until) = (service.clone(), stop.clone());
    let reembedder = tokio::spawn(async move { reembedding.reembed_in_background(until).await });
    for number in 0..20 {
        ingest(&service, &me(), vec![message("2026-03-05T08:00:00Z", &format!("new {number}"))]).await;
        orders(&service).await;
    }
    reembedder.await.unwrap();
    stop.cancel();
    worker.await.unwrap();
    service.make_searchable(&me(), &|_| ()).await.unwrap();
    let models = service.parts.writer.models(&me()).await.unwrap();
    assert_eq!(models, [(Grain::Working, "words-2".to_owned())]);
    assert_eq!(service.parts.writer.audit(&me()).await.unwrap(), []);
    assert_eq!(service.parts.store.counts(&me()).await.unwrap().memories[0], 120);
}

#[tokio::test]
async fn status_tells_how_far_it_is() {
    let (stores, _) = Stores::filled(first()).await;
    let service = stores.service(second(), vec![]);
    let state = async || service.status(&me(), at(NOW)).await.unwrap().reembedding;
    let before = state().await.unwrap();
    assert_eq!((before.done, before.total, before.seconds_left), (0, 100, None));
    assert_eq!((before.from, before.to.as_str()), (vec!["words-1".to_owned()], "words-2"));
    assert_eq!(before.missing, ["words-1"], "it cannot be opened");
    service.reembed_piece(&me(), 32, Instant::now()).await.unwrap();
    // A pause, as after a failure, is not part of the estimate: 68 changes are left.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let begun = state().await.unwrap();
    assert_eq!(begun.done, 32);
    assert!(begun.seconds_left.is_some_and(|seconds| seconds <= 2), "{:?}", begun.seconds_left);
    service.reembed_in_background(CancellationToken::new()).await;
    assert_eq!(state().await, None);
}

/// Some calls of the store fail: re-embedding pauses, tries again, and completes.
#[tokio::test]
async fn failure_is_retried() {
    let (stores, _) = Stores::filled(first()).await;
    let service = stores.service(second(), vec![first()]);
    let faulty = Faulty::during(stores.catalog.clone(), 5..40);
    let components = in_memory(Arc::new(faulty), Arc::new(ThreeWords), Arc::new(|| at(NOW)));
    let embedders = Arc::new(WordEmbedders::new(second(), vec![first()]));
    let components = Components { strata: Arc::new(stores.strata.clone()), embedders, ..components };
    let pause = Duration::from_millis(1);
    Service::new(Parts::over(components)).reembed_retrying(CancellationToken::new(), pause).await;
    assert_eq!(service.reembedding(&me()).await.unwrap(), None);
    assert_eq!(service.parts.writer.audit(&me()).await.unwrap(), []);
}
