//! The connection to one model: the limit of parallel requests, retries within a time limit, the circuit breaker of its server,
//! and the shape of requests that its server accepts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use backon::ExponentialBuilder;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until};

use annals_core::ports::ModelState;
use annals_core::{Error, Purpose, SignedDuration};

use super::breaker::Breaker;
use super::completion::Completion;
use super::failure::EndpointError;
use super::form::Form;
use super::http::authorized;
use super::learned_limits::{LearnedLimits, Sizes};
use super::limits::{self, Limits};
use super::request::{self, ChatMessage, ModelRequest};
use super::retry_policy::RetryPolicy;
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

/// Tokens of the instructions of most requests, including [`MARGIN`]. They are assumed when the state of a model is reported.
const TYPICAL_INSTRUCTIONS: u64 = 1_200;

/// How many times the timeout a model that thinks unseen may take until the first token.
const UNSEEN_THOUGHT: u32 = 5;

/// Number of answers up to which preliminary limits are asked for again before each request. A server that reports no others by
/// then never does, as an old Ollama.
const ASKS_AGAIN: u64 = 3;

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

/// The connection to one model of one server.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) model: Arc<Model>,
    server: Arc<Server>,
    pub(super) learned: Arc<LearnedLimits>,
    retry_policy: RetryPolicy,
    pub(super) is_near: bool,
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
        self.learned.sizes(window, self.model.max_output_tokens)
    }

    /// Returns the maximum tokens of lines that the window allows in addition to `fixed` tokens of instructions.
    pub(super) async fn most_room(&self, fixed: u64) -> u64 {
        let Sizes { window, max_output_tokens } = self.sizes().await;
        window.saturating_sub(max_output_tokens).saturating_sub(fixed)
    }

    /// Returns how many tokens of lines, at most `most`, the server reads and answers in about a minute.
    /// `longest_answer` is the most tokens that an answer has, if that does not depend on the lines.
    pub(super) fn fitting_room(&self, fixed: u64, most: u64, longest_answer: Option<u64>) -> u64 {
        self.learned.speed.room(fixed, most, longest_answer, self.is_near)
    }

    /// Allows twice as many tokens for all further answers of the model, if the server writes so many, and if that is at most
    /// half of the window and leaves room for a request of `count` tokens. Returns whether it does.
    pub(super) async fn allow_more_reasoning(&self, count: u64) -> bool {
        self.learned.allow_more_reasoning(self.sizes().await, count)
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
            room: self.fitting_room(TYPICAL_INSTRUCTIONS, most, None),
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

    /// Sends a request, with retries, after waiting for a free permit and for the quota. Its answer may have at most
    /// `max_output_tokens`. Adds the tokens of attempts without an answer to `spent`.
    pub(super) async fn ask(
        &self,
        messages: &[ChatMessage],
        form: Form,
        max_output_tokens: u64,
        spent: &mut Spent,
    ) -> Result<Completion, EndpointError> {
        let limits = self.limits().await;
        let _turn = self.server.turns.acquire().await.expect("the semaphore is never closed");
        self.wait_for_quota().await;
        let model_request = ModelRequest {
            messages,
            form,
            // Refusals of other requests may have lowered the limit meanwhile.
            max_output_tokens: max_output_tokens.min(self.sizes().await.max_output_tokens),
            reports_progress: limits.is_some_and(|limits| limits.reports_progress),
        };
        let _running = self.learned.speed.begin();
        let answered = self.server.breaker.guard(MAX_ANSWER_TIME, self.in_some_shape(model_request, spent)).await;
        match &answered {
            Ok(completion) => self.learned.speed.record(completion, estimated(messages)),
            Err(EndpointError::TooLong { window: Some(window) }) => self.learned.lower_window(*window),
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

    /// Leaves parameters out of further requests, or lowers the limit of their answers, if these failures of requests in one batch
    /// show that the server refuses them. A refusal that names no parameter counts for nothing.
    pub(super) fn note_refusals(&self, failures: &[EndpointError]) {
        for failure in failures {
            if let EndpointError::OutputLimit { numbers } = failure {
                let refused = self.sizes_by(self.learned.known_limits()).max_output_tokens;
                self.learned.lower_output_to_named(refused, numbers);
            }
            if let Some(Some(parameter)) = failure.refused_form() {
                self.learned.shape.refuse(parameter);
            }
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

    /// Returns the limits that the server reports. Queries them again until the server has reported them, and after
    /// its first answers while they are preliminary. A server that has answered a request of this model but reports no limits gets
    /// the default ones. Until then, returns `None` while the server cannot answer or its circuit breaker is open.
    async fn limits(&self) -> Option<Limits> {
        let ask = || async {
            let reported = limits::ask(&self.server.http, &self.model).await;
            let limits = reported.or_else(|| (self.answers() > 0).then_some(limits::UNKNOWN)).ok_or(())?;
            if !self.server.has_turns.swap(true, Ordering::Relaxed) {
                self.server.turns.add_permits(limits.at_once.saturating_sub(FIRST_AT_ONCE));
            }
            Ok::<_, ()>(limits)
        };
        let known = self.learned.known_limits();
        let asks_again = self.learned.final_limits.get().is_none()
            && known.is_none_or(|limits| limits.is_preliminary && (1..=ASKS_AGAIN).contains(&self.answers()));
        if !asks_again || self.server.breaker.is_open() {
            return known;
        }
        if known.is_none() {
            return self.learned.limits.get_or_try_init(ask).await.ok().copied();
        }
        // The model may have been unloaded again, or the server may be away for a moment.
        let ask_loaded = || async {
            let reported = limits::ask(&self.server.http, &self.model).await;
            reported.filter(|limits| !limits.is_preliminary && *limits != limits::UNKNOWN).ok_or(())
        };
        self.learned.final_limits.get_or_try_init(ask_loaded).await.ok().copied().or(known)
    }

    /// Returns the number of requests of the model that the server has answered since the start.
    fn answers(&self) -> u64 {
        self.learned.speed.now().requests
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

    /// Returns whether the model may think for long before the server sends anything: OpenAI's models do, and others if the
    /// configuration has them reason.
    fn may_think_unseen(&self) -> bool {
        self.model.is_openai() || self.model.reasoning.is_some()
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
            first_silence: self.model.timeout * if self.may_think_unseen() { UNSEEN_THOUGHT } else { 1 },
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

pub(super) fn locked<T>(mutex: &Mutex<T>) -> parking_lot::MutexGuard<'_, T> {
    mutex.lock()
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
