//! The data folder. One process owns it; this module builds all parts of Annals on top of it.
//!
//! ```text
//! DIR/annals.lock       locked while a process owns the folder; holds its process id
//! DIR/annals.sock       the socket on which the owner answers other processes of this user
//! DIR/catalog.sqlite    the source of truth, unless it is in PostgreSQL
//! DIR/catalog.postgres  ids, if the catalog is in PostgreSQL, and tables and facts are in this folder
//! DIR/tables/…          LanceDB, one folder per agent: projections, can be deleted and rebuilt
//! DIR/facts/…           Parquet, one folder per agent: folded from the fact log, can be deleted and rebuilt
//! DIR/catalog.objects   an id, if the catalog is in this folder, and tables and facts are in a bucket
//! DIR/models/…          models for vectors and for entailment, one folder each, fetched by `annals model pull`
//! DIR/embedders.json    settings of the embedders that were configured here, for vectors that are still of them
//! DIR/annals.toml       settings, optional; written by the user
//! DIR/retention/*.toml  the user's own retention plans
//! DIR/jobs/*.toml       schedules of jobs that the user has changed
//! DIR/prompts/*.md      texts of prompts that the user keeps here; only backups read them
//! DIR/done/…            when each job with an interval last ran
//! DIR/service.log       the log of a service that `annals mcp` started
//! DIR/annals-scratch-…  temporary folders and files, removed at the next opening
//! ```

mod claim;
mod models;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::ports::Replies;
use annals_core::{Agent, Error, Result, Strata, Timestamp};
use annals_facts::DuckFacts;
use annals_llm::{EmbedderConfig, EmbedderSettings, Extractive, Models, ModelsConfig, Rules};
use annals_retention::Plans;
use annals_service::config::Limits;
use annals_service::metrics::{Measured, Metrics};
use annals_service::{Clock, Components, EmbeddingQueue, Parts, Prompts, Service};
use annals_strata::{CacheLimits, LanceStrata};
use annals_summarizer::SchedulePolicy;
use annals_writer::Writer;
use jiff::SignedDuration;

use crate::catalog::Catalog;
use crate::cli::Global;
use crate::cluster::NodeLease;
use crate::config::{CatalogConfig, Config, ObjectsConfig};
use crate::projections::{Projections, SCRATCH_OF_FACTS};
use crate::scratch;
pub(crate) use claim::{Claim, default_path};
use models::{ChatModels, OpenEmbedders};

/// The prompts that an agent can override.
const PROMPTS: &[&str] = &["extraction", "daily", "weekly", "monthly", "quarterly", "yearly", "amend", "merge"];

/// An open data folder with its service and its catalog. Dropping the last clone releases the folder for the next process.
#[derive(Clone)]
pub(crate) struct Folder {
    service: Service,
    catalog: Catalog,
    queue: EmbeddingQueue,
    now: Timestamp,
    path: PathBuf,
    _lock: Arc<File>,
}

/// Options for opening a folder.
pub(crate) struct Opening {
    pub catalog: CatalogConfig,
    pub objects: ObjectsConfig,
    /// Lease under which a node of a cluster opens catalog, tables and facts; `None` without a cluster.
    pub lease: Option<NodeLease>,
    pub models: Models,
    pub embedder: EmbedderSettings,
    /// Whether an embedding model, or a model that judges sentences, is an error if it cannot be opened. If not, only
    /// operations that embed text fail, and rules alone check sentences.
    pub must_open_models: bool,
    pub limits: Limits,
    /// How long a day must have been without new input before it is rolled up. Zero for commands.
    pub quiet: SignedDuration,
    /// The machine's clock, or a fixed moment.
    pub clock: Clock,
}

impl Opening {
    /// Returns the options for a command: a fixed moment, default limits and no quiet time. The catalog is the SQLite file in
    /// the folder, with tables and facts beside it.
    pub(crate) fn by_hand(models: Models, embedder: EmbedderSettings, now: Timestamp) -> Opening {
        Opening {
            catalog: CatalogConfig::default(),
            objects: ObjectsConfig::default(),
            lease: None,
            models,
            embedder,
            must_open_models: false,
            limits: Limits::default(),
            quiet: SignedDuration::ZERO,
            clock: Arc::new(move || now),
        }
    }

    /// Returns the options for a command that needs the embedding model but no other model. If the configuration has errors,
    /// returns the options for the built-in model.
    pub(crate) fn without_models(global: &Global, data: &Path, now: Timestamp) -> Result<Opening> {
        let built_in = Opening::built_in(now)?;
        Ok(match Config::load(global, data) {
            Ok(config) => {
                Opening { embedder: config.embedder, catalog: config.catalog, objects: config.objects, ..built_in }
            }
            Err(_) => built_in,
        })
    }

