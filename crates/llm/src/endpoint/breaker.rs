//! Keeps a dead endpoint from costing every period of every agent a timeout: after an outage, calls fail at once for a while.
//!
//! Measured by tokio's monotonic clock, not by the `now` of a task: an outage is a matter of real seconds, also for a pass that
//! runs with a clock of its own, and nothing that is stored depends on it.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use super::pace::Pace;

/// One per base URL.
#[derive(Debug)]
pub(super) struct Breaker {
    pace: Pace,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Calls fail until then.
    until: Option<Instant>,
    /// Outages since the last answer.
    outages: u32,
}

impl Breaker {
    pub(super) fn new(pace: Pace) -> Breaker {
        Breaker { pace, state: Mutex::default() }
    }

    /// For how long calls still fail; none if they may go through.
    pub(super) fn left(&self, now: Instant) -> Option<Duration> {
        let until = self.state().until?;
        Some(until.saturating_duration_since(now)).filter(|left| !left.is_zero())
    }

    /// Notes an outage, and the wait that the server asked for.
    pub(super) fn open(&self, asked: Option<Duration>, now: Instant) {
        // Calls that were under way together are one outage.
        if self.left(now).is_none() {
            let mut state = self.state();
            let cool_down = self.pace.cool_down * 2_u32.saturating_pow(state.outages).min(1 << 10);
            let wait = cool_down.max(asked.unwrap_or_default()).min(self.pace.longest_cool_down);
            state.outages = state.outages.saturating_add(1);
            state.until = Some(now + wait);
        }
    }

    /// Notes an answer.
    pub(super) fn close(&self) {
        *self.state() = State::default();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of the lock panics")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn waits_longer_after_each_outage_and_no_longer_after_an_answer() {
        let breaker = Breaker::new(Pace::default());
        let mut now = Instant::now();
        assert_eq!(breaker.left(now), None);
        for expect in [15, 30, 60, 120, 240, 300, 300] {
            breaker.open(None, now);
            breaker.open(None, now);
            assert_eq!(breaker.left(now), Some(seconds(expect)));
            now += seconds(expect);
            assert_eq!(breaker.left(now), None);
        }
        breaker.close();
        breaker.open(Some(seconds(20)), now);
        assert_eq!(breaker.left(now), Some(seconds(20)));
        breaker.close();
        breaker.open(Some(seconds(86_400)), now);
        assert_eq!(breaker.left(now), Some(seconds(300)));
    }
}
