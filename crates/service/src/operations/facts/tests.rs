//! Tests of facts after a process has ended between the change of the fact log and of the table, over stores in memory.

use annals_core::ports::{Erasure, Facts as _, Journal, Target};
use annals_testkit::{MemoryCatalog, MemoryFacts, ThreeWords, agent, at, entry};
use serde_json::json;

use super::*;
use crate::fixture::{NOW, in_memory};
use crate::{Components, Entity, Parts};

const FIRST_AT: &str = "2026-03-04T10:00:00Z";

/// Stores that stay while services over them are started and dropped.
#[derive(Default)]
struct Stores {
    catalog: Arc<MemoryCatalog>,
    facts: Arc<MemoryFacts>,
}

impl Stores {
    /// Returns a new service over these stores, as after a restart.
    fn started(&self) -> Service {
        let components = in_memory(self.catalog.clone(), Arc::new(ThreeWords), Arc::new(|| at(NOW)));
        Service::new(Parts::over(Components { facts: self.facts.clone(), ..components }))
    }

    /// Adds a fact to the log and not to the table.
    async fn log(&self, fact: &str) {
        self.catalog.add_operations(&agent("a"), vec![entry(&agent("a"), fact, FIRST_AT)]).await.unwrap();
    }
}

async fn found(service: &Service) -> Vec<String> {
    let answer = service.facts(&agent("a"), FactsRequest::default(), at(NOW)).await.unwrap();
    answer.facts.into_iter().map(|fact| fact.object).collect()
}

async fn context(service: &Service) -> String {
    let request = json!({ "prompt": "What does Ann like?", "speaker": "Ann", "budget_tokens": 1000 });
    service.context(&agent("a"), serde_json::from_value(request).unwrap(), at(NOW)).await.unwrap().text
}

#[tokio::test]
async fn table_behind_the_log_is_brought_up_to_date_before_it_is_read() {
    let stores = Stores::default();
    stores.log("Ann likes tea").await;
    assert_eq!(found(&stores.started()).await, ["tea"]);
    stores.log("Ann likes figs").await;
    assert_eq!(found(&stores.started()).await.len(), 2);
    stores.log("Ann likes plums").await;
    assert!(context(&stores.started()).await.contains("plums"));
    stores.catalog.erase(&agent("a"), &Target::Subject("Ann".into()), at(NOW)).await.unwrap();
    let (facts, context) = (found(&stores.started()).await, context(&stores.started()).await);
    assert!(facts.is_empty() && !context.contains("tea"), "{facts:?} {context}");
}

#[tokio::test]
async fn replica_compares_its_facts_each_time_and_forgets_those_that_are_forgotten() {
    let stores = Stores::default();
    let clock = Arc::new(Mutex::new(at(NOW)));
    let reading = clock.clone();
    let components = in_memory(stores.catalog.clone(), Arc::new(ThreeWords), Arc::new(move || *reading.lock()));
    let components = Components { facts: stores.facts.clone(), ..components };
    let replica = Service::new(Parts { is_replica: true, ..Parts::over(components) });
    for (fact, expect) in [("Ann likes tea", 1), ("Ann likes figs", 2)] {
        stores.log(fact).await;
        assert_eq!(found(&replica).await.len(), expect);
    }
    let held = async || stores.facts.find(&agent("a"), &FactQuery::default()).await.unwrap().len();
    stores.catalog.erase(&agent("a"), &Target::Subject("Ann".into()), at(NOW)).await.unwrap();
    assert_eq!(held().await, 2);
    replica.renew_compared_facts().await.unwrap();
    assert_eq!(held().await, 0);

    stores.log("Bob likes tea").await;
    assert_eq!(found(&replica).await, ["tea"]);
    *clock.lock() += KEPT;
    replica.renew_compared_facts().await.unwrap();
    assert_eq!(held().await, 0, "nobody has asked for them lately");
    assert_eq!(found(&replica).await, ["tea"]);
}

#[tokio::test]
async fn entity_of_the_log_is_not_added_again() {
    let stores = Stores::default();
    let ann = Entity { name: "Ann".into(), kind: "person".into(), observations: Vec::new() };
    stores.log("Bob likes tea").await;
    found(&stores.started()).await;
    stores.log("Ann is_a person").await;
    let added = stores.started().add_entities(&agent("a"), vec![ann], at(NOW)).await.unwrap();
    assert_eq!(added, []);
}

#[tokio::test]
async fn reading_does_not_wait_for_a_task_that_writes_facts() {
    let (stores, me) = (Stores::default(), agent("a"));
    stores.log("Ann likes tea").await;
    found(&stores.started()).await;
    stores.log("Ann likes figs").await;
    let service = stores.started();
    let writing = service.locks.lock::<Facts>(&me).await;
    let before = found(&service).await;
    drop(writing);
    assert_eq!((before.len(), found(&service).await.len()), (1, 2));
}
