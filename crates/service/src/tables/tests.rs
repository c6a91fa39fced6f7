//! Tests of the workers over stores in memory: an agent that is busy, fails or has many changes does not delay other agents.

use std::ops::Range;
use std::sync::Arc;

use annals_core::Embedder;
use annals_core::ports::{OnConflict, Table};
use annals_testkit::{Faulty, MemoryCatalog, MemoryFacts, ThreeWords, WordEmbedder, agent, at, message, one_embedder};
use async_trait::async_trait;

use super::queue::{LARGE_PIECE, SMALL_PIECE};
use super::*;
use crate::fixture::{NOW, in_memory, service, service_with_memories};
use crate::locks::Level;
use crate::wire::{ContextRequest, SearchRequest};
use crate::{Components, Parts};

const A_MOMENT: Duration = Duration::from_secs(60);

fn question() -> SearchRequest {
    serde_json::from_value(serde_json::json!({ "query": "sailing", "limit": 10 })).unwrap()
}

async fn say(service: &Service, name: &str) -> u64 {
    let messages = vec![message("2026-03-04T10:00:00Z", "Ann likes_to sail.")];
    let seq = service.parts.writer.ingest(&agent(name), messages, OnConflict::Refuse, at(NOW)).await.unwrap().seq;
    service.enqueue(&agent(name));
    seq
}

