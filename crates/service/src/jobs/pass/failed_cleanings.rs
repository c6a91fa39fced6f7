//! The agents with files that could not be cleaned of erased text, and the back-off of each.

use std::collections::HashMap;
use std::sync::Arc;

use annals_core::retry::Backoff;
use annals_core::{Agent, Timestamp};
use parking_lot::Mutex;

/// The failures of each agent since the last success. In memory only: after a restart no agent has a delay. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct FailedCleanings(Arc<Mutex<HashMap<Agent, Failures>>>);

#[derive(Debug)]
struct Failures {
    count: u32,
    last: Timestamp,
}

impl FailedCleanings {
    /// Returns whether to clean the agent's files now: after no failure, after the back-off, or if the clock was set back to
    /// before the last failure.
    pub fn is_due(&self, agent: &Agent, now: Timestamp) -> bool {
        let failures = self.0.lock();
        failures.get(agent).is_none_or(|Failures { count, last }| {
            let delay = Backoff::CLEANING.after(count.saturating_sub(1));
            now < *last || now.duration_since(*last) >= delay
        })
    }

    /// Records whether cleaning the agent's files succeeded.
    pub fn note(&self, agent: &Agent, now: Timestamp, succeeded: bool) {
        let mut failures = self.0.lock();
        if succeeded {
            failures.remove(agent);
        } else {
            let failed = failures.entry(agent.clone()).or_insert(Failures { count: 0, last: now });
            *failed = Failures { count: failed.count + 1, last: now };
        }
    }
}

#[cfg(test)]
mod tests {
    use annals_core::SignedDuration;
    use annals_testkit::{agent, at};

    use super::*;

    #[test]
    fn delay_doubles_with_each_failure_up_to_64_minutes() {
        fn check(failures: u32, minutes: i64, expect: bool) {
            let (backoff, failed) = (FailedCleanings::default(), at("2026-03-04T10:00:00Z"));
            (0..failures).for_each(|_| backoff.note(&agent("a"), failed, false));
            let now = failed + SignedDuration::from_mins(minutes);
            assert_eq!(backoff.is_due(&agent("a"), now), expect, "{failures} failures, {minutes} minutes ago");
            assert!(backoff.is_due(&agent("b"), now));
            backoff.note(&agent("a"), now, true);
            assert!(backoff.is_due(&agent("a"), now));
        }
        check(0, 0, true);
        check(1, 0, false);
        check(1, 1, true);
        check(3, 3, false);
        check(3, 4, true);
        check(40, 63, false);
        check(40, 64, true);
        check(2, -60, true);
    }
}
