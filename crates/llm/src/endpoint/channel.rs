//! The connection to one model: a limit of parallel requests, attempts within limits, the circuit breaker of its server, and
//! the shape of requests that its server accepts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use serde_json::Value;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::{Instant, sleep_until};

use annals_core::ports::ModelState;
use annals_core::{Error, Purpose, SignedDuration};

use super::breaker::Breaker;
use super::completion::Completion;
use super::failure::EndpointError;
use super::form::Form;
use super::http::authorized;
use super::limits::{self, Limits};
use super::request::{self, ChatMessage, ModelRequest};
use super::retry_policy::RetryPolicy;
use super::shape::Shape;
use super::speed::Speed;
use super::stream::{Spent, Watch, receive};
use super::tokens;
use crate::config::Model;

/// Maximum time for one request with all its attempts.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(3_600);

/// Maximum number of shapes in which one request is tried.
const MAX_SHAPES: usize = 12;

/// Tokens left free in the window for roles, separators and a corrective message.
pub(super) const MARGIN: u64 = 600;

/// Minimum tokens of room for the text of a request. With less room, no request is sent.
pub(super) const MIN_ROOM: u64 = 150;

/// Tokens of the instructions of most requests, including [`MARGIN`].
const TYPICAL_INSTRUCTIONS: u64 = 1_200;

/// Number of parallel requests before the limit of the server is known, reported or assumed.
const FIRST_AT_ONCE: usize = 1;

/// HTTP client and circuit breaker, shared by all models of one base URL.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) http: reqwest::Client,
    pub(super) breaker: Breaker,
    /// Permits for the requests that the server answers in parallel. Further requests wait here, where no deadline runs.
    turns: Semaphore,
    /// Whether the permits for the limit of the server, reported or assumed, have been added to `turns`. They are added once,
    /// by the first model whose limits are known.
    has_turns: AtomicBool,
    /// Time until which the quota of the server is used up.
    pause: Mutex<Option<Instant>>,
}

impl Server {
    pub(super) fn new(http: reqwest::Client, breaker: Breaker) -> Server {
        Server {
            http,
            breaker,
            turns: Semaphore::new(FIRST_AT_ONCE),
            has_turns: AtomicBool::new(false),
            pause: Mutex::default(),
        }
    }
}

/// What earlier requests have shown about a model, shared by all purposes that use it with the same setting `json`.
#[derive(Debug)]
pub(super) struct LearnedLimits {
    limits: OnceCell<Limits>,
    pub(super) speed: Speed,
    shape: Mutex<Shape>,
    /// Tokens that reasoning has been found to need in addition to the configured maximum of an answer.
    reasoning: Mutex<u64>,
    /// The context window in tokens that the server named when it refused a request as too long.
    window: Mutex<Option<u64>>,
}

impl LearnedLimits {
    pub(super) fn new(model: &Model) -> LearnedLimits {
        let shape = Mutex::new(Shape::of(model));
        LearnedLimits {
            limits: OnceCell::new(),
            speed: Speed::default(),
            shape,
            reasoning: Mutex::default(),
            window: Mutex::default(),
        }
    }
}

/// One model of one server.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) model: Arc<Model>,
    server: Arc<Server>,
    pub(super) learned: Arc<LearnedLimits>,
    retry_policy: RetryPolicy,
    pub(super) is_near: bool,
}

/// Sizes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Tokens of request and answer together.
    pub(super) window: u64,
    /// Maximum tokens of the answer, reasoning included.
    pub(super) max_output_tokens: u64,
}

impl Channel {
    pub(super) fn new(
        model: Arc<Model>,
        server: Arc<Server>,
        learned: Arc<LearnedLimits>,
        retry_policy: RetryPolicy,
    ) -> Channel {
        let is_near = limits::is_near(&model);
        Channel { model, server, learned, retry_policy, is_near }
    }

    /// Returns the window and the limit of the answer. Requests the server's limits until they are known.
    pub(super) async fn sizes(&self) -> Sizes {
        self.sizes_by(self.limits().await)
    }

    fn sizes_by(&self, limits: Option<Limits>) -> Sizes {
        let window = limits.map_or(self.model.window, |limits| limits.window(&self.model));
        let window = window.min(locked(&self.learned.window).unwrap_or(u64::MAX));
        let wanted = self.model.max_output_tokens + *locked(&self.learned.reasoning);
        // A window smaller than configured must leave room for the request.
        Sizes { window, max_output_tokens: wanted.min(window / 2) }
    }

