//! The metrics at `/metrics`: of the process, of requests, of pipelines and of stores. `infra/README.md` lists them; the
//! dashboard and the alerts use these names.
//!
//! Counters and histograms are updated where events happen, by the methods below or by wrapping a port ([`Measured`]). Most
//! gauges over all agents are read from the catalog in one read at each scrape (`totals`). No label contains the name of an
//! agent, an id or a word of a memory, because such values are unbounded in number and private.

mod labels;
mod measured;
mod node;
mod process;
mod totals;
mod waits;

use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_core::{Agent, Error, Grain, Timestamp};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Metric, Registry};

use labels::{Failure, OfGrain, OfJob, OfPipeline, OfState, OfStore, Outcome, Route, Tokens};

pub use measured::Measured;
pub use node::{Forwarded, NodeMetrics};
pub use waits::Pipeline;

/// The empty label set. A gauge in a family with it is not exported until it is set.
type Unlabelled = [(&'static str, &'static str); 0];
/// A gauge with a fractional value, such as seconds.
type Number = Gauge<f64, std::sync::atomic::AtomicU64>;
type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

/// Upper bounds of histogram buckets, in seconds: from one millisecond, in which a small machine can answer, to five minutes.
const SECONDS: [f64; 16] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

/// All metrics of one process. Cheap to clone; clones share them.
#[derive(Clone, Default)]
pub struct Metrics(Arc<Inner>);

pub(crate) struct Inner {
    registry: Registry,
    requests: Histograms<Route>,
    in_flight: Gauge,
    messages: Family<Outcome, Counter>,
    failures: Family<Failure, Counter>,
    tokens: Family<Tokens, Counter>,
    commit: Histogram,
    searchable: Histogram,
    search: Histograms<OfGrain>,
    embed: Histogram,
    rerank: Histogram,
    rollup: Histograms<OfGrain>,
    job: Histograms<OfJob>,
    pipeline_messages: Family<OfPipeline, Gauge>,
    pipeline_age: Family<OfPipeline, Number>,
    periods: Family<OfState, Gauge>,
    dead_letters: Gauge,
    to_embed_again: Gauge,
    memories: Family<OfGrain, Gauge>,
    stored: Family<OfStore, Gauge>,
    versions: Family<OfGrain, Gauge>,
    fragments: Family<OfGrain, Gauge>,
    resident: Gauge,
    disk_free: Gauge,
    disk_low: Gauge,
    clock: Family<Unlabelled, Gauge>,
    last_backup: Family<Unlabelled, Gauge>,
    started: Gauge,
    waits: waits::Waits,
    /// When the sizes of the folders are measured next; `None` before the first time. Measuring reads every file's size.
    folders_due: Arc<tokio::sync::Mutex<Option<Instant>>>,
}

fn seconds() -> Histogram {
    Histogram::new(SECONDS)
}

fn by<L: Clone + std::hash::Hash + Eq>() -> Histograms<L> {
    Family::new_with_constructor(seconds)
}

struct Register<'a>(&'a mut Registry);

impl Register<'_> {
    fn add<M: Metric + Clone>(&mut self, name: &str, help: &str, metric: M) -> M {
        self.0.register(name, help, metric.clone());
        metric
    }
}

