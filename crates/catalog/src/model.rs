//! Tests that the catalog agrees with the in-memory catalog after any steps in any order, with power cuts or lost connections
//! in between.

mod dump;
mod step;

use annals_core::prelude::*;
use annals_testkit::postgres_server::Schema;
use annals_testkit::{MemoryCatalog, Store, agent};
use proptest::prelude::*;

use crate::fixture::open_schema;
use crate::power_cut::{Drive, Unsynced, open};
use crate::{PostgresCatalog, SqliteCatalog};

use dump::{dump, of_all};
use step::{Step, apply, step};

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_in_memory_catalog(steps in prop::collection::vec((0..2usize, step()), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(compare(&Drive::new(), &steps));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_postgresql_agrees_with_the_in_memory_catalog(steps in prop::collection::vec((0..2usize, step()), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        if let Some(schema) = Schema::new() {
            runtime.block_on(compare(&schema, &steps));
        }
    }
}

/// A place where a catalog is stored, and which the test can cut off.
trait Place {
    type Catalog: Store;

    fn open(&self) -> Self::Catalog;

    /// Cuts the power of the disk, or the connection to the server. Returns the catalog to continue with. The seed decides
    /// which unsynced writes a power cut loses.
    fn cut(&self, catalog: Self::Catalog, seed: u64) -> Self::Catalog;
}

impl Place for Drive {
    type Catalog = SqliteCatalog;

    fn open(&self) -> SqliteCatalog {
        open(self, None).unwrap()
    }

    fn cut(&self, catalog: SqliteCatalog, seed: u64) -> SqliteCatalog {
        self.disk().power_goes_at(self.disk().steps());
        drop(catalog);
        self.disk().power_is_back(Unsynced::LostByChance(seed));
        Place::open(self)
    }
}

impl Place for Schema {
    type Catalog = PostgresCatalog;

    fn open(&self) -> PostgresCatalog {
        open_schema(self)
    }

    fn cut(&self, catalog: PostgresCatalog, _: u64) -> PostgresCatalog {
        self.cutter()();
        catalog
    }
}

async fn compare<P: Place>(place: &P, steps: &[(usize, Step)]) {
    let agents = [agent("one"), agent("two")];
    let model = MemoryCatalog::new();
    let mut catalog = place.open();
    for (who, step) in steps {
        match step {
            Step::Reopen => {
                drop(catalog);
                catalog = place.open();
            }
            Step::CutPower { seed } => catalog = place.cut(catalog, *seed),
            change => {
                let expect = apply(&model, &agents[*who], change).await;
                assert_eq!(apply(&catalog, &agents[*who], change).await, expect, "{change:?}");
            }
        }
        for agent in &agents {
            agree(&dump(&catalog, agent).await, &dump(&model, agent).await, step);
        }
        agree(&of_all(&catalog).await, &of_all(&model).await, step);
        assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new(), "after {step:?}");
    }
}

/// Compares line by line, so that a failure shows only the difference.
fn agree(ours: &[String], expect: &[String], step: &Step) {
    for (our, expect) in ours.iter().zip(expect) {
        assert_eq!(our, expect, "after {step:?}");
    }
    assert_eq!(ours.len(), expect.len(), "after {step:?}");
}
