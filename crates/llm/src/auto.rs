//! Chooses the engine and the extractor: the configured model if there is one and the agent's settings allow models, otherwise
//! the built-in one.

use std::fmt;
use std::sync::Arc;

use annals_core::ports::{BatchReport, Batching, Counting, Engine, ExtractionTask, Extractor, SummaryTask};
use annals_core::{
    Agent, Author, Digest, Draft, EngineChoice, Extracted, Grain, Period, Purpose, Result, Settings, Timestamp,
};
use async_trait::async_trait;

use crate::Endpoint;
use crate::endpoint::{Mode, Tally};

/// Engine and extractor that pass each call to the model endpoint or to the built-in ones, as the settings of the agent allow.
#[derive(Clone)]
pub struct Auto {
    engine: Arc<dyn Engine>,
    extractor: Arc<dyn Extractor>,
    endpoint: Option<Arc<Endpoint>>,
}

impl fmt::Debug for Auto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Auto").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Auto {
    /// Takes the built-in engine and extractor, and the endpoint if any model is configured.
    pub fn new(engine: Arc<dyn Engine>, extractor: Arc<dyn Extractor>, endpoint: Option<Arc<Endpoint>>) -> Auto {
        Auto { engine, extractor, endpoint }
    }

    /// Returns the endpoint if it has a model for this purpose and the agent's settings allow models.
    fn endpoint(&self, settings: &Settings, purpose: Purpose) -> Option<&Endpoint> {
        let endpoint = self.endpoint.as_deref().filter(|endpoint| endpoint.does(purpose));
        endpoint.filter(|_| settings.engine == EngineChoice::Auto)
    }

    fn in_mode(&self, mode: Mode) -> Auto {
        let endpoint = self.endpoint.as_ref().map(|endpoint| Arc::new(endpoint.in_mode(mode)));
        Auto { endpoint, ..self.clone() }
    }

    fn engine(&self, settings: &Settings, grain: Grain) -> &dyn Engine {
        match self.endpoint(settings, Purpose::of(grain)) {
            Some(endpoint) => endpoint,
            None => &*self.engine,
        }
    }

    fn extractor(&self, settings: &Settings) -> &dyn Extractor {
        match self.endpoint(settings, Purpose::Extraction) {
            Some(endpoint) => endpoint,
            None => &*self.extractor,
        }
    }
}

#[async_trait]
impl Engine for Auto {
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest {
        self.engine(settings, grain).recipe(settings, grain)
    }

    fn author(&self, settings: &Settings, grain: Grain) -> Option<Author> {
        self.engine(settings, grain).author(settings, grain)
    }

    fn writes_locally(&self, settings: &Settings, grain: Grain) -> bool {
        self.engine(settings, grain).writes_locally(settings, grain)
    }

    async fn awaited(&self, agent: &Agent) -> Result<Vec<Period>> {
        match &self.endpoint {
            Some(endpoint) => endpoint.awaited(agent).await,
            None => Ok(Vec::new()),
        }
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        self.engine(task.settings, task.period.grain()).summarize(task).await
    }
}

/// Collects, sends and reads batches of the endpoint. Work for which no model is configured, or for which the agent's settings
/// allow none, goes to the built-in engine.
#[async_trait]
impl Batching for Auto {
    fn collecting(&self, budget: Option<u64>) -> Arc<dyn Engine> {
        Arc::new(self.in_mode(Mode::InBatches(budget)))
    }

    fn counting(&self) -> Counting {
        let tally = Arc::new(Tally::default());
        let counter = Arc::new(self.in_mode(Mode::Counting(Arc::clone(&tally))));
        Counting { engine: counter.clone(), extractor: counter, counted: Arc::new(move || tally.counted()) }
    }

    async fn send(&self, now: Timestamp) -> Result<BatchReport> {
        match &self.endpoint {
            Some(endpoint) => endpoint.send(now).await,
            None => Ok(BatchReport::default()),
        }
    }

