//! The metrics of one node of a cluster, at `/metrics/node`, and whether the database answers the node. The metrics at
//! `/metrics` are those of the active node. Never reads a clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::labels::Outcome;
use super::{Number, Register, Unlabelled};

/// The outcome of a request that a standby node forwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarded {
    /// The active node answered.
    Answered,
    /// The active node ended before it answered.
    Lost,
    /// No active node was reached. Nothing was done.
    Unreachable,
}

/// The metrics of a node. Cheap to clone; clones share them.
#[derive(Clone)]
pub struct NodeMetrics(Arc<Inner>);

struct Inner {
    registry: Registry,
    active: Gauge,
    epoch: Family<Unlabelled, Gauge>,
    answer_age: Number,
    lease_seconds: Number,
    forwarded: Family<Outcome, Counter>,
    embedded: Counter,
    searched: Counter,
    /// The number of the lease that this node has taken; `None` while it stands by.
    taken: Mutex<Option<i64>>,
    /// When the database last answered a question about the lease; at first, when the node started.
    answered: Mutex<Instant>,
    lease: Duration,
}

impl NodeMetrics {
    /// Creates the metrics of a node that stands by. `lease` is the length of a lease.
    pub fn new(lease: Duration, now: Instant) -> NodeMetrics {
        let mut registry = Registry::default();
        let mut own = Register(registry.sub_registry_with_prefix("annals_node"));
        let metrics = NodeMetrics(Arc::new(Inner {
            active: own.add("active", "1 if this node has the lease, and it has not ended", Gauge::default()),
            epoch: own.add("lease_epoch", "Number of the lease that this node has", Family::default()),
            answer_age: own.add(
                "database_answer_age_seconds",
                "Age of the last answer of the database about the lease",
                Number::default(),
            ),
            lease_seconds: own.add("lease_seconds", "Length of a lease", Number::default()),
            forwarded: own.add(
                "forwarded_requests",
                "Requests that this node has forwarded, by outcome",
                Family::default(),
            ),
            embedded: own.add(
                "embedded_texts",
                "Texts that this node has embedded for the active one",
                Counter::default(),
            ),
            searched: own.add(
                "answered_searches",
                "Searches and contexts that this node has answered while it stood by",
                Counter::default(),
            ),
            registry,
            taken: Mutex::default(),
            answered: Mutex::new(now),
            lease,
        }));
        metrics.0.lease_seconds.set(lease.as_secs_f64());
        // A series that begins with its first event does not count that event as an increase.
        for outcome in [Forwarded::Answered, Forwarded::Lost, Forwarded::Unreachable] {
            metrics.counter(outcome);
        }
        metrics
    }

    /// Records that this node has taken the lease with this number.
    pub fn took_lease(&self, epoch: i64) {
        *self.taken() = Some(epoch);
    }

    /// Records that this node has released or lost the lease.
    pub fn lost_lease(&self) {
        *self.taken() = None;
    }

    /// Records that the database answered a question that was sent at the given moment.
    pub fn database_answered(&self, sent: Instant) {
        *self.0.answered.lock() = sent;
    }

    /// Counts a request that this standby node forwarded, or failed to forward.
    pub fn forwarded(&self, outcome: Forwarded) {
        self.counter(outcome).inc();
    }

    /// Counts texts that this standby node embedded for the active node.
    pub fn embedded(&self, texts: u64) {
        self.0.embedded.inc_by(texts);
    }

    /// Counts a search that this standby node answered itself.
    pub fn searched(&self) {
        self.0.searched.inc();
    }

    fn counter(&self, outcome: Forwarded) -> Counter {
        let outcome = match outcome {
            Forwarded::Answered => "answered",
            Forwarded::Lost => "lost",
            Forwarded::Unreachable => "unreachable",
        };
        self.0.forwarded.get_or_create(&Outcome { outcome }).clone()
    }

    /// Returns whether the last answer of the database is not older than the length of a lease.
    pub fn reaches_database(&self, now: Instant) -> bool {
        self.answer_age(now) <= self.0.lease
    }

    /// Returns the metrics in OpenMetrics text format.
    pub fn text(&self, now: Instant) -> String {
        self.0.answer_age.set(self.answer_age(now).as_secs_f64());
        let epoch = self.taken().filter(|_| self.reaches_database(now));
        self.0.active.set(epoch.is_some().into());
        self.0.epoch.clear();
        if let Some(epoch) = epoch {
            self.0.epoch.get_or_create(&[]).set(epoch);
        }
        let mut text = String::new();
        encode(&mut text, &self.0.registry).expect("a string takes everything");
        text
    }

    fn answer_age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(*self.0.answered.lock())
    }

    fn taken(&self) -> MutexGuard<'_, Option<i64>> {
        self.0.taken.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn database_is_unreachable_after_a_lease_without_an_answer() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let node = NodeMetrics::new(Duration::from_secs(15), start);
        assert!(node.reaches_database(at(15)) && !node.reaches_database(at(16)));
        node.database_answered(at(10));
        assert!(node.reaches_database(at(25)) && !node.reaches_database(at(26)));
    }

    #[test]
    fn node_is_active_until_its_lease_has_ended() {
        let start = Instant::now();
        let node = NodeMetrics::new(Duration::from_secs(15), start);
        let is_active = |seconds| node.text(start + Duration::from_secs(seconds)).contains("annals_node_active 1\n");
        assert!(!is_active(0));
        node.took_lease(7);
        assert!(is_active(15) && !is_active(16), "it was not renewed");
        node.database_answered(start + Duration::from_secs(10));
        assert!(is_active(16));
        node.lost_lease();
        assert!(!is_active(16));
    }

    #[test]
    fn metrics_of_a_node_are_listed_in_the_readme() {
        let start = Instant::now();
        let node = NodeMetrics::new(Duration::from_secs(15), start);
        assert!(!node.text(start).contains("lease_epoch{"), "a standby node has no lease");
        node.took_lease(7);
        node.forwarded(Forwarded::Lost);
        node.embedded(16);
        let text = node.text(start + Duration::from_secs(2));
        for line in [
            "annals_node_active 1",
            "annals_node_lease_epoch{} 7",
            "annals_node_database_answer_age_seconds 2.0",
            "annals_node_lease_seconds 15.0",
            "annals_node_forwarded_requests_total{outcome=\"lost\"} 1",
            "annals_node_forwarded_requests_total{outcome=\"unreachable\"} 0",
            "annals_node_embedded_texts_total 16",
            "annals_node_answered_searches_total 0",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
        let documented = include_str!("../../../../infra/README.md");
        for name in text.lines().filter_map(|line| line.strip_prefix("# TYPE annals_")?.split(' ').next()) {
            let known = [format!("`annals_{name}`"), format!("`annals_{name}_total`")];
            assert!(known.iter().any(|name| documented.contains(name)), "{name} is not in infra/README.md");
        }
    }
}
