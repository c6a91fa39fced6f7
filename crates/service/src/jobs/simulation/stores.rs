//! The policies over any stores, assembled as in the binary.

use std::sync::Arc;

use annals_core::ports::ExtractionTask;
use annals_core::{
    Digest, Embedder, Engine, Extracted, Extractor, Facts, Result, Settings, SignedDuration, Store, Strata,
};
use annals_retention::{Plans, Retention};
use annals_summarizer::{SchedulePolicy, Summarizer};
use annals_writer::{Eraser, FactWriter, Writer};

use super::{AgentLocks, Exclusive, Pass, RoundRobin};

/// A plan under which every grain is pruned within four hundred days, whole years included.
const SWIFT: &str =
    "working = \"1d\"\ndaily = \"3d\"\nweekly = \"2w\"\nmonthly = \"1mo\"\nquarterly = \"1q\"\nyearly = \"4mo\"";
/// The plans of the agents, assigned in turn.
pub const PLANS: [&str; 5] = ["free", "swift", "starter", "pro", "keep"];
/// The same delays as in a service.
pub const PATIENCE: SchedulePolicy = SchedulePolicy {
    grace: SignedDuration::from_mins(10),
    quiet: SignedDuration::from_mins(5),
    outage: SignedDuration::from_hours(6),
};
/// The stores of the world.
pub struct Stores {
    /// The source of truth.
    pub store: Arc<dyn Store>,
    /// The searchable tables.
    pub strata: Arc<dyn Strata>,
    /// The tables of facts.
    pub facts: Arc<dyn Facts>,
    /// The embedder; its vectors are not checked.
    pub embedder: Arc<dyn Embedder>,
    /// The engine that writes summaries; it must not fail.
    pub engine: Arc<dyn Engine>,
}

/// An extractor that finds nothing.
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

/// Returns the built-in plans and `swift`.
pub fn plans() -> Plans {
    let mut plans = Plans::built_in();
    plans.add("swift", SWIFT).unwrap();
    plans
}

/// Creates a writer, which stores messages and updates the tables.
pub fn writer(stores: &Stores) -> Writer {
    Writer::new(stores.store.clone(), stores.strata.clone(), stores.embedder.clone())
}

/// Creates a pass.
pub fn pass(stores: &Stores) -> Pass {
    let Stores { store, engine, .. } = stores;
    Pass {
        summarizer: Summarizer::new(store.clone(), engine.clone(), engine.clone(), PATIENCE),
        retention: Retention::new(store.clone(), plans()),
        tables: Arc::new(alone(stores)),
        locks: AgentLocks::default(),
        roll_ups: RoundRobin::default(),
        prunings: RoundRobin::default(),
        cleanings: Default::default(),
        store: store.clone(),
    }
}

fn alone(stores: &Stores) -> Exclusive {
    let (silent, Stores { store, facts, .. }) = (Arc::new(Silent), stores);
    let fact_writer = FactWriter::new(store.clone(), facts.clone(), silent.clone(), silent);
    let eraser = Eraser::new(writer(stores), fact_writer.clone(), store.clone());
    Exclusive { writer: writer(stores), fact_writer, eraser }
}
