//! The state that `annals mcp` keeps of the conversation that it transfers, to continue it with another owner of the data
//! folder: the first request, and the requests without an answer. Reads only the envelope of each message. Does no input or
//! output.

use std::collections::VecDeque;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

/// A request gets an error, and no further attempt, once this many owners have ended before they answered it: it is likely the
/// cause.
const MAX_STOPS: u32 = 3;

/// What has to be sent again to continue a conversation.
#[derive(Default)]
pub(super) struct Session {
    /// The `initialize` request of the client, once it is answered.
    hello: Option<Request>,
    /// Requests without an answer, in order of arrival.
    pending: VecDeque<Request>,
}

struct Request {
    id: Value,
    is_hello: bool,
    line: String,
    /// Number of owners that ended while the request was pending.
    stops: u32,
}

/// The messages to send to a new owner and to the client to continue a conversation.
#[derive(Default, Debug, PartialEq, Eq)]
pub(super) struct Resumption {
    /// The `initialize` request. The client already has its answer.
    pub hello: Option<String>,
    /// Requests to send again.
    pub requests: Vec<String>,
    /// Errors for requests during which too many owners ended.
    pub errors: Vec<String>,
}

/// The fields of a JSON-RPC message that show its kind.
#[derive(Deserialize)]
struct Envelope {
    id: Option<Value>,
    method: Option<String>,
    error: Option<IgnoredAny>,
}

/// A notification that a request is cancelled. Such a request gets no answer.
#[derive(Deserialize)]
struct Cancelled {
    params: CancelledParams,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelledParams {
    request_id: Value,
}

impl Session {
    /// Records a request of the client as unanswered, or the cancellation of one. Ignores other lines.
    pub(super) fn record_request(&mut self, line: &str) {
        let Ok(envelope) = serde_json::from_str::<Envelope>(line) else { return };
        match (envelope.id, envelope.method.as_deref()) {
            (Some(id), Some(method)) => {
                let is_hello = method == "initialize";
                self.pending.push_back(Request { id, is_hello, line: line.to_owned(), stops: 0 });
            }
            (None, Some("notifications/cancelled")) => {
                if let Ok(Cancelled { params }) = serde_json::from_str(line) {
                    self.pending.retain(|request| request.id != params.request_id);
                }
            }
            _ => {}
        }
    }

    /// Removes the request that this line of the owner answers. Keeps an `initialize` request for later owners if it succeeded.
    /// Ignores other lines.
    pub(super) fn answered(&mut self, line: &str) {
        let Ok(Envelope { id: Some(id), method: None, error }) = serde_json::from_str(line) else { return };
        let Some(index) = self.pending.iter().position(|request| request.id == id) else { return };
        if let Some(request) = self.pending.remove(index)
            && request.is_hello
            && error.is_none()
        {
            self.hello = Some(request);
        }
    }

    /// Returns whether a request has no answer yet.
    pub(super) fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Counts the end of an owner for each request without an answer.
    pub(super) fn owner_ended(&mut self) {
        self.pending.iter_mut().for_each(|request| request.stops += 1);
    }

    /// Returns the messages that continue the conversation with a new owner. Removes the requests during which [`MAX_STOPS`]
    /// owners ended.
    pub(super) fn resume(&mut self) -> Resumption {
        let (again, given_up): (VecDeque<Request>, VecDeque<Request>) =
            std::mem::take(&mut self.pending).into_iter().partition(|request| request.stops < MAX_STOPS);
        self.pending = again;
        let stopped = format!("the memory service stopped {MAX_STOPS} times while it worked on this request");
        Resumption {
            hello: self.hello.as_ref().map(|hello| hello.line.clone()),
            requests: self.pending.iter().map(|request| request.line.clone()).collect(),
            errors: given_up.iter().map(|request| error(&request.id, -32603, &stopped)).collect(),
        }
    }
}

/// Returns the error for a line of the client that is not JSON or not a JSON-RPC message; an owner would not answer such a
/// line. Half of a surrogate pair (`"\ud83d"`) counts as invalid JSON. `None` for any other line.
pub(super) fn refusal(line: &str) -> Option<String> {
    let id = || serde_json::from_str::<Envelope>(line).ok().and_then(|envelope| envelope.id).unwrap_or(Value::Null);
    let is_message = |value: &Value| ["method", "result", "error"].iter().any(|field| value.get(field).is_some());
    match serde_json::from_str::<Value>(line) {
        Err(cause) => Some(error(&id(), -32700, &format!("the line is not JSON: {cause}"))),
        Ok(value) if !is_message(&value) => Some(error(&id(), -32600, "the line is not one message of JSON-RPC 2.0")),
        Ok(_) => None,
    }
}

fn error(id: &Value, code: i32, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;

    fn request(id: u64) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{}}}}"#)
    }

    fn answer(id: u64) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
    }

    #[test]
    fn lines_that_no_owner_can_read_are_answered_at_once() {
        fn check(line: &str, expect: Option<(Value, i64)>) {
            let answer = refusal(line).map(|answer| serde_json::from_str::<Value>(&answer).unwrap());
            let found = answer.map(|answer| (answer["id"].clone(), answer["error"]["code"].as_i64().unwrap()));
            assert_eq!(found, expect, "{line}");
        }
        let half = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"text":"bad \ud83d"}}"#;
        check(half, Some((json!(3), -32700)));
        check("garbage", Some((Value::Null, -32700)));
        check(&request(1)[..20], Some((Value::Null, -32700)));
        check(r#"{"id":"a"}"#, Some((json!("a"), -32600)));
        check("[]", Some((Value::Null, -32600)));
        check(&request(1), None);
        check(&answer(1), None);
        check(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, None);
    }

    #[test]
    fn conversation_continues_with_its_beginning_and_the_requests_without_an_answer() {
        fn check(asked: &[&str], answered: &[&str], hello: Option<&str>, requests: &[&str]) {
            let mut session = Session::default();
            asked.iter().for_each(|line| session.record_request(line));
            answered.iter().for_each(|line| session.answered(line));
            assert_eq!(session.is_waiting(), !requests.is_empty());
            let resumed = session.resume();
            assert_eq!((resumed.hello.as_deref(), resumed.errors.len()), (hello, 0));
            assert_eq!(resumed.requests, requests);
        }
        let [one, two] = [1, 2].map(request);
        check(&[], &[], None, &[]);
        check(&[HELLO], &[], None, &[HELLO]);
        check(&[HELLO, &one, &two], &[&answer(0), &answer(2)], Some(HELLO), &[&one]);
        // Out of order, with unknown and foreign lines between.
        check(&[&one, &two], &[&answer(7), "x", r#"{"id":1,"method":"ping"}"#, &answer(2)], None, &[&one]);
        let refused = r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":""}}"#;
        check(&[HELLO], &[refused], None, &[]);
        let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        check(&[&one, cancelled, "no message", r#"{"method":"notifications/cancelled"}"#], &[], None, &[]);
    }

    #[test]
    fn request_during_which_every_owner_ends_gets_an_error() {
        let mut session = Session::default();
        let resumed = |session: &mut Session| {
            session.owner_ended();
            session.resume()
        };
        session.record_request(&request(1));
        assert_eq!(resumed(&mut session).requests, [request(1)]);
        session.record_request(&request(2));
        assert_eq!(resumed(&mut session).requests, [request(1), request(2)]);
        let resumed = resumed(&mut session);
        assert_eq!(resumed.requests, [request(2)]);
        let [error] = &*resumed.errors else { panic!("{resumed:?}") };
        assert!(error.contains(r#""id":1"#) && error.contains("stopped 3 times"), "{error}");
    }
}
