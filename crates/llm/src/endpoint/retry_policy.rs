//! Retry and back-off of calls, for chat models and embedders alike. The waits are fields, so that tests can set short ones.

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use tokio::time::Instant;

use super::failure::EndpointError;

/// Waits between attempts and after an outage.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetryPolicy {
    /// Wait before the second attempt; doubled for each further one.
    pub(super) first_wait: Duration,
    /// Number of attempts after the first. It is small, because the next pass tries again with newer data.
    pub(super) retries: usize,
    /// Time for which the circuit breaker is open after the first outage; doubled after each further one.
    pub(super) cool_down: Duration,
    /// Maximum time for which the circuit breaker is open, even if the server requests more: it may recover much sooner.
    pub(super) longest_cool_down: Duration,
}

impl Default for RetryPolicy {
    fn default() -> RetryPolicy {
        RetryPolicy {
            first_wait: Duration::from_secs(1),
            retries: 3,
            cool_down: Duration::from_secs(15),
            longest_cool_down: Duration::from_secs(300),
        }
    }
}

impl RetryPolicy {
    /// Makes attempts until one succeeds or fails in a way that another attempt would not change, but no more than `retries`
    /// after the first. Waits at least as long as the server requests. Stops if the next attempt would start later than `limit`
    /// after the first.
    pub(super) async fn run<T, F>(self, limit: Duration, attempt: impl FnMut() -> F) -> Result<T, EndpointError>
    where
        F: Future<Output = Result<T, EndpointError>>,
    {
        let deadline = Instant::now() + limit;
        attempt
            .retry(self.backoff())
            .when(EndpointError::passes)
            .adjust(|failure, wait| {
                // `None` means no more attempts.
                let wait = wait?.max(failure.wait().unwrap_or_default());
                Instant::now().checked_add(wait).is_some_and(|at| at < deadline).then_some(wait)
            })
            .await
    }

    pub(super) fn backoff(&self) -> ExponentialBuilder {
        ExponentialBuilder::default().with_min_delay(self.first_wait).with_max_times(self.retries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RetryPolicy = RetryPolicy {
        first_wait: Duration::from_millis(1),
        retries: 3,
        cool_down: Duration::ZERO,
        longest_cool_down: Duration::ZERO,
    };

    /// Makes a call that fails as listed, then succeeds. Returns whether it succeeded, and the number of attempts.
    async fn called(failures: Vec<EndpointError>) -> (bool, usize) {
        let (mut left, mut attempts) = (failures.into_iter(), 0);
        let done = POLICY.run(Duration::from_secs(60), || {
            attempts += 1;
            std::future::ready(left.next().map_or(Ok(()), Err))
        });
        let is_ok = done.await.is_ok();
        (is_ok, attempts)
    }

    #[tokio::test]
    async fn attempts_end_with_success_refusal_or_the_limit() {
        let busy = |wait: Option<Duration>| EndpointError::Overloaded { status: 503, wait };
        assert_eq!(called(vec![]).await, (true, 1));
        assert_eq!(called(vec![busy(None), busy(Some(Duration::from_millis(2)))]).await, (true, 3));
        assert_eq!(called(vec![busy(None), busy(None), busy(None), busy(None)]).await, (false, 4));
        let too_long = busy(Some(Duration::from_secs(70)));
        assert_eq!(called(vec![too_long]).await, (false, 1), "the server asks for a longer wait than the limit");
        assert_eq!(called(vec![EndpointError::Unusable("no")]).await, (false, 1));
    }
}
