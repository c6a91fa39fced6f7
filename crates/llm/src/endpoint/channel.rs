//! The connection to one model: the limit of parallel requests, retries within a time limit, the circuit breaker of its server,
//! and the shape of requests that its server accepts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use backon::ExponentialBuilder;
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
use super::learned_shape::LearnedShape;
use super::limits::{self, Limits};
use super::request::{self, ChatMessage, ModelRequest};
use super::retry_policy::RetryPolicy;
use super::speed::Speed;
use super::stream::{Spent, Watch, receive};
use super::tokens;
use crate::config::Model;

/// Maximum time for one request with all its attempts, without the wait for a permit. After it, the request fails.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(3_600);

/// Maximum number of shapes in which one request is tried. If the server refuses all of them, the request fails.
const MAX_SHAPES: usize = 12;

/// Tokens left free in the window for roles, separators and a corrective message.
pub(super) const MARGIN: u64 = 600;

/// Minimum tokens of room for the lines of a request. If a prompt leaves less room, no request is sent.
pub(super) const MIN_ROOM: u64 = 150;

/// Smallest limit of the tokens of an answer that is read from a refusal. Smaller numbers there are versions or the ends of
/// ranges, and shorter answers hold no summary.
const MIN_OUTPUT: u64 = 256;

/// Tokens of the instructions of most requests, including [`MARGIN`]. They are assumed when the state of a model is reported.
const TYPICAL_INSTRUCTIONS: u64 = 1_200;

/// Number of parallel requests until the limit of the server is reported or assumed.
const FIRST_AT_ONCE: usize = 1;

/// HTTP client, circuit breaker, limit of parallel requests and pause, shared by all models of one base URL.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) http: reqwest::Client,
    pub(super) breaker: Breaker,
    /// Permits for the requests that the server answers in parallel. Further requests wait here, where no deadline runs.
    turns: Semaphore,
    /// Whether the permits for the limit of the server, reported or assumed, have been added to `turns`. They are added once,
    /// by the first model whose limits are known.
    has_turns: AtomicBool,
    /// Time until which the quota of the server is used up; it may have passed. `None` if the server never reported that.
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
    /// The limits after the first answer, if the first ones were preliminary.
    final_limits: OnceCell<Limits>,
    pub(super) speed: Speed,
    pub(super) shape: LearnedShape,
    /// Tokens that reasoning has been found to need in addition to the configured maximum of an answer.
    reasoning: Mutex<u64>,
    /// The context window in tokens that the server named when it refused a request as too long; `None` if it named none.
    window: Mutex<Option<u64>>,
    /// Maximum tokens of an answer, as a refusal of a larger limit has shown it; [`u64::MAX`] before.
    output: Mutex<u64>,
}

impl LearnedLimits {
    pub(super) fn new(model: &Model) -> LearnedLimits {
        let shape = LearnedShape::of(model);
        LearnedLimits {
            limits: OnceCell::new(),
            final_limits: OnceCell::new(),
            speed: Speed::default(),
            shape,
            reasoning: Mutex::default(),
            window: Mutex::default(),
            output: Mutex::new(u64::MAX),
        }
    }

    /// Returns the newest limits; `None` before the server has reported any.
    fn known_limits(&self) -> Option<Limits> {
        self.final_limits.get().or(self.limits.get()).copied()
    }

    /// Keeps the limit of answers that the refusal of a larger one shows: the one that it names, otherwise half of the refused
    /// one. Never raises the limit. Returns false and keeps nothing if that would be too little for an answer.
    fn lower_output(&self, refused: u64, numbers: &[u64]) -> bool {
        let limit = named_limit(refused, numbers).unwrap_or(refused / 2);
        if limit >= MIN_OUTPUT {
            let mut output = locked(&self.output);
            *output = limit.min(*output);
        }
        limit >= MIN_OUTPUT
    }
}

/// The connection to one model of one server.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) model: Arc<Model>,
    server: Arc<Server>,
    pub(super) learned: Arc<LearnedLimits>,
    retry_policy: RetryPolicy,
    pub(super) is_near: bool,
}

