//! Whether the clock can be trusted to prune by. Pure.
//!
//! A clock that is behind prunes too little, which the next pass makes good; one that is ahead prunes what should have
//! stayed. So what counts is how long the clock has gone on without a jump, whatever any daemon claims of it: a step of more
//! than [`GAP`] forward is either a machine that was off or a clock gone wrong, and only time tells. What messages say of the
//! time is not asked: one message of the future, sent by mistake, would stop retention for ever.
//!
//! | the clock | pruning |
//! | --- | --- |
//! | is looked at for the first time | after the hold |
//! | goes back by more than a minute | after the hold, from then |
//! | goes on by up to 36 hours | as before |
//! | goes on by more | after the hold, from then |
//!
//! The hold is half an hour; a day where the system itself says that the clock is not synchronised.

use annals_core::ports::ClockNote;
use annals_core::{SignedDuration, Timestamp};

/// How far a clock may go on between two looks: a machine that is off for a night and a day is still the same clock.
pub const GAP: SignedDuration = SignedDuration::from_hours(36);
/// How far it may go back: what time daemons correct as a matter of course.
pub const SLACK: SignedDuration = SignedDuration::from_mins(1);
/// How long it must have gone on.
pub const HOLD: SignedDuration = SignedDuration::from_mins(30);
/// How long when the system says that it is not synchronised: a machine without a network prunes too, a day later.
pub const LONG_HOLD: SignedDuration = SignedDuration::from_hours(24);

/// Whether the clock can be pruned by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// It has gone on long enough.
    Yes,
    /// Not before this, if it goes on.
    From(Timestamp),
}

impl Confirmed {
    /// Whether it is.
    pub fn is_yes(self) -> bool {
        self == Confirmed::Yes
    }
}

/// Looks at the clock: what is now known of it, to be kept, and whether it is confirmed. `synchronised` is what the system says,
/// where it says anything.
pub fn observe(note: Option<ClockNote>, now: Timestamp, synchronised: Option<bool>) -> (ClockNote, Confirmed) {
    let steady_since = note.filter(|note| goes_on(note.seen, now)).map_or(now, |note| note.steady_since.min(now));
    let hold = if synchronised == Some(false) { LONG_HOLD } else { HOLD };
    let from = steady_since.saturating_add(hold).unwrap_or(Timestamp::MAX);
    let confirmed = if from <= now { Confirmed::Yes } else { Confirmed::From(from) };
    (ClockNote { seen: now, steady_since }, confirmed)
}

fn goes_on(seen: Timestamp, now: Timestamp) -> bool {
    let step = now.duration_since(seen);
    -SLACK <= step && step <= GAP
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks at the clock at each of these moments, with `+` or `-` before it where the system says that it is
    /// (not) synchronised; expects `y` or `n` for each.
    #[track_caller]
    fn check(looks: &str, expect: &str) {
        let mut note = None;
        let answers: Vec<&str> = looks
            .split_whitespace()
            .map(|look| {
                let synchronised = [("+", true), ("-", false)].into_iter().find(|(sign, _)| look.starts_with(sign));
                let now = look.trim_start_matches(['+', '-']).parse().unwrap();
                let (next, confirmed) = observe(note, now, synchronised.map(|(_, is)| is));
                note = Some(next);
                if confirmed.is_yes() { "y" } else { "n" }
            })
            .collect();
        assert_eq!(answers.join(""), expect, "{looks}");
    }

    #[test]
    fn a_clock_that_goes_on_is_confirmed_after_half_an_hour() {
        check("2026-03-04T10:00Z", "n");
        check("2026-03-04T10:00Z 2026-03-04T10:29:59Z 2026-03-04T10:30Z", "nny");
        check("+2026-03-04T10:00Z +2026-03-04T10:29:59Z +2026-03-04T10:30Z", "nny");
        check("2026-03-04T10:00Z 2026-03-05T10:00Z 2026-03-06T10:00Z", "nyy");
    }

    #[test]
    fn one_that_says_it_is_wrong_must_go_on_for_a_day() {
        check("-2026-03-04T10:00Z -2026-03-04T10:30Z -2026-03-05T09:59Z -2026-03-05T10:00Z", "nnny");
        check("-2026-03-04T10:00Z +2026-03-04T10:30Z -2026-03-04T10:40Z", "nyn");
    }

    #[test]
    fn a_jump_begins_anew() {
        check("2026-03-04T10:00Z 2026-03-05T22:00Z 2026-03-07T10:00:01Z 2026-03-07T10:30:01Z", "nyny");
        check("2026-03-04T10:00Z 2026-03-04T11:00Z 2026-03-14T11:00Z 2026-03-14T11:29Z 2026-03-14T11:30Z", "nynny");
    }

    #[test]
    fn a_year_ahead_for_ten_minutes_confirms_nothing_and_is_forgotten_in_half_an_hour() {
        for sign in ["", "+"] {
            let looks = [
                "2026-03-04T10:00Z",
                "2026-03-04T11:00Z",
                "2027-03-04T11:01Z",
                "2027-03-04T11:06Z",
                "2027-03-04T11:11Z",
                "2026-03-04T11:12Z",
                "2026-03-04T11:41Z",
                "2026-03-04T11:42Z",
            ];
            check(&looks.map(|look| format!("{sign}{look}")).join(" "), "nynnnnny");
        }
    }

    #[test]
    fn going_back_a_little_is_a_correction_and_more_is_a_jump() {
        check("2026-03-04T10:00Z 2026-03-04T11:00Z 2026-03-04T10:59Z", "nyy");
        check("2026-03-04T10:00Z 2026-03-04T11:00Z 2026-03-04T10:58:59Z 2026-03-04T11:28:59Z", "nyny");
    }

    #[test]
    fn it_says_from_when_on() {
        let now: Timestamp = "2026-03-04T10:00:00Z".parse().unwrap();
        let (note, confirmed) = observe(None, now, None);
        assert_eq!(note, ClockNote { seen: now, steady_since: now });
        assert_eq!(confirmed, Confirmed::From(now + HOLD));
    }

    /// Whatever the clock does: never confirmed less than the hold after the last jump, and always after it.
    #[test]
    fn confirmed_is_steady_for_the_hold_and_nothing_else() {
        let steps = [-100_000_i64, -61, -60, 0, 1, 600, 1_799, 1_800, 129_600, 129_601, 40_000_000];
        let start: Timestamp = "2026-03-04T10:00:00Z".parse().unwrap();
        for index in 0..steps.len().pow(3) {
            let (mut note, mut now, mut jumped) = (None, start, start);
            for step in [0, steps[index % 11], steps[index / 11 % 11], steps[index / 121]] {
                now += SignedDuration::from_secs(step);
                if !(-60..=129_600).contains(&step) {
                    jumped = now;
                }
                jumped = jumped.min(now);
                let (next, confirmed) = observe(note, now, Some(true));
                note = Some(next);
                assert_eq!(confirmed.is_yes(), now.duration_since(jumped) >= HOLD, "{index}");
            }
        }
    }
}
