//! Why an endpoint gave no answer, and how to react to it.

use std::fmt;
use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use serde_json::Value;

/// Why there is no answer. Never contains text of a question or an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EndpointError {
    /// No connection, or a broken one.
    Unreachable(String),
    /// The endpoint cannot answer now, and may say for how long.
    Overloaded { status: u16, wait: Option<Duration> },
    /// No answer within the time limit.
    Late(Duration),
    /// Key, address or name of the model is wrong: the operator has to fix it.
    Denied(u16),
    /// The endpoint failed recently; the circuit breaker stays open for this long.
    Away(Duration),
    /// The endpoint does not accept this question.
    Refused { status: u16, code: String },
    /// The answer is not that of such an endpoint.
    Unusable(&'static str),
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndpointError::Unreachable(cause) => write!(f, "no connection: {cause}"),
            EndpointError::Overloaded { status, .. } => write!(f, "it answered with status {status}"),
            EndpointError::Late(timeout) => write!(f, "no answer within {timeout:?}"),
            EndpointError::Denied(status) => {
                write!(f, "it answered with status {status}; check the key, the base URL and the name of the model")
            }
            EndpointError::Away(_) => f.write_str("it failed recently; the circuit breaker is open"),
            EndpointError::Refused { status, code } => write!(f, "it refused the request with status {status} {code}"),
            EndpointError::Unusable(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for EndpointError {}

impl EndpointError {
    /// Returns whether the same request may succeed shortly.
    pub(super) fn passes(&self) -> bool {
        matches!(self, EndpointError::Unreachable(_) | EndpointError::Overloaded { .. })
    }

    /// Returns whether the endpoint is at fault, not the question.
    pub(super) fn is_outage(&self) -> bool {
        !matches!(self, EndpointError::Refused { .. } | EndpointError::Unusable(_))
    }

    /// Returns the wait that the server asked for, or how long the circuit breaker stays open.
    pub(super) fn wait(&self) -> Option<Duration> {
        match self {
            EndpointError::Overloaded { wait, .. } => *wait,
            EndpointError::Away(left) => Some(*left),
            _ => None,
        }
    }

    /// Returns whether the cause may be an unsupported request form: status 400, 422 or 501.
    pub(super) fn may_be_about_form(&self) -> bool {
        matches!(self, EndpointError::Refused { status: 400 | 422 | 501, .. })
    }

    /// Returns whether there was an answer, which has to be paid for.
    pub(super) fn was_answered(&self) -> bool {
        matches!(self, EndpointError::Unusable(_))
    }
}

/// Classifies an answer with an error status.
pub(super) fn failure(status: u16, headers: &HeaderMap, answer: &Value) -> EndpointError {
    match status {
        408 | 425 | 429 | 500 | 502.. => EndpointError::Overloaded { status, wait: retry_after(headers) },
        300..=399 | 401..=405 | 407 => EndpointError::Denied(status),
        _ => EndpointError::Refused { status, code: code(answer) },
    }
}

/// Returns a machine-readable word from an error and nothing else of it: messages quote the question.
fn code(answer: &Value) -> String {
    let words = [&answer["error"]["code"], &answer["error"]["type"]];
    let is_word = |word: &&str| word.len() <= 60 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let word = words.into_iter().filter_map(Value::as_str).find(is_word);
    word.map(|word| format!("({word})")).unwrap_or_default()
}

/// Reads seconds, or a date, which is compared with the server's own clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |text: &str| jiff::fmt::rfc2822::parse(text).ok().map(|zoned| zoned.timestamp());
    let wait = date(value)?.duration_since(date(headers.get(DATE).map(HeaderValue::to_str)?.ok()?)?);
    Duration::try_from(wait).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| ((*name).try_into().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_date() {
        fn check(pairs: &[(&'static str, &'static str)], expect: Option<u64>) {
            assert_eq!(retry_after(&headers(pairs)), expect.map(Duration::from_secs), "{pairs:?}");
        }
        check(&[("retry-after", "7")], Some(7));
        check(&[("retry-after", "-7")], None);
        check(&[("retry-after", "soon")], None);
        check(&[], None);
        let (date, later) = ("Wed, 04 Mar 2026 09:00:00 GMT", "Wed, 04 Mar 2026 09:01:30 GMT");
        check(&[("retry-after", later), ("date", date)], Some(90));
        check(&[("retry-after", later)], None);
    }

    #[test]
    fn status_decides_retry_and_outage() {
        fn check(status: u16, passes: bool, is_outage: bool) {
            let failure = failure(status, &HeaderMap::new(), &Value::Null);
            assert_eq!((failure.passes(), failure.is_outage()), (passes, is_outage), "{status}");
        }
        check(429, true, true);
        check(500, true, true);
        check(503, true, true);
        check(401, false, true);
        check(404, false, true);
        check(302, false, true);
        check(400, false, false);
        check(413, false, false);
    }

    #[test]
    fn only_the_code_of_an_error_is_reported() {
        fn check(error: Value, expect: &str) {
            assert_eq!(code(&json!({ "error": error })), expect);
        }
        check(
            json!({ "code": "context_length_exceeded", "message": "Ann lives in Lisbon" }),
            "(context_length_exceeded)",
        );
        check(json!({ "code": "Ann lives", "type": "bad_request" }), "(bad_request)");
        check(json!("Ann"), "");
    }
}
