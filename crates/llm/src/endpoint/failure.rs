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
    /// The connection could not be made, or broke. In a stream, only if it broke before anything of the answer was received.
    Unreachable(String),
    /// The endpoint cannot answer now. `wait` is the time that it asks clients to wait, if it gives one.
    Overloaded { status: u16, wait: Option<Duration> },
    /// No answer within the time limit.
    Late(Duration),
    /// The answer began, but no further token came within the time limit.
    Silent(Duration),
    /// The connection ended before the answer was complete. The received part has been paid for.
    BrokeOff,
    /// Key, address or name of the model is wrong: the operator has to fix it.
    Denied(u16),
    /// The account has no credit left, or its limit of expenses is reached.
    OutOfCredit(u16),
    /// The endpoint failed recently for this cause; the circuit breaker is open for the time `left`.
    Away { left: Duration, cause: String },
    /// The endpoint does not accept this request. `parameter` is the one that it names as not supported; `None` if it names
    /// none.
    Refused { status: u16, code: String, parameter: Option<Parameter> },
    /// The request does not fit into the context window, which the endpoint may name.
    TooLong { window: Option<u64> },
    /// The endpoint does not write answers as long as the request allows. One of the numbers of its message may be its limit.
    OutputLimit { numbers: Vec<u64> },
    /// The answer cannot be used. The text is the reason.
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
            EndpointError::OutOfCredit(status) => {
                write!(f, "it answered with status {status}: the account has no credit left, or its limit is reached")
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
            EndpointError::OutputLimit { .. } => {
                f.write_str("it does not write answers of that length; lower `max_output_tokens`")
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

    /// Returns whether the failure opens the circuit breaker, because further calls would fail too for a while. An answer that
    /// broke off does not: the next one may be complete.
    pub(super) fn opens_breaker(&self) -> bool {
        self.is_outage() && *self != EndpointError::BrokeOff
    }

    /// Returns whether the endpoint is at fault, not the request.
    pub(super) fn is_outage(&self) -> bool {
        use EndpointError::{OutputLimit, Refused, TooLong, Unusable};
        !matches!(self, Refused { .. } | TooLong { .. } | OutputLimit { .. } | Unusable(_))
    }

    /// Returns whether a time limit ended the request.
    pub(super) fn is_late(&self) -> bool {
        matches!(self, EndpointError::Late(_) | EndpointError::Silent(_))
    }

    /// Returns the wait that the server requested, or the time until the circuit breaker closes; `None` if the server requested
    /// none, and for other failures.
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

    /// Returns whether the endpoint may have given a complete answer, which has to be paid for even if it is unusable.
    pub(super) fn was_answered(&self) -> bool {
        matches!(self, EndpointError::Unusable(_))
    }
}

/// Classifies an answer with an error status.
pub(crate) fn failure(status: u16, headers: &HeaderMap, answer: &Value) -> EndpointError {
    match status {
        402 => EndpointError::OutOfCredit(status),
        400 | 403 | 429 if is_out_of_credit(answer) => EndpointError::OutOfCredit(status),
        408 | 425 | 429 | 500 | 502.. => EndpointError::Overloaded { status, wait: retry_after(headers) },
        300..=399 | 401 | 403..=405 | 407 => EndpointError::Denied(status),
        _ => too_long(answer).or_else(|| output_limit(answer)).unwrap_or_else(|| EndpointError::Refused {
            status,
            code: code(answer),
            parameter: refused_parameter(answer),
        }),
    }
}

/// Returns whether the error says that the account cannot pay. More attempts would not help, whatever the status.
fn is_out_of_credit(answer: &Value) -> bool {
    const CODES: [&str; 4] =
        ["insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_credits"];
    let error = &answer["error"];
    let has_code =
        [&error["code"], &error["type"]].into_iter().filter_map(Value::as_str).any(|code| CODES.contains(&code));
    // Anthropic gives no code for it.
    has_code || error["message"].as_str().is_some_and(|message| message.starts_with("Your credit balance is too low"))
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
    let marks = [
        "context_length_exceeded",
        "exceed_context_size",
        "maximum context length",
        "prompt is too long",
        "exceed context limit",
    ];
    if !marks.iter().any(|mark| text.contains(mark)) {
        return None;
    }
    let window = answer["error"]["n_ctx"].as_u64().or_else(|| {
        let (_, after) = text.split_once("maximum context length is ")?;
        after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    });
    Some(EndpointError::TooLong { window })
}

/// Maximum bytes of a message that is searched for a limit. A longer one quotes the request, in which any words may occur.
const MAX_MESSAGE: usize = 400;

/// Returns [`EndpointError::OutputLimit`] if the message of the error says that the limit of tokens in the request is above that
/// of the model.
fn output_limit(answer: &Value) -> Option<EndpointError> {
    const NAMES: [&str; 4] = ["max_tokens", "max_completion_tokens", "max_output_tokens", "maximum tokens"];
    const MARKS: [&str; 8] =
        ["too large", "too high", "at most", "exceed", "less than", "range", "maximum allowed", "<="];
    let error = &answer["error"];
    let message =
        [&error["message"], error, &answer["message"], &answer["detail"]].into_iter().find_map(Value::as_str)?;
    let is_about_another = error["param"].as_str().is_some_and(|param| !NAMES.contains(&param));
    if is_about_another || message.len() > MAX_MESSAGE {
        return None;
    }
    let text = message.to_lowercase();
    let contains = |sentence: &str, words: &[&str]| words.iter().any(|word| sentence.contains(word));
    let is_limit = |sentence: &str| contains(sentence, &NAMES) && contains(sentence, &MARKS);
    let digits = text.split(|c: char| !c.is_ascii_digit());
    text.split(". ")
        .any(is_limit)
        .then(|| EndpointError::OutputLimit { numbers: digits.filter_map(|number| number.parse().ok()).collect() })
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
        check(402, false, true);
    }

    #[test]
    fn spent_credit_is_not_taken_for_load_or_a_wrong_request() {
        fn check(status: u16, error: Value, expect: bool) {
            let failure = failure(status, &HeaderMap::new(), &json!({ "error": error }));
            assert_eq!(failure == EndpointError::OutOfCredit(status), expect, "{status} {failure}");
            assert!(!expect || (failure.is_outage() && !failure.passes()));
        }
        check(
            429,
            json!({ "type": "insufficient_quota", "code": "insufficient_quota", "message": "You exceeded" }),
            true,
        );
        check(429, json!({ "type": "requests", "code": "rate_limit_exceeded" }), false);
        check(402, json!({ "code": 402, "message": "Insufficient credits" }), true);
        let anthropic = "Your credit balance is too low to access the Anthropic API.";
        check(400, json!({ "type": "invalid_request_error", "message": anthropic }), true);
        check(400, json!({ "type": "invalid_request_error", "message": "no" }), false);
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
    fn limit_of_answers_is_no_unknown_parameter() {
        fn check(message: &str, expect: Option<&[u64]>) {
            let answer = json!({ "error": { "message": message } });
            let found = match failure(400, &HeaderMap::new(), &answer) {
                EndpointError::OutputLimit { numbers } => Some(numbers),
                _ => None,
            };
            assert_eq!(found.as_deref(), expect, "{message}");
        }
        let openai = "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.";
        check(openai, Some(&[8192, 4096, 8192]));
        check(
            "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for small",
            Some(&[9000, 8192]),
        );
        check("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", Some(&[1, 8192]));
        check("`max_tokens` must be less than or equal to `8192`", Some(&[8192]));
        check("The maximum tokens you requested exceeds the model limit of 4096.", Some(&[4096]));
        check("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", None);
        check("'temperature' must be at most 2", None);
        check("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000", None);
        // The message quotes the request.
        let body =
            format!("{{'stream_options': {{}}, 'max_tokens': 900, 'prompt': 'at most {}'}}", "word ".repeat(100));
        check(&format!("extra fields not permitted: {body}"), None);
        check("Unsupported value: 'max_tokens'. Temperature must be at most 2.", None);
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
