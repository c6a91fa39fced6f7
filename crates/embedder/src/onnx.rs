//! [`OnnxEmbedder`]: tokenizer and network behind the port `Embedder`.
//!
//! Relies on tokio's blocking threads to wait for the network's thread pools. Clones share one loaded model. Never keeps a
//! text or a vector; [`Cached`](crate::Cached) keeps vectors.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use annals_core::{Embedder, Error, Result};
use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::task::JoinSet;

use crate::files::ModelFiles;
use crate::folder::{Options, read_folder};
use crate::network::Network;
use crate::runtime::Runtime;
use crate::split::split;
use crate::tokens::Tokens;

/// An ONNX embedding model in this process. Clones share one network.
#[derive(Clone)]
pub struct OnnxEmbedder(Arc<Loaded>);

/// The length of the built-in model's vectors. A test compares it with the network's.
const BUILT_IN_DIMENSION: usize = 384;

type Load = Box<dyn Fn(&Tokens) -> Result<Network> + Send>;

struct Loaded {
    name: String,
    tokens: Tokens,
    network: OnceLock<Network>,
    /// Loads the network on first use. Most commands embed nothing, and loading takes a tenth of a second of processor time.
    load: Mutex<Load>,
    query_prefix: String,
    passage_prefix: String,
    prefix_tokens: usize,
}

impl OnnxEmbedder {
    /// Prepares the model that is compiled into the binary: all-MiniLM-L6-v2, 384 components, 256 tokens. Its network is loaded
    /// for the first text.
    pub fn bundled() -> Result<OnnxEmbedder> {
        OnnxEmbedder::bundled_in(|| Runtime::find(None))
    }

    /// Prepares the model that is compiled into the binary. The network is loaded for the first text, in the runtime that
    /// `runtime` then returns.
    pub fn bundled_in(runtime: impl Fn() -> Runtime + Send + 'static) -> Result<OnnxEmbedder> {
        OnnxEmbedder::prepare(ModelFiles::bundled(), runtime)
    }

    /// Loads a model from a folder into ONNX Runtime if its library is found, otherwise into rten. The folder has the usual
    /// form, with an ONNX file, `tokenizer.json` and what sentence-transformers writes beside them, or it was written by
    /// `models/export.py`, with `SHA256SUMS`.
    pub fn from_folder(path: impl AsRef<Path>, options: &Options) -> Result<OnnxEmbedder> {
        OnnxEmbedder::folder_in(path, options, Runtime::find(None))
    }

    /// Loads a model from a folder into the given runtime. `options` apply only to a folder of the usual form.
    pub fn folder_in(path: impl AsRef<Path>, options: &Options, runtime: Runtime) -> Result<OnnxEmbedder> {
        let embedder = OnnxEmbedder::prepare(read_folder(path.as_ref(), options)?, move || runtime)?;
        embedder.0.network()?;
        Ok(embedder)
    }

    /// Returns the name that vectors of the model in a folder carry, without loading the network. Reads the files for their
    /// checksums.
    pub fn name_of(path: impl AsRef<Path>, options: &Options) -> Result<String> {
        Ok(read_folder(path.as_ref(), options)?.name)
    }

    /// Returns the name that vectors of the built-in model carry.
    pub fn name_of_bundled() -> String {
        ModelFiles::bundled().name
    }

    fn prepare(files: ModelFiles, runtime: impl Fn() -> Runtime + Send + 'static) -> Result<OnnxEmbedder> {
        let ModelFiles { name, model, tokenizer, window, pooling, query_prefix, passage_prefix } = files;
        let tokens = Tokens::load(&tokenizer, window)?;
        let prefix_tokens = tokens.count(&passage_prefix);
        let load = move |tokens: &Tokens| Network::load(runtime(), model.clone(), pooling, &tokens.ids("")?);
        let (network, load) = (OnceLock::new(), Mutex::new(Box::new(load) as _));
        let loaded = Loaded { name, tokens, network, load, query_prefix, passage_prefix, prefix_tokens };
        Ok(OnnxEmbedder(Arc::new(loaded)))
    }

    /// Returns how many texts can run in parallel. Loads the network the first time.
    async fn workers(&self) -> Result<usize> {
        if let Some(network) = self.0.network.get() {
            return Ok(network.workers());
        }
        let loaded = self.0.clone();
        let workers = tokio::task::spawn_blocking(move || loaded.network().map(Network::workers)).await;
        workers.map_err(|error| Error::model("the embedder stopped", error))?
    }

    /// Embeds texts without adding a prefix, several in parallel.
    async fn run(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let in_parallel = texts.len().min(self.workers().await?);
        let mut vectors = vec![Vec::new(); texts.len()];
        let shared = Arc::new((texts, AtomicUsize::new(0)));
        let mut workers = JoinSet::new();
        for _ in 0..in_parallel {
            let (loaded, shared) = (self.0.clone(), shared.clone());
            workers.spawn_blocking(move || loaded.work(&shared.0, &shared.1));
        }
        while let Some(done) = workers.join_next().await {
            for (index, vector) in done.map_err(|error| Error::model("the embedder stopped", error))?? {
                vectors[index] = vector;
            }
        }
        Ok(vectors)
    }
}

impl Loaded {
    /// Returns the network. Loads it the first time, while other callers wait. If loading fails, the next call tries it again.
    fn network(&self) -> Result<&Network> {
        if let Some(network) = self.network.get() {
            return Ok(network);
        }
        let load = self.load.lock();
        if let Some(network) = self.network.get() {
            return Ok(network);
        }
        let network = load(&self.tokens)?;
        Ok(self.network.get_or_init(|| network))
    }

