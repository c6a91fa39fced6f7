//! Retry and back-off settings of calls. A separate type so that tests need not wait.

use std::time::Duration;

use backon::ExponentialBuilder;

/// Waits between attempts and after an outage.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetryPolicy {
    /// Wait before the second attempt; doubled for each further one.
    pub(super) first_wait: Duration,
    /// Attempts after the first. Few, because the next pass tries again with newer data.
    pub(super) retries: usize,
    /// Time without calls after the first outage; doubled after each further one.
    pub(super) cool_down: Duration,
    /// Maximum time without calls, even if the server asks for more: it may recover much sooner.
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
    pub(super) fn backoff(&self) -> ExponentialBuilder {
        ExponentialBuilder::default().with_min_delay(self.first_wait).with_max_times(self.retries)
    }
}
