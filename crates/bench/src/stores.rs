//! The stores and policies over a data folder, assembled as in the command `annals`, without a model. `annals` can open the same
//! folder.

use std::path::Path;
use std::sync::Arc;

use annals_catalog::SqliteCatalog;
use annals_core::ports::{OnConflict, OneEmbedder, Select, Table};
use annals_core::prelude::*;
use annals_core::{
    Agent, Embedder, Fact, FactQuery, Facts, Grain, Kind, Memory, Message, Result, Settings, Strata, Timestamp,
};
use annals_facts::DuckFacts;
use annals_llm::{Auto, Extractive, Rules};
use annals_retention::{Plans, Retention};
use annals_search::Search;
use annals_strata::LanceStrata;
use annals_summarizer::{SchedulePolicy, Summarizer};
use annals_writer::{FactWriter, Writer};

/// Maximum number of messages per transaction, as in an import.
const BATCH: usize = 500;

/// The stores and policies over one data folder.
pub(crate) struct Stores {
    pub search: Search,
    catalog: Arc<SqliteCatalog>,
    strata: Arc<dyn Strata>,
    facts: Arc<dyn Facts>,
    retention: Retention,
    writer: Writer,
    fact_writer: FactWriter,
    summarizer: Summarizer,
}

impl Stores {
    /// Opens the folder, and creates it if necessary.
    pub(crate) async fn open(path: &Path, embedder: Arc<dyn Embedder>) -> Result<Stores> {
        let catalog = Arc::new(SqliteCatalog::open(&path.join("catalog.sqlite"))?);
        let facts: Arc<dyn Facts> = Arc::new(DuckFacts::open(&path.join("facts"))?);
        let strata = LanceStrata::open(&path.join("tables"), annals_strata::CacheLimits::of_machine()).await?;
        let embedders = Arc::new(OneEmbedder(embedder));
        let strata: Arc<dyn Strata> = Arc::new(strata);
        let (fallback, rules) = (Arc::new(Extractive), Arc::new(Rules));
        let engine = Arc::new(Auto::new(fallback.clone(), rules.clone(), None));
        let policy = SchedulePolicy { grace: SchedulePolicy::GRACE, ..SchedulePolicy::default() };
        Ok(Stores {
            writer: Writer::new(catalog.clone(), strata.clone(), embedders.clone()),
            fact_writer: FactWriter::new(catalog.clone(), facts.clone(), engine.clone(), rules),
            summarizer: Summarizer::new(catalog.clone(), engine, fallback, policy),
            search: Search::new(catalog.clone(), strata.clone(), facts.clone(), embedders),
            retention: Retention::new(catalog.clone(), Plans::built_in()),
            facts,
            strata,
            catalog,
        })
    }

    /// Stores messages, makes them searchable, reads them for facts, writes the summaries that are due at `now`, and makes these
    /// searchable.
    pub(crate) async fn ingest(&self, agent: &Agent, messages: &[Message], now: Timestamp) -> Result<()> {
        for batch in messages.chunks(BATCH) {
            self.writer.ingest(agent, batch.to_vec(), OnConflict::Refuse, now).await?;
        }
        self.writer.project(agent, now, &|_| ()).await?;
        self.fact_writer.extract(agent, now, &|_| ()).await?;
        self.summarizer.pass(agent, now, &|_| ()).await?;
        self.writer.project(agent, now, &|_| ()).await?;
        Ok(())
    }

    /// Assigns a retention plan to the agent, and prunes the memories that are older at `now` than the plan keeps them.
    pub(crate) async fn prune(&self, agent: &Agent, plan: &str, now: Timestamp) -> Result<()> {
        let settings = Settings { plan: plan.to_owned(), ..self.catalog.settings(agent).await? };
        self.catalog.save_settings(agent, &settings).await?;
        self.retention.prune(agent, now, true).await?;
        self.writer.project(agent, now, &|_| ()).await?;
        Ok(())
    }

    /// Returns all facts, including facts that have ended.
    pub(crate) async fn facts(&self, agent: &Agent) -> Result<Vec<Fact>> {
        self.facts.find(agent, &FactQuery { history: true, ..FactQuery::default() }).await
    }

    /// Returns all statements in working memory.
    pub(crate) async fn statements(&self, agent: &Agent) -> Result<Vec<Memory>> {
        self.catalog.list(agent, &Select { kinds: vec![Kind::Statement], ..Select::all(Grain::Working) }).await
    }

    /// Returns the summaries of all grains, from days to years.
    pub(crate) async fn summaries(&self, agent: &Agent) -> Result<Vec<Memory>> {
        let mut summaries = Vec::new();
        for grain in Grain::SUMMARIES {
            summaries.extend(self.catalog.list(agent, &Select::all(grain)).await?);
        }
        Ok(summaries)
    }

    /// Compacts the tables, as the service does every night.
    pub(crate) async fn compact(&self, agent: &Agent) -> Result<()> {
        for grain in Grain::ALL {
            let generation = self.catalog.watermark(agent, grain).await?.generation;
            self.strata.compact(&Table { agent: agent.clone(), grain, generation }).await?;
        }
        Ok(())
    }

    /// Returns the number of memories per grain, in the order of [`Grain::ALL`].
    pub(crate) async fn memories(&self, agent: &Agent) -> Result<[u64; 6]> {
        Ok(self.catalog.counts(agent).await?.memories)
    }
}
