//! All stores on one folder, assembled as in the command, with the word embedder instead of a model.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use annals_catalog::SqliteCatalog;
use annals_core::ports::Erasure;
use annals_core::{Embedder, Facts, SignedDuration, Strata, Timestamp};
use annals_facts::DuckFacts;
use annals_retention::{Plans, Retention};
use annals_search::Search;
use annals_service::config::Limits;
use annals_service::{Parts, Prompts, Service};
use annals_strata::{LanceStrata, Memory};
use annals_summarizer::{SchedulePolicy, Summarizer};
use annals_testkit::WordEmbedder;
use annals_writer::{Eraser, FactWriter, Writer};

use crate::models::{Engines, Reader};
use crate::planted::{Bug, Planted};

/// The current time of a history, in seconds since 1970.
pub type Moment = Arc<AtomicI64>;

pub fn now(moment: &Moment) -> Timestamp {
    Timestamp::from_second(moment.load(Ordering::SeqCst)).unwrap()
}

pub struct World {
    pub service: Service,
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
        let embedder: Arc<dyn Embedder> = Arc::new(WordEmbedder::new());
        let tables = folder.join("tables");
        let strata = LanceStrata::open(&tables, embedder.dimension(), Memory::of_machine()).await.unwrap();
        let strata: Arc<dyn Strata> = Arc::new(strata);
        let facts: Arc<dyn Facts> = Arc::new(DuckFacts::open(&folder.join("facts")).unwrap());
        let (engines, reader) = (Arc::new(Engines), Arc::new(Reader));
        let writer = Writer::new(catalog.clone(), strata.clone(), embedder.clone());
        let fact_writer = FactWriter::new(catalog.clone(), facts.clone(), reader.clone(), reader.clone());
        let policy =
            SchedulePolicy { grace: SignedDuration::ZERO, quiet: SignedDuration::ZERO, ..SchedulePolicy::default() };
        let clock = moment.clone();
        let service = Service::new(Parts {
            extractor: reader,
            eraser: Eraser::new(writer.clone(), fact_writer.clone(), erasure),
            summarizer: Summarizer::new(catalog.clone(), engines.clone(), engines, policy),
            retention: Retention::new(catalog.clone(), Plans::built_in()),
            search: Search::new(catalog.clone(), strata.clone(), facts.clone(), embedder),
            plans: Plans::built_in(),
            prompts: Prompts { names: &[], check: |_, _| Ok(()) },
            limits: Limits::default(),
            clock: Arc::new(move || now(&clock)),
            folder: Some(folder.canonicalize().unwrap()),
            store: catalog.clone(),
            strata,
            facts,
            writer,
            fact_writer,
        });
        World { service, sqlite: catalog }
    }
}
