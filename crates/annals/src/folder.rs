//! The data folder: one process owns it, and all parts of Annals are put together over it here.
//!
//!     DIR/annals.lock       held while a process owns the folder; holds its number
//!     DIR/catalog.sqlite    the truth
//!     DIR/tables/…          LanceDB, one folder per agent: projections, can be deleted and rebuilt
//!     DIR/facts/…           Parquet, one folder per agent: the fold of the fact log, can be deleted and rebuilt
//!     DIR/annals.toml       settings, if there are any; written by a person
//!     DIR/retention/*.toml  retention plans of one's own; written by a person

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_catalog::SqliteCatalog;
use annals_core::{Agent, Embedder, Error, Facts, Result, Strata, Timestamp};
use annals_embedder::{Cached, OnnxEmbedder};
use annals_facts::DuckFacts;
use annals_llm::{Auto, Endpoint, Extractive, Models, RerankEndpoint, Rules};
use annals_retention::{Plans, Retention};
use annals_search::Search;
use annals_server::config::Limits;
use annals_server::metrics::{Measured, Metrics};
use annals_server::{Clock, Parts, Prompts, Service};
use annals_strata::{LanceStrata, Memory};
use annals_summarizer::{Patience, Summarizer};
use annals_writer::{Eraser, FactWriter, Writer};
use jiff::SignedDuration;

use crate::{private, scratch};

/// The catalog's file in the folder.
pub const CATALOG: &str = "catalog.sqlite";

/// How long after midnight a day closes: messages of the last minutes may still be on their way.
const GRACE: SignedDuration = SignedDuration::from_mins(10);

/// The prompts that an agent may have of its own.
const PROMPTS: &[&str] = &["extraction", "daily", "weekly", "monthly", "quarterly", "yearly", "amend", "merge"];

/// Vectors kept by content: 4,096 of 384 floats are 6 MB. Summaries of a grain often repeat those of the finer one.
const CACHED: NonZeroUsize = NonZeroUsize::new(4096).expect("4096 is not zero");

/// An open data folder with everything that works on it. Dropping the last clone lets the next process in.
#[derive(Clone)]
pub struct Folder {
    /// Everything that can be asked of it.
    pub service: Service,
    /// The same catalog as the file that it is, for copies of it.
    pub sqlite: Arc<SqliteCatalog>,
    /// The moment of this command.
    pub now: Timestamp,
    /// Where it is.
    pub path: PathBuf,
    _lock: Arc<File>,
}

/// What an open folder is opened with.
pub struct Opening {
    /// The models that there are.
    pub models: Models,
    /// How much is taken in at once.
    pub limits: Limits,
    /// Input must have been quiet for so long before its day is rolled up; a roll-up asked for by hand waits for nothing.
    pub quiet: SignedDuration,
    /// The machine's clock, or a moment that stands still.
    pub clock: Clock,
}

impl Opening {
    /// For a command: at one moment, and nothing waits.
    pub fn by_hand(models: Models, now: Timestamp) -> Opening {
        Opening { models, limits: Limits::default(), quiet: SignedDuration::ZERO, clock: Arc::new(move || now) }
    }
}

