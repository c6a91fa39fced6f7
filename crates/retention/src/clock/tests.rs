//! Tests of clocks that run on, jump, go back, or are reported as wrong.

use annals_testkit::at;

use super::*;

/// Reads the clock at each of these times in March (`5T10:00` is 10:00 on the fifth). A leading `+` or `-` means that the
/// system reports it as synchronised or not; `!` and a time after it, that something was stored under that time. Expects for
/// each `p` if the clock prunes, `c` if it only closes, `u` and `b` for the doubts.
#[track_caller]
fn check(times: &str, expect: &str) {
    let mut note = None;
    let answers: String = times
        .split_whitespace()
        .map(|time| {
            let synchronised = [("+", true), ("-", false)].into_iter().find(|(sign, _)| time.starts_with(sign));
            let (now, stored) = time.trim_start_matches(['+', '-']).split_once('!').unwrap_or((time, ""));
            let now = instant(now.trim_start_matches(['+', '-']));
            let (next, clock) = ClockReading::at(note, now, synchronised.map(|(_, is)| is));
            note = Some(next);
            match clock.trust((!stored.is_empty()).then(|| instant(stored))) {
                Trust::Full => 'p',
                Trust::ToClose => 'c',
                Trust::No(Doubt::Unsynchronised) => 'u',
                Trust::No(Doubt::Behind) => 'b',
            }
        })
        .collect();
    assert_eq!(answers, expect, "{times}");
}

/// Reads `2T10:30` as half past ten on the second.
fn instant(text: &str) -> Timestamp {
    let (day, time) = text.split_once('T').unwrap();
    let seconds = if time.len() == 5 { ":00" } else { "" };
    at(&format!("2026-03-{day:0>2}T{time}{seconds}Z"))
}

#[test]
fn clock_seen_for_the_first_time_only_closes() {
    check("4T10:00", "c");
    check("+4T10:00", "c");
}

#[test]
fn steady_clock_prunes_after_half_an_hour() {
    check("4T10:00 4T10:29 4T10:30 4T11:00", "ccpp");
    check("4T10:00 4T10:29:59 4T10:30", "ccp");
    check("+4T10:00 +4T10:29:59 +4T10:30", "ccp");
    check("4T10:00 5T10:00 6T10:00", "cpp");
}

#[test]
fn unsynchronised_clock_neither_closes_nor_prunes() {
    check("-4T10:00 -4T10:30 -5T10:30 -6T10:30", "uuuu");
    check("4T10:00 4T10:30 -4T10:40 4T10:50", "cpup");
    check("-4T10:00 +4T10:30 -4T10:40", "upu");
}

#[test]
fn clock_that_went_back_does_nothing_until_steady() {
    check("4T10:00 4T10:30 4T07:00", "cpb");
    check("4T10:00 4T11:00 4T10:58:59 4T11:28:59", "cpbp");
    // A step back of a minute counts as a correction.
    check("4T10:00 4T10:40 4T10:39", "cpp");
    check("4T10:00 4T11:00 4T10:59", "cpp");
}

#[test]
fn clock_behind_stored_times_does_nothing_until_steady() {
    check("4T10:00!4T12:00 4T10:29!4T12:00 4T10:30!4T12:00", "bbp");
    check("4T10:00!4T10:01 4T10:00!4T10:02", "cb");
    check("4T10:00 4T10:30 4T07:00!4T10:30 4T07:10!4T10:30 4T07:30!4T10:30", "cpbbp");
    check("4T10:00 4T10:30 4T10:40!20T10:00", "cpp");
}

#[test]
fn clock_that_jumped_ahead_closes_and_prunes_later() {
    check("4T10:00 4T10:30 9T10:30 9T10:59 9T11:00", "cpccp");
    check("+4T10:00 +4T10:30 +9T10:30 +9T10:35 +4T10:40 +4T11:10", "cpccbp");
    // After a step of a day and a half, the machine counts as having been off.
    check("4T10:00 5T22:00 7T10:00:01 7T10:30:01", "cpcp");
}

#[test]
fn look_returns_when_the_clock_is_steady_and_the_note_to_store() {
    let now = at("2026-03-04T10:00:00Z");
    let (note, clock) = ClockReading::at(None, now, None);
    assert_eq!(note, ClockNote { seen: now, steady_since: now });
    assert_eq!((clock.seen, clock.steady_from), (None, now + HOLD));
    let later = now + SignedDuration::from_mins(10);
    let (note, clock) = ClockReading::at(Some(note), later, None);
    assert_eq!(note, ClockNote { seen: later, steady_since: now });
    assert_eq!((clock.seen, clock.steady_from), (Some(now), now + HOLD));
}

/// Whatever the clock does: it never prunes until the hold has passed since the last jump, and always prunes after it.
#[test]
fn clock_prunes_exactly_when_steady_for_the_hold() {
    let steps = [-100_000_i64, -61, -60, 0, 1, 600, 1_799, 1_800, 129_600, 129_601, 40_000_000];
    let start = at("2026-03-04T10:00:00Z");
    for index in 0..steps.len().pow(3) {
        let (mut note, mut now, mut jumped) = (None, start, start);
        for step in [0, steps[index % 11], steps[index / 11 % 11], steps[index / 121]] {
            now += SignedDuration::from_secs(step);
            if !(-60..=129_600).contains(&step) {
                jumped = now;
            }
            jumped = jumped.min(now);
            let (next, clock) = ClockReading::at(note, now, Some(true));
            note = Some(next);
            assert_eq!(clock.trust(None).prunes(), now.duration_since(jumped) >= HOLD, "{index}");
        }
    }
}
