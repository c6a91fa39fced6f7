//! The texts that this process lets others embed: the standby nodes of a cluster take them and give vectors back.
//!
//! A call of [`SharedEmbedder`](crate::SharedEmbedder) adds its texts in pieces, and takes pieces from the queue itself. Never
//! waits for a node, and never decides what happens to a piece that does not come back.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use annals_core::Digest;
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

/// Number of texts in a piece. The built-in model takes 20 to 250 ms for them on one core, much longer than their way to a node
/// and back.
pub(crate) const PIECE: usize = 16;

pub(crate) type Vectors = Vec<Vec<f32>>;
type Sender = oneshot::Sender<Vectors>;
pub(crate) type Receiver = oneshot::Receiver<Vectors>;

/// The vectors of the texts of a piece, in the same order. The digest of the texts says which: a node may return vectors to
/// another process than the one that handed out the texts, after a takeover.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedTexts {
    texts: String,
    vectors: Vectors,
}

impl EmbeddedTexts {
    pub fn of(texts: &[String], vectors: Vec<Vec<f32>>) -> EmbeddedTexts {
        EmbeddedTexts { texts: Digest::of(texts).to_string(), vectors }
    }
}

/// The texts that other processes may embed. Clones share them.
#[derive(Clone)]
pub struct EmbeddingQueue(Arc<Inner>);

struct Inner {
    model: String,
    pieces: Mutex<Pieces>,
    added: Notify,
    /// Number of processes that wait for a piece.
    takers: AtomicUsize,
    calls: AtomicU64,
    closed: CancellationToken,
}

#[derive(Default)]
struct Pieces {
    waiting: VecDeque<Piece>,
    /// The pieces that other processes have, by the digest of their texts. Of two with the same texts, the call of the first
    /// embeds its own.
    taken: HashMap<String, Taken>,
}

/// Some of the texts of a call.
pub(crate) struct Piece {
    call: u64,
    /// Position of the piece among those of its call.
    pub(crate) index: usize,
    pub(crate) texts: Vec<String>,
    vectors: Sender,
}

/// A piece that another process has.
struct Taken {
    call: u64,
    vectors: Sender,
}

impl EmbeddingQueue {
    /// Returns an empty queue of texts for a model.
    pub fn of(model: &str) -> EmbeddingQueue {
        EmbeddingQueue(Arc::new(Inner {
            model: model.to_owned(),
            pieces: Mutex::default(),
            added: Notify::new(),
            takers: AtomicUsize::new(0),
            calls: AtomicU64::new(0),
            closed: CancellationToken::new(),
        }))
    }

    /// Returns the name of the model that must embed the texts.
    pub fn model(&self) -> &str {
        &self.0.model
    }

    /// Waits for a piece, and returns its texts. Returns `None` once the queue is closed.
    pub async fn take(&self) -> Option<Vec<String>> {
        let _taker = Taker::of(&self.0.takers);
        self.0.closed.run_until_cancelled(self.next()).await
    }

    async fn next(&self) -> Vec<String> {
        loop {
            if let Some((texts, are_more)) = self.pieces().take() {
                if are_more {
                    // Two takers may have got one notification for several pieces.
                    self.0.added.notify_one();
                }
                return texts;
            }
            self.0.added.notified().await;
        }
    }

    /// Passes vectors on to the call that waits for them. Ignores them if it does not wait any more.
    pub fn give(&self, embedded: EmbeddedTexts) {
        if let Some(taken) = self.pieces().taken.remove(&embedded.texts) {
            let _ = taken.vectors.send(embedded.vectors);
        }
    }

    /// Hands out nothing more, and gives up what other processes have: they cannot return it to a process that stops.
    pub fn close(&self) {
        self.0.closed.cancel();
        self.pieces().taken.clear();
    }

    /// Returns whether another process waits for texts, or has some.
    pub(crate) fn has_takers(&self) -> bool {
        let is_taken = || !self.pieces().taken.is_empty();
        !self.0.closed.is_cancelled() && (self.0.takers.load(Ordering::Relaxed) > 0 || is_taken())
    }

