//! The stores and policies over a data folder, put together as the command does, without a model.
//!
//! The folder is one that `annals` opens as well.

use std::path::Path;
use std::sync::Arc;

use annals_catalog::SqliteCatalog;
use annals_core::ports::Table;
use annals_core::{Agent, Catalog, Embedder, Facts, Grain, Message, Result, SignedDuration, Strata, Timestamp};
use annals_facts::DuckFacts;
use annals_llm::{Auto, Extractive, Rules};
use annals_search::Search;
use annals_strata::{LanceStrata, Memory};
use annals_summarizer::{Patience, Summarizer};
use annals_writer::{FactWriter, Writer};

/// Messages per transaction, as in an import.
const BATCH: usize = 500;
/// As in the service.
const GRACE: SignedDuration = SignedDuration::from_mins(10);

/// An open data folder.
pub struct Stores {
    /// Answers questions.
    pub search: Search,
    catalog: Arc<SqliteCatalog>,
    strata: Arc<dyn Strata>,
    writer: Writer,
    fact_writer: FactWriter,
    summarizer: Summarizer,
}

impl Stores {
    /// Opens the folder, or makes it.
    pub async fn open(path: &Path, embedder: Arc<dyn Embedder>) -> Result<Stores> {
        let catalog = Arc::new(SqliteCatalog::open(&path.join("catalog.sqlite"))?);
        let facts: Arc<dyn Facts> = Arc::new(DuckFacts::open(&path.join("facts"))?);
        let strata = LanceStrata::open(&path.join("tables"), embedder.dimension(), Memory::of_machine()).await?;
        let strata: Arc<dyn Strata> = Arc::new(strata);
        let (spare, rules) = (Arc::new(Extractive), Arc::new(Rules));
        let engine = Arc::new(Auto::new(spare.clone(), rules.clone(), None));
        let patience = Patience { grace: GRACE, ..Patience::default() };
        Ok(Stores {
            writer: Writer::new(catalog.clone(), catalog.clone(), strata.clone(), embedder.clone()),
            fact_writer: FactWriter::new(catalog.clone(), catalog.clone(), facts.clone(), engine.clone(), rules),
            summarizer: Summarizer::new(catalog.clone(), catalog.clone(), engine, spare, patience),
            search: Search::new(catalog.clone(), catalog.clone(), strata.clone(), facts, embedder),
            strata,
            catalog,
        })
    }

    /// Stores messages, makes them searchable, reads them for facts, and writes and makes searchable what is due at `now`.
    pub async fn tell(&self, agent: &Agent, messages: &[Message], now: Timestamp) -> Result<()> {
        for batch in messages.chunks(BATCH) {
            self.writer.ingest(agent, batch.to_vec(), false, now).await?;
        }
        self.writer.project(agent, now, &|_| ()).await?;
        self.fact_writer.extract(agent, now, &|_| ()).await?;
        self.summarizer.pass(agent, now, &|_| ()).await?;
        self.writer.project(agent, now, &|_| ()).await?;
        Ok(())
    }

    /// Compacts the tables, as the service does every night.
    pub async fn tidy(&self, agent: &Agent) -> Result<()> {
        for grain in Grain::ALL {
            let generation = self.catalog.lane(agent, grain).await?.generation;
            self.strata.tidy(&Table { agent: agent.clone(), grain, generation }).await?;
        }
        Ok(())
    }

    /// Memories per grain, in the order of [`Grain::ALL`].
    pub async fn memories(&self, agent: &Agent) -> Result<[u64; 6]> {
        Ok(self.catalog.counts(agent).await?.memories)
    }
}
