//! Shares the work of embedding with the standby nodes of a cluster, through an [`EmbeddingQueue`].
//!
//! Embedding is most of the work of an import. What a node does not return in time is embedded here, so a node that is slow or
//! lost costs a delay and never a vector. While no node asks for texts, nothing is queued. Questions are always embedded here.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use annals_core::{Embedder, Embedders, Result};
use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use crate::EmbeddingQueue;
use crate::embedding_queue::{Call, PIECE, Receiver, Vectors};

/// How long a call waits for the pieces that nodes have, once this process has embedded its own.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How long nothing is shared after a piece did not come back in time.
const PAUSE: Duration = Duration::from_secs(60);

/// An embedder that shares its work with the processes that take texts from a queue.
pub struct SharedEmbedder {
    own: Arc<dyn Embedder>,
    queue: EmbeddingQueue,
    /// When texts are shared again; `None` if no piece was missing lately.
    paused: Mutex<Option<Instant>>,
}

impl SharedEmbedder {
    pub fn new(own: Arc<dyn Embedder>, queue: EmbeddingQueue) -> SharedEmbedder {
        SharedEmbedder { own, queue, paused: Mutex::default() }
    }

    fn is_shared(&self) -> bool {
        let paused = *self.paused.lock();
        paused.is_none_or(|until| until <= Instant::now()) && self.queue.has_takers()
    }

    /// Embeds the texts here and elsewhere. Two pieces at a time are embedded here, so that the processor is busy while the last
    /// text of one is embedded.
    async fn embed_together(&self, texts: &[String]) -> Result<Vectors> {
        let mut call = self.queue.add(texts);
        let (one, other) = tokio::try_join!(self.embed_own(&call), self.embed_own(&call))?;
        let mut pieces = vec![None; call.received.len()];
        one.into_iter().chain(other).for_each(|(index, vectors)| pieces[index] = Some(vectors));
        let (until, mut vectors) = (Instant::now() + MAX_WAIT, Vec::with_capacity(texts.len()));
        for ((texts, own), received) in texts.chunks(PIECE).zip(pieces).zip(&mut call.received) {
            vectors.extend(match own {
                Some(own) => own,
                None => self.received(texts, received, until).await?,
            });
        }
        Ok(vectors)
    }

    /// Embeds pieces of the call here until none waits. Returns the vectors with the position of each piece.
    async fn embed_own(&self, call: &Call<'_>) -> Result<Vec<(usize, Vectors)>> {
        let mut embedded = Vec::new();
        while let Some(piece) = call.next_piece() {
            embedded.push((piece.index, self.own.embed(piece.texts).await?));
        }
        Ok(embedded)
    }

    /// Waits for the vectors of a piece that another process has. Embeds it here if they do not come or are of no use.
    async fn received(&self, texts: &[String], received: &mut Receiver, until: Instant) -> Result<Vectors> {
        match timeout_at(until, received).await {
            Ok(Ok(vectors)) if self.are_of(&vectors, texts) => return Ok(vectors),
            // The queue was closed, or has another piece with the same texts.
            Ok(Err(_)) => {}
            _ => *self.paused.lock() = Some(Instant::now() + PAUSE),
        }
        self.own.embed(texts.to_vec()).await
    }

    fn are_of(&self, vectors: &[Vec<f32>], texts: &[String]) -> bool {
        let is_right =
            |vector: &Vec<f32>| vector.len() == self.own.dimension() && vector.iter().all(|number| number.is_finite());
        vectors.len() == texts.len() && vectors.iter().all(is_right)
    }
}

#[async_trait]
impl Embedder for SharedEmbedder {
    fn model(&self) -> &str {
        self.own.model()
    }

    fn dimension(&self) -> usize {
        self.own.dimension()
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        self.own.split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        match texts.len() > PIECE && self.is_shared() {
            true => self.embed_together(&texts).await,
            false => self.own.embed(texts).await,
        }
    }

    async fn embed_query(&self, text: String) -> Result<Vec<f32>> {
        self.own.embed_query(text).await
    }
}

/// Embedders of which the configured one is shared.
pub struct SharedEmbedders {
    all: Arc<dyn Embedders>,
    shared: Arc<dyn Embedder>,
}

impl SharedEmbedders {
    pub fn new(all: Arc<dyn Embedders>, queue: EmbeddingQueue) -> SharedEmbedders {
        let shared = Arc::new(SharedEmbedder::new(all.configured(), queue));
        SharedEmbedders { all, shared }
    }
}

