//! The connection to one model: attempts within a deadline, the circuit breaker of its server, and the answer format that its
//! server supports.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use async_openai::types::chat::{
    ChatCompletionRequestAssistantMessage, ChatCompletionRequestMessage, ChatCompletionRequestSystemMessage,
    ChatCompletionRequestUserMessage, CreateChatCompletionRequest, ResponseFormat,
};
use backon::Retryable;
use tokio::time::Instant;

use annals_core::{Error, SignedDuration};

use super::breaker::Breaker;
use super::failure::EndpointError;
use super::form::Form;
use super::http::{Completion, chat};
use super::retry_policy::RetryPolicy;
use crate::config::{JsonMode, Model};

/// A message of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChatMessage {
    /// Instructions.
    System(String),
    /// Data, or what was wrong with an answer.
    User(String),
    /// An answer that could not be used.
    Assistant(String),
}

/// HTTP client and circuit breaker, shared by all models of one base URL.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) http: reqwest::Client,
    pub(super) breaker: Breaker,
}

/// One model of one server.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) model: Arc<Model>,
    server: Arc<Server>,
    retry_policy: RetryPolicy,
    /// Index in [`MODES`] of the mode that works; initially the configured one.
    mode: AtomicU8,
}

const MODES: [JsonMode; 3] = [JsonMode::Schema, JsonMode::Object, JsonMode::None];

impl Channel {
    pub(super) fn new(model: Arc<Model>, server: Arc<Server>, retry_policy: RetryPolicy) -> Channel {
        let mode = AtomicU8::new(model.json as u8);
        Channel { model, server, retry_policy, mode }
    }

    /// Asks, with retries, within the model's timeout.
    pub(super) async fn ask(&self, messages: &[ChatMessage], form: Form) -> Result<Completion, EndpointError> {
        let timeout = self.model.timeout;
        self.server.breaker.guard(timeout, self.in_some_form(messages, form, Instant::now() + timeout)).await
    }

    /// Converts the trouble to an error of this work.
    pub(super) fn error(&self, failure: EndpointError) -> Error {
        error(self.what(), failure)
    }

    /// Describes the call for errors.
    pub(super) fn what(&self) -> String {
        format!("asking {} at {}", self.model.name, self.model.base_url)
    }

    /// Asks in the mode that worked last. If the server refuses it, tries the less demanding modes, and keeps the first that
    /// works.
    async fn in_some_form(
        &self,
        messages: &[ChatMessage],
        form: Form,
        deadline: Instant,
    ) -> Result<Completion, EndpointError> {
        let first = self.mode.load(Ordering::Relaxed);
        for mode in first..MODES.len() as u8 {
            let body = self.request(messages, form, MODES[usize::from(mode)]);
            match self.with_retries(&body, deadline).await {
                Err(failure) if failure.may_be_about_form() && mode + 1 < MODES.len() as u8 => {}
                Ok(completion) => {
                    self.mode.store(mode, Ordering::Relaxed);
                    return Ok(completion);
                }
                Err(failure) => return Err(failure),
            }
        }
        unreachable!("the last mode returns")
    }

    async fn with_retries(
        &self,
        body: &CreateChatCompletionRequest,
        deadline: Instant,
    ) -> Result<Completion, EndpointError> {
        (|| chat(&self.server.http, &self.model, body))
            .retry(self.retry_policy.backoff())
            .when(EndpointError::passes)
            .adjust(|failure, wait| {
                // `None` means no more attempts. An attempt that could start only after the deadline is not made either.
                let wait = wait?.max(failure.wait().unwrap_or_default());
                Instant::now().checked_add(wait).is_some_and(|at| at < deadline).then_some(wait)
            })
            .await
    }

    fn request(&self, messages: &[ChatMessage], form: Form, mode: JsonMode) -> CreateChatCompletionRequest {
        let limit = u32::try_from(self.model.max_output_tokens).unwrap_or(u32::MAX);
        let mut request = CreateChatCompletionRequest {
            model: self.model.name.clone(),
            messages: messages.iter().map(message).collect(),
            temperature: self.model.temperature,
            response_format: match mode {
                JsonMode::Schema => Some(ResponseFormat::JsonSchema { json_schema: form.schema() }),
                JsonMode::Object => Some(ResponseFormat::JsonObject),
                JsonMode::None => None,
            },
            ..CreateChatCompletionRequest::default()
        };
        // OpenAI's newer models accept only the newer name; most other servers accept only the older one.
        if self.model.base_url.contains("api.openai.com") {
            request.max_completion_tokens = Some(limit);
        } else {
            #[expect(deprecated, reason = "the name that all servers but OpenAI's know")]
            let older = &mut request.max_tokens;
            *older = Some(limit);
        }
        request
    }
}

/// Returns [`Error::Unavailable`] if the endpoint is at fault, [`Error::Model`] if it does not accept the question or its answer
/// is unusable.
pub(super) fn error(what: String, failure: EndpointError) -> Error {
    if !failure.is_outage() {
        return Error::model(what, failure);
    }
    let retry_after = failure.wait().and_then(|wait| SignedDuration::try_from(wait).ok());
    Error::Unavailable { what, retry_after, source: failure.into() }
}

fn message(messages: &ChatMessage) -> ChatCompletionRequestMessage {
    match messages {
        ChatMessage::System(text) => ChatCompletionRequestSystemMessage::from(text.as_str()).into(),
        ChatMessage::User(text) => ChatCompletionRequestUserMessage::from(text.as_str()).into(),
        ChatMessage::Assistant(text) => ChatCompletionRequestAssistantMessage::from(text.as_str()).into(),
    }
}
