//! Reranks search results with a model behind a rerank endpoint, at `POST {base_url}/rerank`.
//!
//! The body `{model, query, documents}` returns a list of `{index, relevance_score}`, called `results` or `data`, in Cohere,
//! Jina, Voyage, vLLM, llama.cpp, Infinity and gateways. text-embeddings-inference expects `texts` and returns `score`: if a
//! server refuses the first form, the second is sent, and the form that works is kept. Chat models are not used: one would have
//! to write the order of fifty texts, about a hundred tokens, while the user waits. There are no retries, and one deadline
//! covers both forms. If reranking fails, the search keeps its order. After an outage the circuit breaker is open for a while,
//! so that later searches do not wait for the deadline. An answer is valid only if each text has exactly one score.
//!
//! A request that was sent is waited for and booked even if the search is cancelled meanwhile, because it is billed.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annals_core::ports::{Replies, RerankTask, Reranker};
use annals_core::{Agent, CacheTokens, Digest, Error, Purpose, Reply, Timestamp, beginning, thread_end};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::task::JoinError;

use super::breaker::Breaker;
use super::budget::{Caps, Payers};
use super::channel::error;
use super::completion::counted;
use super::failure::EndpointError;
use super::http::{client_with_connect_timeout, post};
use super::retry_policy::RetryPolicy;
use super::tokens::at_most;
use crate::config::{RerankModel, Shares};

/// Maximum tokens of the question and of each text that are sent. Together with separators they fit into 512 tokens, the input
/// of the smallest of these models. llama.cpp with default settings refuses the whole request if one text is longer.
const QUESTION: u64 = 128;
const TEXT: u64 = 352;

/// Reranker that uses the model of `[models.rerank]`.
#[derive(Debug)]
pub struct RerankEndpoint {
    connection: Arc<Connection>,
}

/// The connection to the model, and the budgets that its requests use.
struct Connection {
    model: Arc<RerankModel>,
    http: reqwest::Client,
    breaker: Breaker,
    /// Whether the server accepts `texts` rather than `documents`.
    takes_texts: AtomicBool,
    caps: Caps,
    replies: Arc<dyn Replies>,
}

/// An owned [`RerankTask`]: what is sent of question and texts, and who pays.
struct RerankRequest {
    agent: Agent,
    question: String,
    texts: Vec<String>,
    access_key: Option<String>,
    now: Timestamp,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("model", &self.model).finish_non_exhaustive()
    }
}

impl RerankEndpoint {
    /// Creates the endpoint of this model. `replies` records the costs. Connects to nothing yet.
    pub fn new(model: Arc<RerankModel>, replies: Arc<dyn Replies>) -> annals_core::Result<RerankEndpoint> {
        RerankEndpoint::with_retry_policy(model, replies, RetryPolicy::default())
    }

    pub(super) fn with_retry_policy(
        model: Arc<RerankModel>,
        replies: Arc<dyn Replies>,
        retry_policy: RetryPolicy,
    ) -> annals_core::Result<RerankEndpoint> {
        // A server that cannot be reached must be known before the deadline of the answer, because a late answer is paid.
        let http = client_with_connect_timeout(&model.base_url, model.local_network, model.timeout / 2)?;
        let (workspace, process) = (model.workspace_daily_tokens, model.process_daily_tokens);
        let caps = Caps { workspace, process, shares: Shares::default() };
        let (breaker, takes_texts) = (Breaker::new(retry_policy), AtomicBool::new(false));
        let connection = Connection { model, http, breaker, takes_texts, caps, replies };
        Ok(RerankEndpoint { connection: Arc::new(connection) })
    }
}

impl Connection {
    /// Reserves the cost of a request, sends it, and books its cost. Returns one score per text.
    async fn scores(&self, request: &RerankRequest) -> annals_core::Result<Vec<f64>> {
        // The model reads the question with each text.
        let need = request.texts.iter().map(|text| at_most(text) + at_most(&request.question)).sum();
        let (replies, tokens_of_agent) = (self.replies.as_ref(), (need, self.model.daily_tokens));
        let payers = Payers { agent: &request.agent, access_key: request.access_key.as_deref() };
        let reservation =
            self.caps.reserve(replies, payers, Purpose::Rerank, tokens_of_agent, true, request.now).await?;
        let answer = match self.ask(&request.question, &request.texts).await {
            Ok(answer) => answer,
            // The server was reached, so it may have read everything, and may bill it.
            Err(failure) if failure.is_late() || failure.was_answered() => {
                self.charge(request, need, reservation).await?;
                return Err(self.error(failure));
            }
            Err(failure) => {
                replies.release(&request.agent, reservation).await?;
                return Err(self.error(failure));
            }
        };
        self.charge(request, tokens(&answer).unwrap_or(need), reservation).await?;
        scores(&answer, request.texts.len()).map_err(|wrong| self.error(EndpointError::Unusable(wrong)))
    }

