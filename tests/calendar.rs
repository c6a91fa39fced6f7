//! Runs the simulated life of an agent over the real stores, SQLite and LanceDB.

use std::sync::Arc;

use annals_catalog::SqliteCatalog;
use annals_simulation::life::Life;
use annals_strata::{CacheLimits, LanceStrata};
use annals_testkit::calendar::{PLACES, Place};

#[tokio::test]
async fn range_returns_exactly_its_memories_over_real_stores() {
    let is_tried = |place: &Place| ["Pacific/Apia", "America/Sao_Paulo"].contains(&place.zone) || place.moves.len() > 1;
    for place in PLACES.into_iter().filter(is_tried) {
        let folder = tempfile::tempdir().unwrap();
        let catalog = SqliteCatalog::open(&folder.path().join("catalog.sqlite")).unwrap();
        let strata = LanceStrata::open(&folder.path().join("tables"), CacheLimits::of_machine()).await.unwrap();
        let checks = Life::new(place, Arc::new(catalog), Arc::new(strata)).await.live(20, 150).await;
        assert!(checks > 200, "only {checks} checks of {place:?}");
    }
}
