//! How long a period waits after its roll-up failed, and after the engine was unavailable.

use annals_core::SignedDuration;

use crate::roll_up::Why;

/// The first wait after a failure; it doubles with each further one.
const FIRST: SignedDuration = SignedDuration::from_mins(1);
/// 2^10 minutes are 17 hours.
const MOST_DOUBLINGS: u32 = 10;
/// The first wait after a failure to rewrite a summary of the fallback engine: nobody waits for it, and each attempt may cost.
const FIRST_DEGRADED: SignedDuration = SignedDuration::from_hours(1);
/// 2^7 hours are five days.
const MOST_DEGRADED_DOUBLINGS: u32 = 7;
/// The longest wait for an engine that gives no retry time.
const LONGEST_OUTAGE_WAIT: SignedDuration = SignedDuration::from_hours(1);

/// Returns the wait after a failure that follows `attempts` others. None for an outdated summary, which is still valid.
pub(crate) fn after_failure(why: Why, attempts: u32) -> Option<SignedDuration> {
    match why {
        Why::Dirty => Some(FIRST * 2_i32.pow(attempts.min(MOST_DOUBLINGS))),
        Why::Degraded => Some(FIRST_DEGRADED * 2_i32.pow(attempts.min(MOST_DEGRADED_DOUBLINGS))),
        Why::Outdated => None,
    }
}

/// Returns the wait after the engine was unavailable for this long.
pub(crate) fn after_outage(unavailable: SignedDuration) -> SignedDuration {
    unavailable.clamp(FIRST, LONGEST_OUTAGE_WAIT)
}
