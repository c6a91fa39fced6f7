//! Why an endpoint gave no answer, and how to react to it.

use std::fmt;
use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::rate_limit_headers::retry_after;
use super::shape::{Parameter, refused_parameter};

/// Why there is no answer. Never contains text of a request or an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EndpointError {
    /// No connection, or a broken one.
    Unreachable(String),
    /// The endpoint cannot answer now, and may say for how long.
    Overloaded { status: u16, wait: Option<Duration> },
    /// No answer within the time limit.
    Late(Duration),
    /// The answer began, but no further token came within the time limit.
    Silent(Duration),
    /// The connection ended before the answer was complete. The received part has been paid for.
    BrokeOff,
    /// Key, address or name of the model is wrong: the operator has to fix it.
    Denied(u16),
    /// The endpoint failed recently for this cause; the circuit breaker stays open for a while.
    Away { left: Duration, cause: String },
    /// The endpoint does not accept this request. It may name the parameter that it does not know.
    Refused { status: u16, code: String, parameter: Option<Parameter> },
    /// The request does not fit into the context window, which the endpoint may name.
    TooLong { window: Option<u64> },
    /// The answer cannot be used, for this reason.
    Unusable(&'static str),
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndpointError::Unreachable(cause) => write!(f, "no connection: {cause}"),
            EndpointError::Overloaded { status, .. } => write!(f, "it answered with status {status}"),
            EndpointError::Late(timeout) => write!(f, "no answer within {timeout:?}"),
            EndpointError::Silent(timeout) => write!(f, "no further token within {timeout:?}"),
            EndpointError::BrokeOff => f.write_str("the answer broke off"),
            EndpointError::Denied(status) => {
                write!(f, "it answered with status {status}; check the key, the base URL and the name of the model")
            }
            EndpointError::Away { cause, .. } => write!(f, "it failed recently ({cause}); the circuit breaker is open"),
            EndpointError::TooLong { window: Some(window) } => {
                write!(f, "the question does not fit into its context window of {window} tokens; set `window` to that")
            }
            EndpointError::TooLong { window: None } => f.write_str(
                "the question does not fit into its context window; set `window` to what the server is started with",
            ),
            EndpointError::Refused { status, code, .. } => {
                write!(f, "it refused the request with status {status} {code}")
            }
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

    /// Returns whether further calls will fail too for a while. An answer that broke off says nothing about the next request.
    pub(super) fn opens_breaker(&self) -> bool {
        self.is_outage() && *self != EndpointError::BrokeOff
    }

    /// Returns whether the endpoint is at fault, not the request.
    pub(super) fn is_outage(&self) -> bool {
        !matches!(self, EndpointError::Refused { .. } | EndpointError::TooLong { .. } | EndpointError::Unusable(_))
    }

    /// Returns whether a time limit ended the request.
    pub(super) fn is_late(&self) -> bool {
        matches!(self, EndpointError::Late(_) | EndpointError::Silent(_))
    }

    /// Returns the wait that the server asked for, or how long the circuit breaker stays open.
    pub(super) fn wait(&self) -> Option<Duration> {
        match self {
            EndpointError::Overloaded { wait, .. } => *wait,
            EndpointError::Away { left, .. } => Some(*left),
            _ => None,
        }
    }

    /// Returns `Some` if the cause may be an unsupported form of the request: status 400, 422 or 501. The inner value is the
    /// parameter that the server names, if any.
    pub(super) fn refused_form(&self) -> Option<Option<Parameter>> {
        match self {
            EndpointError::Refused { status: 400 | 422 | 501, parameter, .. } => Some(*parameter),
            _ => None,
        }
    }

    /// Returns whether there was an answer, which has to be paid for.
    pub(super) fn was_answered(&self) -> bool {
        matches!(self, EndpointError::Unusable(_))
    }
}

/// Classifies an answer with an error status.
pub(crate) fn failure(status: u16, headers: &HeaderMap, answer: &Value) -> EndpointError {
    match status {
        408 | 425 | 429 | 500 | 502.. => EndpointError::Overloaded { status, wait: retry_after(headers) },
        300..=399 | 401..=405 | 407 => EndpointError::Denied(status),
        _ => too_long(answer).unwrap_or_else(|| EndpointError::Refused {
            status,
            code: code(answer),
            parameter: refused_parameter(answer),
        }),
    }
}

/// Returns the machine-readable code or type of an error, in brackets; empty if there is none. Ignores messages, which quote
/// the request.
fn code(answer: &Value) -> String {
    let words = [&answer["error"]["code"], &answer["error"]["type"]];
    let is_word = |word: &&str| word.len() <= 60 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let word = words.into_iter().filter_map(Value::as_str).find(is_word);
    word.map(|word| format!("({word})")).unwrap_or_default()
}

/// Returns [`EndpointError::TooLong`] if the error says that the request is too long. The window comes from the field `n_ctx`
/// (llama.cpp) or from the message, if either names one.
fn too_long(answer: &Value) -> Option<EndpointError> {
    let text = answer.to_string().to_lowercase();
    let marks = ["context_length_exceeded", "exceed_context_size", "maximum context length", "prompt is too long"];
    if !marks.iter().any(|mark| text.contains(mark)) {
        return None;
    }
    let window = answer["error"]["n_ctx"].as_u64().or_else(|| {
        let (_, after) = text.split_once("maximum context length is ")?;
        after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    });
    Some(EndpointError::TooLong { window })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
    fn window_is_taken_from_a_refusal_of_a_long_question() {
        fn check(answer: Value, expect: Option<Option<u64>>) {
            let found = match failure(400, &HeaderMap::new(), &answer) {
                EndpointError::TooLong { window } => Some(window),
                _ => None,
            };
            assert_eq!(found, expect, "{answer}");
        }
        let llama = json!({ "error": { "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 4096 } });
        check(llama, Some(Some(4_096)));
        let vllm = "This model's maximum context length is 8192 tokens. However, you requested 9216 tokens.";
        check(json!({ "object": "error", "message": vllm, "code": 400 }), Some(Some(8_192)));
        check(json!({ "error": { "code": "context_length_exceeded", "message": "too many" } }), Some(None));
        check(json!({ "type": "error", "error": { "message": "prompt is too long: 212 tokens" } }), Some(None));
        check(json!({ "error": { "message": "bad" } }), None);
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
