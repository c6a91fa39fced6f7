//! How long a period waits after its roll-up failed, and after the engine was unavailable.

use annals_core::SignedDuration;
use annals_core::retry::Backoff;

use crate::roll_up::RollUpReason;

/// The shortest and the longest wait for an engine that gives no retry time.
const OUTAGE_WAIT: (SignedDuration, SignedDuration) = (SignedDuration::from_mins(1), SignedDuration::from_hours(1));

/// Returns the wait after a failure that follows `attempts` others. `None` for an outdated summary, which is still valid.
pub(crate) fn after_failure(why: RollUpReason, attempts: u32) -> Option<SignedDuration> {
    match why {
        RollUpReason::Dirty => Some(Backoff::SUMMARY.after(attempts)),
        RollUpReason::Degraded => Some(Backoff::SUBSTITUTE_SUMMARY.after(attempts)),
        RollUpReason::Outdated => None,
    }
}

/// Returns the wait after the engine was unavailable for this long: as long again, but between a minute and an hour. An outage
/// does not count as an attempt of a period, so the time that it has lasted takes the place of a back-off.
pub(crate) fn after_outage(unavailable: SignedDuration) -> SignedDuration {
    unavailable.clamp(OUTAGE_WAIT.0, OUTAGE_WAIT.1)
}
