//! Tests that models which work on a request are paid by its key, over every interface, and that scheduled work has no key.

use std::sync::Arc;
use std::time::Duration;

use annals_core::ports::{ExtractionTask, RerankTask, SummaryTask};
use annals_core::{Digest, Draft, Engine, Extracted, Extractor, Reranker, Result, Settings};
use annals_service::Parts;
use annals_testkit::{MemoryCatalog, QuotingEngine, ThreeWords, WordReranker};
use async_trait::async_trait;
use parking_lot::Mutex;

use super::pages::Browser;
use super::*;
use crate::site;

/// The three models. They record what was called for which key.
#[derive(Default)]
struct Models(Mutex<Vec<(&'static str, Option<String>)>>);

impl Models {
    fn record(&self, model: &'static str, access_key: Option<&str>) {
        self.0.lock().push((model, access_key.map(str::to_owned)));
    }

    fn take(&self) -> Vec<(&'static str, Option<String>)> {
        let mut calls = std::mem::take(&mut *self.0.lock());
        calls.dedup();
        calls
    }
}

#[async_trait]
impl Reranker for Models {
    async fn rerank(&self, task: RerankTask<'_>) -> Result<Vec<f64>> {
        self.record("reranker", task.access_key);
        WordReranker::new().rerank(task).await
    }
}

#[async_trait]
impl Engine for Models {
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest {
        QuotingEngine.recipe(settings, grain)
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        self.record("engine", task.access_key);
        QuotingEngine.summarize(task).await
    }
}

#[async_trait]
impl Extractor for Models {
    fn is_local(&self, _: &Settings) -> bool {
        false
    }

    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        self.record("extractor", task.access_key);
        ThreeWords.extract(task).await
    }
}

async fn world() -> (World, Arc<Models>) {
    let models = Arc::new(Models::default());
    let components = fixture::in_memory(Arc::new(MemoryCatalog::new()), models.clone(), Arc::new(|| at(NOW)));
    let parts = Parts::over(annals_service::Components { engine: models.clone(), ..components });
    let search = parts.search.clone().reranked_by(models.clone(), 10);
    let service = Service::new(Parts { search, ..parts });
    for (number, (name, scopes, agents)) in (1..).zip(KEYS) {
        add_key(&service, number, name, scopes, agents).await;
    }
    let world = World { service, memory: String::new(), operation: String::new() };
    for (day, text) in [(4, "Ann sails."), (5, "Ann sails a boat."), (6, "Bob sails too.")] {
        world.say(&format!("2026-03-0{day}T10:00:00Z"), text).await;
    }
    (world, models)
}

impl World {
    async fn say(&self, moment: &str, text: &str) {
        let agent = Agent::new(AGENT).unwrap();
        fixture::ingest(&self.service, &agent, vec![message(moment, text)]).await;
        self.service.make_searchable(&agent, &|_| ()).await.unwrap();
    }
}

fn id_of(name: &str) -> Option<String> {
    let number = 1 + KEYS.iter().position(|(known, ..)| *known == name).unwrap();
    Some(issued(number as u8).id)
}

#[tokio::test]
async fn every_search_is_reranked_for_the_key_of_its_request() {
    let (world, models) = world().await;
    let query = json!({ "query": "who sails?" });
    for (path, body) in [
        (format!("/v1/agents/{AGENT}/search"), query.clone()),
        (format!("/v1/agents/{AGENT}/context"), json!({ "prompt": "who sails?" })),
        (format!("/v1/agents/{AGENT}/tools/search_memory"), query.clone()),
        (format!("/v1/agents/{AGENT}/tools/memory_context"), json!({ "prompt": "who sails?" })),
        (format!("/compat/mem0/{AGENT}/v3/memories/search/"), query.clone()),
        (format!("/compat/mem0/{AGENT}/search"), json!({ "query": "who sails?", "user_id": "user" })),
    ] {
        for name in ["all", "search"] {
            let (status, answer) = world.ask(Some(&key(name)), "POST", &path, &body).await;
            assert_eq!((status, models.take()), (200, vec![("reranker", id_of(name))]), "{path}: {answer}");
        }
    }
    let site = site(&world.service, None).unwrap();
    let browser = Browser::with(&site, "all").await;
    for path in ["search?q=who+sails", "context?prompt=who+sails"] {
        assert_eq!(browser.get(&format!("/agents/{AGENT}/{path}")).await.status, 200, "{path}");
        assert_eq!(models.take(), [("reranker", id_of("all"))], "{path}");
    }
}

#[tokio::test]
async fn facts_and_summaries_that_a_request_waits_for_are_paid_by_its_key() {
    let (world, models) = world().await;
    let agent = Agent::new(AGENT).unwrap();
    let said = json!({ "conversation": "c", "messages": [{ "role": "user", "content": "Ann has_a boat." }] });
    let path = format!("/v1/agents/{AGENT}/messages?wait=extracted&timeout_seconds=0");
    assert_eq!(world.ask(Some(&key("ingest")), "POST", &path, &said).await.0, 202);
    while world.service.status(&agent, at(NOW)).await.unwrap().not_yet_read_for_facts > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(models.take(), [("extractor", id_of("ingest"))]);
    let path = format!("/v1/agents/{AGENT}/rollup");
    assert_eq!(world.ask(Some(&key("admin")), "POST", &path, &json!({})).await.0, 200);
    assert_eq!(models.take(), [("engine", id_of("admin"))]);
    let path = format!("/v1/agents/{AGENT}/forget");
    let forget = json!({ "from": "2026-03-05", "to": "2026-03-05", "dry_run": false });
    let (status, answer) = world.ask(Some(&key("all")), "POST", &path, &forget).await;
    assert_eq!((status, models.take()), (200, vec![("engine", id_of("all"))]), "{answer}");
    world.say("2026-03-06T11:00:00Z", "Bob likes_the sea.").await;
    world.service.read_for_facts(&agent, &|_| ()).await.unwrap();
    world.service.write_summaries(&agent, false, at(NOW), &|_| ()).await.unwrap();
    assert_eq!(models.take(), [("extractor", None), ("engine", None)], "scheduled work has no key");
}

#[tokio::test]
async fn page_of_keys_sets_the_limit_of_a_key() {
    let (world, _) = world().await;
    let site = site(&world.service, None).unwrap();
    let browser = Browser::with(&site, "admin").await;
    let id = id_of("search").unwrap();
    for (field, expect) in [("500", Some(500)), ("", None)] {
        let token = browser.get("/keys").await.token();
        let answer = browser.post(&format!("/keys/{id}/limit"), &[("daily_tokens", field), ("token", &token)]).await;
        assert_eq!(answer.status, 303);
        let keys = world.service.keys(at(NOW)).await.unwrap();
        assert_eq!(keys.iter().find(|key| key.id == id).unwrap().daily_tokens, expect);
    }
}
