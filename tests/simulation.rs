//! Runs the simulation of `server/src/jobs/simulation.rs` over the real stores in a folder: SQLite, LanceDB, DuckDB.

#![allow(
    dead_code,
    unused_imports,
    reason = "the files are those of the service's own simulation, which uses all of them"
)]

#[path = "../crates/server/src/jobs/simulation/dice.rs"]
mod dice;
#[path = "../crates/server/src/jobs/simulation/lineage.rs"]
mod lineage;
#[path = "../crates/server/src/jobs/simulation/rules.rs"]
mod rules;
#[path = "../crates/server/src/jobs/simulation/stores.rs"]
mod stores;
#[path = "../crates/server/src/jobs/simulation/world.rs"]
mod world;

use std::path::Path;
use std::sync::Arc;

use annals_catalog::SqliteCatalog;
use annals_core::Embedder;
use annals_facts::DuckFacts;
use annals_service::jobs::{Exclusive, Moment, Pass, RolledUp, RoundRobin, Sweep};
use annals_service::locks::AgentLocks;
use annals_strata::{LanceStrata, Memory};
use annals_testkit::{QuotingEngine, WordEmbedder};
use stores::Stores;
use world::{World, ZONES};

async fn open(folder: &Path) -> Stores {
    let store = Arc::new(SqliteCatalog::open(&folder.join("catalog.sqlite")).unwrap());
    let embedder = Arc::new(WordEmbedder::new());
    let strata = LanceStrata::open(&folder.join("tables"), embedder.dimension(), Memory::of_machine()).await.unwrap();
    Stores {
        store,
        strata: Arc::new(strata),
        facts: Arc::new(DuckFacts::open(&folder.join("facts")).unwrap()),
        embedder,
        engine: Arc::new(QuotingEngine),
    }
}

#[tokio::test]
#[ignore = "takes minutes: scripts/test --workspace --test annals simulation:: -- --ignored"]
async fn forty_days_of_all_zones_over_real_stores() {
    let days = std::env::var("ANNALS_SIM_DAYS").map_or(40, |days| days.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut world = World::new(open(folder.path()).await, &ZONES, 2011).await;
    world.live(days).await;
}