/// Limits of a request, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Maximum tokens of request and answer together.
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

    /// Returns the context window and the maximum length of an answer, in tokens. Requests the server's limits until they are known.
    pub(super) async fn sizes(&self) -> Sizes {
        self.sizes_by(self.limits().await)
    }

    fn sizes_by(&self, limits: Option<Limits>) -> Sizes {
        let window = limits.map_or(self.model.window, |limits| limits.window(&self.model));
        let window = window.min(locked(&self.learned.window).unwrap_or(u64::MAX));
        let wanted = self.model.max_output_tokens + *locked(&self.learned.reasoning);
        let wanted = wanted.min(*locked(&self.learned.output));
        // A window smaller than configured must leave room for the request.
        Sizes { window, max_output_tokens: wanted.min(window / 2) }
    }

    /// Returns the maximum tokens of lines that the window allows in addition to `fixed` tokens of instructions.
    pub(super) async fn most_room(&self, fixed: u64) -> u64 {
        let Sizes { window, max_output_tokens } = self.sizes().await;
        window.saturating_sub(max_output_tokens).saturating_sub(fixed)
    }

    /// Returns how many tokens of lines, at most `most`, the server reads and answers in about a minute.
    pub(super) fn fitting_room(&self, fixed: u64, most: u64) -> u64 {
        self.learned.speed.room(fixed, most, self.is_near)
    }

    /// Allows twice as many tokens for all further answers of the model, if the server writes so many, and if that is at most
    /// half of the window and leaves room for a request of `count` tokens. Returns whether it does.
    pub(super) async fn allow_more_reasoning(&self, count: u64) -> bool {
        let Sizes { window, max_output_tokens } = self.sizes().await;
        let doubled = max_output_tokens * 2;
        let fits = doubled <= *locked(&self.learned.output) && doubled <= window / 2 && count + doubled <= window;
        if fits {
            *locked(&self.learned.reasoning) += max_output_tokens;
        }
        fits
    }

    /// Returns the state of the model, with the purposes that use it.
    pub(super) fn state(&self, purposes: Vec<Purpose>) -> ModelState {
        let (limits, now) = (self.learned.known_limits(), self.learned.speed.now());
        let Sizes { window, max_output_tokens } = self.sizes_by(limits);
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

    /// Sends a request, with retries, after waiting for a free permit and for the quota. Adds the tokens of attempts without an
    /// answer to `spent`.
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
        let mut shape = self.learned.shape.now();
        shape.streams = false;
        let model_request = ModelRequest { messages, form, max_output_tokens, reports_progress: false };
        request::body(&self.model, model_request, shape)
    }

    /// Leaves a parameter out of further requests, or lowers the limit of their answers, if this failure of a request in a batch
    /// shows that the server refuses it.
    pub(super) fn note_refusal(&self, failure: &EndpointError) {
        if let EndpointError::OutputLimit { numbers } = failure {
            let refused = self.sizes_by(self.learned.known_limits()).max_output_tokens;
            // All requests of a batch get the same refusal, so one that names no limit must not halve it each time.
            if named_limit(refused, numbers).is_some() {
                self.learned.lower_output(refused, numbers);
            }
        }
        if let Some(parameter) = failure.refused_form() {
            self.learned.shape.refuse(parameter);
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

    /// Returns the text that names the call in errors.
    pub(super) fn what(&self) -> String {
        format!("asking {} at {}", self.model.name, self.model.base_url)
    }

    /// Returns the limits that the server reports. Queries them again until the server has reported them, and once more after
    /// its first answer if they were preliminary. A server that has answered a request of this model but reports no limits gets
    /// the default ones. Until then, returns `None` while the server cannot answer or its circuit breaker is open.
    async fn limits(&self) -> Option<Limits> {
        let ask = || async {
            let reported = limits::ask(&self.server.http, &self.model).await;
            let limits = reported.or_else(|| self.has_answered().then_some(limits::UNKNOWN)).ok_or(())?;
            if !self.server.has_turns.swap(true, Ordering::Relaxed) {
                self.server.turns.add_permits(limits.at_once.saturating_sub(FIRST_AT_ONCE));
            }
            Ok::<_, ()>(limits)
        };
        let known = self.learned.known_limits();
        let asks_again = self.learned.final_limits.get().is_none()
            && known.is_none_or(|limits| limits.is_preliminary && self.has_answered());
        if !asks_again || self.server.breaker.is_open() {
            return known;
        }
        if known.is_none() {
            return self.learned.limits.get_or_try_init(ask).await.ok().copied();
        }
        // The model may have been unloaded again.
        let ask_loaded =
            || async { ask().await.and_then(|limits| if limits.is_preliminary { Err(()) } else { Ok(limits) }) };
        self.learned.final_limits.get_or_try_init(ask_loaded).await.ok().copied().or(known)
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

    /// Sends the request in the shape that worked last. If the server refuses it, tries up to [`MAX_SHAPES`] in all and keeps
    /// the first that works, and a lower limit of the answer if that is what it refuses.
    async fn in_some_shape(
        &self,
        mut model_request: ModelRequest<'_>,
        spent: &mut Spent,
    ) -> Result<Completion, EndpointError> {
        let (mut shape, mut refused) = (self.learned.shape.now(), Vec::new());
        for _ in 0..MAX_SHAPES {
            let body = request::body(&self.model, model_request, shape);
            let failure = match self.with_retries(&body, model_request, spent).await {
                Ok(completion) => {
                    self.learned.shape.accept(shape, refused);
                    return Ok(completion);
                }
                Err(failure) => failure,
            };
            if let EndpointError::OutputLimit { numbers } = &failure {
                if !self.learned.lower_output(model_request.max_output_tokens, numbers) {
                    return Err(failure);
                }
                model_request.max_output_tokens = self.sizes().await.max_output_tokens;
                continue;
            }
            let Some(parameter) = failure.refused_form() else { return Err(failure) };
            let Some(next) = shape.after_refusal_of(parameter) else { return Err(failure) };
            shape = next;
            refused.push(parameter);
        }
        Err(EndpointError::Unusable("it refused every form of the request"))
    }

    async fn with_retries(
        &self,
        body: &Value,
        model_request: ModelRequest<'_>,
        spent: &mut Spent,
    ) -> Result<Completion, EndpointError> {
        let spent = tokio::sync::Mutex::new(spent);
        let attempt = || async { self.once(body, model_request, &mut **spent.lock().await).await };
        self.retry_policy.run(self.model.timeout, attempt).await
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

/// Returns the largest number of a refusal below the refused limit.
fn named_limit(refused: u64, numbers: &[u64]) -> Option<u64> {
    numbers.iter().copied().filter(|number| (MIN_OUTPUT..refused).contains(number)).max()
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
