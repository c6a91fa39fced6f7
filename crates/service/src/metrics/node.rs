//! What a process tells about itself as a node of a cluster: the metrics at `/metrics/node`, and how long the database has not
//! answered. The metrics of the memory are those of the active node. Never reads a clock.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

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
    silence: Number,
    forwarded: Family<Outcome, Counter>,
    /// When the database last answered a question about the lease; at first, when the node started.
    answered: Mutex<Instant>,
    lease: Duration,
}

impl NodeMetrics {
    /// Creates the metrics of a node that stands by. `lease` is the length of a lease.
    pub fn new(lease: Duration, now: Instant) -> NodeMetrics {
        let mut registry = Registry::default();
        let mut own = Register(registry.sub_registry_with_prefix("annals_node"));
        NodeMetrics(Arc::new(Inner {
            active: own.add("active", "1 if this node has the lease", Gauge::default()),
            epoch: own.add("lease_epoch", "Number of the lease that this node has", Family::default()),
            silence: own.add(
                "database_silence_seconds",
                "Time since the database last answered a question about the lease",
                Number::default(),
            ),
            forwarded: own.add(
                "forwarded_requests",
                "Requests that this node has forwarded, by outcome",
                Family::default(),
            ),
            registry,
            answered: Mutex::new(now),
            lease,
        }))
    }

    /// Records that this node has taken the lease.
    pub fn became_active(&self, epoch: i64) {
        self.0.active.set(1);
        self.0.epoch.get_or_create(&[]).set(epoch);
    }

    /// Records that the database answered a question that was sent at the given moment.
    pub fn database_answered(&self, sent: Instant) {
        *self.0.answered.lock().unwrap_or_else(PoisonError::into_inner) = sent;
    }

    /// Counts a forwarded request.
    pub fn forwarded(&self, outcome: Forwarded) {
        let outcome = match outcome {
            Forwarded::Answered => "answered",
            Forwarded::Lost => "lost",
            Forwarded::Unreachable => "unreachable",
        };
        self.0.forwarded.get_or_create(&Outcome { outcome }).inc();
    }

    /// Returns whether the database has answered within the length of a lease.
    pub fn reaches_database(&self, now: Instant) -> bool {
        self.silence(now) <= self.0.lease
    }

    /// Returns the metrics in OpenMetrics text format.
    pub fn text(&self, now: Instant) -> String {
        self.0.silence.set(self.silence(now).as_secs_f64());
        let mut text = String::new();
        encode(&mut text, &self.0.registry).expect("a string takes everything");
        text
    }

    fn silence(&self, now: Instant) -> Duration {
        now.saturating_duration_since(*self.0.answered.lock().unwrap_or_else(PoisonError::into_inner))
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
    fn metrics_of_a_node_are_listed_in_the_readme() {
        let start = Instant::now();
        let node = NodeMetrics::new(Duration::from_secs(15), start);
        assert!(!node.text(start).contains("lease_epoch{"), "a standby node has no lease");
        node.became_active(7);
        node.forwarded(Forwarded::Lost);
        let text = node.text(start + Duration::from_secs(2));
        for line in [
            "annals_node_active 1",
            "annals_node_lease_epoch{} 7",
            "annals_node_database_silence_seconds 2.0",
            "annals_node_forwarded_requests_total{outcome=\"lost\"} 1",
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