    /// Returns the options for a command that uses the built-in model alone, whatever is configured.
    pub(crate) fn built_in(now: Timestamp) -> Result<Opening> {
        let models = ModelsConfig::default().check(|_| None).map_err(Error::Faults)?;
        let embedder = EmbedderConfig::default().check(|_| None).map_err(Error::Faults)?;
        Ok(Opening::by_hand(models, embedder, now))
    }
}

impl Folder {
    /// Opens the folder. If it does not exist, creates it if `create` is set or the catalog is in a database, and fails
    /// otherwise.
    pub(crate) async fn open(path: &Path, opening: Opening, create: bool) -> Result<Folder> {
        let create = create || opening.catalog.url.is_some();
        Folder::open_claimed(Claim::take(path, create)?, opening).await
    }

    /// Opens a folder that this process owns already.
    pub(crate) async fn open_claimed(Claim { path, lock }: Claim, opening: Opening) -> Result<Folder> {
        scratch::sweep(&path)?;
        let plans = plans(&path.join("retention"))?;
        let metrics = Metrics::new();
        let (lease, guard) = opening.lease.clone().map(|node| (node.lease, node.guard)).unzip();
        let catalog = Catalog::open(&path, &opening.catalog, lease).await?;
        let store = catalog.store();
        let embedders = OpenEmbedders::open(&path, &opening, &*store, &metrics).await?;
        let projections = Projections::open(&path, &opening.objects, &catalog, guard).await?;
        let facts = DuckFacts::over(projections.facts()?, &path.join(SCRATCH_OF_FACTS))?;
        let strata = LanceStrata::over(projections.tables()?, CacheLimits::of_machine()).await?;
        let replies = Arc::new(Measured::new(store.clone() as Arc<dyn Replies>, &metrics));
        let chat = ChatModels::open(&path, &opening, &store, replies.clone())?;
        let reranker = models::reranker(&opening, replies)?;
        let now = (opening.clock)();
        let mut parts = Parts::over(Components {
            store,
            strata: Arc::new(Measured::new(Arc::new(strata) as Arc<dyn Strata>, &metrics)),
            facts: Arc::new(facts),
            embedders: embedders.own,
            engine: Arc::new(Measured::new(chat.auto.clone(), &metrics)),
            fallback_engine: Arc::new(Extractive),
            extractor: chat.auto,
            fallback_extractor: Arc::new(Rules),
            plans,
            schedule: SchedulePolicy {
                grace: SchedulePolicy::GRACE,
                quiet: opening.quiet,
                ..SchedulePolicy::default()
            },
            clock: opening.clock,
            folder: Some(path.clone()),
        });
        parts.writer = Writer::new(parts.store.clone(), parts.strata.clone(), embedders.shared);
        parts.fact_writer = parts.fact_writer.with_schedule(opening.models.reading);
        if let Some((candidates, endpoint)) = reranker {
            let reranker = Arc::new(Measured::new(Arc::new(endpoint), &metrics));
            parts.search = parts.search.reranked_by(reranker, candidates);
        }
        let ChatModels { states: models, batching, budget, .. } = chat;
        let prompts = Prompts { names: PROMPTS, check: annals_llm::check_prompt };
        let parts = Parts { prompts, limits: opening.limits, budget, models, batching, ..parts };
        let service = Service::measured_by(metrics, parts);
        Ok(Folder { service, catalog, queue: embedders.queue, now, path, _lock: Arc::new(lock) })
    }

    pub(crate) fn service(&self) -> &Service {
        &self.service
    }

    /// Returns the catalog itself, for code that needs more than the operations.
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns the queue from which other nodes of a cluster take texts to embed.
    pub(crate) fn embedding_queue(&self) -> EmbeddingQueue {
        self.queue.clone()
    }

    /// Returns the time at which the folder was opened. For a command, this is the time of the whole command.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the path of the folder, canonicalized.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the agent of the given name, or all agents if no name is given.
    pub(crate) async fn agents(&self, name: Option<&str>) -> Result<Vec<Agent>> {
        self.service.agents_named(name).await
    }
}

/// Loads the built-in plans and those in the folder. Fails if a file of the folder is not a valid plan.
fn plans(folder: &Path) -> Result<Plans> {
    let mut plans = Plans::built_in();
    let failed = |cause| Error::storage(format!("cannot read the plans in {}", folder.display()), cause);
    if !folder.exists() {
        return Ok(plans);
    }
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = String::from_utf8(std::fs::read(&path).map_err(failed)?);
            plans.add(&name, &text.map_err(|_| Error::invalid(path.display().to_string(), "is not UTF-8 text"))?)?;
        }
    }
    Ok(plans)
}