impl Default for Inner {
    fn default() -> Inner {
        let mut registry = Registry::default();
        let mut plain = Register(&mut registry);
        let started =
            plain.add("process_start_time_seconds", "Start time of the process, in Unix time", Gauge::default());
        let mut own = Register(registry.sub_registry_with_prefix("annals"));
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        own.0.register("build", "Version of Annals", build);
        Inner {
            requests: own.add("http_request_seconds", "Time until the response starts", by()),
            in_flight: own.add("http_requests_in_flight", "Requests in progress", Gauge::default()),
            messages: own.add("messages", "Received messages, by outcome", Family::default()),
            failures: own.add("failures", "Failures, by stable error code", Family::default()),
            tokens: own.add("tokens", "Tokens of model calls", Family::default()),
            commit: own.add("commit_seconds", "Duration of a catalog transaction, including fsync", seconds()),
            searchable: own.add(
                "write_to_searchable_seconds",
                "Time from storing a message until it is searchable",
                seconds(),
            ),
            search: own.add("search_seconds", "Duration of searching one grain, by vector and by text", by()),
            embed: own.add("embed_seconds", "Duration of embedding one text", seconds()),
            rerank: own.add("rerank_seconds", "Duration of reranking one search by a model", seconds()),
            rollup: own.add("rollup_seconds", "Duration of summarizing one period", by()),
            job: own.add("job_seconds", "Duration of one run of a job", by()),
            pipeline_messages: own.add(
                "pipeline_messages",
                "Waiting messages of all agents; for rollup, periods that are due",
                Family::default(),
            ),
            pipeline_age: own.add(
                "pipeline_age_seconds",
                "Age of the oldest waiting message or due period",
                Family::default(),
            ),
            periods: own.add("periods", "Periods by state", Family::default()),
            dead_letters: own.add(
                "dead_letters",
                "Dead letters: memories that could not be processed",
                Gauge::default(),
            ),
            to_embed_again: own.add(
                "to_embed_again",
                "Memories in tables of another embedding model that are still to be embedded with the configured one",
                Gauge::default(),
            ),
            memories: own.add("memories", "Live memories", Family::default()),
            stored: own.add("stored_bytes", "Size on disk", Family::default()),
            versions: own.add("table_versions", "Largest number of versions of a table", Family::default()),
            fragments: own.add("table_fragments", "Largest number of fragments of a table", Family::default()),
            resident: own.add("resident_memory_bytes", "Resident memory of the process", Gauge::default()),
            disk_free: own.add("disk_free_bytes", "Free disk space for the data folder", Gauge::default()),
            disk_low: own.add(
                "disk_low_bytes",
                "Free disk space below which new messages are refused",
                Gauge::default(),
            ),
            clock: own.add("clock_synchronised", "1 if the machine's clock is synchronised", Family::default()),
            last_backup: own.add(
                "last_backup_timestamp_seconds",
                "Time of the last complete backup",
                Family::default(),
            ),
            started,
            registry,
            waits: waits::Waits::default(),
            folders_due: Arc::default(),
        }
    }
}

impl Metrics {
    /// Creates metrics that start at zero.
    pub fn new() -> Metrics {
        Metrics::default()
    }

    /// Sets the start time of the process to `now`.
    pub fn begin(&self, now: Timestamp) {
        self.0.started.set(now.as_second());
    }

    /// Counts a request as in flight until the returned value is dropped, which is when its answer begins.
    pub fn in_flight(&self) -> impl Drop + Send + use<> {
        self.0.in_flight.inc();
        InFlight(self.0.in_flight.clone())
    }

    /// Records the status and duration of a request once its answer begins. `route` is the pattern of the path, without values.
    pub fn answered(&self, route: &str, method: &str, status: u16, took: Duration) {
        let label = Route { route: route.to_owned(), method: method.to_owned(), status };
        self.0.requests.get_or_create(&label).observe(took.as_secs_f64());
    }

    /// Counts received messages by outcome: `accepted`, `duplicate` or `refused`.
    pub fn messages(&self, outcome: &'static str, number: u64) {
        self.0.messages.get_or_create(&Outcome { outcome }).inc_by(number);
    }

    /// Returns the number of messages that this process has accepted.
    pub(crate) fn accepted_messages(&self) -> u64 {
        self.0.messages.get_or_create(&Outcome { outcome: "accepted" }).get()
    }

    /// Records the duration of a catalog commit.
    pub fn committed(&self, took: Duration) {
        self.0.commit.observe(took.as_secs_f64());
    }

    /// Sets how many memories are still to be embedded with the configured model.
    pub(crate) fn left_to_embed(&self, left: u64) {
        self.0.to_embed_again.set(clamp(left));
    }

    /// Subtracts memories that were embedded with the configured model from those that are still to be embedded.
    pub(crate) fn embedded_again(&self, changes: u64) {
        let left = self.0.to_embed_again.get();
        self.0.to_embed_again.set((left - clamp(changes)).max(0));
    }

    /// Counts a failure by the code of the error. `part` is for example `project`, `rollup`, `rerank` or the name of a job.
    pub fn failed(&self, part: &'static str, error: &Error) {
        self.failed_with(part, error.code());
    }

