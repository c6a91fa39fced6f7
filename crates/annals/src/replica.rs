//! A standby node that answers searches itself: opens catalog, tables and facts to read them, and keeps copies up to date.
//!
//! The database refuses writes of this process, and the guard refuses those to the bucket. A search reads the watermark of each
//! table from the catalog and brings its copy up to that, so it finds what was searchable on the active node before it began. Facts
//! are folded from the catalog. What was forgotten is gone from searches at once, because texts are read from the catalog; copies
//! in memory follow within seconds, folded facts within a minute. After a takeover everything is opened again.

use std::collections::HashSet;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use annals_catalog::PostgresCatalog;
use annals_core::{Embedder, Embedders, Error, Facts, Result, Strata};
use annals_facts::DuckFacts;
use annals_llm::{EmbedderSettings, Extractive, Rules};
use annals_objects::Objects;
use annals_retention::Plans;
use annals_server::cluster::{Standby, report_accesses, report_answered};
use annals_server::config::ServerConfig;
use annals_server::rest::chain;

use annals_service::config::Limits;
use annals_service::metrics::{Measured, Metrics};
use annals_service::{Clock, Components, Parts, Service};
use annals_strata::{CacheLimits, ReplicaStrata};
use annals_summarizer::SchedulePolicy;
use object_store::memory::InMemory;
use object_store::path::Path as Name;
use secrecy::SecretString;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

use crate::cluster::Membership;
use crate::config::{CATALOG_URL, CatalogConfig, Config, OBJECTS_URL, ObjectsConfig};
use crate::embedders::{AllEmbedders, stored_models};
use crate::projections::{Projections, SCRATCH_OF_FACTS};

/// Interval between two looks at which copies are still of present tables.
const LOOK: Duration = Duration::from_secs(2);
/// Interval between two reports to the active node. Between them a key can exceed its rate.
const REPORT: Duration = Duration::from_secs(2);
/// Interval between two looks at folded facts, and at tables that could not be read.
const RENEWAL: Duration = Duration::from_secs(60);
/// Time limit for the questions of a look to the database.
const ASKING: Duration = Duration::from_secs(5);
/// Number of looks in a row that may fail. A forgetting locks tables of the database for seconds; what fails meanwhile is
/// forwarded.
const FAILURES: u32 = 3;
/// Pause after the stores could not be opened.
const PAUSE: Duration = Duration::from_secs(5);

/// Where the stores are, and how to open them.
pub(crate) struct ReplicaSource {
    pub data: PathBuf,
    pub catalog: CatalogConfig,
    pub objects: ObjectsConfig,
    pub settings: EmbedderSettings,
    /// The configured model, open; `None` if it is an endpoint.
    pub embedder: Option<Arc<dyn Embedder>>,
    pub limits: Limits,
    pub clock: Clock,
}

/// A standby node that answers searches.
pub(crate) struct StandbyReplica {
    pub source: ReplicaSource,
    pub server: ServerConfig,
    pub node: Standby,
    /// Whether the catalog may be read.
    pub readable: watch::Receiver<bool>,
    /// The key of the cluster.
    pub key: SecretString,
}

/// The open stores, and the service over them.
struct Stores {
    catalog: Arc<PostgresCatalog>,
    /// The id that ties tables and facts to the catalog. Each process that takes the lease replaces it.
    tie: Option<String>,
    strata: ReplicaStrata,
    service: Service,
}

impl StandbyReplica {
    /// Answers searches whenever the catalog may be read, without end.
    pub(crate) async fn run(self) -> Infallible {
        let mut failure = String::new();
        loop {
            let mut readable = self.readable.clone();
            if readable.wait_for(|readable| *readable).await.is_err() {
                // The sender is gone only if the thread of the lease panicked.
                std::future::pending::<()>().await;
            }
            let Err(error) = self.answer().await else {
                failure.clear();
                continue;
            };
            let now = chain(&error).to_string();
            if failure != now {
                tracing::warn!(error = now, "this node forwards all searches; it tries again to answer them");
                failure = now;
            }
            sleep(PAUSE).await;
        }
    }

    /// Answers searches until the catalog may not be read any more, or another process has taken it over. Fails if it cannot be
    /// read.
    async fn answer(&self) -> Result<()> {
        let mut readable = self.readable.clone();
        let stores = tokio::select! {
            stores = self.source.open() => stores?,
            _ = readable.wait_for(|readable| !*readable) => return Ok(()),
        };
        self.node.replica.open(&stores.service, &self.server);
        tracing::info!("this node answers searches");
        let done = tokio::select! {
            done = stores.follow(&self.node, &self.key) => done,
            _ = readable.wait_for(|readable| !*readable) => Ok(()),
        };
        self.node.replica.close();
        done
    }
}

impl Stores {
    /// Drops what is out of date, and reports to the active node, until another process takes the catalog over or migrates it. Fails
    /// if the catalog cannot be read.
    async fn follow(&self, node: &Standby, key: &SecretString) -> Result<()> {
        let [mut look, mut report, mut renewal] = [LOOK, REPORT, RENEWAL].map(|pause| {
            let mut ticks = interval(pause);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            ticks
        });
        let mut failures = 0;
        loop {
            tokio::select! {
                _ = look.tick() => match self.look().await {
                    Ok(true) => failures = 0,
                    Ok(false) => return Ok(()),
                    Err(error) if failures < FAILURES => {
                        tracing::debug!(error = chain(&error), "the catalog could not be read");
                        failures += 1;
                    }
                    Err(error) => return Err(error),
                },
                _ = report.tick() => self.report(node, key).await,
                _ = renewal.tick() => self.renew().await,
            }
        }
    }

