//! Reads from the headers of an answer how long a server asks its clients to wait.

use std::time::Duration;

use annals_core::{SignedDuration, Timestamp};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// Headers with the remaining quota, each with the header for the time when the quota is full again. OpenAI and Azure send
/// durations such as `6m0s`, Anthropic sends instants, OpenRouter milliseconds since 1970, and others seconds, some of them since
/// 1970.
const QUOTAS: [(&str, &str); 7] = [
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
];

/// Numbers of at least this size are milliseconds since 1970.
const EPOCH_MILLISECONDS: f64 = 1e12;

/// Smaller numbers of at least this size are seconds since 1970. As a wait, they would be 31 years.
const EPOCH_SECONDS: f64 = 1e9;

/// Returns the wait that an answer with an error status requests in its headers; `None` if it requests none. Instants are
/// compared with the clock of the server (the header `Date`), and ignored without it.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let milliseconds = text(headers, "retry-after-ms").and_then(|text| text.parse::<f64>().ok());
    let explicit = milliseconds.map(|milliseconds| milliseconds / 1000.0).and_then(seconds);
    explicit.or_else(|| wait(headers, text(headers, RETRY_AFTER.as_str())?)).or_else(|| exhausted(headers))
}

/// Returns the time until all quotas that are used up are full again; `None` if none is used up.
pub(super) fn exhausted(headers: &HeaderMap) -> Option<Duration> {
    let is_used_up = |name: &str| text(headers, name).is_some_and(|left| left.parse::<f64>() == Ok(0.0));
    let resets = QUOTAS.iter().filter(|(remaining, _)| is_used_up(remaining));
    resets.filter_map(|(_, reset)| wait(headers, text(headers, reset)?)).max()
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    Some(headers.get(name)?.to_str().ok()?.trim())
}

/// Parses a wait given as seconds, a duration, a date, an instant, or seconds or milliseconds since 1970.
fn wait(headers: &HeaderMap, text: &str) -> Option<Duration> {
    if let Ok(number) = text.parse::<f64>() {
        return match number {
            EPOCH_MILLISECONDS.. => until(headers, epoch(number / 1000.0)?),
            EPOCH_SECONDS.. => until(headers, epoch(number)?),
            _ => seconds(number),
        };
    }
    if let Ok(duration) = text.parse::<SignedDuration>() {
        return Duration::try_from(duration).ok();
    }
    until(headers, date(text).or_else(|| text.parse().ok())?)
}

fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number).ok()
}

fn epoch(seconds: f64) -> Option<Timestamp> {
    Timestamp::from_second(format!("{seconds:.0}").parse().ok()?).ok()
}

fn until(headers: &HeaderMap, at: Timestamp) -> Option<Duration> {
    let server_now = date(text(headers, DATE.as_str())?)?;
    Duration::try_from(at.duration_since(server_now)).ok()
}

fn date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::parse(text).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    const DATE: (&str, &str) = ("date", "Wed, 04 Mar 2026 09:00:00 GMT");

    #[test]
    fn retry_after_is_read_in_every_form() {
        fn check(pairs: &[(&'static str, &'static str)], expect: Option<u64>) {
            assert_eq!(retry_after(&headers(pairs)), expect.map(Duration::from_millis), "{pairs:?}");
        }
        check(&[("retry-after", "7")], Some(7_000));
        check(&[("retry-after", "-7")], None);
        check(&[("retry-after", "soon")], None);
        check(&[], None);
        check(&[("retry-after", "Wed, 04 Mar 2026 09:01:30 GMT"), DATE], Some(90_000));
        check(&[("retry-after", "Wed, 04 Mar 2026 09:01:30 GMT")], None);
        check(&[("retry-after-ms", "1250"), ("retry-after", "2")], Some(1_250));
        check(&[("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "6m0s")], Some(360_000));
        check(&[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "120ms")], Some(120));
    }

    #[test]
    fn used_up_quota_asks_for_a_pause() {
        fn check(pairs: &[(&'static str, &'static str)], expect: Option<u64>) {
            assert_eq!(exhausted(&headers(pairs)), expect.map(Duration::from_secs), "{pairs:?}");
        }
        check(&[("x-ratelimit-remaining-requests", "3"), ("x-ratelimit-reset-requests", "1s")], None);
        check(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1772614815000"), DATE], Some(15));
        check(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1772614815"), DATE], Some(15));
        check(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1772614815")], None);
        check(
            &[
                ("anthropic-ratelimit-requests-remaining", "0"),
                ("anthropic-ratelimit-requests-reset", "2026-03-04T09:00:20Z"),
                DATE,
            ],
            Some(20),
        );
        // Azure reports -1 if it does not count.
        check(&[("x-ratelimit-remaining-tokens", "-1"), ("x-ratelimit-reset-tokens", "0")], None);
    }
}