    /// Counts a failure for which there is no [`Error`]. `cause` takes the place of the error's code.
    pub fn failed_with(&self, part: &'static str, cause: &'static str) {
        self.0.failures.get_or_create(&Failure { part, cause }).inc();
    }

    /// Records that changes of an agent up to `seq` wait in a pipeline.
    pub fn waits(&self, pipeline: Pipeline, agent: &Agent, seq: u64) {
        self.0.waits.begin(pipeline, agent, seq, Instant::now());
    }

    /// Records that a pipeline has processed an agent's changes up to `seq`. If the change that was timed is now searchable,
    /// also records the length of its wait.
    pub fn reached(&self, pipeline: Pipeline, agent: &Agent, seq: u64) {
        if let Some(waited) = self.0.waits.end(pipeline, agent, seq, Instant::now())
            && pipeline == Pipeline::Working
        {
            self.0.searchable.observe(waited.as_secs_f64());
        }
    }

    /// Records the duration of a job. Its name is the stem of a file in `jobs/`.
    pub fn job(&self, name: &str, took: Duration) {
        self.0.job.get_or_create(&OfJob { job: name.to_owned() }).observe(took.as_secs_f64());
    }

    /// Sets the largest number of versions and of fragments that compaction found in a table of this grain.
    pub fn tables(&self, grain: Grain, versions: u64, fragments: u64) {
        self.0.versions.get_or_create(&grain.into()).set(clamp(versions));
        self.0.fragments.get_or_create(&grain.into()).set(clamp(fragments));
    }

    /// Sets whether the machine's clock is synchronised. Not called if the system does not report it.
    pub fn clock_synchronised(&self, is_synchronised: bool) {
        self.0.clock.get_or_create(&[]).set(is_synchronised.into());
    }

    /// Sets the time of the last complete backup.
    pub fn backed_up(&self, at: Timestamp) {
        self.0.last_backup.get_or_create(&[]).set(at.as_second());
    }

    /// Returns all metrics in OpenMetrics text format.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.0.registry).expect("a string takes everything");
        text
    }
}

struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

fn clamp(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_listed_in_the_readme() {
        let metrics = Metrics::new();
        metrics.answered("/v1/agents", "GET", 200, Duration::from_millis(3));
        metrics.messages("accepted", 2);
        metrics.failed("project", &Error::storage("writing", "disk full"));
        metrics.job("backup", Duration::from_secs(1));
        metrics.tables(Grain::Daily, 3, 4);
        metrics.clock_synchronised(true);
        metrics.backed_up(Timestamp::UNIX_EPOCH);
        let text = metrics.text();
        for line in [
            "annals_http_request_seconds_bucket{le=\"0.005\",route=\"/v1/agents\",method=\"GET\",status=\"200\"} 1",
            "annals_messages_total{outcome=\"accepted\"} 2",
            "annals_failures_total{part=\"project\",cause=\"storage\"} 1",
            "annals_job_seconds_count{job=\"backup\"} 1",
            "annals_table_versions{grain=\"daily\"} 3",
            "annals_table_fragments{grain=\"daily\"} 4",
            "annals_clock_synchronised{} 1",
            "annals_last_backup_timestamp_seconds{} 0",
            "annals_http_requests_in_flight 0",
            "process_start_time_seconds 0",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
        assert!(text.contains("annals_build_info{version="), "{text}");
        let documented = include_str!("../../../infra/README.md");
        for name in text.lines().filter_map(|line| line.strip_prefix("# TYPE annals_")?.split(' ').next()) {
            let known = [format!("`annals_{name}`"), format!("`annals_{name}_total`"), format!("`annals_{name}_info`")];
            assert!(known.iter().any(|name| documented.contains(name)), "{name} is not in infra/README.md");
        }
    }

    #[test]
    fn gauge_that_was_never_set_is_absent() {
        let text = Metrics::new().text();
        assert!(
            !text.contains("annals_clock_synchronised{") && !text.contains("annals_last_backup_timestamp_seconds{")
        );
    }

    #[test]
    fn unanswered_request_counts_as_in_flight() {
        let metrics = Metrics::new();
        let request = metrics.in_flight();
        assert!(metrics.text().contains("annals_http_requests_in_flight 1"));
        drop(request);
        assert!(metrics.text().contains("annals_http_requests_in_flight 0"));
    }
}