    /// Returns the maximum tokens of lines that the window allows in addition to `fixed` tokens of instructions.
    pub(super) async fn most_room(&self, fixed: u64) -> u64 {
        let Sizes { window, max_output_tokens } = self.sizes().await;
        window.saturating_sub(max_output_tokens).saturating_sub(fixed)
    }

    /// Returns how many of these `most` tokens the server reads and answers in about a minute.
    pub(super) fn fitting_room(&self, fixed: u64, most: u64) -> u64 {
        self.learned.speed.room(fixed, most, self.is_near)
    }

    /// Allows twice as many tokens for all further answers of the model, if that is at most half of the window and leaves room
    /// for a request of `count` tokens. Returns whether it does.
    pub(super) async fn allow_more_reasoning(&self, count: u64) -> bool {
        let Sizes { window, max_output_tokens } = self.sizes().await;
        let doubled = max_output_tokens * 2;
        let fits = doubled <= window / 2 && count + doubled <= window;
        if fits {
            *locked(&self.learned.reasoning) += max_output_tokens;
        }
        fits
    }

    /// Returns the state of the model, which these purposes use.
    pub(super) fn state(&self, purposes: Vec<Purpose>) -> ModelState {
        let (limits, now) = (self.learned.limits.get(), self.learned.speed.now());
        let Sizes { window, max_output_tokens } = self.sizes_by(limits.copied());
        let most = window.saturating_sub(max_output_tokens).saturating_sub(TYPICAL_INSTRUCTIONS);
        ModelState {
            model: self.model.name.clone(),
            base_url: self.model.base_url.clone(),
            purposes,
            window,
            room: self.fitting_room(TYPICAL_INSTRUCTIONS, most),
            reading: now.reading,
            writing: now.writing,
            requests: now.requests,
            running: now.running,
            seconds: now.seconds,
            tokens_in: now.tokens_in,
            cached: now.cached,
            tokens_out: now.tokens_out,
            current: now.current,
        }
    }

    /// Asks a request, with retries. Adds the tokens of attempts without an answer to `spent`.
    pub(super) async fn ask(
        &self,
        messages: &[ChatMessage],
        form: Form,
        spent: &mut Spent,
    ) -> Result<Completion, EndpointError> {
        let limits = self.limits().await;
        let _turn = self.server.turns.acquire().await.expect("the semaphore is never closed");
        self.wait_for_quota().await;
        let model_request = ModelRequest {
            messages,
            form,
            max_output_tokens: self.sizes().await.max_output_tokens,
            reports_progress: limits.is_some_and(|limits| limits.reports_progress),
        };
        let _running = self.learned.speed.begin();
        let answered = self.server.breaker.guard(MAX_ANSWER_TIME, self.in_some_shape(model_request, spent)).await;
        match &answered {
            Ok(completion) => self.learned.speed.record(completion, estimated(messages)),
            Err(EndpointError::TooLong { window: Some(window) }) => *locked(&self.learned.window) = Some(*window),
            Err(_) => {}
        }
        answered
    }

    /// Returns the body of a request that is sent in a batch: whole, not as a stream.
    pub(super) fn body_in_batch(&self, messages: &[ChatMessage], form: Form, max_output_tokens: u64) -> Value {
        let mut shape = *locked(&self.learned.shape);
        shape.streams = false;
        let model_request = ModelRequest { messages, form, max_output_tokens, reports_progress: false };
        request::body(&self.model, model_request, shape)
    }

    /// Leaves a parameter that the server refused in a batch out of further requests.
    pub(super) fn note_refusal(&self, failure: &EndpointError) {
        let mut shape = locked(&self.learned.shape);
        if let Some(next) = failure.refused_form().and_then(|parameter| shape.after_refusal_of(parameter)) {
            *shape = next;
        }
    }

    /// Returns the HTTP client for everything but requests to a model.
    pub(super) fn http(&self) -> &reqwest::Client {
        &self.server.http
    }

    /// Returns the waits between attempts.
    pub(super) fn backoff(&self) -> ExponentialBuilder {
        self.retry_policy.backoff()
    }

    /// Converts the failure of the endpoint to an error of this operation.
    pub(super) fn error(&self, failure: EndpointError) -> Error {
        error(self.what(), failure)
    }

