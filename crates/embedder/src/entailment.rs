//! [`OnnxEntailment`]: a classifier for natural language inference behind the port `Entailment`.
//!
//! Reads a folder of the usual form of a cross-encoder: an ONNX file with the output `logits` (or with a single output),
//! `tokenizer.json`, `config.json` with `id2label`, and a file that sets the window. Opening it reads only small JSON files.
//! The network, often hundreds of megabytes, is loaded for the first pair. Relies on tokio's blocking threads. Never keeps a
//! text.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use annals_core::ports::{EntailmentPair, EntailmentScores};
use annals_core::{Entailment, Error, Result, thread_end};
use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::task::JoinSet;

use crate::files::{TOKENIZER, read};
use crate::folder::{CONFIG, WINDOW, json, lacks, name, network, pulled, window};
use crate::graph::Source;
use crate::labels::Labels;
use crate::loaded_graph::LoadedGraph;
use crate::runtime::Runtime;
use crate::sums::{compared, inside};
use crate::tokens::Tokens;

/// The output of a classifier. An output of another name is used only if the network has no second one.
const LOGITS: &str = "logits";

/// Maximum number of tokens of a pair, even if the model reads more. A longer window would cost time, and models of this kind
/// are trained on short texts.
const MAX_WINDOW: usize = 512;

/// A classifier for natural language inference in a folder. Clones share one loaded network.
#[derive(Clone)]
pub struct OnnxEntailment(Arc<Opened>);

struct Opened {
    name: String,
    folder: PathBuf,
    labels: Labels,
    window: usize,
    network: PathBuf,
    runtime: Box<dyn Fn() -> Runtime + Send + Sync>,
    classifier: OnceLock<Classifier>,
    /// Held while the network is being loaded, so that it is loaded only once.
    loading: Mutex<()>,
}

/// A loaded network with its tokenizer.
struct Classifier {
    tokens: Tokens,
    graph: LoadedGraph,
    output: String,
}

impl OnnxEntailment {
    /// Opens the model in a folder, without loading the network. Fails if a file is missing, if none sets the window, or if the
    /// labels are not those of natural language inference. `runtime` is called when the network is loaded.
    pub fn open(
        folder: impl AsRef<Path>,
        runtime: impl Fn() -> Runtime + Send + Sync + 'static,
    ) -> Result<OnnxEntailment> {
        let folder = folder.as_ref();
        let config = json(folder, CONFIG)?.ok_or_else(|| lacks(folder, CONFIG))?;
        let wrong = |reason| Error::invalid(folder.join(CONFIG).display().to_string(), reason);
        let labels = Labels::of(&config).map_err(wrong)?;
        let pulled = pulled(folder)?;
        let file = pulled.as_ref().and_then(|pulled| pulled.file.clone());
        if let Some(file) = &file {
            inside(folder, file)?;
        }
        if !folder.join(TOKENIZER).is_file() {
            return Err(lacks(folder, TOKENIZER));
        }
        Ok(OnnxEntailment(Arc::new(Opened {
            name: name(pulled.as_ref(), &config),
            labels,
            window: limit(folder, &config)?,
            network: network(folder, file)?,
            folder: folder.to_owned(),
            runtime: Box::new(runtime),
            classifier: OnceLock::new(),
            loading: Mutex::new(()),
        })))
    }

    async fn workers(&self) -> Result<usize> {
        let opened = self.0.clone();
        let loaded = tokio::task::spawn_blocking(move || opened.classifier().map(|it| it.graph.workers())).await;
        loaded.map_err(stopped)?
    }
}

fn limit(folder: &Path, config: &Value) -> Result<usize> {
    let window = window(folder, config)?.ok_or_else(|| lacks(folder, WINDOW))?;
    Ok(window.min(MAX_WINDOW))
}

fn stopped(error: tokio::task::JoinError) -> Error {
    Error::model("comparing sentences", thread_end(error.is_panic()))
}

impl Opened {
    /// Returns the loaded network. Loads it the first time, while other callers wait. If loading fails, the next call tries it
    /// again.
    fn classifier(&self) -> Result<&Classifier> {
        if let Some(classifier) = self.classifier.get() {
            return Ok(classifier);
        }
        let _loading = self.loading.lock();
        if let Some(classifier) = self.classifier.get() {
            return Ok(classifier);
        }
        let classifier = self.load()?;
        Ok(self.classifier.get_or_init(|| classifier))
    }

    fn load(&self) -> Result<Classifier> {
        if let Some(pulled) = pulled(&self.folder)? {
            compared(&self.folder, &pulled.sha256)?;
        }
        let tokens = Tokens::load(&read(&self.folder.join(TOKENIZER))?, Some(self.window))?;
        let graph = LoadedGraph::load((self.runtime)(), Source::File(self.network.clone()))?;
        let output = output(&graph.outputs())?;
        Ok(Classifier { tokens, graph, output })
    }

    fn judge(&self, pair: &EntailmentPair) -> Result<EntailmentScores> {
        let Classifier { tokens, graph, output } = self.classifier()?;
        let tokens = tokens.pair(&pair.premise, &pair.hypothesis)?;
        let logits = graph.run(graph.next_worker(), &tokens, output)?;
        self.labels.scores(&logits.values).ok_or_else(|| {
            let reason = format!(
                "its output has the shape {:?}, but {CONFIG} names {} labels; or it is not a number",
                logits.shape,
                self.labels.count()
            );
            Error::damaged("the network", reason)
        })
    }
}

fn output(found: &[String]) -> Result<String> {
    match found {
        _ if found.iter().any(|name| name == LOGITS) => Ok(LOGITS.to_owned()),
        [only] => Ok(only.clone()),
        _ => Err(Error::invalid("the network", format!("has no output {LOGITS}; it has {}", found.join(", ")))),
    }
}

#[async_trait]
impl Entailment for OnnxEntailment {
    fn model(&self) -> &str {
        &self.0.name
    }

    /// Returns the scores of the pairs, in order. Judges as many pairs at once as the network has workers. Fails if one pair
    /// fails. If the caller drops the call, only the pairs in progress are still finished.
    async fn judge(&self, pairs: Vec<EntailmentPair>) -> Result<Vec<EntailmentScores>> {
        let mut scores = vec![EntailmentScores::default(); pairs.len()];
        if pairs.is_empty() {
            return Ok(scores);
        }
        let at_once = self.workers().await?;
        let (mut running, mut left) = (JoinSet::new(), pairs.into_iter().enumerate());
        loop {
            for (index, pair) in left.by_ref().take(at_once - running.len()) {
                let opened = self.0.clone();
                running.spawn_blocking(move || (index, opened.judge(&pair)));
            }
            let Some(done) = running.join_next().await else { return Ok(scores) };
            let (index, judged) = done.map_err(stopped)?;
            scores[index] = judged?;
        }
    }
}

#[cfg(test)]
mod tests;
