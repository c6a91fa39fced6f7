//! Back-off after the files of an agent could not be cleaned: one minute, doubled after each further failure.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use annals_core::{Agent, SignedDuration, Timestamp};

/// The first delay, and the most doublings of it: up to 64 minutes.
const FIRST: SignedDuration = SignedDuration::from_mins(1);
const DOUBLINGS: u32 = 6;

/// The failures of each agent since its last success. In memory only: after a restart everything is tried at once. Clones
/// share it.
#[derive(Clone, Debug, Default)]
pub struct Backoff(Arc<Mutex<HashMap<Agent, Failures>>>);

#[derive(Debug)]
struct Failures {
    count: u32,
    last: Timestamp,
}

impl Backoff {
    /// Returns whether to try now. After a clock was set back, it is always time to try.
    pub fn is_due(&self, agent: &Agent, now: Timestamp) -> bool {
        let failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.get(agent).is_none_or(|Failures { count, last }| {
            let delay = FIRST * 2_i32.pow(count.saturating_sub(1).min(DOUBLINGS));
            now < *last || now.duration_since(*last) >= delay
        })
    }

    /// Records the outcome of a try.
    pub fn note(&self, agent: &Agent, now: Timestamp, succeeded: bool) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
    use annals_testkit::{agent, at};

    use super::*;

    #[test]
    fn delay_doubles_with_each_failure_up_to_64_minutes() {
        fn check(failures: u32, minutes: i64, expect: bool) {
            let (backoff, failed) = (Backoff::default(), at("2026-03-04T10:00:00Z"));
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
