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

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::ports::{Batches, Batching, Embedders, ModelStates, Replies, TokenSums};
use annals_core::{Agent, Error, Facts, ObjectKind, Result, Strata, Timestamp};
use annals_facts::DuckFacts;
use annals_llm::{
    Auto, EmbedderChoice, EmbedderConfig, EmbedderSettings, Endpoint, EntailmentCheck, Extractive, Models,
    ModelsConfig, RerankEndpoint, Rules,
};
use annals_retention::Plans;
use annals_service::backup::CATALOG;
use annals_service::config::Limits;
use annals_service::metrics::{Measured, Metrics};
use annals_service::{Clock, Components, EmbeddingQueue, Parts, Prompts, Service, SharedEmbedders};
use annals_strata::{CacheLimits, LanceStrata};
use annals_summarizer::SchedulePolicy;
use annals_writer::Writer;
use jiff::SignedDuration;

use crate::catalog::{self, Catalog};
use crate::cli::Global;
use crate::cluster::NodeLease;
use crate::config::{CatalogConfig, Config, ObjectsConfig};
use crate::embedders::{AllEmbedders, stored_models};
use crate::entailment;
use crate::projections::{Projections, SCRATCH_OF_FACTS};
use crate::{private, scratch};

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

/// A data folder that this process owns and has not opened yet.
pub(crate) struct Claim {
    path: PathBuf,
    lock: File,
}

impl Claim {
    /// Takes the folder, or fails if another process owns it. If it does not exist, creates it if `create` is set, and fails
    /// otherwise.
    pub(crate) fn take(path: &Path, create: bool) -> Result<Claim> {
        let path = prepare(path, create)?;
        let lock = lock(&path)?;
        Ok(Claim { path, lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
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
        let (lease, guard) = opening.lease.map(|node| (node.lease, node.guard)).unzip();
        let catalog = Catalog::open(&path, &opening.catalog, lease).await?;
        let store = catalog.store();
        let stored = stored_models(&*store, &opening.embedder).await?;
        let embedders = AllEmbedders::open(&path, &opening.embedder, &stored, &metrics).await?;
        embedders.record();
        if opening.must_open_models {
            embedders.require()?;
        }
        let judge = opening.models.grounding.as_ref();
        let entailment = entailment::check(&path, judge, &opening.embedder, opening.must_open_models)?;
        let embedders: Arc<dyn Embedders> = Arc::new(embedders);
        let queue = EmbeddingQueue::of(embedders.configured().model());
        let shared: Arc<dyn Embedders> = match opening.embedder.choice {
            EmbedderChoice::Endpoint(_) => embedders.clone(),
            _ => Arc::new(SharedEmbedders::new(embedders.clone(), queue.clone())),
        };
        let projections = Projections::open(&path, &opening.objects, &catalog, guard).await?;
        let facts: Arc<dyn Facts> = Arc::new(DuckFacts::over(projections.facts()?, &path.join(SCRATCH_OF_FACTS))?);
        let strata = LanceStrata::over(projections.tables()?, CacheLimits::of_machine()).await?;
        let strata: Arc<dyn Strata> = Arc::new(Measured::new(Arc::new(strata), &metrics));
        let Opening { models, limits, quiet, clock, .. } = opening;
        let schedule = SchedulePolicy { grace: SchedulePolicy::GRACE, quiet, ..SchedulePolicy::default() };
        let replies = Arc::new(Measured::new(store.clone() as Arc<dyn Replies>, &metrics));
        let budget = (!models.is_empty()).then_some(TokenSums {
            agent: models.daily_tokens,
            workspace: models.workspace_daily_tokens,
            process: models.process_daily_tokens,
        });
        let reranker = match models.rerank.clone() {
            Some(model) => Some((model.candidates, RerankEndpoint::new(model, replies.clone())?)),
            None => None,
        };
        let reading = models.reading;
        let endpoint = endpoint(models, replies, store.clone(), entailment)?;
        let model_states = endpoint.clone().map(|endpoint| endpoint as Arc<dyn ModelStates>);
        let has_models = endpoint.is_some();
        let engine = Arc::new(Auto::new(Arc::new(Extractive), Arc::new(Rules), endpoint));
        let batching = has_models.then(|| engine.clone() as Arc<dyn Batching>);
        let now = clock();
        let mut parts = Parts::over(Components {
            store,
            strata,
            facts,
            embedders,
            engine: Arc::new(Measured::new(engine.clone(), &metrics)),
            fallback_engine: Arc::new(Extractive),
            extractor: engine,
            fallback_extractor: Arc::new(Rules),
            plans,
            schedule,
            clock,
            folder: Some(path.clone()),
        });
        // Searches embed by themselves: somebody waits for them.
        parts.writer = Writer::new(parts.store.clone(), parts.strata.clone(), shared);
        parts.fact_writer = parts.fact_writer.with_schedule(reading);
        if let Some((candidates, endpoint)) = reranker {
            let reranker = Arc::new(Measured::new(Arc::new(endpoint), &metrics));
            parts.search = parts.search.reranked_by(reranker, candidates);
        }
        let prompts = Prompts { names: PROMPTS, check: annals_llm::check_prompt };
        let service =
            Service::measured_by(metrics, Parts { prompts, limits, budget, models: model_states, batching, ..parts });
        Ok(Folder { service, catalog, queue, now, path, _lock: Arc::new(lock) })
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

/// Returns whether the machine's clock is synchronised, or `None` if that is unknown.
pub(crate) fn clock_is_synchronised() -> Option<bool> {
    is_synchronised(Path::new("/run/systemd/timesync"), Path::new("/sys/class/rtc/rtc0"))
}

/// Returns whether the clock is synchronised, from the files of systemd-timesyncd; `None` if that is unknown. The daemon
/// creates a folder, and a file in it after its first contact with a server. A machine without a real-time clock starts with a
/// time in the past, so before that contact its time is certainly wrong. A machine with a real-time clock may never need a
/// server.
fn is_synchronised(daemon: &Path, own_clock: &Path) -> Option<bool> {
    match daemon.join("synchronized").exists() {
        true => Some(true),
        false => (daemon.is_dir() && !own_clock.exists()).then_some(false),
    }
}

/// Returns the default data folder: `annals` in the user's data directory. Fails if the account has no home directory.
pub(crate) fn default_path() -> Result<PathBuf> {
    let directories = directories::ProjectDirs::from("", "", "annals");
    let missing = || Error::invalid("--data", "is needed: this account has no home directory");
    directories.map(|directories| directories.data_dir().to_owned()).ok_or_else(missing)
}

fn prepare(path: &Path, create: bool) -> Result<PathBuf> {
    if !create && !catalog::exists(path) {
        let failed = |cause| Error::storage(format!("cannot look into {}", path.display()), cause);
        path.join(CATALOG).try_exists().map_err(failed)?;
        return Err(Error::NotFound { what: ObjectKind::DataFolder, name: path.display().to_string() });
    }
    let failed = cannot_use(path);
    refuse_folder_of_others(path)?;
    let make = || -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(path.join("tables"))?;
        let path = path.canonicalize()?;
        private::close_to_others(&path)?;
        Ok(path)
    };
    make().map_err(failed)
}

fn cannot_use(path: &Path) -> impl Fn(std::io::Error) -> Error + Copy {
    move |cause| Error::storage(format!("cannot use {} as data folder", path.display()), cause)
}

/// Fails if the folder exists, holds no catalog yet, and holds something else: it would be closed to other users.
fn refuse_folder_of_others(path: &Path) -> Result<()> {
    let failed = cannot_use(path);
    if !path.try_exists().map_err(failed)? || catalog::exists(path) {
        return Ok(());
    }
    let Some(name) = private::stranger_in(path).map_err(failed)? else { return Ok(()) };
    let reason = format!("is {}, which holds other files ({name}); name a new or empty folder", path.display());
    Err(Error::invalid("--data", reason))
}

fn lock(path: &Path) -> Result<File> {
    let wrong = |cause| Error::storage(format!("cannot write in the data folder {}", path.display()), cause);
    let lock_file = path.join("annals.lock");
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(lock_file).map_err(wrong)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(Error::InUse { folder: path.display().to_string(), owner: owner(&mut file) });
        }
        Err(TryLockError::Error(cause)) => return Err(wrong(cause)),
    }
    sign(&mut file).map_err(wrong)?;
    Ok(file)
}

/// Writes this process's id into the lock file, for the error message of a process that finds it locked.
fn sign(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}", std::process::id())
}

