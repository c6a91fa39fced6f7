//! How far the machine's clock is believed: the one rule for whoever closes periods, and whoever prunes. Pure.
//!
//! A clock that is behind prunes too little, which the next pass makes good; one that is ahead prunes what should have
//! stayed. So what counts is how long the clock has gone on without a jump, whatever any daemon claims of it: a step of more
//! than [`GAP`] forward is either a machine that was off or a clock gone wrong, and only time tells. To close a period too early
//! can be made good: what comes late makes it dirty again. So a clock that jumped ahead closes, and prunes only once it has
//! gone on for the [`HOLD`]; one that is wrong for certain does neither.
//!
//! | the clock | closes | prunes |
//! | --- | --- | --- |
//! | the system says that it is not synchronised | no | no |
//! | has gone on for the hold, neither back by more than a minute nor on by more than 36 hours | yes | yes |
//! | is behind what it said before, or behind what was stored | no | no |
//! | anything else: seen for the first time, or jumped ahead | yes | no |
//!
//! What was stored under a clock that was ahead lies in the future for as long as that was ahead, which may be years; so
//! once the clock has gone on steadily, it counts and what was stored does not. What messages say of the time is not asked: one
//! message of the future, sent by mistake, would stop retention for ever.

use annals_core::ports::ClockNote;
use annals_core::{SignedDuration, Timestamp};

/// How far a clock may go on between two looks: a machine that is off for a night and a day is still the same clock.
pub const GAP: SignedDuration = SignedDuration::from_hours(36);
/// How far it may go back: what time daemons correct as a matter of course.
pub const SLACK: SignedDuration = SignedDuration::from_mins(1);
/// How long it must have gone on.
pub const HOLD: SignedDuration = SignedDuration::from_mins(30);

/// How far the clock is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Periods close by it, and are pruned by it.
    Full,
    /// Periods close by it. It must go on for a while before anything is pruned.
    ToClose,
    /// Neither.
    No(Doubt),
}

/// Why a clock is not believed at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The system says that it is not synchronised.
    Unsynchronised,
    /// It is behind what it said before.
    Behind,
}

impl Trust {
    /// Whether periods close by this clock.
    pub fn closes(self) -> bool {
        self.doubt().is_none()
    }

    /// Whether anything is pruned by this clock.
    pub fn prunes(self) -> bool {
        self == Trust::Full
    }

    /// Why it is not believed at all.
    pub fn doubt(self) -> Option<Doubt> {
        match self {
            Trust::No(doubt) => Some(doubt),
            Trust::Full | Trust::ToClose => None,
        }
    }
}

/// What a look at the clock told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// What it says.
    pub now: Timestamp,
    /// Whether the system says that it is synchronised, where it says anything.
    pub synchronised: Option<bool>,
    /// What it said when it was last looked at.
    pub seen: Option<Timestamp>,
    /// When it will have gone on for the hold, if it goes on.
    pub steady_from: Timestamp,
}

impl Look {
    /// Looks at the clock: what is now known of it, to be kept for the next look, and what this one told. `synchronised` is what
    /// the system says, where it says anything.
    pub fn at(note: Option<ClockNote>, now: Timestamp, synchronised: Option<bool>) -> (ClockNote, Look) {
        let steady_since = note.filter(|note| goes_on(note.seen, now)).map_or(now, |note| note.steady_since.min(now));
        let steady_from = steady_since.saturating_add(HOLD).unwrap_or(Timestamp::MAX);
        let seen = note.map(|note| note.seen);
        (ClockNote { seen: now, steady_since }, Look { now, synchronised, seen, steady_from })
    }

    /// How far the clock is believed. `stored` is when something was last stored, as far as whoever asks knows.
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
