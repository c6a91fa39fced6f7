//! When failed work is tried again, and when the built-in fallback does it in place of the model. Times are arguments.
//!
//! One policy for all work that is stored and may wait: summaries, extraction, cleaning of files. Attempts within one
//! request to a model have a policy of their own in `llm/src/endpoint/retry_policy.rs`: they last seconds of real time
//! and nothing of them is stored.

use jiff::{SignedDuration, Timestamp};

/// Number of failures on one input, caused by the model or the input, after which the fallback processes the input. Further
/// attempts would cost more calls and delay the work behind it; each attempt already gives the model feedback on its unusable
/// answer.
pub const MAX_ATTEMPTS: u32 = 3;

/// How long an unavailable model, or a spent budget, may delay work before the fallback does it. Most restarts,
/// overloads and nightly maintenance windows end within six hours. With a limit of a day or more, days would stay
/// without a summary, and retention could not prune them.
pub const MAX_OUTAGE: SignedDuration = SignedDuration::from_hours(6);

/// Maximum time from one check of a spent budget to the next. A check costs nothing, and somebody may have raised the budget.
pub const BUDGET_CHECK: SignedDuration = SignedDuration::from_mins(15);

/// A wait that doubles with each failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The wait after the first failure.
    pub first: SignedDuration,
    /// The longest wait.
    pub longest: SignedDuration,
}

impl Backoff {
    /// The wait after a summary failed because of its input or the model's answer: up to 17 hours, 2^10 minutes.
    pub const SUMMARY: Backoff = minutes(1 << 10);
    /// The wait after a failure to rewrite a summary of the fallback engine, up to 128 hours: nobody waits for it, and
    /// each attempt may cost.
    pub const SUBSTITUTE_SUMMARY: Backoff =
        Backoff { first: SignedDuration::from_hours(1), longest: SignedDuration::from_hours(1 << 7) };
    /// The wait after a failed extraction, and between calls of an unavailable model that gives no retry time; up to an hour.
    pub const EXTRACTION: Backoff = minutes(60);
    /// The wait after files could not be cleaned of erased text, up to 64 minutes.
    pub const CLEANING: Backoff = minutes(1 << 6);

    /// Returns the wait after a failure that follows `earlier` others.
    pub fn after(self, earlier: u32) -> SignedDuration {
        let factor = 2_i32.checked_pow(earlier).unwrap_or(i32::MAX);
        self.first.saturating_mul(factor).min(self.longest)
    }
}

/// Returns a back-off from one minute up to `longest` minutes.
const fn minutes(longest: i64) -> Backoff {
    Backoff { first: SignedDuration::from_mins(1), longest: SignedDuration::from_mins(longest) }
}

/// Returns when to check the budget again: at `again`, when the next budget begins, or after [`BUDGET_CHECK`] if that is
/// earlier.
pub fn budget_check(again: Timestamp, now: Timestamp) -> Timestamp {
    again.min(later(now, BUDGET_CHECK))
}

/// Returns the instant after a wait, or the end of time.
pub fn later(from: Timestamp, wait: SignedDuration) -> Timestamp {
    from.saturating_add(wait).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_doubles_up_to_the_longest() {
        fn check(backoff: Backoff, earlier: u32, minutes: i64) {
            assert_eq!(backoff.after(earlier), SignedDuration::from_mins(minutes), "{backoff:?} after {earlier}");
        }
        check(Backoff::SUMMARY, 0, 1);
        check(Backoff::SUMMARY, 3, 8);
        check(Backoff::SUMMARY, 10, 1024);
        check(Backoff::SUMMARY, u32::MAX, 1024);
        check(Backoff::SUBSTITUTE_SUMMARY, 0, 60);
        check(Backoff::SUBSTITUTE_SUMMARY, 7, 128 * 60);
        check(Backoff::SUBSTITUTE_SUMMARY, 30, 128 * 60);
        check(Backoff::EXTRACTION, 5, 32);
        check(Backoff::EXTRACTION, 6, 60);
        check(Backoff::CLEANING, 6, 64);
        check(Backoff::CLEANING, 31, 64);
    }

    #[test]
    fn instant_after_a_wait_never_overflows() {
        assert_eq!(later(Timestamp::UNIX_EPOCH, SignedDuration::from_secs(2)), Timestamp::from_second(2).unwrap());
        assert_eq!(later(Timestamp::MAX, SignedDuration::from_hours(1)), Timestamp::MAX);
    }
}
