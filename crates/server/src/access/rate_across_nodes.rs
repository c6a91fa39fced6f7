//! The rate limit of a key across the nodes of a cluster.
//!
//! A standby node reports the searches that it has answered. The active node counts them as if it had answered them, and names the
//! keys that have exceeded their rate. The standby node forwards the requests of these keys, and the active node refuses them
//! until the rate allows them again. Between two reports a key may exceed its rate.

use std::collections::{HashMap, HashSet};

use parking_lot::{Mutex, MutexGuard};

use super::rate_limit::{Holder, RequestLimits};

/// The id of the key whose limit a request was counted for. An extension of the response.
#[derive(Clone, Debug)]
pub(crate) struct CountedKey(pub(super) String);

/// What is counted for other nodes, by the ids of keys.
#[derive(Default)]
pub(super) struct AcrossNodes(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    /// On a standby node, the requests that it has answered since the last report.
    answered: HashMap<String, u32>,
    /// On a standby node, the keys that have exceeded their rate.
    exceeded: HashSet<String>,
    /// On the active node, the requests that other nodes have answered and that the rate did not allow yet.
    owed: HashMap<String, u32>,
}

impl AcrossNodes {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock()
    }

    /// Returns whether the key has exceeded its rate, as the active node says.
    pub(super) fn has_exceeded(&self, key: &str) -> bool {
        self.counts().exceeded.contains(key)
    }

    /// Returns how many requests of a key the rate did not allow yet.
    pub(super) fn owed(&self, key: &str) -> u32 {
        self.counts().owed.get(key).copied().unwrap_or_default()
    }

    /// Counts owed requests of a key while `count` succeeds. Returns the error of `count` if some are left.
    pub(super) fn settle<E>(&self, key: &str, mut count: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        let mut counts = self.counts();
        while let Some(owed) = counts.owed.get_mut(key) {
            count()?;
            *owed -= 1;
            if *owed == 0 {
                counts.owed.remove(key);
            }
        }
        Ok(())
    }
}

impl RequestLimits {
    /// Records that this standby node has answered a request of a key.
    pub(crate) fn record_answered(&self, key: &CountedKey) {
        *self.across_nodes().counts().answered.entry(key.0.clone()).or_default() += 1;
    }

    /// Returns the requests since the last report, by key. Keys that have exceeded their rate are included, so that the active node
    /// says whether they still do.
    pub(crate) fn take_answered(&self) -> HashMap<String, u32> {
        let mut counts = self.across_nodes().counts();
        let mut answered = std::mem::take(&mut counts.answered);
        counts.exceeded.iter().for_each(|key| _ = answered.entry(key.clone()).or_default());
        answered
    }

    /// Refuses the requests of these keys from now on, and no others.
    pub(crate) fn set_exceeded(&self, keys: HashSet<String>) {
        self.across_nodes().counts().exceeded = keys;
    }

    /// Counts requests that another node has answered. Returns the keys that have exceeded their rate.
    pub(crate) fn count_answered(&self, answered: HashMap<String, u32>) -> HashSet<String> {
        for (key, number) in answered.iter().filter(|(_, number)| **number > 0) {
            let mut counts = self.across_nodes().counts();
            let owed = counts.owed.entry(key.clone()).or_default();
            *owed = owed.saturating_add(*number);
        }
        answered.into_keys().filter(|key| self.settle(&Holder::Key(key.clone())).is_err()).collect()
    }
}

#[cfg(test)]
mod tests {
    use annals_service::config::Limits;

    use super::*;

    const KEY: &str = "key";

    /// Returns limits that allow three requests, and no further one during a test.
    fn limits() -> RequestLimits {
        RequestLimits::new(&Limits { requests_per_minute: 1, burst: 3, ..Limits::default() })
    }

    /// Reports what a standby node has answered.
    fn report(standby: &RequestLimits, active: &RequestLimits) {
        standby.set_exceeded(active.count_answered(standby.take_answered()));
    }

    #[test]
    fn requests_that_another_node_has_answered_count_for_the_rate() {
        let (standby, active) = (limits(), limits());
        let answer = |number: u32| (0..number).for_each(|_| standby.record_answered(&CountedKey(KEY.into())));
        let is_allowed = |limits: &RequestLimits, key: &str| limits.count_of(&Holder::Key(key.into())).is_ok();
        answer(2);
        report(&standby, &active);
        assert!(is_allowed(&standby, KEY));
        answer(2);
        report(&standby, &active);
        assert!(!is_allowed(&standby, KEY), "one request more than the rate allows was answered");
        assert!(!is_allowed(&active, KEY));
        assert!(is_allowed(&standby, "other") && is_allowed(&active, "other"));
        report(&standby, &active);
        assert!(!is_allowed(&standby, KEY), "the key stays refused without new requests");
    }

    #[test]
    fn key_is_allowed_again_once_the_rate_allows_what_was_answered() {
        let (standby, active) = (limits(), limits());
        standby.set_exceeded([KEY.to_owned()].into());
        assert_eq!(standby.take_answered(), HashMap::from([(KEY.to_owned(), 0)]));
        report(&standby, &active);
        assert!(!standby.across_nodes().has_exceeded(KEY));
        assert_eq!(standby.take_answered(), HashMap::new());
    }
}
