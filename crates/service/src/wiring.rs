//! Assembles the parts of a service: the one place where policies, stores and models are joined, for the binary and for tests.

use std::path::PathBuf;
use std::sync::Arc;

use annals_core::{Embedders, Engine, Extractor, Facts, Store, Strata};
use annals_retention::{Plans, Retention};
use annals_search::Search;
use annals_summarizer::{SchedulePolicy, Summarizer};
use annals_writer::{Eraser, FactWriter, Writer};

use crate::config::Limits;
use crate::{Clock, Parts, Prompts};

/// The stores, models and policies that [`Parts::over`] assembles.
pub struct Components {
    /// The catalog, which is the source of truth.
    pub store: Arc<dyn Store>,
    /// The searchable tables.
    pub strata: Arc<dyn Strata>,
    /// The tables of facts.
    pub facts: Arc<dyn Facts>,
    pub embedders: Arc<dyn Embedders>,
    /// Writes summaries, with a model if the settings say so.
    pub engine: Arc<dyn Engine>,
    /// Writes summaries if the engine fails; needs no network.
    pub fallback_engine: Arc<dyn Engine>,
    pub extractor: Arc<dyn Extractor>,
    /// Extracts facts if the extractor fails; needs no network.
    pub fallback_extractor: Arc<dyn Extractor>,
    /// Retention plans by name.
    pub plans: Plans,
    /// How long periods wait before they are rolled up.
    pub schedule: SchedulePolicy,
    pub clock: Clock,
    /// The data folder; `None` if everything is in memory.
    pub folder: Option<PathBuf>,
}

impl Parts {
    /// Assembles parts with default limits. They have no batches, no replaceable prompts and no reranker, and report no models.
    pub fn over(components: Components) -> Parts {
        let Components { store, strata, facts, embedders, engine, fallback_engine, .. } = components;
        let Components { extractor, fallback_extractor, plans, schedule, clock, folder, .. } = components;
        let search = Search::new(store.clone(), strata.clone(), facts.clone(), embedders.clone());
        let writer = Writer::new(store.clone(), strata.clone(), embedders);
        let fact_writer = FactWriter::new(store.clone(), facts.clone(), extractor.clone(), fallback_extractor);
        Parts {
            eraser: Eraser::new(writer.clone(), fact_writer.clone(), store.clone()),
            summarizer: Summarizer::new(store.clone(), engine, fallback_engine, schedule).with_facts(facts.clone()),
            retention: Retention::new(store.clone(), plans.clone()),
            search,
            models: None,
            batching: None,
            store,
            strata,
            facts,
            extractor,
            writer,
            fact_writer,
            plans,
            prompts: Prompts { names: &[], check: |_, _| Ok(()) },
            limits: Limits::default(),
            budget: None,
            clock,
            is_replica: false,
            folder,
        }
    }
}
