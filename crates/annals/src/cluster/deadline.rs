//! The moment from which a node must not begin to write to the bucket any more, by two clocks: one may stand still while the
//! machine sleeps, the other may be set. Safety of the catalog does not depend on it.

use std::time::{Duration, Instant};

use annals_core::Timestamp;
use jiff::SignedDuration;
use parking_lot::{Mutex, MutexGuard};

/// A moment by two clocks. The wall clock also runs while the machine sleeps; the other one cannot be set.
#[derive(Clone, Copy)]
pub(super) struct Clocks {
    pub(super) steady: Instant,
    wall: Timestamp,
}

impl Clocks {
    #[expect(clippy::disallowed_methods, reason = "a lease lives on the machine's clocks")]
    pub(super) fn now() -> Clocks {
        Clocks { steady: Instant::now(), wall: Timestamp::now() }
    }
}

/// The moment from which this node must not begin to write any more; not set while it has no lease.
#[derive(Default)]
pub(super) struct Deadline(Mutex<Option<Clocks>>);

impl Deadline {
    pub(super) fn set(&self, sent: Clocks, after: Duration) {
        let wall = sent.wall.saturating_add(SignedDuration::try_from(after).unwrap_or_default()).unwrap_or(sent.wall);
        *self.clocks() = Some(Clocks { steady: sent.steady + after, wall });
    }

    pub(super) fn clear(&self) {
        *self.clocks() = None;
    }

    pub(super) fn is_ahead(&self) -> bool {
        self.is_after(Clocks::now())
    }

    fn is_after(&self, now: Clocks) -> bool {
        self.clocks().is_some_and(|deadline| now.steady < deadline.steady && now.wall < deadline.wall)
    }

    fn clocks(&self) -> MutexGuard<'_, Option<Clocks>> {
        self.0.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadline_passes_by_either_clock() {
        let deadline = Deadline::default();
        let sent = Clocks::now();
        let after = |steady: u64, wall: i64| {
            let wall = sent.wall.saturating_add(SignedDuration::from_secs(wall)).unwrap();
            Clocks { steady: sent.steady + Duration::from_secs(steady), wall }
        };
        assert!(!deadline.is_after(after(0, 0)), "there is no lease yet");
        deadline.set(sent, Duration::from_secs(10));
        for (steady, wall, expect) in [(0, 0, true), (9, 9, true), (10, 9, false), (9, 10, false), (1, -3600, true)] {
            assert_eq!(deadline.is_after(after(steady, wall)), expect, "{steady} s, {wall} s by the wall clock");
        }
        deadline.clear();
        assert!(!deadline.is_after(after(0, 0)));
    }
}
