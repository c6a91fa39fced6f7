//! Tests that the catalog agrees with the in-memory catalog after any steps in any order, with power cuts in between.

mod dump;
mod step;

use annals_core::prelude::*;
use annals_testkit::{MemoryCatalog, agent};
use proptest::prelude::*;

use crate::SqliteCatalog;
use crate::power_cut::{Drive, Unsynced, open};
use dump::{dump, of_all};
use step::{Step, apply, step};

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_in_memory_catalog(steps in prop::collection::vec((0..2usize, step()), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(compare(&steps));
    }
}

async fn compare(steps: &[(usize, Step)]) {
    let drive = Drive::new();
    let agents = [agent("one"), agent("two")];
    let model = MemoryCatalog::new();
    let mut catalog = open(&drive, None).unwrap();
    for (who, step) in steps {
        match step {
            Step::Reopen => {
                drop(catalog);
                catalog = open(&drive, None).unwrap();
            }
            Step::CutPower { seed } => catalog = cut_power(catalog, &drive, *seed),
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

fn cut_power(catalog: SqliteCatalog, drive: &Drive, seed: u64) -> SqliteCatalog {
    drive.disk().power_goes_at(drive.disk().steps());
    drop(catalog);
    drive.disk().power_is_back(Unsynced::LostByChance(seed));
    open(drive, None).unwrap()
}