    /// Does what [`Stores::drop_former_tables`] does, within [`ASKING`].
    async fn look(&self) -> Result<bool> {
        let no_answer = |_| Err(Error::storage("reading the catalog", "the database does not answer"));
        timeout(ASKING, self.drop_former_tables()).await.unwrap_or_else(no_answer)
    }

    /// Tells the active node what this one has answered. Numbers that do not arrive are lost.
    async fn report(&self, node: &Standby, key: &SecretString) {
        if let Ok(Err(error)) = timeout(LOOK, report_answered(&node.replica, &node.active, key)).await {
            tracing::debug!(error, "numbers of answered searches could not be sent");
        }
        if let Ok(Err(error)) = timeout(LOOK, report_accesses(&self.service, &node.active, key)).await {
            tracing::debug!(error, "access counts could not be sent");
        }
    }

    /// Brings folded facts up to date, and tries again to read tables that could not be read.
    async fn renew(&self) {
        if let Err(error) = self.service.renew_compared_facts().await {
            tracing::debug!(error = chain(&error), "facts could not be brought up to date");
        }
        self.strata.retry_unreadable();
    }

    /// Drops copies of tables that are no longer searched. Returns whether the catalog belongs to the same process as before, and
    /// has the same schema.
    async fn drop_former_tables(&self) -> Result<bool> {
        if !self.catalog.has_known_version().await? {
            return Ok(false);
        }
        let copies = self.strata.copies();
        let agents: HashSet<_> = copies.iter().map(|table| table.agent.clone()).collect();
        if !agents.is_empty() {
            let present = self.catalog.present_tables(&agents).await?;
            copies.iter().filter(|table| !present.contains(table)).for_each(|table| self.strata.drop_copy(table));
        }
        Ok(self.catalog.data_folder().await? == self.tie)
    }
}

impl ReplicaSource {
    /// Connects on a thread that may block: a database that does not answer takes long.
    async fn open_catalog(&self) -> Result<PostgresCatalog> {
        let url = self.catalog.url().ok_or_else(|| Error::invalid(CATALOG_URL, "is not set"))?.to_owned();
        let opened = tokio::task::spawn_blocking(move || PostgresCatalog::open_to_read(&url)).await;
        opened.map_err(|error| Error::storage("opening the catalog", error))?
    }

    /// Fails if another node is active and its tables have been elsewhere than where this node would have them for longer than a
    /// lease: this node would take over without tables, and then keep the others from opening theirs. A node that is taking over,
    /// and what cannot be read now, is no reason to fail.
    pub(crate) async fn refuse_other_bucket(&self, config: &Config) -> Result<()> {
        let Some((active, id)) = self.other_bucket(config).await else { return Ok(()) };
        let until = Instant::now() + config.cluster.lease() + LOOK;
        while Instant::now() < until {
            sleep(LOOK).await;
            if self.other_bucket(config).await != Some((active.clone(), id.clone())) {
                return Ok(());
            }
        }
        let own = self.objects.url.as_deref().unwrap_or("no bucket");
        let reason =
            format!("names {own}, but the active node {active} uses another; all nodes of a cluster need the same");
        Err(Error::invalid(OBJECTS_URL, reason))
    }

    /// Returns the address of another node that is active with other tables, and the id of these; `None` if there is none.
    async fn other_bucket(&self, config: &Config) -> Option<(String, String)> {
        let asked = async {
            let active = Membership::active_node(config).await.ok()??;
            let is_other = config.cluster.node() != Some(active.as_str());
            let catalog = if is_other { self.open_catalog().await.ok()? } else { return None };
            Some((active, Projections::kept_elsewhere(&self.data, &self.objects, &catalog).await?))
        };
        timeout(ASKING, asked).await.ok().flatten()
    }

    async fn open(&self) -> Result<Stores> {
        let catalog = Arc::new(self.open_catalog().await?);
        let tie = catalog.data_folder().await?;
        let metrics = Metrics::new();
        let embedders: Arc<dyn Embedders> = Arc::new(match &self.embedder {
            Some(embedder) => AllEmbedders::around(embedder.clone(), &self.data, &self.settings, &metrics),
            None => {
                let stored = stored_models(&*catalog, &self.settings).await?;
                AllEmbedders::open(&self.data, &self.settings, &stored, &metrics).await?
            }
        });
        let projections = Projections::open_to_read(&self.data, &self.objects, &catalog).await?;
        let strata = ReplicaStrata::over(projections.tables()?, CacheLimits::of_machine()).await?;
        let folded = Objects::over(Arc::new(InMemory::new()), Name::default());
        let facts: Arc<dyn Facts> = Arc::new(DuckFacts::over(folded, &self.data.join(SCRATCH_OF_FACTS))?);
        let measured: Arc<dyn Strata> = Arc::new(Measured::new(Arc::new(strata.clone()), &metrics));
        let parts = Parts::over(Components {
            store: catalog.clone(),
            strata: measured,
            facts,
            embedders,
            engine: Arc::new(Extractive),
            fallback_engine: Arc::new(Extractive),
            extractor: Arc::new(Rules),
            fallback_extractor: Arc::new(Rules),
            plans: Plans::built_in(),
            schedule: SchedulePolicy::default(),
            clock: self.clock.clone(),
            folder: None,
        });
        let parts = Parts { is_replica: true, limits: self.limits.clone(), ..parts };
        Ok(Stores { catalog, tie, strata, service: Service::measured_by(metrics, parts) })
    }
}