/// Gives two agents a message each and holds a lock of the first. Checks that a worker serves the second agent meanwhile, and
/// the first agent once the lock is free.
async fn check<L: Level>() {
    let lock = L::LOCK;
    let service = service(Arc::new(|| at(NOW)));
    let stop = CancellationToken::new();
    let held = service.locks.lock::<L>(&agent("busy")).await;
    let (busy, other) = (say(&service, "busy").await, say(&service, "other").await);
    let worker = tokio::spawn({
        let (service, stop) = (service.clone(), stop.clone());
        async move { service.work(Worker::Any, stop).await }
    });
    let is_through = |seq| move |(searchable, extracted): (u64, u64)| searchable >= seq && extracted >= seq;
    let reached = service.wait_until_reached(&agent("other"), A_MOMENT, is_through(other)).await.unwrap();
    assert!(is_through(other)(reached), "{lock:?}: {reached:?}");
    let reached = service.reached(&agent("busy")).await.unwrap();
    assert!(!is_through(busy)(reached), "{lock:?}: nobody worked on it: {reached:?}");
    drop(held);
    let reached = service.wait_until_reached(&agent("busy"), A_MOMENT, is_through(busy)).await.unwrap();
    assert!(is_through(busy)(reached), "{lock:?}: it came back: {reached:?}");
    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn busy_agent_is_skipped_and_served_once_its_lock_is_free() {
    check::<Tables>().await;
    check::<Facts>().await;
    check::<Extraction>().await;
}

#[test]
fn agent_that_fails_pauses_longer_each_time_and_new_messages_do_not_end_the_pause() {
    let (queue, ann) = (Queue::default(), agent("ann"));
    let pauses = [2, 4, 8, 16, 32, 60, 60].map(Duration::from_secs);
    for pause in pauses {
        queue.push(&ann);
        assert!(queue.take(Worker::Any).is_some());
        queue.push(&ann);
        assert_eq!(queue.begin_pause(&ann, Pipeline::Working, "away".into()), pause);
        queue.finish(&ann);
        queue.push(&ann);
        assert_eq!(queue.take(Worker::Any), None);
        queue.end_pause(&ann, Pipeline::Working);
    }
    let failure = |pipeline| queue.failure(&ann, pipeline);
    assert_eq!((failure(Pipeline::Working).as_deref(), failure(Pipeline::Extract)), (Some("away"), None));
    queue.note_success(&ann, Pipeline::Working);
    let pause = queue.begin_pause(&ann, Pipeline::Working, "away".into());
    assert_eq!((queue.take(Worker::Any), pause), (None, pauses[0]));
}

#[tokio::test]
async fn failing_facts_pause_longer_each_time_while_messages_become_searchable() {
    let components = in_memory(Arc::new(MemoryCatalog::new()), Arc::new(ThreeWords), Arc::new(|| at(NOW)));
    let facts = Arc::new(Faulty::during(MemoryFacts::new(), 1..u64::MAX));
    let service = Service::new(Parts::over(Components { facts, ..components }));
    let (queue, ann, stop) = (&service.queue, agent("ann"), CancellationToken::new());
    for _ in 0..3 {
        let seq = say(&service, "ann").await;
        service.process(&queue.take(Worker::Any).unwrap(), &stop).await;
        assert_eq!(service.reached(&ann).await.unwrap().0, seq);
        assert_eq!(queue.take(Worker::Small), None);
        let reading = queue.take(Worker::Any).unwrap();
        assert_eq!(reading, Work::Reading(ann.clone()));
        service.process(&reading, &stop).await;
        assert_eq!(queue.take(Worker::Any), None);
        queue.end_pause(&ann, Pipeline::Extract);
    }
    let status = service.status(&ann, at(NOW)).await.unwrap();
    assert!(status.index_error.is_none() && status.extraction_error.is_some(), "{status:?}");
    let fourth = queue.begin_pause(&ann, Pipeline::Extract, "away".into());
    assert_eq!(fourth, Duration::from_secs(16));
}

#[tokio::test]
async fn progress_of_an_agent_wakes_only_its_subscribers() {
    let queue = Queue::default();
    let [mut own, mut other] = ["a", "b"].map(|name| queue.subscribe(&agent(name)));
    queue.notify(&agent("a"));
    queue.notify(&agent("nobody waits for"));
    assert_eq!((own.has_changed().unwrap(), other.has_changed().unwrap()), (true, false));
    own.borrow_and_update();
    drop((own, other.borrow_and_update()));
}

#[tokio::test]
async fn agent_is_queued_once_and_in_order() {
    let queue = Queue::default();
    ["a", "b", "a", "c", "b"].iter().for_each(|name| queue.push(&agent(name)));
    for expect in ["a", "b", "c"] {
        assert_eq!(queue.pop(Worker::Any).await, Work::Tables(agent(expect), SMALL_PIECE));
    }
    assert_eq!(queue.take(Worker::Any), None);
}

#[tokio::test]
async fn agent_under_work_is_not_taken_by_a_second_worker() {
    let queue = Queue::default();
    queue.push(&agent("big"));
    let small = |name: &str| Work::Tables(agent(name), SMALL_PIECE);
    assert_eq!(queue.pop(Worker::Any).await, small("big"));
    ["big", "other"].iter().for_each(|name| queue.push(&agent(name)));
    assert_eq!((queue.pop(Worker::Any).await, queue.take(Worker::Any)), (small("other"), None));
    queue.finish(&agent("big"));
    assert_eq!(queue.pop(Worker::Any).await, small("big"));
}

#[tokio::test]
async fn small_worker_takes_only_agents_that_are_not_large() {
    let queue = Queue::default();
    for name in ["big", "vast"] {
        queue.note_size(&agent(name), true);
        queue.push(&agent(name));
    }
    queue.push_to_read(&agent("unread"));
    assert_eq!(queue.take(Worker::Small), None);
    queue.push(&agent("other"));
    assert_eq!(queue.take(Worker::Small), Some(Work::Tables(agent("other"), SMALL_PIECE)));
    let large = |name: &str| Some(Work::Tables(agent(name), LARGE_PIECE));
    assert_eq!(queue.take(Worker::Any), large("big"));
    assert_eq!(queue.take(Worker::Any), Some(Work::Reading(agent("unread"))), "large agents do not hold it up");
    assert_eq!(queue.take(Worker::Any), large("vast"));
    queue.note_size(&agent("big"), false);
    queue.push(&agent("big"));
    queue.finish(&agent("big"));
    assert_eq!(queue.take(Worker::Small), Some(Work::Tables(agent("big"), SMALL_PIECE)));
}

async fn lose(service: &Service, name: &str) {
    let agent = agent(name);
    for grain in Grain::ALL {
        let generation = service.parts.store.watermark(&agent, grain).await.unwrap().generation;
        service.parts.strata.remove(&Table { agent: agent.clone(), grain, generation }).await.unwrap();
    }
}

#[tokio::test]
async fn search_and_context_rebuild_a_lost_table() {
    let me = agent("a");
    let service = service_with_memories(&me).await;
    let expect = service.search(&me, question(), at(NOW)).await.unwrap().results.len();
    lose(&service, "a").await;
    assert_eq!(service.search(&me, question(), at(NOW)).await.unwrap().results.len(), expect);
    lose(&service, "a").await;
    let request: ContextRequest =
        serde_json::from_value(serde_json::json!({ "prompt": "sailing", "budget_tokens": 500 })).unwrap();
    assert!(!service.context(&me, request, at(NOW)).await.unwrap().items.is_empty());
}

/// Starts more searches than there are permits, all for an agent with a lost table that another task is rebuilding.
#[tokio::test]
async fn search_holds_no_permit_while_a_table_is_rebuilt() {
    let service = service_with_memories(&agent("other")).await;
    say(&service, "lost").await;
    service.make_searchable(&agent("lost"), &|_| ()).await.unwrap();
    lose(&service, "lost").await;
    let building = service.locks.lock::<Tables>(&agent("lost")).await;
    let searches: Vec<_> = (0..service.searches.available_permits() + 1)
        .map(|_| {
            let service = service.clone();
            tokio::spawn(async move { service.search(&agent("lost"), question(), at(NOW)).await.unwrap() })
        })
        .collect();
    tokio::task::yield_now().await;
    let answer = tokio::time::timeout(A_MOMENT, service.search(&agent("other"), question(), at(NOW))).await;
    assert!(!answer.expect("others are answered").unwrap().results.is_empty());
    drop(building);
    for search in searches {
        assert_eq!(search.await.unwrap().results.len(), 1);
    }
}

/// An embedder with a bug.
struct Panicking(WordEmbedder);

#[async_trait]
impl Embedder for Panicking {
    fn model(&self) -> &str {
        self.0.model()
    }

    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        self.0.split(text)
    }

    async fn embed(&self, _texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        panic!("a bug")
    }
}

#[tokio::test]
async fn panic_is_a_failure_of_the_agent_and_ends_no_worker() {
    let components = in_memory(Arc::new(MemoryCatalog::new()), Arc::new(ThreeWords), Arc::new(|| at(NOW)));
    let embedders = one_embedder(Panicking(WordEmbedder::new()));
    let service = Service::new(Parts::over(Components { embedders, ..components }));
    say(&service, "ann").await;
    service.process(&service.queue.take(Worker::Any).unwrap(), &CancellationToken::new()).await;
    assert!(!service.queue.has_work(), "another worker may take the agent");
    assert!(service.queue.failure(&agent("ann"), Pipeline::Working).unwrap().contains("panicked"));
}
