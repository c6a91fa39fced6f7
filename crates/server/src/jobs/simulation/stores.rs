//! The policies over any stores, put together as the binary does it.

use std::sync::Arc;

use annals_core::ports::{Archive, Erasure, ExtractionTask, Journal, Replies, Requests, Seals};
use annals_core::{
    Catalog, Digest, Embedder, Engine, Extracted, Extractor, Facts, Result, Settings, SignedDuration, Strata,
};
use annals_retention::{Plans, Retention};
use annals_summarizer::{Patience, Summarizer};
use annals_writer::{Eraser, FactWriter, Writer};

use super::{AgentLocks, Alone, Pass, Rota};

/// Everything comes round within four hundred days, whole years included.
const SWIFT: &str =
    "working = \"1d\"\ndaily = \"3d\"\nweekly = \"2w\"\nmonthly = \"1mo\"\nquarterly = \"1q\"\nyearly = \"4mo\"";
/// The plans of the agents, in turn.
pub const PLANS: [&str; 5] = ["free", "swift", "starter", "pro", "keep"];
/// As a service has it.
pub const PATIENCE: Patience = Patience {
    grace: SignedDuration::from_mins(10),
    quiet: SignedDuration::from_mins(5),
    outage: SignedDuration::from_hours(6),
};
/// What the world is built on.
pub struct Stores {
    /// The truth.
    pub catalog: Arc<dyn Catalog>,
    /// Of the same store.
    pub journal: Arc<dyn Journal>,
    /// Of the same store.
    pub seals: Arc<dyn Seals>,
    /// Of the same store.
    pub replies: Arc<dyn Replies>,
    /// Of the same store.
    pub archive: Arc<dyn Archive>,
    /// Of the same store.
    pub requests: Arc<dyn Requests>,
    /// Of the same store.
    pub erasure: Arc<dyn Erasure>,
    /// The searchable tables.
    pub strata: Arc<dyn Strata>,
    /// The tables of facts.
    pub facts: Arc<dyn Facts>,
    /// Its vectors are looked at by nobody.
    pub embedder: Arc<dyn Embedder>,
    /// What writes summaries; it must not fail.
    pub engine: Arc<dyn Engine>,
}

/// Finds nothing.
struct Silent;

#[async_trait::async_trait]
impl Extractor for Silent {
    fn recipe(&self, _: &Settings) -> Digest {
        Digest::of(["silent"])
    }

    fn is_local(&self, _: &Settings) -> bool {
        true
    }

    async fn extract(&self, _: ExtractionTask<'_>) -> Result<Extracted> {
        Ok(Extracted::default())
    }
}

/// The plans that there are.
pub fn plans() -> Plans {
    let mut plans = Plans::built_in();
    plans.add("swift", SWIFT).unwrap();
    plans
}

/// What takes messages in, and brings tables up to date.
pub fn writer(stores: &Stores) -> Writer {
    Writer::new(stores.catalog.clone(), stores.archive.clone(), stores.strata.clone(), stores.embedder.clone())
}

/// The work of a wake-up.
pub fn pass(stores: &Stores) -> Pass {
    let Stores { catalog, journal, seals, engine, .. } = stores;
    Pass {
        summarizer: Summarizer::new(catalog.clone(), seals.clone(), engine.clone(), engine.clone(), PATIENCE),
        retention: Retention::new(catalog.clone(), journal.clone(), seals.clone(), plans()),
        tables: Arc::new(alone(stores)),
        locks: AgentLocks::default(),
        roll_ups: Rota::default(),
        prunings: Rota::default(),
        cleanings: Default::default(),
        catalog: catalog.clone(),
        replies: stores.replies.clone(),
        requests: stores.requests.clone(),
    }
}

fn alone(stores: &Stores) -> Alone {
    let (silent, Stores { catalog, journal, facts, erasure, .. }) = (Arc::new(Silent), stores);
    let fact_writer = FactWriter::new(catalog.clone(), journal.clone(), facts.clone(), silent.clone(), silent);
    let eraser = Eraser::new(writer(stores), fact_writer.clone(), erasure.clone());
    Alone { writer: writer(stores), fact_writer, eraser }
}
