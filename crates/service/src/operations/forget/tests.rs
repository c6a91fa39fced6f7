//! Tests of forgetting while a roll-up waits for its engine, and of parts of a name, over stores in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annals_core::ports::SummaryTask;
use annals_core::{Digest, Draft, Engine, Grain, Settings};
use annals_testkit::{MemoryCatalog, QuotingEngine, ThreeWords, agent, at, message};
use async_trait::async_trait;
use tokio::sync::Notify;

use super::*;
use crate::fixture::{NOW, in_memory, ingest};
use crate::{Components, Parts};

/// An engine that answers the first question only after the test has called `released.notify_one`.
#[derive(Default)]
struct Waiting {
    was_asked: AtomicBool,
    asked: Notify,
    released: Notify,
}

#[async_trait]
impl Engine for Waiting {
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest {
        QuotingEngine.recipe(settings, grain)
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        let draft = QuotingEngine.summarize(task).await;
        if !self.was_asked.swap(true, Ordering::SeqCst) {
            self.asked.notify_one();
            self.released.notified().await;
        }
        draft
    }
}

async fn summaries(service: &Service, agent: &Agent) -> String {
    let mut texts = String::new();
    for grain in Grain::SUMMARIES {
        texts.extend(service.memories_of(agent, grain).await.unwrap().into_iter().map(|summary| summary.text + "\n"));
    }
    texts
}

#[tokio::test]
async fn roll_up_saves_nothing_of_a_message_forgotten_meanwhile() {
    let (me, engine) = (agent("a"), Arc::new(Waiting::default()));
    let components = in_memory(Arc::new(MemoryCatalog::new()), Arc::new(ThreeWords), Arc::new(|| at(NOW)));
    let service = Service::new(Parts::over(Components { engine: engine.clone(), ..components }));
    let history = [("2026-03-04T18:30:00Z", "Zelda sold the boat."), ("2026-03-04T18:31:00Z", "Bob bakes bread.")];
    ingest(&service, &me, history.map(|(moment, text)| message(moment, text)).to_vec()).await;
    let rolling_up = tokio::spawn({
        let (service, me) = (service.clone(), me.clone());
        async move { service.write_summaries(&me, false, at(NOW), &|_| ()).await.unwrap() }
    });
    engine.asked.notified().await;
    let request = serde_json::from_value(serde_json::json!({ "subject": "Zelda", "dry_run": false })).unwrap();
    let answer = service.forget(&me, request, at(NOW)).await.unwrap();
    assert!(answer.done && answer.turns.len() == 1, "{answer:?}");
    let written = summaries(&service, &me).await;
    assert!(!written.contains("Zelda") && written.contains("Bob"), "{written}");
    engine.released.notify_one();
    let passed = rolling_up.await.unwrap();
    assert_eq!(passed.stale, 1, "{passed:?}");
    assert_eq!(summaries(&service, &me).await, written);
}

#[tokio::test]
async fn memories_that_name_a_part_of_the_subject_stay_and_are_listed() {
    let me = agent("a");
    let service = Service::new(Parts::over(in_memory(
        Arc::new(MemoryCatalog::new()),
        Arc::new(ThreeWords),
        Arc::new(|| at(NOW)),
    )));
    let history = [
        ("2026-03-04T18:30:00Z", "Kyle Brandt was hired."),
        ("2026-03-04T18:31:00Z", "Brandt missed payroll."),
        ("2026-03-04T18:32:00Z", "Brandt and Kyle Brandt are one."),
        ("2026-03-04T18:33:00Z", "Brandtner bakes bread."),
    ];
    ingest(&service, &me, history.map(|(moment, text)| message(moment, text)).to_vec()).await;
    for dry_run in [true, false] {
        let request = serde_json::from_value(serde_json::json!({ "subject": "kyle brandt", "dry_run": dry_run }));
        let answer = service.forget(&me, request.unwrap(), at(NOW)).await.unwrap();
        assert_eq!(answer.turns.len(), 2, "{answer:?}");
        let [part] = &answer.partly_named[..] else { panic!("{answer:?}") };
        assert_eq!((part.name.as_str(), part.memories, part.ids.len()), ("brandt", 1, 1));
    }
    let request = serde_json::from_value(serde_json::json!({ "subject": "Brandt", "dry_run": false })).unwrap();
    let answer = service.forget(&me, request, at(NOW)).await.unwrap();
    assert!(answer.turns.len() == 1 && answer.partly_named.is_empty(), "{answer:?}");
}
