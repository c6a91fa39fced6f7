//! All stores on one folder, assembled as in the command, with the word embedder instead of a model.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use annals_catalog::SqliteCatalog;
use annals_core::ports::Erasure;
use annals_core::{Facts, SignedDuration, Strata, Timestamp};
use annals_facts::DuckFacts;
use annals_retention::Plans;
use annals_service::{Components, Parts, Service};
use annals_strata::{CacheLimits, LanceStrata};
use annals_summarizer::SchedulePolicy;
use annals_testkit::{WordEmbedder, one_embedder};
use annals_writer::Eraser;

use crate::models::{Engines, Reader};
use crate::planted::{Bug, Planted};

/// The current time of a history, in seconds since 1970.
pub type Moment = Arc<AtomicI64>;

pub fn now(moment: &Moment) -> Timestamp {
    Timestamp::from_second(moment.load(Ordering::SeqCst)).unwrap()
}

pub struct World {
    pub service: Service,
    /// The stores and policies under the service.
    pub parts: Parts,
    pub sqlite: Arc<SqliteCatalog>,
}

impl World {
    /// Opens the folder, with a bug if one is given.
    pub async fn open(folder: &Path, moment: &Moment, bug: Option<Bug>) -> World {
        let catalog = Arc::new(SqliteCatalog::open(&folder.join("catalog.sqlite")).unwrap());
        let erasure: Arc<dyn Erasure> = match bug {
            Some(bug) => Arc::new(Planted { bug, catalog: catalog.clone() }),
            None => catalog.clone(),
        };
        let tables = folder.join("tables");
        let strata = LanceStrata::open(&tables, CacheLimits::of_machine()).await.unwrap();
        let strata: Arc<dyn Strata> = Arc::new(strata);
        let facts: Arc<dyn Facts> = Arc::new(DuckFacts::open(&folder.join("facts")).unwrap());
        let schedule =
            SchedulePolicy { grace: SignedDuration::ZERO, quiet: SignedDuration::ZERO, ..SchedulePolicy::default() };
        let clock = moment.clone();
        let parts = Parts::over(Components {
            store: catalog.clone(),
            strata,
            facts,
            embedders: one_embedder(WordEmbedder::new()),
            engine: Arc::new(Engines),
            fallback_engine: Arc::new(Engines),
            extractor: Arc::new(Reader),
            fallback_extractor: Arc::new(Reader),
            plans: Plans::built_in(),
            schedule,
            clock: Arc::new(move || now(&clock)),
            folder: Some(folder.canonicalize().unwrap()),
        });
        let eraser = Eraser::new(parts.writer.clone(), parts.fact_writer.clone(), erasure);
        let parts = Parts { eraser, ..parts };
        World { service: Service::new(parts.clone()), parts, sqlite: catalog }
    }
}
