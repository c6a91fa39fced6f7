//! Random histories with erasures: everything that was forgotten is gone, everything else is left, and the report is true.
//!
//! Several agents share sentences, over SQLite, LanceDB and DuckDB in one folder. The search for leftovers (`search.rs`) shares
//! no code with the product's own proof. `ANNALS_ERASURE_HISTORIES` is the number of histories (12 if unset),
//! `ANNALS_ERASURE_SEED` the seed of the first. `planted.rs` plants bugs in the stores and expects that the same histories find
//! them.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]
#![allow(clippy::print_stdout, reason = "the seed of a failure must be seen")]

mod check;
mod documents;
mod ground_truth;
mod history;
mod models;
mod planted;
mod search;
mod totals;
mod world;

use history::History;
use totals::Totals;

/// Reads a number from an environment variable.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_histories_forget_all_that_is_selected_and_nothing_else() {
    let seed = number("ANNALS_ERASURE_SEED", 1);
    let mut totals = Totals::default();
    for seed in seed..seed + number("ANNALS_ERASURE_HISTORIES", 12) {
        println!("ANNALS_ERASURE_SEED={seed}");
        totals += History::begin(seed, None).await.run().await;
    }
    println!("{totals}");
    totals.expect_every_kind_of_target();
}