    /// Embeds texts one after another until none is left; other workers take from the same list. Returns each vector with the
    /// index of its text.
    fn work(&self, texts: &[String], next: &AtomicUsize) -> Result<Vec<(usize, Vec<f32>)>> {
        let network = self.network()?;
        let worker = network.next_worker();
        let mut vectors = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(text) = texts.get(index)
        {
            vectors.push((index, network.run(worker, &self.tokens.ids(text)?)?));
        }
        Ok(vectors)
    }
}

#[async_trait]
impl Embedder for OnnxEmbedder {
    fn model(&self) -> &str {
        &self.0.name
    }

    fn dimension(&self) -> usize {
        self.0.network.get().map_or(BUILT_IN_DIMENSION, Network::dimension)
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        let tokens = &self.0.tokens;
        let room = tokens.room().saturating_sub(self.0.prefix_tokens).max(1);
        split(text, room, |part| tokens.count(part))
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        self.run(texts.into_iter().map(|text| prefixed(&self.0.passage_prefix, text)).collect()).await
    }

    async fn embed_query(&self, text: String) -> Result<Vec<f32>> {
        Ok(self.run(vec![prefixed(&self.0.query_prefix, text)]).await?.pop().unwrap_or_default())
    }
}

fn prefixed(prefix: &str, text: String) -> String {
    if prefix.is_empty() { text } else { format!("{prefix}{text}") }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    static BUNDLED: LazyLock<OnnxEmbedder> = LazyLock::new(|| OnnxEmbedder::bundled().unwrap());

    const SENTENCES: &str = include_str!("../../../models/all-MiniLM-L6-v2/sentences.txt");
    const GOLDEN: &str = include_str!("../../../models/all-MiniLM-L6-v2/golden.json");

    async fn embed<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Vec<Vec<f32>> {
        BUNDLED.embed(texts.into_iter().map(Into::into).collect()).await.unwrap()
    }

    fn cosine(left: &[f32], right: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
        dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
    }

    #[tokio::test]
    async fn vectors_are_close_to_the_float_model() {
        #[derive(serde::Deserialize)]
        struct Golden {
            text: String,
            vector: Vec<f32>,
        }
        for Golden { text, vector } in serde_json::from_str::<Vec<Golden>>(GOLDEN).unwrap() {
            let ours = embed([&*text]).await.remove(0);
            assert_eq!(ours.len(), BUNDLED.dimension());
            assert!(cosine(&ours, &vector) >= 0.98, "{} for {text:?}", cosine(&ours, &vector));
            assert!((ours.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }

    /// Vectors of both runtimes carry the same model name, so they must be comparable. Compares the two only where the library
    /// of ONNX Runtime is installed.
    #[tokio::test]
    async fn runtimes_give_nearly_the_same_vectors() {
        let rten = OnnxEmbedder::bundled_in(|| Runtime::Rten).unwrap();
        let texts: Vec<&str> = SENTENCES.lines().step_by(9).collect();
        let other = rten.embed(texts.iter().map(ToString::to_string).collect()).await.unwrap();
        for ((text, one), other) in texts.iter().zip(embed(texts.clone()).await).zip(other) {
            assert!(cosine(&one, &other) >= 0.98, "{} for {text:?}", cosine(&one, &other));
        }
        assert_eq!(rten.model(), BUNDLED.model());
    }

    #[tokio::test]
    async fn vector_has_the_same_bits_alone_and_in_a_batch() {
        let texts: Vec<&str> = SENTENCES.lines().collect();
        let together = embed(texts.clone()).await;
        let mut turned = embed(texts.iter().rev().copied()).await;
        turned.reverse();
        assert!(together == turned);
        for (text, vector) in texts.iter().zip(&together).step_by(7) {
            assert!(embed([*text]).await[0] == *vector, "{text:?}");
        }
    }

    #[tokio::test]
    async fn concurrent_callers_get_the_same_vectors() {
        let texts: Vec<&str> = SENTENCES.lines().take(20).collect();
        let (one, two) = tokio::join!(embed(texts.clone()), embed(texts));
        assert!(one == two);
    }

    #[tokio::test]
    async fn text_beyond_the_window_is_ignored() {
        let long = "harbour ".repeat(254);
        let vectors = embed([long.clone(), format!("{long} and a red boot"), "harbour ".repeat(200_000)]).await;
        assert!(vectors[0] == vectors[1] && vectors[0] == vectors[2]);
    }

    #[tokio::test]
    async fn blank_texts_have_the_same_vector() {
        assert!(embed([""; 0]).await.is_empty());
        let vectors = embed(["", " \n "]).await;
        assert!(vectors[0].len() == 384 && vectors[0] == vectors[1]);
    }

    #[tokio::test]
    async fn model_from_folder_equals_bundled_model() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/all-MiniLM-L6-v2");
        let read = OnnxEmbedder::from_folder(folder, &Options::default()).unwrap();
        assert_eq!(read.model(), BUNDLED.model());
        assert!(read.embed(vec!["hello".to_owned()]).await.unwrap() == embed(["hello"]).await);
    }

    #[test]
    fn long_text_is_split_without_gaps() {
        let text = SENTENCES.repeat(2);
        let parts = BUNDLED.split(&text);
        assert_eq!((parts[0].start, parts.last().unwrap().end), (0, text.len()));
        assert!(parts.len() > 15 && parts.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(BUNDLED.split("One. Two."), [0..9; 1]);
    }
}