    /// Sends the request within the deadline. Fails at once if the circuit breaker is open.
    async fn ask(&self, question: &str, texts: &[String]) -> Result<Value, EndpointError> {
        self.breaker.guard(self.model.timeout, self.in_some_form(question, texts)).await
    }

    /// Sends the request in the form that worked last; if that is refused, in the other. If both are refused, returns the first
    /// refusal.
    async fn in_some_form(&self, question: &str, texts: &[String]) -> Result<Value, EndpointError> {
        let takes_texts = self.takes_texts.load(Ordering::Relaxed);
        let refused = match self.post(question, texts, takes_texts).await {
            Err(failure) if failure.refused_form().is_some() => failure,
            other => return other,
        };
        // If both are refused, the first refusal is the informative one.
        let answer = self.post(question, texts, !takes_texts).await.map_err(|_| refused)?;
        self.takes_texts.store(!takes_texts, Ordering::Relaxed);
        Ok(answer)
    }

    async fn post(&self, question: &str, texts: &[String], takes_texts: bool) -> Result<Value, EndpointError> {
        let body = match takes_texts {
            false => json!({ "model": self.model.name, "query": question, "documents": texts }),
            true => json!({ "query": question, "texts": texts, "truncate": true }),
        };
        post(&self.http, &format!("{}/rerank", self.model.base_url), self.model.key.as_ref(), &body).await
    }

    /// Records the cost. Stores neither question nor texts nor answer.
    async fn charge(&self, request: &RerankRequest, tokens: u64, reservation: u64) -> annals_core::Result<()> {
        let reply = Reply {
            key: Digest::of(["rerank"]),
            purpose: Purpose::Rerank,
            model: self.model.name.clone(),
            text: String::new(),
            tokens_in: tokens,
            cache: CacheTokens::default(),
            tokens_out: 0,
            read_seq: 0,
            reservation: Some(reservation),
            access_key: request.access_key.clone(),
        };
        self.replies.charge(&request.agent, reply, request.now).await
    }

    fn error(&self, failure: EndpointError) -> Error {
        error(self.what(), failure)
    }

    fn what(&self) -> String {
        format!("asking {} at {}", self.model.name, self.model.base_url)
    }
}

#[async_trait]
impl Reranker for RerankEndpoint {
    async fn rerank(&self, task: RerankTask<'_>) -> annals_core::Result<Vec<f64>> {
        if task.texts.is_empty() {
            return Ok(Vec::new());
        }
        let request = RerankRequest {
            agent: task.agent.clone(),
            question: beginning(task.question, QUESTION).to_owned(),
            texts: task.texts.iter().map(|text| beginning(text, TEXT).to_owned()).collect(),
            access_key: task.access_key.map(str::to_owned),
            now: task.now,
        };
        let connection = Arc::clone(&self.connection);
        // In a task of its own, which is not dropped with the request of a client that gave up.
        let scores = tokio::spawn(async move { connection.scores(&request).await });
        let lost = |ended: JoinError| Error::model(self.connection.what(), thread_end(ended.is_panic()));
        scores.await.map_err(lost)?
    }
}

/// Returns one score per text, in the order of the texts. The error says what is wrong with the answer.
fn scores(answer: &Value, texts: usize) -> Result<Vec<f64>, &'static str> {
    let mut lists = [&answer["results"], &answer["data"], answer].into_iter();
    let rows = lists.find_map(Value::as_array).ok_or("its answer contains no list of scores")?;
    let mut scores = vec![None; texts];
    for row in rows {
        let index = row["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let slot = index.and_then(|index| scores.get_mut(index)).ok_or("it scored a text that it was not given")?;
        let score = row["relevance_score"].as_f64().or(row["score"].as_f64()).filter(|score| score.is_finite());
        if slot.replace(score.ok_or("one of its scores is not a number")?).is_some() {
            return Err("it scored a text twice");
        }
    }
    scores.into_iter().collect::<Option<Vec<f64>>>().ok_or("it left out a text")
}

/// Returns the tokens that the server read; `None` if it reports none or zero.
fn tokens(answer: &Value) -> Option<u64> {
    let usage = &answer["usage"];
    let counts = [&usage["total_tokens"], &usage["prompt_tokens"], &answer["meta"]["tokens"]["input_tokens"]];
    counts.into_iter().find_map(counted).filter(|tokens| *tokens > 0)
}
