//! The service: all parts of Annals over one store, behind the operations that REST, MCP and the command share.
//!
//! The binary assembles it; only the binary names the implementations of the ports. The operations are methods in the
//! files under `operations/`. An operation on an agent does not check permissions.

use std::path::PathBuf;
use std::sync::Arc;

use annals_core::ports::{Batching, ModelStates, TokenSums};
use annals_core::{Extractor, Facts, Result, Store, Strata, Timestamp};
use annals_retention::{Plans, Retention};
use annals_search::{Billing, Search};
use annals_summarizer::Summarizer;
use annals_writer::{Eraser, FactWriter, Writer};
use tokio::sync::Semaphore;

use crate::Caller;
use crate::access_counter::AccessCounter;
use crate::activity::Activity;
use crate::config::Limits;
use crate::locks::AgentLocks;
use crate::metrics::Metrics;
use crate::operations::{ComparedFacts, Uploads};
use crate::outlines::Outlines;
use crate::reembed::Speed;
use crate::tables::Queue;

/// The source of the current time: the machine's clock in the binary, a clock under the test's control in tests.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The names of the prompts that a user may replace, and a check of replacements.
#[derive(Clone, Copy)]
pub struct Prompts {
    /// The names under which replacements are stored in an agent's settings.
    pub names: &'static [&'static str],
    /// Takes the name of a prompt and a text. Fails if the text cannot replace the prompt, and says why.
    pub check: fn(&str, &str) -> Result<()>,
}

/// The parts that a service is assembled from.
#[derive(Clone)]
pub struct Parts {
    /// The catalog, which is the source of truth.
    pub store: Arc<dyn Store>,
    /// The searchable tables.
    pub strata: Arc<dyn Strata>,
    /// The tables of facts.
    pub facts: Arc<dyn Facts>,
    /// Extracts facts from turns, by rules or with a model.
    pub extractor: Arc<dyn Extractor>,
    /// Stores messages, and applies changes to the searchable tables.
    pub writer: Writer,
    /// Writes facts and their tables.
    pub fact_writer: FactWriter,
    /// Erases memories and cleans the files that held them.
    pub eraser: Eraser,
    pub summarizer: Summarizer,
    /// Prunes memories that are past their plan.
    pub retention: Retention,
    /// Searches, and gathers context.
    pub search: Search,
    /// The configured models, if there are any.
    pub models: Option<Arc<dyn ModelStates>>,
    /// Sends questions to the models in batches; `None` without models.
    pub batching: Option<Arc<dyn Batching>>,
    /// Retention plans by name.
    pub plans: Plans,
    pub prompts: Prompts,
    /// Rate limits, the longest backlog of an agent, and the least free disk space.
    pub limits: Limits,
    /// The tokens that the configuration allows models per UTC day; `None` without models. Only for display; the engine
    /// enforces it.
    pub budget: Option<TokenSums>,
    pub clock: Clock,
    /// Whether another process changes the stores meanwhile. This one then only searches: it compares facts with the catalog
    /// before each use, and its access counts are [taken](Service::take_access_counts) to that process.
    pub is_replica: bool,
    /// The data folder; `None` if everything is in memory. Used by the proof of erasure, by the temporary files of
    /// exports and imports, by the checks of where exports go, and to measure the free disk space and the size of the folder.
    pub folder: Option<PathBuf>,
}

/// All of Annals over one store. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    pub(crate) parts: Arc<Parts>,
    pub(crate) locks: AgentLocks,
    pub(crate) activity: Activity,
    /// One permit per core. More searches at once would each hold their rows in memory, and none would finish sooner.
    pub(crate) searches: Arc<Semaphore>,
    /// The agents with work for the background workers: changes to make searchable, or messages to extract facts from.
    pub(crate) queue: Queue,
    pub(crate) access_counter: AccessCounter,
    pub(crate) metrics: Metrics,
    /// The agents with facts that this process has compared with the catalog.
    pub(crate) compared_facts: ComparedFacts,
    /// The last imports of uploads, with their progress and reports.
    pub(crate) uploads: Uploads,
    pub(crate) outlines: Outlines,
    /// Measured speed of re-embedding, from which the remaining time is estimated.
    pub(crate) reembedding_speed: Speed,
    /// Held while prices are read and saved, so that two changes at once keep each other's prices.
    pub(crate) changing_prices: Arc<tokio::sync::Mutex<()>>,
    /// Id of the API key of the request that this handle serves; `None` for scheduled work and callers without a key.
    access_key: Option<Arc<str>>,
}

impl Service {
    /// Assembles a service with new metrics.
    pub fn new(parts: Parts) -> Service {
        Service::measured_by(Metrics::new(), parts)
    }

    /// Assembles a service with existing metrics, which ports wrapped in [`crate::metrics::Measured`] already write to.
    pub fn measured_by(metrics: Metrics, parts: Parts) -> Service {
        metrics.begin((parts.clock)());
        Service {
            metrics,
            parts: Arc::new(parts),
            locks: AgentLocks::default(),
            searches: Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from))),
            activity: Activity::default(),
            queue: Queue::default(),
            access_counter: AccessCounter::default(),
            compared_facts: ComparedFacts::default(),
            uploads: Uploads::default(),
            outlines: Outlines::default(),
            reembedding_speed: Speed::default(),
            changing_prices: Arc::default(),
            access_key: None,
        }
    }

    /// Returns a handle for a request of this caller. Models that work on the request are paid from the budget of the caller's
    /// key too.
    #[must_use]
    pub fn called_by(&self, caller: &Caller) -> Service {
        Service { access_key: caller.key.as_deref().map(Arc::from), ..self.clone() }
    }

    /// Returns how the calls of the reranking model are booked. The day of the budgets is that of the clock: a client may ask as
    /// of another time.
    pub(crate) fn billing(&self) -> Billing<'_> {
        Billing { access_key: self.access_key.as_deref(), now: self.now() }
    }

    /// Returns the summarizer, for the key of this handle.
    pub(crate) fn summarizer(&self) -> Summarizer {
        self.parts.summarizer.for_key(self.access_key.clone())
    }

    /// Returns the writer of facts, for the key of this handle.
    pub(crate) fn fact_writer(&self) -> FactWriter {
        self.parts.fact_writer.for_key(self.access_key.clone())
    }

    /// Returns the current time. A request reads it once and passes it on.
    pub fn now(&self) -> Timestamp {
        (self.parts.clock)()
    }

    pub fn limits(&self) -> &Limits {
        &self.parts.limits
    }

    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub fn locks(&self) -> &AgentLocks {
        &self.locks
    }
}