impl Folder {
    /// Opens the folder; makes it if `create`.
    pub async fn open(path: &Path, opening: Opening, create: bool) -> Result<Folder> {
        let path = prepare(path, create)?;
        let lock = Arc::new(lock(&path)?);
        scratch::sweep(&path)?;
        let plans = plans(&path.join("retention"))?;
        let metrics = Metrics::new();
        let embedder = Measured::new(Arc::new(OnnxEmbedder::bundled()?), &metrics);
        let embedder: Arc<dyn Embedder> = Arc::new(Cached::new(embedder, CACHED));
        let catalog = Arc::new(SqliteCatalog::open(&path.join(CATALOG))?);
        let facts: Arc<dyn Facts> = Arc::new(DuckFacts::open(&path.join("facts"))?);
        let strata = LanceStrata::open(&path.join("tables"), embedder.dimension(), Memory::of_machine()).await?;
        let strata: Arc<dyn Strata> = Arc::new(Measured::new(Arc::new(strata), &metrics));
        let Opening { models, limits, quiet, clock } = opening;
        let patience = Patience { grace: GRACE, quiet, ..Patience::default() };
        let replies = Arc::new(Measured::new(catalog.clone(), &metrics));
        let mut search = Search::new(catalog.clone(), catalog.clone(), strata.clone(), facts.clone(), embedder.clone());
        if let Some(model) = models.rerank.clone() {
            let candidates = model.candidates;
            let reranker = Measured::new(Arc::new(RerankEndpoint::new(model, replies.clone())?), &metrics);
            search = search.reranked_by(Arc::new(reranker), candidates);
        }
        let endpoint = if models.is_empty() { None } else { Some(Arc::new(Endpoint::new(models, replies)?)) };
        let engine = Arc::new(Auto::new(Arc::new(Extractive), Arc::new(Rules), endpoint));
        let writer = Writer::new(catalog.clone(), catalog.clone(), strata.clone(), embedder);
        let fact_writer =
            FactWriter::new(catalog.clone(), catalog.clone(), facts.clone(), engine.clone(), Arc::new(Rules));
        let spare = Arc::new(Extractive);
        let measured = Arc::new(Measured::new(engine.clone(), &metrics));
        let now = clock();
        let service = Service::measured_by(
            metrics,
            Parts {
                eraser: Eraser::new(writer.clone(), fact_writer.clone(), catalog.clone()),
                summarizer: Summarizer::new(catalog.clone(), catalog.clone(), measured, spare, patience),
                retention: Retention::new(catalog.clone(), catalog.clone(), catalog.clone(), plans.clone()),
                search,
                accesses: catalog.clone(),
                archive: catalog.clone(),
                blocks: catalog.clone(),
                requests: catalog.clone(),
                keys: catalog.clone(),
                seals: catalog.clone(),
                journal: catalog.clone(),
                replies: catalog.clone(),
                catalog: catalog.clone(),
                extractor: engine,
                writer,
                fact_writer,
                plans,
                facts,
                strata,
                prompts: Prompts { names: PROMPTS, check: annals_llm::check_prompt },
                limits,
                clock,
                folder: Some(path.clone()),
            },
        );
        Ok(Folder { service, sqlite: catalog, now, path, _lock: lock })
    }

    /// The same folder, for a command of another moment.
    pub fn at(self, now: Timestamp) -> Folder {
        Folder { now, ..self }
    }

    /// The agent of that name; an error if there is none, so that a misspelt name is not an empty memory.
    pub async fn agent(&self, name: &str) -> Result<Agent> {
        self.service.known(Agent::new(name)?).await
    }

    /// The agent of that name, or all.
    pub async fn agents(&self, name: Option<&str>) -> Result<Vec<Agent>> {
        match name {
            Some(name) => Ok(vec![self.agent(name).await?]),
            None => self.catalog.agents().await,
        }
    }
}

impl std::ops::Deref for Folder {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

/// The plans that come with Annals, and those in the folder.
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

/// Whether the machine's clock is synchronised; none where nothing says so.
pub fn clock_is_synchronised() -> Option<bool> {
    is_synchronised(Path::new("/run/systemd/timesync"), Path::new("/sys/class/rtc/rtc0"))
}

/// systemd-timesyncd has a folder, and leaves a file there once it has heard from a server. A machine without a clock of its own
/// begins in the past, so until then its time is wrong for certain; with one it may never need a server.
fn is_synchronised(daemon: &Path, own_clock: &Path) -> Option<bool> {
    match daemon.join("synchronized").exists() {
        true => Some(true),
        false => (daemon.is_dir() && !own_clock.exists()).then_some(false),
    }
}

/// Where the data is when nobody says: `annals` in the user's data directory.
pub fn default_path() -> Result<PathBuf> {
    let directories = directories::ProjectDirs::from("", "", "annals");
    let missing = || Error::invalid("--data", "is needed: this account has no home directory");
    directories.map(|directories| directories.data_dir().to_owned()).ok_or_else(missing)
}

fn prepare(path: &Path, create: bool) -> Result<PathBuf> {
    if !create && !path.join(CATALOG).exists() {
        return Err(Error::NotFound { what: "data folder", name: path.display().to_string() });
    }
    let make = || -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(path.join("tables"))?;
        let path = path.canonicalize()?;
        private::close_to_others(&path)?;
        Ok(path)
    };
    make().map_err(|cause| Error::storage(format!("cannot use {} as data folder", path.display()), cause))
}

fn lock(path: &Path) -> Result<File> {
    let wrong = |cause| Error::storage(format!("cannot write in the data folder {}", path.display()), cause);
    let place = path.join("annals.lock");
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(place).map_err(wrong)?;
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

/// Leaves this process's number in the file, for whoever finds it held.
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

#[cfg(test)]
mod tests {
    use super::is_synchronised;

    #[test]
    fn a_clock_is_wrong_for_certain_where_there_is_none_and_no_server_was_heard() {
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
