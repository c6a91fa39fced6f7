//! The parts of a service over any stores, with the delays of the binary and the plans of the simulation.

use std::sync::Arc;

use annals_core::retry::MAX_OUTAGE;
use annals_core::{Facts, SignedDuration, Store, Strata, Timestamp};
use annals_retention::Plans;
use annals_service::{Components, Parts};
use annals_summarizer::SchedulePolicy;
use annals_testkit::{QuotingEngine, SilentExtractor, WordEmbedder, one_embedder};

/// A plan under which every grain is pruned within four hundred days, whole years included.
const SWIFT: &str =
    "working = \"1d\"\ndaily = \"3d\"\nweekly = \"2w\"\nmonthly = \"1mo\"\nquarterly = \"1q\"\nyearly = \"4mo\"";
/// The plans of the agents, assigned in turn.
pub(super) const PLANS: [&str; 5] = ["free", "swift", "starter", "pro", "keep"];
/// The same delays as in a service.
pub(super) const SCHEDULE: SchedulePolicy =
    SchedulePolicy { grace: SignedDuration::from_mins(10), quiet: SignedDuration::from_mins(5), outage: MAX_OUTAGE };

/// Assembles the parts, with an engine that never fails and an extractor that finds nothing.
pub fn parts(store: Arc<dyn Store>, strata: Arc<dyn Strata>, facts: Arc<dyn Facts>) -> Parts {
    let mut plans = Plans::built_in();
    plans.add("swift", SWIFT).unwrap();
    Parts::over(Components {
        store,
        strata,
        facts,
        embedders: one_embedder(WordEmbedder::new()),
        engine: Arc::new(QuotingEngine),
        fallback_engine: Arc::new(QuotingEngine),
        extractor: Arc::new(SilentExtractor),
        fallback_extractor: Arc::new(SilentExtractor),
        plans,
        schedule: SCHEDULE,
        // Jobs get their time from the simulation.
        clock: Arc::new(|| Timestamp::UNIX_EPOCH),
        folder: None,
    })
}
