//! Standby nodes embed texts for the active node. A node asks for texts, embeds them, and returns the vectors when it asks for
//! more. The active node requires the key of the cluster, because the texts are memories.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use annals_core::Embedder;
use annals_service::metrics::NodeMetrics;
use annals_service::{EmbeddedTexts, EmbeddingQueue};
use axum::extract::State;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::{Json, Router, routing};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use tokio::time::{sleep, timeout};

use super::requests::{check_key, post};
use super::standby::ActiveNode;
use crate::ipc::Failure;
use crate::rest::Problem;

const PATH: &str = "/cluster/embedding";

/// How long a node waits for texts in one request. Shorter than what proxies and firewalls allow for an answer.
const MAX_WAIT: Duration = Duration::from_secs(20);
/// Pause after a failure.
const PAUSE: Duration = Duration::from_secs(5);

/// Number of requests that a node has under way, so that it embeds while the next texts travel.
const AT_ONCE: usize = 2;

/// What a standby node sends: the vectors that it has, and that it wants more texts.
#[derive(Serialize, Deserialize)]
struct Exchange {
    /// The model with which the node embeds.
    model: String,
    embedded: Option<EmbeddedTexts>,
}

/// Returns the route on which the active node hands out texts and takes vectors.
pub(super) fn embedding_route(queue: EmbeddingQueue, key: SecretString) -> Router {
    Router::new().route(PATH, routing::post(answer)).with_state(queue).layer(from_fn_with_state(key, check_key))
}

/// Answers with texts, or with `null` if there are none within [`MAX_WAIT`] or the queue is closed.
async fn answer(
    State(queue): State<EmbeddingQueue>,
    Json(exchange): Json<Exchange>,
) -> Result<Json<Option<Vec<String>>>, Problem> {
    if exchange.model != queue.model() {
        let detail = format!("the active node embeds with {}, this node with {}", queue.model(), exchange.model);
        return Err(Problem::new(StatusCode::CONFLICT, "conflict", detail));
    }
    exchange.embedded.into_iter().for_each(|embedded| queue.give(embedded));
    Ok(Json(timeout(MAX_WAIT, queue.take()).await.ok().flatten()))
}

/// A standby node that embeds for the active node.
#[derive(Clone)]
pub struct StandbyEmbedder {
    pub active: ActiveNode,
    /// The key of the cluster.
    pub key: SecretString,
    pub embedder: Arc<dyn Embedder>,
    pub metrics: NodeMetrics,
}

impl StandbyEmbedder {
    /// Embeds for the active node, without end.
    pub async fn run(&self) -> Infallible {
        let loops = (0..AT_ONCE).map(|_| Box::pin(self.embed_without_end()));
        futures::future::select_all(loops).await.0
    }

    async fn embed_without_end(&self) -> Infallible {
        let (mut embedded, mut failure) = (None, String::new());
        loop {
            match self.embed_next(embedded.take()).await {
                Ok(vectors) => {
                    embedded = vectors;
                    failure.clear();
                }
                Err(error) => {
                    let now = error.to_string();
                    // The active node embeds by itself what this node does not.
                    if failure != now {
                        tracing::warn!(error = now, "this node embeds nothing for the active node; it tries again");
                        failure = now;
                    }
                    sleep(PAUSE).await;
                }
            }
        }
    }

    /// Returns vectors, gets texts and embeds them. Returns `None` if there were no texts.
    async fn embed_next(&self, embedded: Option<EmbeddedTexts>) -> Result<Option<EmbeddedTexts>, Failure> {
        let Some(texts) = self.exchange(embedded).await? else { return Ok(None) };
        let vectors = self.embedder.embed(texts.clone()).await?;
        self.metrics.embedded(vectors.len() as u64);
        Ok(Some(EmbeddedTexts::of(&texts, vectors)))
    }

    async fn exchange(&self, embedded: Option<EmbeddedTexts>) -> Result<Option<Vec<String>>, Failure> {
        let exchange = Exchange { model: self.embedder.model().to_owned(), embedded };
        Ok(post(&self.active, &self.key, PATH, &exchange).await?.flatten())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use annals_service::SharedEmbedder;
    use annals_testkit::WordEmbedder;
    use tokio::net::TcpListener;
    use tokio::sync::watch;
    use tokio::task::yield_now;

    use super::*;

    const KEY: &str = "0123456789abcdef";

    /// Embeds a hundred texts on an active node, beside a standby node with a key and a model. Returns the number of texts that
    /// the standby node embedded.
    async fn embedded_elsewhere(key: &str, model: &str) -> u64 {
        let queue = EmbeddingQueue::of("words-1");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (_sender, active) = watch::channel(Some(listener.local_addr().unwrap().to_string()));
        let routes = embedding_route(queue.clone(), SecretString::from(KEY));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        let theirs = Arc::new(WordEmbedder::of(model, 64));
        let node = StandbyEmbedder {
            active,
            key: SecretString::from(key),
            embedder: theirs.clone(),
            metrics: NodeMetrics::new(Duration::from_secs(15), Instant::now()),
        };
        let metrics = node.metrics.clone();
        tokio::spawn(async move { node.run().await });
        let texts: Vec<String> = (0..100).map(|number| format!("message {number}")).collect();
        let embedder = SharedEmbedder::new(Arc::new(WordEmbedder::new()), queue);
        let right = WordEmbedder::new().embed(texts.clone()).await.unwrap();
        for _ in 0..50 {
            sleep(Duration::from_millis(20)).await;
            assert!(embedder.embed(texts.clone()).await.unwrap() == right);
            yield_now().await;
        }
        let counted = format!("annals_node_embedded_texts_total {}\n", theirs.embedded());
        assert!(metrics.text(Instant::now()).contains(&counted));
        theirs.embedded()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn standby_node_embeds_for_the_active_one() {
        assert!(embedded_elsewhere(KEY, "words-1").await > 0);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn node_with_a_wrong_key_or_another_model_gets_no_texts() {
        assert_eq!(embedded_elsewhere("0123456789abcdeX", "words-1").await, 0);
        assert_eq!(embedded_elsewhere(KEY, "words-2").await, 0);
    }
}
