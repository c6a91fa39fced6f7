//! The service: all parts of Annals over one store, behind the operations that REST, MCP and the command share.
//!
//! Put together by the binary, which alone knows what the ports are made of. Every operation is a method in a file of its own
//! under `operations/`; it takes an agent that was let through already, and never looks at keys.

use std::path::PathBuf;
use std::sync::Arc;

use annals_core::ports::{Accesses, Archive, Blocks, Journal, Keys, Replies, Requests, Seals};
use annals_core::{Catalog, Extractor, Facts, Result, Strata, Timestamp};
use annals_retention::{Plans, Retention};
use annals_search::Search;
use annals_summarizer::Summarizer;
use annals_writer::{Eraser, FactWriter, Writer};
use tokio::sync::Semaphore;

use crate::activity::Activity;
use crate::config::Limits;
use crate::given::Given;
use crate::locks::AgentLocks;
use crate::metrics::Metrics;
use crate::tables::Queue;

/// Says what time it is. The binary hands in the machine's clock, tests one that they move.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The prompts that may be replaced, as far as the service must know them.
#[derive(Clone, Copy)]
pub struct Prompts {
    /// Their names.
    pub names: &'static [&'static str],
    /// Whether a text will do as the prompt of that name.
    pub check: fn(&str, &str) -> Result<()>,
}

/// What the service is put together from.
#[derive(Clone)]
pub struct Parts {
    /// The truth.
    pub catalog: Arc<dyn Catalog>,
    /// How often memories were given out.
    pub accesses: Arc<dyn Accesses>,
    /// Exports and corrections.
    pub archive: Arc<dyn Archive>,
    /// Texts that are always in context.
    pub blocks: Arc<dyn Blocks>,
    /// Accepted requests.
    pub requests: Arc<dyn Requests>,
    /// Who may ask from outside.
    pub keys: Arc<dyn Keys>,
    /// Pins and seals.
    pub seals: Arc<dyn Seals>,
    /// What was drawn out of turns.
    pub journal: Arc<dyn Journal>,
    /// What models cost.
    pub replies: Arc<dyn Replies>,
    /// The searchable tables.
    pub strata: Arc<dyn Strata>,
    /// The table of facts.
    pub facts: Arc<dyn Facts>,
    /// Finds facts in turns.
    pub extractor: Arc<dyn Extractor>,
    /// Takes messages in.
    pub writer: Writer,
    /// Writes facts.
    pub fact_writer: FactWriter,
    /// Forgets.
    pub eraser: Eraser,
    /// Writes summaries.
    pub summarizer: Summarizer,
    /// Prunes.
    pub retention: Retention,
    /// Answers.
    pub search: Search,
    /// Retention plans by name.
    pub plans: Plans,
    /// Prompts that may be replaced.
    pub prompts: Prompts,
    /// How much is taken in at once.
    pub limits: Limits,
    /// The machine's clock.
    pub clock: Clock,
    /// The data folder, for the proof of erasure; none when everything is in memory.
    pub folder: Option<PathBuf>,
}

/// All of Annals over one store. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    parts: Arc<Parts>,
    /// The locks of agents.
    pub(crate) locks: AgentLocks,
    /// Who is being served.
    pub(crate) activity: Activity,
    /// As many searches at once as the machine has cores: more would each hold their rows in memory, and none be answered sooner.
    pub(crate) searches: Arc<Semaphore>,
    /// The agents whose new messages are to be made searchable.
    pub(crate) queue: Queue,
    /// What was given out and is not counted yet.
    pub(crate) given: Given,
    /// What is measured.
    pub metrics: Metrics,
}

impl Service {
    /// A service over these parts.
    pub fn new(parts: Parts) -> Service {
        Service::measured_by(Metrics::new(), parts)
    }

    /// The same with numbers that were begun before, by ports wrapped in [`crate::metrics::Measured`].
    pub fn measured_by(metrics: Metrics, parts: Parts) -> Service {
        metrics.begin((parts.clock)());
        Service {
            metrics,
            parts: Arc::new(parts),
            locks: AgentLocks::default(),
            searches: Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from))),
            activity: Activity::default(),
            queue: Queue::default(),
            given: Given::default(),
        }
    }

    /// The moment of a request: taken once, and handed down.
    pub fn now(&self) -> Timestamp {
        (self.parts.clock)()
    }

    /// The locks of agents: whoever writes anything of an agent takes them.
    pub fn locks(&self) -> &AgentLocks {
        &self.locks
    }
}

impl std::ops::Deref for Service {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}
