//! [`Cached`]: an embedder with an LRU cache of vectors.
//!
//! Keys are SHA-256 digests of texts, so the cache holds no text. It is bounded by a number of vectors (1.6 KB each with 384
//! components) and never shared between models: each embedder has its own.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::ops::Range;

use annals_core::{Embedder, Error, Result};
use async_trait::async_trait;
use lru::LruCache;
use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};

type Key = [u8; 32];

/// Byte that is hashed before the text of a question. It gives a question another key than a stored text of the same words,
/// because models may embed a text differently as a question. No text begins with this byte.
const QUERY: [u8; 1] = [0xff];

/// An embedder with a cache of the vectors that were used last. A text that occurs twice in one call, or again while its vector
/// is cached, is embedded once. Calls that run at the same time may embed it twice. The vector of a question and that of the
/// same stored text are cached separately.
pub struct Cached<E> {
    inner: E,
    vectors: Mutex<LruCache<Key, Vec<f32>>>,
}

impl<E: Embedder> Cached<E> {
    /// Creates an empty cache of at most `capacity` vectors.
    pub fn new(inner: E, capacity: NonZeroUsize) -> Cached<E> {
        Cached { inner, vectors: Mutex::new(LruCache::new(capacity)) }
    }

    fn recall(&self, keys: &[Key]) -> HashMap<Key, Vec<f32>> {
        let mut vectors = self.lock();
        keys.iter().filter_map(|key| Some((*key, vectors.get(key)?.clone()))).collect()
    }

    async fn compute(&self, missing: Vec<(Key, String)>) -> Result<Vec<(Key, Vec<f32>)>> {
        let (keys, texts): (Vec<_>, Vec<_>) = missing.into_iter().unzip();
        let vectors = self.inner.embed(texts).await?;
        if vectors.len() != keys.len() {
            let counts = format!("{} vectors for {} texts", vectors.len(), keys.len());
            return Err(Error::model("the embedder miscounted", counts));
        }
        Ok(keys.into_iter().zip(vectors).collect())
    }

    fn remember(&self, computed: &[(Key, Vec<f32>)]) {
        let mut vectors = self.lock();
        for (key, vector) in computed {
            vectors.put(*key, vector.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<Key, Vec<f32>>> {
        self.vectors.lock()
    }
}

#[async_trait]
impl<E: Embedder> Embedder for Cached<E> {
    fn model(&self) -> &str {
        self.inner.model()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        self.inner.split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let keys: Vec<Key> = texts.iter().map(|text| Sha256::digest(text).into()).collect();
        let mut known = self.recall(&keys);
        let mut seen = HashSet::new();
        let unknown = keys.iter().copied().zip(texts).filter(|(key, _)| !known.contains_key(key) && seen.insert(*key));
        let missing: Vec<_> = unknown.collect();
        if !missing.is_empty() {
            let computed = self.compute(missing).await?;
            self.remember(&computed);
            known.extend(computed);
        }
        Ok(keys.iter().map(|key| known[key].clone()).collect())
    }

    async fn embed_query(&self, text: String) -> Result<Vec<f32>> {
        let key: Key = Sha256::new().chain_update(QUERY).chain_update(&text).finalize().into();
        if let Some(vector) = self.recall(&[key]).remove(&key) {
            return Ok(vector);
        }
        let vector = self.inner.embed_query(text).await?;
        self.remember(&[(key, vector.clone())]);
        Ok(vector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An embedder that returns the length of a text as its vector. Records every text that it embeds.
    #[derive(Default)]
    struct Lengths(Mutex<Vec<String>>);

    #[async_trait]
    impl Embedder for Lengths {
        fn model(&self) -> &str {
            "lengths"
        }

        fn dimension(&self) -> usize {
            1
        }

        fn split(&self, text: &str) -> Vec<Range<usize>> {
            vec![Range { start: 0, end: text.len() }]
        }

        async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
            self.0.lock().extend(texts.iter().cloned());
            Ok(texts.iter().map(|text| vec![text.len() as f32]).collect())
        }

        async fn embed_query(&self, text: String) -> Result<Vec<f32>> {
            self.0.lock().push(format!("{text}?"));
            Ok(vec![-(text.len() as f32)])
        }
    }

    /// Embeds the texts of each line in turn with a capacity of two, and checks which texts reached the inner embedder.
    async fn check(asks: &[&str], expect: &str) {
        let cached = Cached::new(Lengths::default(), NonZeroUsize::new(2).unwrap());
        for ask in asks {
            let texts: Vec<String> = ask.split_whitespace().map(str::to_owned).collect();
            let lengths: Vec<_> = texts.iter().map(|text| vec![text.len() as f32]).collect();
            assert_eq!(cached.embed(texts).await.unwrap(), lengths);
            assert!(cached.lock().len() <= 2);
        }
        assert_eq!(cached.inner.0.lock().join(" "), expect);
    }

    #[tokio::test]
    async fn twice_is_once() {
        check(&["a bb", "bb a", "a"], "a bb").await;
        check(&["a a bb a", ""], "a bb").await;
    }

    #[tokio::test]
    async fn question_is_no_passage() {
        let cached = Cached::new(Lengths::default(), NonZeroUsize::new(2).unwrap());
        for _ in 0..2 {
            assert_eq!(cached.embed(vec!["a".into()]).await.unwrap(), [[1.0]]);
            assert_eq!(cached.embed_query("a".into()).await.unwrap(), [-1.0]);
        }
        assert_eq!(cached.inner.0.lock().join(" "), "a a?");
    }

    #[tokio::test]
    async fn least_recently_used_vector_is_evicted() {
        check(&["a bb", "a", "ccc", "a", "bb"], "a bb ccc bb").await;
    }

    #[tokio::test]
    async fn batch_beyond_capacity_is_embedded() {
        check(&["a bb ccc dddd", "dddd ccc", "a"], "a bb ccc dddd a").await;
    }
}