    async fn take(&self, now: Timestamp) -> Result<BatchReport> {
        match &self.endpoint {
            Some(endpoint) => endpoint.take(now).await,
            None => Ok(BatchReport::default()),
        }
    }

    async fn abandon(&self) -> Result<BatchReport> {
        match &self.endpoint {
            Some(endpoint) => endpoint.abandon().await,
            None => Ok(BatchReport::default()),
        }
    }
}

#[async_trait]
impl Extractor for Auto {
    fn is_local(&self, settings: &Settings) -> bool {
        self.extractor(settings).is_local(settings)
    }

    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        self.extractor(task.settings).extract(task).await
    }
}

#[cfg(test)]
mod tests {
    use annals_core::ports::OnConflict;
    use annals_core::prelude::*;
    use annals_core::{Kind, Memory};
    use annals_testkit::{MemoryCatalog, ModelServer, QuotingEngine, agent, at, period, turn};
    use serde_json::{Value, json};

    use super::*;
    use crate::ModelsConfig;

    /// Extractor that finds nothing.
    struct NoRules;

    #[async_trait]
    impl Extractor for NoRules {
        fn is_local(&self, _settings: &Settings) -> bool {
            true
        }

        async fn extract(&self, _task: ExtractionTask<'_>) -> Result<Extracted> {
            Ok(Extracted::default())
        }
    }

    fn auto(table: Value) -> Auto {
        let config: ModelsConfig = serde_json::from_value(table).unwrap();
        let models = config.check(|_| None).unwrap();
        let endpoint = (!models.is_empty()).then(|| Endpoint::new(models, Arc::new(MemoryCatalog::new())).unwrap());
        Auto::new(Arc::new(QuotingEngine), Arc::new(NoRules), endpoint.map(Arc::new))
    }

    async fn day(agent: &Agent, period: Period) -> Vec<Memory> {
        let catalog = MemoryCatalog::new();
        let message = turn(agent, "2026-03-04T09:00:00Z", "I moved to Lisbon.");
        catalog.ingest(agent, vec![message], OnConflict::Refuse, at("2026-03-05T00:00:00Z")).await.unwrap();
        catalog.inputs(agent, period).await.unwrap().into_iter().filter(|memory| memory.kind() == Kind::Turn).collect()
    }

    #[tokio::test]
    async fn model_is_used_only_if_configured_and_allowed_by_settings() {
        async fn check(more: Value, engine: EngineChoice, expect: (bool, bool)) {
            let server = ModelServer::start([]);
            let mut table = json!({ "base_url": server.base_url(), "model": "test" });
            table.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let (auto, agent, period) = (auto(table), agent("tester"), period("2026-03-04"));
            let settings = Settings { engine, ..Settings::default() };
            let (sources, now) = (day(&agent, period).await, at("2026-03-05T00:00:00Z"));
            let task = SummaryTask {
                agent: &agent,
                settings: &settings,
                period,
                sources: &sources,
                base: None,
                read_seq: 0,
                now,
                background: None,
                access_key: None,
            };
            let draft = auto.summarize(task).await.unwrap();
            assert_eq!((!draft.verbatim, !auto.is_local(&settings)), expect, "{more} {engine:?}");
            assert_eq!(server.requests().len(), usize::from(expect.0));
        }
        check(json!({}), EngineChoice::Auto, (true, true)).await;
        check(json!({}), EngineChoice::Extractive, (false, false)).await;
        check(json!({ "daily": { "off": true } }), EngineChoice::Auto, (false, true)).await;
        check(json!({ "extraction": { "off": true } }), EngineChoice::Auto, (true, false)).await;
    }

    #[test]
    fn without_models_the_built_in_engine_is_used() {
        let (auto, settings) = (auto(json!({})), Settings::default());
        assert!(auto.is_local(&settings));
        assert_eq!(Engine::recipe(&auto, &settings, Grain::Daily), QuotingEngine.recipe(&settings, Grain::Daily));
    }
}
