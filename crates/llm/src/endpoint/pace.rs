//! How often and how soon a call is tried again. A value of its own so that tests need not wait.

use std::time::Duration;

use backon::ExponentialBuilder;

/// Waits between attempts, and after an outage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Before the second attempt; doubled for each further one.
    pub(super) first_wait: Duration,
    /// Attempts after the first. Few: the pass comes again, and knows more than this does.
    pub(super) retries: usize,
    /// Without calls after the first outage; doubled after each further one.
    pub(super) cool_down: Duration,
    /// At most, also where the server asks for more: it may be well sooner.
    pub(super) longest_cool_down: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            first_wait: Duration::from_secs(1),
            retries: 3,
            cool_down: Duration::from_secs(15),
            longest_cool_down: Duration::from_secs(300),
        }
    }
}

impl Pace {
    pub(super) fn backoff(&self) -> ExponentialBuilder {
        ExponentialBuilder::default().with_min_delay(self.first_wait).with_max_times(self.retries)
    }
}
