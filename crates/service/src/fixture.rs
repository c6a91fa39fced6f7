//! A service over stores in memory, for tests: real policies over simple, slow ports. Shared by the tests of `annals_service`
//! and, as a module of their own, by those of `annals_server`; so it uses the public interface alone.

use std::path::Path;
use std::sync::Arc;

use annals_core::{Agent, Error, Extractor, IngestReceipt, Message, Result, Store};
use annals_retention::Plans;
use annals_service::calls::Host;
use annals_service::config::Limits;
use annals_service::jobs::Scheduler;
use annals_service::wire::{IngestRequest, MessageIn};
use annals_service::{Clock, Components, Parts, Service};
use annals_summarizer::SchedulePolicy;
use annals_testkit::{
    MemoryCatalog, MemoryFacts, MemoryStrata, QuotingEngine, ThreeWords, WordEmbedder, at, message, one_embedder,
};
use async_trait::async_trait;

/// The time in tests: noon of a Tuesday. The week of the last message in [`service_with_memories`], of 6 March, is over.
pub const NOW: &str = "2026-03-10T12:00:00Z";

/// Returns a service over empty stores.
pub fn service(clock: Clock) -> Service {
    over(Arc::new(MemoryCatalog::new()), clock)
}

pub fn over(store: Arc<dyn Store>, clock: Clock) -> Service {
    let limits = Limits { requests_per_minute: 1_000_000, burst: 1_000_000, concurrent: 1000, ..Limits::default() };
    Service::new(Parts { limits, ..Parts::over(in_memory(store, Arc::new(ThreeWords), clock)) })
}

/// Returns components with this store, tables in memory, and models that need no network.
pub fn in_memory(store: Arc<dyn Store>, extractor: Arc<dyn Extractor>, clock: Clock) -> Components {
    Components {
        store,
        strata: Arc::new(MemoryStrata::new()),
        facts: Arc::new(MemoryFacts::new()),
        embedders: one_embedder(WordEmbedder::new()),
        engine: Arc::new(QuotingEngine),
        fallback_engine: Arc::new(QuotingEngine),
        extractor: extractor.clone(),
        fallback_extractor: extractor,
        plans: Plans::built_in(),
        schedule: SchedulePolicy::default(),
        clock,
        folder: None,
    }
}

/// Returns a service with three messages of March 2026, with facts extracted, summarized and made searchable. Its clock stays
/// at [`NOW`].
pub async fn service_with_memories(agent: &Agent) -> Service {
    let service = service(Arc::new(|| at(NOW)));
    let history = [
        ("2026-03-04T18:30:00Z", "Ann lives_in Bern."),
        ("2026-03-04T18:31:00Z", "Ann planned a sailing trip to the Azores with Bob."),
        ("2026-03-06T09:00:00Z", "The sailing trip was cancelled because Bob broke his arm."),
    ];
    let messages = history.iter().map(|(moment, text)| message(moment, text)).collect();
    ingest(&service, agent, messages).await;
    service.read_for_facts(agent, &|_| ()).await.unwrap();
    service.write_summaries(agent, false, at(NOW), &|_| ()).await.unwrap();
    service.make_searchable(agent, &|_| ()).await.unwrap();
    service
}

/// Stores messages at [`NOW`], without making them searchable.
pub async fn ingest(service: &Service, agent: &Agent, messages: Vec<Message>) -> IngestReceipt {
    let message = |message: Message| MessageIn {
        role: message.role,
        content: message.content,
        conversation: Some(message.conversation),
        id: message.client_id,
        name: message.name,
        at: Some(message.at),
        attachment: None,
        other: Default::default(),
    };
    let messages = messages.into_iter().map(message).collect();
    let request = IngestRequest { messages, conversation: None, revise: false };
    let settings = service.admit(agent).await.unwrap();
    service.ingest(agent, &settings, request, at(NOW)).await.unwrap().operation
}

/// A host that runs calls on this service.
pub struct TestHost(pub Service);

#[async_trait]
impl Host for TestHost {
    fn service(&self) -> &Service {
        &self.0
    }

    fn jobs(&self) -> Option<&Scheduler> {
        None
    }

    fn clock_is_synchronised(&self) -> Option<bool> {
        Some(true)
    }

    fn fill_random(&self, bytes: &mut [u8]) -> std::result::Result<(), getrandom::Error> {
        getrandom::fill(bytes)
    }

    async fn copy_catalog(&self, to: &Path) -> Result<i64> {
        Err(Error::storage(format!("copying to {}", to.display()), std::io::Error::other("disk full")))
    }
}
