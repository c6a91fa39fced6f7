//! A standby node that answers searches itself: opens catalog, tables and facts to read them, and keeps copies up to date.
//!
//! The database refuses writes of this process, and the guard refuses those to the bucket. A search reads the watermark of each
//! table from the catalog and brings its copy up to that, so it finds what was searchable on the active node before it began. Facts
//! are folded from the catalog. What was forgotten is gone from searches at once, because texts are read from the catalog; copies
//! in memory follow within seconds, folded facts within a minute.

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
use annals_server::config::ServerConfig;
use annals_server::rest::chain;
use annals_server::{Standby, report_accesses};
use annals_service::config::Limits;
use annals_service::metrics::{Measured, Metrics};
use annals_service::{Clock, Components, Parts, Service};
use annals_strata::{CacheLimits, ReplicaStrata};
use annals_summarizer::SchedulePolicy;
use object_store::memory::InMemory;
use object_store::path::Path as Name;
use secrecy::SecretString;
use tokio::sync::watch;
use tokio::time::{interval, sleep, timeout};

use crate::config::{CATALOG_URL, CatalogConfig, ObjectsConfig};
use crate::embedders::{AllEmbedders, stored_models};
use crate::projections::{Projections, SCRATCH_OF_FACTS};

/// Interval between two looks at which copies are still of present tables.
const TICK: Duration = Duration::from_secs(2);
/// Number of ticks between two reports of access counts.
const REPORT: u32 = 5;
/// Number of ticks after which folded facts are dropped.
const FACTS: u32 = 30;
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
    strata: ReplicaStrata,
    service: Service,
}

impl StandbyReplica {
    /// Answers searches whenever the catalog may be read, without end.
    pub(crate) async fn run(mut self) -> Infallible {
        let mut failure = String::new();
        loop {
            if self.readable.wait_for(|readable| *readable).await.is_err() {
                // The sender is gone only if the thread of the lease panicked.
                std::future::pending::<()>().await;
            }
            match self.source.open().await {
                Ok(stores) => {
                    failure.clear();
                    self.answer_from(&stores).await;
                }
                Err(error) => {
                    let now = chain(&error).to_string();
                    if failure != now {
                        tracing::warn!(error = now, "this node forwards all searches; it tries again to answer them");
                        failure = now;
                    }
                    sleep(PAUSE).await;
                }
            }
        }
    }

    /// Answers searches until the catalog may not be read any more.
    async fn answer_from(&mut self, stores: &Stores) {
        self.node.replica.open(&stores.service, &self.server);
        tracing::info!("this node answers searches");
        let (node, key, mut readable) = (self.node.clone(), self.key.clone(), self.readable.clone());
        tokio::select! {
            () = stores.follow(&node, &key) => {}
            _ = readable.wait_for(|readable| !*readable) => {}
        }
        self.node.replica.close();
    }
}

impl Stores {
    /// Drops what is out of date, and reports access counts, until the catalog cannot be read: the database may be away, or a
    /// newer version may have migrated the schema.
    async fn follow(&self, node: &Standby, key: &SecretString) {
        let mut ticks = interval(TICK);
        for tick in (0..REPORT * FACTS).cycle() {
            ticks.tick().await;
            if self.catalog.check_version().await.is_err() || self.drop_former_tables().await.is_err() {
                return;
            }
            if tick % REPORT == 0 {
                let _ = timeout(TICK, report_accesses(&self.service, &node.active, key)).await;
            }
            if tick % FACTS == 0 {
                let _ = self.service.drop_folded_facts().await;
            }
        }
    }

    /// Drops the copies of tables that are no longer searched, for example after a forgetting, which writes tables anew.
    async fn drop_former_tables(&self) -> Result<()> {
        let agents: HashSet<_> = self.strata.copies().into_iter().map(|table| table.agent).collect();
        if !agents.is_empty() {
            let present = self.catalog.present_tables(&agents).await?;
            self.strata.keep_only(|table| present.contains(table)).await;
        }
        Ok(())
    }
}

impl ReplicaSource {
    async fn open(&self) -> Result<Stores> {
        let url = self.catalog.url().ok_or_else(|| Error::invalid(CATALOG_URL, "is not set"))?;
        let catalog = Arc::new(PostgresCatalog::open_to_read(url)?);
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
        Ok(Stores { catalog, strata, service: Service::measured_by(metrics, parts) })
    }
}
