//! Circuit breaker: after an outage, calls fail at once for a while, so that not every period of every agent waits for the
//! timeout of a dead endpoint.
//!
//! Uses tokio's monotonic clock, not the `now` of a task: an outage lasts real seconds even in a pass that runs with another
//! clock, and nothing stored depends on it.

use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::time::{Instant, timeout_at};

use super::failure::EndpointError;
use super::retry_policy::RetryPolicy;

/// A circuit breaker for the calls of one kind to one server.
#[derive(Debug)]
pub(super) struct Breaker {
    retry_policy: RetryPolicy,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Time until which calls fail at once; it may have passed. `None` if there was no outage since the last answer.
    until: Option<Instant>,
    /// Number of outages since the last answer. A failure that is no outage counts as an answer.
    outages: u32,
    /// The last failure that counted as an outage.
    cause: String,
}

impl Breaker {
    pub(super) fn new(retry_policy: RetryPolicy) -> Breaker {
        Breaker { retry_policy, state: Mutex::default() }
    }

    /// Awaits `asking` for at most `timeout` and records the outcome. While the breaker is open, returns an error and drops
    /// `asking` without polling it.
    pub(super) async fn guard<T>(
        &self,
        timeout: Duration,
        asking: impl Future<Output = Result<T, EndpointError>>,
    ) -> Result<T, EndpointError> {
        if let Some(away) = self.away() {
            return Err(away);
        }
        let begun = Instant::now();
        let answer = timeout_at(begun + timeout, asking).await.unwrap_or(Err(EndpointError::Late(timeout)));
        match &answer {
            Err(failure) if failure.opens_breaker() => {
                self.open(failure.wait(), Instant::now());
                self.state().cause = failure.to_string();
            }
            _ => self.close(),
        }
        answer
    }

    /// Returns whether calls fail at once now.
    pub(super) fn is_open(&self) -> bool {
        self.left(Instant::now()).is_some()
    }

    /// Returns the error of calls that fail at once; `None` if they may go through.
    pub(super) fn away(&self) -> Option<EndpointError> {
        let left = self.left(Instant::now())?;
        Some(EndpointError::Away { left, cause: self.state().cause.clone() })
    }

    /// Returns how long calls will still fail; `None` if they may go through.
    fn left(&self, now: Instant) -> Option<Duration> {
        let until = self.state().until?;
        Some(until.saturating_duration_since(now)).filter(|left| !left.is_zero())
    }

    /// Opens the breaker after an outage: for its cool-down, or for the wait that the server requested if that is longer, but
    /// at most for `longest_cool_down`. Does nothing while it is open.
    fn open(&self, retry_after: Option<Duration>, now: Instant) {
        // Calls that were in flight together count as one outage.
        if self.left(now).is_none() {
            let mut state = self.state();
            let cool_down = self.retry_policy.cool_down * 2_u32.saturating_pow(state.outages).min(1 << 10);
            let wait = cool_down.max(retry_after.unwrap_or_default()).min(self.retry_policy.longest_cool_down);
            state.outages = state.outages.saturating_add(1);
            state.until = Some(now + wait);
        }
    }

    /// Closes the breaker after an answer and resets the count of outages.
    fn close(&self) {
        *self.state() = State::default();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn cool_down_doubles_after_each_outage_and_resets_after_an_answer() {
        let breaker = Breaker::new(RetryPolicy::default());
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
    #[tokio::test]
    async fn any_answer_resets_the_count_of_outages() {
        let away = || EndpointError::Overloaded { status: 503, wait: None };
        let check = async |answer: Result<(), EndpointError>, expect: Duration| {
            let breaker = Breaker::new(RetryPolicy {
                cool_down: seconds(100),
                longest_cool_down: seconds(10_000),
                ..RetryPolicy::default()
            });
            breaker.state().outages = 3;
            assert_eq!(breaker.guard(seconds(60), async { answer.clone() }).await, answer);
            breaker.state().until = None;
            assert_eq!(breaker.guard(seconds(60), async { Err::<(), _>(away()) }).await, Err(away()));
            let left = breaker.left(Instant::now()).unwrap();
            assert!(left <= expect && left > expect / 2, "{left:?} is not {expect:?}");
            let unasked: Result<(), _> = breaker.guard(seconds(60), async { unreachable!("it is away") }).await;
            let cause = unasked.unwrap_err().to_string();
            assert_eq!(cause, "it failed recently (it answered with status 503); the circuit breaker is open");
        };
        check(Ok(()), seconds(100)).await;
        check(Err(EndpointError::Unusable("no score")), seconds(100)).await;
        check(Err(EndpointError::Denied(401)), seconds(1600)).await;
    }

    #[tokio::test]
    async fn timeout_is_an_outage() {
        let breaker = Breaker::new(RetryPolicy::default());
        let answer = breaker.guard(Duration::from_millis(1), std::future::pending::<Result<(), EndpointError>>()).await;
        assert_eq!(answer, Err(EndpointError::Late(Duration::from_millis(1))));
        assert!(breaker.left(Instant::now()).is_some());
    }
}