#[async_trait]
impl Embedders for SharedEmbedders {
    fn configured(&self) -> Arc<dyn Embedder> {
        self.shared.clone()
    }

    async fn by_model(&self, model: &str) -> Result<Option<Arc<dyn Embedder>>> {
        if self.shared.model() == model { Ok(Some(self.shared.clone())) } else { self.all.by_model(model).await }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use annals_testkit::WordEmbedder;
    use tokio::task::yield_now;
    use tokio::time::timeout;

    use super::*;
    use crate::EmbeddedTexts;

    /// Lets other tasks run before each call.
    struct Yielding(WordEmbedder);

    #[async_trait]
    impl Embedder for Yielding {
        fn model(&self) -> &str {
            self.0.model()
        }

        fn dimension(&self) -> usize {
            self.0.dimension()
        }

        fn split(&self, text: &str) -> Vec<Range<usize>> {
            self.0.split(text)
        }

        async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
            yield_now().await;
            self.0.embed(texts).await
        }
    }

    fn texts() -> Vec<String> {
        (0..100).map(|number| format!("message {number} about the harbour")).collect()
    }

    /// Runs a node that answers each piece with what `answer` makes of the right vectors; `None` if it never answers. Checks that
    /// all texts get the right vectors, in order. Returns the numbers of texts that the node and this process embedded, and
    /// whether texts are still shared.
    async fn check(answer: fn(Vectors) -> Option<Vectors>) -> (u64, u64, bool) {
        let (queue, own) = (EmbeddingQueue::of("words"), Arc::new(Yielding(WordEmbedder::new())));
        let embedder = SharedEmbedder::new(own.clone(), queue.clone());
        let (node, taken) = (queue.clone(), Arc::new(AtomicU64::new(0)));
        let counted = taken.clone();
        let node = tokio::spawn(async move {
            while let Some(texts) = node.take().await {
                counted.fetch_add(texts.len() as u64, Ordering::Relaxed);
                if let Some(vectors) = answer(WordEmbedder::new().embed(texts.clone()).await.unwrap()) {
                    node.give(EmbeddedTexts::of(&texts, vectors));
                }
            }
        });
        // The node asks before there is anything to embed.
        yield_now().await;
        let vectors = embedder.embed(texts()).await.unwrap();
        assert!(vectors == WordEmbedder::new().embed(texts()).await.unwrap());
        assert!(queue.is_empty());
        let is_shared = embedder.is_shared();
        node.abort();
        (taken.load(Ordering::Relaxed), own.0.embedded(), is_shared)
    }

    #[tokio::test]
    async fn texts_are_embedded_once_by_both() {
        let (node, own, is_shared) = check(Some).await;
        assert!(node > 0 && own > 0 && node + own == 100 && is_shared, "{node} and {own}");
    }

    #[tokio::test]
    async fn what_a_node_does_not_embed_is_embedded_here_and_it_gets_no_more_for_a_while() {
        let wrong: [fn(Vectors) -> Option<Vectors>; 4] = [
            |_| None,
            |vectors| Some(vectors[1..].to_vec()),
            |vectors| Some(vectors.into_iter().map(|vector| vector[1..].to_vec()).collect()),
            |vectors| Some(vec![vec![f32::NAN; vectors[0].len()]; vectors.len()]),
        ];
        for answer in wrong {
            let (node, own, is_shared) = check(answer).await;
            assert!(node > 0 && own == 100 && !is_shared, "{node} and {own}");
        }
    }

    #[tokio::test]
    async fn without_a_node_nothing_is_queued() {
        let queue = EmbeddingQueue::of("words");
        let embedder = SharedEmbedder::new(Arc::new(WordEmbedder::new()), queue.clone());
        embedder.embed(texts()).await.unwrap();
        assert_eq!(queue.calls(), 0);
        // A node that asked and left is not waited for.
        let _ = timeout(Duration::from_millis(1), queue.take()).await;
        embedder.embed(texts()).await.unwrap();
        assert_eq!(queue.calls(), 0);
    }

    #[tokio::test]
    async fn few_texts_and_questions_stay_here() {
        let queue = EmbeddingQueue::of("words");
        let embedder = SharedEmbedder::new(Arc::new(WordEmbedder::new()), queue.clone());
        let node = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take().await }
        });
        yield_now().await;
        embedder.embed(texts()[..PIECE].to_vec()).await.unwrap();
        embedder.embed_query("harbour".into()).await.unwrap();
        assert_eq!(queue.calls(), 0);
        node.abort();
    }
}
