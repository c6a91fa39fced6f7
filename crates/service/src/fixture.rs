//! A service over stores in memory, for tests and for the example `memory_server`: real policies over simple, slow ports.
//!
//! Compiled into both, so it names this crate as `annals_server`.

use std::sync::Arc;

use annals_core::ports::ExtractionTask;
use annals_core::{
    Agent, Digest, Extracted, Extractor, FactOperation, Memory, Properties, Result, Settings, Timestamp, Verb,
};
use annals_retention::{Plans, Retention};
use annals_search::Search;
use annals_server::config::Limits;
use annals_server::{Clock, Parts, Prompts, Service};
use annals_summarizer::{SchedulePolicy, Summarizer};
use annals_testkit::{MemoryCatalog, MemoryFacts, MemoryStrata, QuotingEngine, Store, WordEmbedder, at, message};
use annals_writer::{Eraser, FactWriter, Writer};
use async_trait::async_trait;

/// The time in tests, a Tuesday noon: the sixth of March and its week are over.
pub const NOW: &str = "2026-03-10T12:00:00Z";

/// Extracts a sentence of three words such as `Ann lives_in Bern.` as a fact if its second word contains an underscore.
#[derive(Debug)]
pub struct ThreeWords;

#[async_trait]
impl Extractor for ThreeWords {
    fn recipe(&self, _: &Settings) -> Digest {
        Digest::of(["three words"])
    }

    fn is_local(&self, _: &Settings) -> bool {
        true
    }

    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        let operations = task.turns.iter().filter_map(|turn| operation(turn, task.now)).collect();
        Ok(Extracted { statements: Vec::new(), operations, rejected: Vec::new() })
    }
}

fn operation(turn: &Memory, now: Timestamp) -> Option<FactOperation> {
    let words: Vec<&str> = turn.text.trim_end_matches('.').split(' ').collect();
    let [subject, predicate, object] = words.as_slice() else { return None };
    predicate.contains('_').then(|| FactOperation {
        id: FactOperation::id(&turn.id, 0),
        verb: Verb::Insert,
        subject: (*subject).to_owned(),
        predicate: (*predicate).to_owned(),
        object: (*object).to_owned(),
        replaces: None,
        properties: Properties::new(),
        confidence: 0.9,
        at: turn.at(),
        said_at: turn.at(),
        source: turn.id.clone(),
        position: 0,
        recorded_at: now,
    })
}

/// Returns a service over empty stores.
pub fn service(clock: Clock) -> Service {
    over(Arc::new(MemoryCatalog::new()), clock)
}

/// Returns a service over this catalog.
pub fn over(catalog: Arc<impl Store + 'static>, clock: Clock) -> Service {
    let strata = Arc::new(MemoryStrata::new());
    let facts = Arc::new(MemoryFacts::new());
    let embedder = Arc::new(WordEmbedder::new());
    let writer = Writer::new(catalog.clone(), strata.clone(), embedder.clone());
    let fact_writer = FactWriter::new(catalog.clone(), facts.clone(), Arc::new(ThreeWords), Arc::new(ThreeWords));
    let engine = Arc::new(QuotingEngine);
    Service::new(Parts {
        extractor: Arc::new(ThreeWords),
        eraser: Eraser::new(writer.clone(), fact_writer.clone(), catalog.clone()),
        summarizer: Summarizer::new(catalog.clone(), engine.clone(), engine, SchedulePolicy::default()),
        retention: Retention::new(catalog.clone(), Plans::built_in()),
        search: Search::new(catalog.clone(), strata.clone(), facts.clone(), embedder),
        plans: Plans::built_in(),
        prompts: Prompts { names: &[], check: |_, _| Ok(()) },
        limits: Limits { requests_per_minute: 1_000_000, burst: 1_000_000, concurrent: 1000, ..Limits::default() },
        clock,
        folder: None,
        store: catalog,
        strata,
        facts,
        writer,
        fact_writer,
    })
}

/// Returns a service with three messages of March 2026, already read for facts, summarized and made searchable. Its clock
/// stays at [`NOW`].
pub async fn service_with_memories(agent: &Agent) -> Service {
    let service = service(Arc::new(|| at(NOW)));
    let said = [
        ("2026-03-04T18:30:00Z", "Ann lives_in Bern."),
        ("2026-03-04T18:31:00Z", "Ann planned a sailing trip to the Azores with Bob."),
        ("2026-03-06T09:00:00Z", "The sailing trip was cancelled because Bob broke his arm."),
    ];
    let messages = said.iter().map(|(moment, text)| message(moment, text)).collect();
    service.writer.ingest(agent, messages, false, at(NOW)).await.unwrap();
    service.read_for_facts(agent, &|_| ()).await.unwrap();
    service.summarizer.pass(agent, at(NOW), &|_| ()).await.unwrap();
    service.make_searchable(agent, &|_| ()).await.unwrap();
    service
}