    /// Adds the pieces of one call. They are removed when the call is dropped.
    pub(crate) fn add(&self, texts: &[String]) -> Call<'_> {
        let number = self.0.calls.fetch_add(1, Ordering::Relaxed);
        let mut pieces = self.pieces();
        let received = texts.chunks(PIECE).enumerate().map(|(index, texts)| pieces.add(number, index, texts)).collect();
        drop(pieces);
        let call = Call { queue: self, number, received };
        call.received.iter().for_each(|_| self.0.added.notify_one());
        call
    }

    /// Returns whether no piece waits or is away. For tests.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        let pieces = self.pieces();
        pieces.waiting.is_empty() && pieces.taken.is_empty()
    }

    /// Returns the number of calls so far. For tests.
    #[cfg(test)]
    pub(crate) fn calls(&self) -> u64 {
        self.0.calls.load(Ordering::Relaxed)
    }

    fn pieces(&self) -> MutexGuard<'_, Pieces> {
        self.0.pieces.lock()
    }
}

impl Pieces {
    fn add(&mut self, call: u64, index: usize, texts: &[String]) -> Receiver {
        let (vectors, received) = oneshot::channel();
        self.waiting.push_back(Piece { call, index, texts: texts.to_vec(), vectors });
        received
    }

    /// Takes the oldest piece, for another process. Also returns whether more pieces wait.
    fn take(&mut self) -> Option<(Vec<String>, bool)> {
        let Piece { call, texts, vectors, .. } = self.waiting.pop_front()?;
        self.taken.insert(Digest::of(&texts).to_string(), Taken { call, vectors });
        Some((texts, !self.waiting.is_empty()))
    }
}

/// Counts a process that waits for a piece, until it is dropped.
struct Taker<'a>(&'a AtomicUsize);

impl Taker<'_> {
    fn of(takers: &AtomicUsize) -> Taker<'_> {
        takers.fetch_add(1, Ordering::Relaxed);
        Taker(takers)
    }
}

impl Drop for Taker<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The pieces of one call of the embedder.
pub(crate) struct Call<'a> {
    queue: &'a EmbeddingQueue,
    number: u64,
    /// Where the vectors of each piece arrive if another process embeds it.
    pub(crate) received: Vec<Receiver>,
}

impl Call<'_> {
    /// Takes the next piece of this call that nobody has.
    pub(crate) fn next_piece(&self) -> Option<Piece> {
        let mut pieces = self.queue.pieces();
        let position = pieces.waiting.iter().position(|piece| piece.call == self.number)?;
        pieces.waiting.remove(position)
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        let mut pieces = self.queue.pieces();
        pieces.waiting.retain(|piece| piece.call != self.number);
        pieces.taken.retain(|_, taken| taken.call != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Vec<String> {
        (0..40).map(|number| format!("message {number}")).collect()
    }

    #[tokio::test]
    async fn call_that_is_given_up_leaves_nothing_behind() {
        let queue = EmbeddingQueue::of("words");
        let call = queue.add(&texts());
        let taken = queue.take().await.unwrap();
        assert_eq!(taken, texts()[..PIECE]);
        drop(call);
        queue.give(EmbeddedTexts::of(&taken, Vec::new()));
        assert!(queue.is_empty());
    }

    #[tokio::test]
    async fn vectors_of_other_texts_are_not_used() {
        let queue = EmbeddingQueue::of("words");
        let mut call = queue.add(&texts());
        let taken = queue.take().await.unwrap();
        queue.give(EmbeddedTexts::of(&["of a former process".to_owned()], vec![vec![1.0]; PIECE]));
        assert!(call.received[0].try_recv().is_err());
        queue.give(EmbeddedTexts::of(&taken, vec![vec![1.0]; PIECE]));
        assert!(call.received[0].try_recv().is_ok());
    }

    #[tokio::test]
    async fn closed_queue_hands_out_nothing_and_gives_up_what_is_away() {
        let queue = EmbeddingQueue::of("words");
        let mut call = queue.add(&texts());
        queue.take().await.unwrap();
        let (waiting, closing) = (queue.clone(), queue.clone());
        drop(call.next_piece());
        drop(call.next_piece());
        let (taken, ()) = tokio::join!(waiting.take(), async move { closing.close() });
        assert_eq!(taken, None);
        assert!(call.received[0].try_recv() == Err(oneshot::error::TryRecvError::Closed) && !queue.has_takers());
    }
}
