//! Confirmations: a dry run issues one and the erasure requires it, so that nothing is forgotten without a dry run before.
//!
//! A confirmation is valid for one agent, one set of arguments and ten minutes, and only in the process that issued it.
//! Nothing is stored: a confirmation is a hash of the agent, the arguments, the time and a secret of the process.

use std::sync::LazyLock;

use annals_core::{Agent, Digest, Error, Result, SignedDuration, Timestamp};
use subtle::ConstantTimeEq;

/// Time for which a confirmation is valid: long enough for a person to decide.
const VALID: SignedDuration = SignedDuration::from_mins(10);
/// Number of hex digits of the hash: 128 bits, too many to guess while the confirmation is valid.
const DIGITS: usize = 32;

static SECRET: LazyLock<[u8; 32]> = LazyLock::new(|| {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).expect("the system gives random bytes");
    secret
});

/// Issues the confirmation for an erasure. `what` is the canonical text of the arguments.
pub(super) fn issue(agent: &Agent, what: &str, now: Timestamp) -> String {
    let since = now.as_second();
    format!("{since}-{}", hash(agent, what, since))
}

/// Checks that the confirmation was issued for this agent and `what`, and is not older than [`VALID`]. Fails with `Invalid`
/// otherwise.
pub(super) fn check(confirmation: Option<&str>, agent: &Agent, what: &str, now: Timestamp) -> Result<()> {
    let wrong = |reason: &str| {
        Error::invalid("confirmation", format!("{reason}; use the confirmation from the answer to a dry run"))
    };
    let confirmation_code = confirmation.ok_or_else(|| wrong("is missing"))?;
    let parsed =
        confirmation_code.split_once('-').and_then(|(since, digits)| Some((since.parse::<i64>().ok()?, digits)));
    let (since, digits) = parsed.ok_or_else(|| wrong("is malformed"))?;
    if !bool::from(digits.as_bytes().ct_eq(hash(agent, what, since).as_bytes())) {
        return Err(wrong("was not issued for these arguments"));
    }
    let age = now.as_second().saturating_sub(since);
    if (0..=VALID.as_secs()).contains(&age) { Ok(()) } else { Err(wrong("has expired")) }
}

fn hash(agent: &Agent, what: &str, since: i64) -> String {
    let since = since.to_le_bytes();
    let parts: [&[u8]; 5] =
        [&*SECRET, agent.workspace().as_bytes(), agent.key().as_bytes(), what.as_bytes(), since.as_slice()];
    let mut digits = Digest::of(parts).to_string();
    digits.truncate(DIGITS);
    digits
}

#[cfg(test)]
mod tests {
    use annals_testkit::{agent, at};

    use super::*;

    #[test]
    fn confirmation_is_valid_for_one_agent_one_target_and_ten_minutes() {
        let confirmation_code = issue(&agent("a"), "all of Bob", at("2026-03-10T12:00:00Z"));
        let check = |confirmation_code: Option<&str>, name: &str, what: &str, now: &str, expect: &str| {
            let message = check(confirmation_code, &agent(name), what, at(now))
                .map_or_else(|error| error.to_string(), |()| String::new());
            assert!(message.contains(expect) && message.is_empty() == expect.is_empty(), "{message:?} {expect:?}");
        };
        check(Some(&confirmation_code), "a", "all of Bob", "2026-03-10T12:00:00Z", "");
        check(Some(&confirmation_code), "a", "all of Bob", "2026-03-10T12:10:00Z", "");
        check(Some(&confirmation_code), "a", "all of Bob", "2026-03-10T12:10:01Z", "has expired");
        check(Some(&confirmation_code), "a", "all of Bob", "2026-03-10T11:59:59Z", "has expired");
        check(Some(&confirmation_code), "a", "all of Ann", "2026-03-10T12:01:00Z", "not issued for these arguments");
        check(Some(&confirmation_code), "b", "all of Bob", "2026-03-10T12:01:00Z", "not issued for these arguments");
        let (_, digits) = confirmation_code.split_once('-').unwrap();
        let later = format!("{}-{digits}", at("2026-03-10T12:30:00Z").as_second());
        check(Some(&later), "a", "all of Bob", "2026-03-10T12:30:00Z", "not issued for these arguments");
        check(Some("yes"), "a", "all of Bob", "2026-03-10T12:01:00Z", "is malformed");
        check(None, "a", "all of Bob", "2026-03-10T12:01:00Z", "is missing");
    }
}
