//! Receives an answer: a stream of server-sent events, or JSON from a server that does not stream. The only deadline here is
//! for silence: a request fails if nothing of the answer arrives for the timeout of the model. The limit for the whole answer
//! is in `channel`.

use std::time::Duration;

use futures::{Stream, StreamExt, TryStreamExt, stream};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;
use sse_stream::{Error as SseError, Sse, SseStream};
use tokio::time::{Instant, timeout_at};

use super::completion::{Completion, Reading, Timing, is_answer};
use super::failure::EndpointError;
use super::http::{failure_of, read, unreachable};
use super::rate_limit_headers::exhausted;

/// Maximum bytes of a stream. A longer answer is unusable. An event of one token has some hundred bytes around it.
const MAX_STREAM_BYTES: usize = 32_000_000;

/// Tokens of answers that broke off, which were paid for. Includes the answer that is being received, because its request may
/// be dropped at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spent {
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
}

impl Spent {
    /// Adds the received part of an answer. Adds nothing without a token or a reported count, because then nothing was paid
    /// for.
    fn with(self, reading: &Reading, prompt_tokens: u64) -> Spent {
        if reading.estimated_out() == 0 && reading.tokens_in().is_none() {
            return self;
        }
        Spent {
            tokens_in: self.tokens_in + reading.tokens_in().unwrap_or(prompt_tokens),
            tokens_out: self.tokens_out + reading.estimated_out(),
        }
    }
}

/// Time limit, callbacks and cost of one request.
pub(super) struct Watch<'a> {
    /// When the request was sent.
    pub(super) begun: Instant,
    /// Maximum time until the first token.
    pub(super) first_silence: Duration,
    /// Maximum time without a further token.
    pub(super) silence: Duration,
    /// Estimated tokens of the request.
    pub(super) prompt_tokens: u64,
    /// Called with the estimated tokens of the answer so far.
    pub(super) progress: &'a (dyn Fn(u64) + Sync),
    /// Called with the wait that a server requests because the quota is used up.
    pub(super) pause: &'a (dyn Fn(Duration) + Sync),
    /// Tokens that failed attempts have cost. While an answer is being received, its tokens are included.
    pub(super) spent: &'a mut Spent,
}

/// Sends a request and receives the answer. Fails if nothing of the answer arrives for the time `watch.silence`, or
/// `watch.first_silence` at its beginning.
pub(super) async fn receive(request: reqwest::RequestBuilder, watch: Watch<'_>) -> Result<Completion, EndpointError> {
    let late = EndpointError::Late(watch.first_silence);
    let response = timeout_at(watch.begun + watch.first_silence, request.send()).await.map_err(|_| late.clone())?;
    let response = response.map_err(unreachable)?;
    if let Some(wait) = exhausted(response.headers()).filter(|_| response.status().is_success()) {
        (watch.pause)(wait);
    }
    if is_stream(&response) {
        return events(response, watch).await;
    }
    let (status, headers) = (response.status(), response.headers().clone());
    let body = timeout_at(Instant::now() + watch.first_silence, read(response)).await.map_err(|_| late)??;
    let answer: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    failure_of(status, &headers, &answer)?;
    if !is_answer(&answer) {
        return Err(EndpointError::Unusable("its answer is not a chat completion"));
    }
    let mut reading = Reading::default();
    reading.take(&answer)?;
    reading.end(Timing { reading: None, writing: watch.begun.elapsed(), measured: None })
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    response.status().is_success() && kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

async fn events(response: Response, mut watch: Watch<'_>) -> Result<Completion, EndpointError> {
    let (mut reading, before) = (Reading::default(), *watch.spent);
    match follow(response, &mut watch, &mut reading).await {
        Ok(timing) => {
            *watch.spent = before;
            reading.end(timing)
        }
        // `BrokeOff` makes the caller reserve tokens again before the next attempt.
        Err(failure) if failure.passes() && *watch.spent != before => Err(EndpointError::BrokeOff),
        Err(failure) => Err(failure),
    }
}

async fn follow(response: Response, watch: &mut Watch<'_>, reading: &mut Reading) -> Result<Timing, EndpointError> {
    let before = *watch.spent;
    let headers = response.headers().clone();
    let mut events = parsed(response);
    let (mut deadline, mut first, mut last) = (Instant::now() + watch.first_silence, None, Instant::now());
    let mut is_left = false;
    loop {
        let silent = |_| match first {
            Some(_) => EndpointError::Silent(watch.silence),
            None => EndpointError::Late(watch.first_silence),
        };
        let Some(event) = timeout_at(deadline, events.next()).await.map_err(silent)? else { break };
        let Some(event) = event? else { break };
        failure_of(reqwest::StatusCode::OK, &headers, &event)?;
        let is_progress = reading.take(&event);
        *watch.spent = before.with(reading, watch.prompt_tokens);
        if is_progress? {
            last = Instant::now();
            if reading.estimated_out() > 0 {
                first.get_or_insert(last);
            }
            deadline = last + if first.is_some() { watch.silence } else { watch.first_silence };
            (watch.progress)(reading.estimated_out());
        }
        if reading.repeats_itself() {
            is_left = true;
            break;
        }
    }
    if !reading.is_finished() && !is_left {
        return Err(EndpointError::Unreachable("the answer broke off".into()));
    }
    let first = first.unwrap_or(last);
    Ok(Timing { reading: Some(first - watch.begun), writing: last - first, measured: None })
}

/// Returns the events of a stream as JSON, and `None` at the end mark `[DONE]`.
fn parsed(response: Response) -> impl Stream<Item = Result<Option<Value>, EndpointError>> + Unpin {
    let mut bytes = 0;
    let limited = response.bytes_stream().map_err(unreachable).and_then(move |chunk| {
        bytes += chunk.len();
        let too_long = || EndpointError::Unusable("its answer is longer than 32 million bytes");
        futures::future::ready(if bytes > MAX_STREAM_BYTES { Err(too_long()) } else { Ok(chunk) })
    });
    // Some servers leave out the blank line after the last event.
    let ended = limited.chain(stream::once(futures::future::ready(Ok("\n\n".into()))));
    Box::pin(SseStream::from_bytes_stream(ended).filter_map(|event| futures::future::ready(json(event).transpose())))
}

/// Parses an event. Returns `Some(Some(_))` with its JSON, or `Some(None)` for the end mark `[DONE]`; `None` if the event has
/// no data or is not JSON.
fn json(event: Result<Sse, SseError>) -> Result<Option<Option<Value>>, EndpointError> {
    match event {
        Ok(Sse { data: Some(data), .. }) if data.trim() == "[DONE]" => Ok(Some(None)),
        Ok(Sse { data: Some(data), .. }) => Ok(serde_json::from_str(&data).ok().map(Some)),
        Ok(_) => Ok(None),
        Err(SseError::Body(error)) => match error.downcast::<EndpointError>() {
            Ok(failure) => Err(*failure),
            Err(_) => Err(EndpointError::Unreachable("the answer broke off".into())),
        },
        Err(_) => Err(EndpointError::Unusable("its answer is not a stream of events")),
    }
}
