//! How far the machine's clock is believed. Pure.
//!
//! To close a period too early can be made good: what comes late makes it dirty again. To prune too early cannot. So a clock
//! that jumped ahead closes, and prunes only once it has gone on for a while; one that is wrong for certain does neither.
//!
//! | the clock | closes | prunes |
//! | --- | --- | --- |
//! | the system says that it is not synchronised | no | no |
//! | has gone on steadily for the hold, as [`annals_retention::observe`] says | yes | yes |
//! | is behind what it said before, or behind what was stored | no | no |
//! | anything else: seen for the first time, or jumped ahead | yes | no |
//!
//! What was stored under a clock that was ahead lies in the future for as long as that was ahead, which may be years; so
//! once the clock has gone on steadily, it counts and what was stored does not.

use annals_core::{SignedDuration, Timestamp};
use annals_retention::Confirmed;

use super::Moment;

/// What time daemons correct as a matter of course.
const SLACK: SignedDuration = SignedDuration::from_mins(1);

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

/// How far the clock is believed that says `moment`. `latest` is the latest moment that it said before, as far as anyone kept
/// it: when it was last looked at, or when something was last stored.
pub fn trust(latest: Option<Timestamp>, moment: Moment, confirmed: Confirmed) -> Trust {
    if moment.synchronised == Some(false) {
        Trust::No(Doubt::Unsynchronised)
    } else if confirmed.is_yes() {
        Trust::Full
    } else if latest.is_some_and(|latest| latest.duration_since(moment.now) > SLACK) {
        Trust::No(Doubt::Behind)
    } else {
        Trust::ToClose
    }
}

#[cfg(test)]
mod tests {
    use annals_retention::observe;
    use annals_testkit::at;

    use super::*;

    /// Looks at the clock at each of these times of one day (`+1` the next, …), with `+` or `-` before it where the system says that
    /// it is (not) synchronised, and `!` and a time after it where something was stored under that time. Expects for each `p` if
    /// it prunes, `c` if it only closes, `u` and `b` for the doubts.
    #[track_caller]
    fn check(looks: &str, expect: &str) {
        let mut note = None;
        let answers: String = looks
            .split_whitespace()
            .map(|look| {
                let synchronised = [("+", true), ("-", false)].into_iter().find(|(sign, _)| look.starts_with(sign));
                let (now, stored) = look.trim_start_matches(['+', '-']).split_once('!').unwrap_or((look, ""));
                let now = instant(now.trim_start_matches(['+', '-']));
                let synchronised = synchronised.map(|(_, is)| is);
                let latest = note.map(|note: annals_core::ports::ClockNote| note.seen);
                let latest = latest.max((!stored.is_empty()).then(|| instant(stored)));
                let (next, confirmed) = observe(note, now, synchronised);
                note = Some(next);
                match trust(latest, Moment { now, synchronised }, confirmed) {
                    Trust::Full => 'p',
                    Trust::ToClose => 'c',
                    Trust::No(Doubt::Unsynchronised) => 'u',
                    Trust::No(Doubt::Behind) => 'b',
                }
            })
            .collect();
        assert_eq!(answers, expect, "{looks}");
    }

    /// `2T10:30` is half past ten on the second.
    fn instant(text: &str) -> Timestamp {
        let (day, time) = text.split_once('T').unwrap();
        at(&format!("2026-03-{day:0>2}T{time}:00Z"))
    }

    #[test]
    fn a_clock_that_is_looked_at_for_the_first_time_closes() {
        check("4T10:00", "c");
        check("+4T10:00", "c");
        check("4T10:00 4T10:29 4T10:30 4T11:00", "ccpp");
    }

    #[test]
    fn one_that_is_not_synchronised_does_nothing_however_long() {
        check("-4T10:00 -4T10:30 -5T10:30 -6T10:30", "uuuu");
        check("4T10:00 4T10:30 -4T10:40 4T10:50", "cpup");
    }

    #[test]
    fn one_that_went_back_does_nothing() {
        check("4T10:00 4T10:30 4T07:00", "cpb");
        check("4T10:00 4T10:40 4T10:39", "cpp");
    }

    #[test]
    fn nor_does_one_that_is_behind_what_was_stored_until_it_has_gone_on() {
        check("4T10:00!4T12:00 4T10:29!4T12:00 4T10:30!4T12:00", "bbp");
        check("4T10:00!4T10:01 4T10:00!4T10:02", "cb");
        check("4T10:00 4T10:30 4T07:00!4T10:30 4T07:10!4T10:30 4T07:30!4T10:30", "cpbbp");
        check("4T10:00 4T10:30 4T10:40!20T10:00", "cpp");
    }

    #[test]
    fn one_that_jumped_ahead_closes_and_prunes_later() {
        check("4T10:00 4T10:30 9T10:30 9T10:59 9T11:00", "cpccp");
        check("+4T10:00 +4T10:30 +9T10:30 +9T10:35 +4T10:40 +4T11:10", "cpccbp");
    }
}