fn owner(file: &mut File) -> String {
    let mut pid = String::new();
    let read = file.read_to_string(&mut pid);
    if read.is_ok() && !pid.is_empty() { format!(" (pid {pid})") } else { String::new() }
}

/// Returns the endpoint of the configured models; `None` if none is configured. Connects to nothing yet.
fn endpoint(
    models: Models,
    replies: Arc<dyn Replies>,
    batches: Arc<dyn Batches>,
    entailment: Option<EntailmentCheck>,
) -> Result<Option<Arc<Endpoint>>> {
    if models.is_empty() {
        return Ok(None);
    }
    let old_in_batches = models.batch;
    let mut endpoint = Endpoint::new(models, replies)?.with_batches(batches);
    if let Some(entailment) = entailment {
        endpoint = endpoint.with_entailment(entailment);
    }
    Ok(Some(Arc::new(if old_in_batches { endpoint.old_in_batches() } else { endpoint })))
}

#[cfg(test)]
mod tests {
    use super::is_synchronised;

    #[test]
    fn clock_is_unsynchronised_without_hardware_clock_before_time_sync() {
        let folder = tempfile::tempdir().unwrap();
        let [daemon, own_clock] = ["timesync", "rtc0"].map(|name| folder.path().join(name));
        assert_eq!(is_synchronised(&daemon, &own_clock), None, "no daemon says anything");
        std::fs::create_dir(&daemon).unwrap();
        assert_eq!(is_synchronised(&daemon, &own_clock), Some(false));
        std::fs::create_dir(&own_clock).unwrap();
        assert_eq!(is_synchronised(&daemon, &own_clock), None, "its own clock may be right");
        std::fs::write(daemon.join("synchronized"), "").unwrap();
        assert_eq!(is_synchronised(&daemon, &own_clock), Some(true));
    }
}