    /// Describes the call for errors.
    pub(super) fn what(&self) -> String {
        format!("asking {} at {}", self.model.name, self.model.base_url)
    }

    /// Returns the limits that the server reports; queries the server until it has reported them, or has answered a request of
    /// this model and still does not. Before that, returns `None` while the server cannot answer or its circuit breaker is open.
    async fn limits(&self) -> Option<Limits> {
        let ask = || async {
            let reported = limits::ask(&self.server.http, &self.model).await;
            let limits = reported.or_else(|| self.has_answered().then_some(limits::UNKNOWN)).ok_or(())?;
            if !self.server.has_turns.swap(true, Ordering::Relaxed) {
                self.server.turns.add_permits(limits.at_once.saturating_sub(FIRST_AT_ONCE));
            }
            Ok::<_, ()>(limits)
        };
        if self.learned.limits.initialized() || !self.server.breaker.is_open() {
            return self.learned.limits.get_or_try_init(ask).await.ok().copied();
        }
        None
    }

    fn has_answered(&self) -> bool {
        self.learned.speed.now().requests > 0
    }

    /// Waits until the quota is available again. Does not wait at all if that would take longer than the timeout of the model.
    async fn wait_for_quota(&self) {
        let until = *locked(&self.server.pause);
        if let Some(until) = until.filter(|until| *until < Instant::now() + self.model.timeout) {
            sleep_until(until).await;
        }
    }

    /// Asks in the shape that worked last. If the server refuses it, tries others, and keeps the first that works.
    async fn in_some_shape(
        &self,
        model_request: ModelRequest<'_>,
        spent: &mut Spent,
    ) -> Result<Completion, EndpointError> {
        let mut shape = *locked(&self.learned.shape);
        for _ in 0..MAX_SHAPES {
            let body = request::body(&self.model, model_request, shape);
            let failure = match self.with_retries(&body, model_request, spent).await {
                Ok(completion) => {
                    *locked(&self.learned.shape) = shape;
                    return Ok(completion);
                }
                Err(failure) => failure,
            };
            match failure.refused_form().and_then(|parameter| shape.after_refusal_of(parameter)) {
                Some(next) => shape = next,
                None => return Err(failure),
            }
        }
        Err(EndpointError::Unusable("it refused every form of the request"))
    }

    async fn with_retries(
        &self,
        body: &Value,
        model_request: ModelRequest<'_>,
        spent: &mut Spent,
    ) -> Result<Completion, EndpointError> {
        let (spent, deadline) = (tokio::sync::Mutex::new(spent), Instant::now() + self.model.timeout);
        (|| async { self.once(body, model_request, &mut **spent.lock().await).await })
            .retry(self.retry_policy.backoff())
            .when(EndpointError::passes)
            .adjust(|failure, wait| {
                // `None` means no more attempts. An attempt that could start only after the deadline is not made either.
                let wait = wait?.max(failure.wait().unwrap_or_default());
                Instant::now().checked_add(wait).is_some_and(|at| at < deadline).then_some(wait)
            })
            .await
    }

    async fn once(
        &self,
        body: &Value,
        model_request: ModelRequest<'_>,
        spent: &mut Spent,
    ) -> Result<Completion, EndpointError> {
        let url = format!("{}/{}", self.model.base_url, request::path(self.model.api));
        let request = authorized(self.server.http.post(url).json(body), self.model.api, self.model.key.as_ref());
        let watch = Watch {
            begun: Instant::now(),
            silence: self.model.timeout,
            prompt_tokens: estimated(model_request.messages),
            progress: &|tokens| self.learned.speed.note(tokens),
            pause: &|wait| *locked(&self.server.pause) = Some(Instant::now() + wait),
            spent,
        };
        receive(request, watch).await
    }
}

fn estimated(messages: &[ChatMessage]) -> u64 {
    tokens::of_messages(messages.iter().map(ChatMessage::text))
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().expect("no holder of the lock panics")
}

/// Returns [`Error::Unavailable`] if the endpoint is at fault, [`Error::Model`] if it does not accept the request or its
/// answer is unusable.
pub(super) fn error(what: String, failure: EndpointError) -> Error {
    if !failure.is_outage() {
        return Error::model(what, failure);
    }
    let retry_after = failure.wait().and_then(|wait| SignedDuration::try_from(wait).ok());
    Error::Unavailable { what, retry_after, source: failure.into() }
}
