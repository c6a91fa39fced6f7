//! An in-memory embedder: a hashed bag of words. Texts that share words are similar, others only by hash collisions.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::ports::OneEmbedder;
use annals_core::{Digest, Embedder, Embedders, Result, SENTENCE_ENDS};
use async_trait::async_trait;

use crate::word_split::{starts, words};

const MODEL: &str = "words-1";
const DIMENSION: usize = 64;
/// Maximum number of words that one vector covers. A longer text is split, and of a text that was not split only the first part
/// is embedded.
const WINDOW: usize = 40;

/// Port `Embedder` without a model. Counts the texts that it embeds, so that a test can show that nothing is embedded twice.
#[derive(Debug)]
pub struct WordEmbedder {
    model: String,
    dimension: usize,
    embedded: AtomicU64,
}

impl Default for WordEmbedder {
    fn default() -> WordEmbedder {
        WordEmbedder::new()
    }
}

impl WordEmbedder {
    pub fn new() -> WordEmbedder {
        WordEmbedder::of(MODEL, DIMENSION)
    }

    /// Creates an embedder with the name and the dimension of another model.
    pub fn of(model: &str, dimension: usize) -> WordEmbedder {
        WordEmbedder { model: model.to_owned(), dimension, embedded: AtomicU64::new(0) }
    }

    /// Returns the number of texts embedded so far.
    pub fn embedded(&self) -> u64 {
        self.embedded.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Embedder for WordEmbedder {
    fn model(&self) -> &str {
        &self.model
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        let starts = starts(text);
        let mut cuts = vec![0];
        let mut next = WINDOW;
        while next < starts.len() {
            // Cut after the last sentence that ends within the window, otherwise between two words.
            let window = next - WINDOW + 1..=next;
            next = window.rev().find(|word| ends_sentence(&text[..starts[*word]])).unwrap_or(next);
            cuts.push(starts[next]);
            next += WINDOW;
        }
        cuts.push(text.len());
        cuts.windows(2).map(|cut| cut[0]..cut[1]).collect()
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        self.embedded.fetch_add(texts.len() as u64, Ordering::Relaxed);
        Ok(texts.iter().map(|text| self.vector(&text[self.split(text).remove(0)])).collect())
    }
}

fn ends_sentence(before: &str) -> bool {
    before.trim_end().ends_with(SENTENCE_ENDS)
}

impl WordEmbedder {
    fn vector(&self, text: &str) -> Vec<f32> {
        let mut counts = vec![0.0_f32; self.dimension];
        for word in words(text) {
            counts[usize::from(Digest::of([&word]).0[0]) % self.dimension] += 1.0;
        }
        // The vector of a text without words must have a direction, too.
        if counts.iter().all(|count| *count == 0.0) {
            counts[0] = 1.0;
        }
        let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt();
        counts.into_iter().map(|count| count / length).collect()
    }
}

/// Port `Embedders` over word embedders: one that is configured, and those that can still be opened.
#[derive(Clone)]
pub struct WordEmbedders {
    configured: Arc<WordEmbedder>,
    others: Vec<Arc<WordEmbedder>>,
}

impl WordEmbedders {
    /// Creates embedders with the configured one and the others that can still be opened.
    pub fn new(configured: WordEmbedder, others: Vec<WordEmbedder>) -> WordEmbedders {
        WordEmbedders { configured: Arc::new(configured), others: others.into_iter().map(Arc::new).collect() }
    }

    /// Returns the number of texts that the configured embedder has embedded.
    pub fn embedded(&self) -> u64 {
        self.configured.embedded()
    }
}

#[async_trait]
impl Embedders for WordEmbedders {
    fn configured(&self) -> Arc<dyn Embedder> {
        self.configured.clone()
    }

    async fn by_model(&self, model: &str) -> Result<Option<Arc<dyn Embedder>>> {
        let mut all = std::iter::once(&self.configured).chain(&self.others);
        Ok(all.find(|embedder| embedder.model() == model).map(|found| found.clone() as Arc<dyn Embedder>))
    }
}

/// Returns embedders in which only this one can be opened.
pub fn one_embedder(embedder: impl Embedder + 'static) -> Arc<dyn Embedders> {
    Arc::new(OneEmbedder(Arc::new(embedder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keeps_the_promises_of_the_port() {
        crate::embedder_suite(&WordEmbedder::new()).await;
        crate::embedder_suite(&WordEmbedder::of("words-2", 48)).await;
    }

    #[tokio::test]
    async fn counts_what_it_embeds() {
        let embedder = WordEmbedder::new();
        embedder.embed(vec!["one".into(), "two".into()]).await.unwrap();
        assert_eq!(embedder.embedded(), 2);
    }
}
