//! Simulates [`Pass`](annals_service::jobs::Pass) for four hundred days in 26 zones, with a clock that the test sets; see
//! [`World`].

mod lineage;
mod parts;
mod rules;
mod world;

pub use parts::parts;
pub use world::{Tally, World, ZONES};

#[cfg(test)]
mod tests {
    //! The simulation over stores in memory. `ANNALS_SIM_DAYS` and `ANNALS_SIM_SEED` set other numbers of days and other random
    //! events.

    use std::sync::Arc;

    use annals_service::Parts;
    use annals_testkit::{MemoryCatalog, MemoryFacts, MemoryStrata};

    use super::{World, ZONES, parts};

    const DAYS: i64 = 400;
    const SEED: u64 = 2011;

    fn in_memory() -> Parts {
        parts(Arc::new(MemoryCatalog::new()), Arc::new(MemoryStrata::new()), Arc::new(MemoryFacts::new()))
    }

    fn from_environment<T: std::str::FromStr>(variable: &str, otherwise: T) -> T {
        let value = std::env::var(variable).ok();
        value.map_or(otherwise, |value| {
            value.parse().unwrap_or_else(|_| panic!("{variable} is {value:?}, not a number"))
        })
    }

    #[tokio::test]
    #[expect(clippy::print_stderr, reason = "whoever sees this fail must be able to see it again")]
    async fn every_message_is_covered_once_and_nothing_is_pruned_early() {
        let (days, seed) = (from_environment("ANNALS_SIM_DAYS", DAYS), from_environment("ANNALS_SIM_SEED", SEED));
        eprintln!("ANNALS_SIM_DAYS={days} ANNALS_SIM_SEED={seed}");
        let mut world = World::new(in_memory(), &ZONES, seed).await;
        world.live(days).await;
        eprintln!("{:?}", world.tally);
        if days >= DAYS {
            world.expect_much_happened();
        }
    }

    /// Without this, a printed seed could not reproduce a failure.
    #[tokio::test]
    async fn same_seed_yields_the_same_events() {
        let mut tallies = Vec::new();
        for seed in [7, 7, 8] {
            let mut world = World::new(in_memory(), &ZONES[..3], seed).await;
            world.live(40).await;
            tallies.push(world.tally);
        }
        assert_eq!(tallies[0], tallies[1]);
        assert_ne!(tallies[1], tallies[2]);
    }
}
