//! How far the machine's clock is trusted: one rule for closing periods and for pruning. [`ClockReading::trust`] has the
//! table.
//!
//! A clock that is behind prunes too little, which the next pass makes up for; one that is ahead prunes what should have
//! stayed. So pruning depends on how long the clock has run without a jump, even if the system reports the clock as
//! synchronised. After a step of more than [`GAP`] forward, the machine may have been off or the clock may be wrong; at first
//! the two look the same. Times in messages are not used: one message from the future, sent by mistake, would stop retention
//! for ever.

use annals_core::ports::ClockNote;
use annals_core::retry::later;
use annals_core::{SignedDuration, Timestamp};

/// How far the clock may advance between two readings without counting as a jump: a machine that was off for a night and a day
/// still has the same clock.
pub(crate) const GAP: SignedDuration = SignedDuration::from_hours(36);
/// How far the clock may go back between two readings without counting as a jump: time daemons routinely make such corrections.
pub(crate) const SLACK: SignedDuration = SignedDuration::from_mins(1);
/// How long the clock must have run without a jump before anything is pruned.
pub(crate) const HOLD: SignedDuration = SignedDuration::from_mins(30);

/// How far the clock is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Periods close and are pruned by this clock.
    Full,
    /// Periods close by this clock. It must run for `HOLD` without a jump before anything is pruned.
    ToClose,
    /// By this clock, periods neither close nor are pruned.
    No(Doubt),
}

/// Why a clock is not trusted at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The system reports that the clock is not synchronised.
    Unsynchronised,
    /// The clock is more than a minute behind its last reading, or behind the time at which something was stored.
    Behind,
}

impl Trust {
    /// Returns whether periods close by this clock.
    pub fn closes(self) -> bool {
        self.doubt().is_none()
    }

    /// Returns whether anything is pruned by this clock.
    pub fn prunes(self) -> bool {
        self == Trust::Full
    }

    /// Returns why the clock is not trusted at all; `None` if it is trusted to close periods.
    pub fn doubt(self) -> Option<Doubt> {
        match self {
            Trust::No(doubt) => Some(doubt),
            Trust::Full | Trust::ToClose => None,
        }
    }
}

/// The present time of the clock, with what is needed to judge it: the report of the system, the previous reading, and when the
/// clock will have run steadily for `HOLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The time that the clock shows.
    pub now: Timestamp,
    /// Whether the system reports the clock as synchronised; `None` if it reports nothing.
    pub synchronised: Option<bool>,
    /// The time that the clock showed at the last reading; `None` at the first.
    pub seen: Option<Timestamp>,
    /// When the clock will have run for `HOLD`, if it runs on without a jump.
    pub steady_from: Timestamp,
}

impl ClockReading {
    /// Compares `now` with the note of the last reading. Returns the note to store for the next reading, and this reading.
    /// `synchronised` is what the system reports about the clock, if anything.
    pub fn at(note: Option<ClockNote>, now: Timestamp, synchronised: Option<bool>) -> (ClockNote, ClockReading) {
        let steady_since = note.filter(|note| goes_on(note.seen, now)).map_or(now, |note| note.steady_since.min(now));
        let steady_from = later(steady_since, HOLD);
        let seen = note.map(|note| note.seen);
        (ClockNote { seen: now, steady_since }, ClockReading { now, synchronised, seen, steady_from })
    }

    /// Returns how far the clock is trusted, by the first row that applies. `stored` is when something was last stored, as
    /// far as the caller knows.
    ///
    /// | the clock | closes | prunes |
    /// | --- | --- | --- |
    /// | the system reports that it is not synchronised | no | no |
    /// | has run for the hold, neither back by more than a minute nor on by more than 36 hours | yes | yes |
    /// | is more than a minute behind what it showed before, or behind what was stored | no | no |
    /// | anything else: seen for the first time, or jumped ahead | yes | no |
    ///
    /// A period closed too early is harmless: late input makes it dirty again. So a clock that jumped ahead closes
    /// periods at once, but prunes only after it has run for `HOLD`. What was stored under a clock that was ahead lies
    /// in the future, possibly for years; so once the clock has run steadily, the times of stored data are ignored.
    pub fn trust(&self, stored: Option<Timestamp>) -> Trust {
        if self.synchronised == Some(false) {
            Trust::No(Doubt::Unsynchronised)
        } else if self.steady_from <= self.now {
            Trust::Full
        } else if self.seen.max(stored).is_some_and(|latest| latest.duration_since(self.now) > SLACK) {
            Trust::No(Doubt::Behind)
        } else {
            Trust::ToClose
        }
    }
}

fn goes_on(seen: Timestamp, now: Timestamp) -> bool {
    let step = now.duration_since(seen);
    -SLACK <= step && step <= GAP
}

#[cfg(test)]
mod tests;
