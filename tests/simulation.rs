//! Runs the simulation of the jobs over the real stores in a folder: SQLite, LanceDB, DuckDB.

use std::path::Path;
use std::sync::Arc;

use annals_catalog::SqliteCatalog;
use annals_facts::DuckFacts;
use annals_service::Parts;
use annals_simulation::jobs::{World, ZONES, parts};
use annals_strata::{CacheLimits, LanceStrata};

async fn open(folder: &Path) -> Parts {
    let catalog = Arc::new(SqliteCatalog::open(&folder.join("catalog.sqlite")).unwrap());
    let strata = LanceStrata::open(&folder.join("tables"), CacheLimits::of_machine()).await.unwrap();
    parts(catalog, Arc::new(strata), Arc::new(DuckFacts::open(&folder.join("facts")).unwrap()))
}

#[tokio::test]
#[ignore = "takes minutes: scripts/test --workspace --test annals simulation:: -- --ignored"]
async fn forty_days_of_all_zones_over_real_stores() {
    let days = std::env::var("ANNALS_SIM_DAYS").map_or(40, |days| days.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut world = World::new(open(folder.path()).await, &ZONES, 2011).await;
    world.live(days).await;
}
