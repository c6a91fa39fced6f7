//! Tries the model in a folder, so that an unusable one is noticed before it is configured.

use std::path::Path;

use annals_core::ports::EntailmentPair;
use annals_core::{Embedder, Entailment, Error, Result};
use annals_embedder::{ModelKind, OnnxEmbedder, OnnxEntailment, Options};
use annals_llm::EmbedderSettings;

use crate::embedders::runtime;

/// Texts to try a model with: a single word, and a text with characters of several scripts.
const TRIED: [&str; 2] = ["boat", "Ann wohnt seit 2019 in Zürich. 我昨天在东京吃了拉面。 Она любит кофе ☕"];

/// Kind and name of a model that passed the trial.
pub(super) struct Tried {
    pub kind: ModelKind,
    /// For a model of vectors, the name that is stored with its vectors.
    pub name: String,
}

/// Embeds two texts, or compares them. Fails if the model does neither.
pub(super) async fn tried(folder: &Path, settings: &EmbedderSettings) -> Result<Tried> {
    match ModelKind::of(folder)? {
        ModelKind::Vectors => embedded(folder, settings).await,
        ModelKind::Entailment | ModelKind::Classifier => judged(folder, settings).await,
    }
}

async fn embedded(folder: &Path, settings: &EmbedderSettings) -> Result<Tried> {
    let embedder = OnnxEmbedder::folder_in(folder, &Options::default(), runtime(settings))?;
    let vectors = embedder.embed(TRIED.map(str::to_owned).to_vec()).await?;
    let is_usable = |vector: &Vec<f32>| !vector.is_empty() && vector.iter().all(|number| number.is_finite());
    if !vectors.iter().all(is_usable) {
        return Err(Error::model(format!("trying {}", folder.display()), "its vectors are no numbers"));
    }
    Ok(Tried { kind: ModelKind::Vectors, name: embedder.model().to_owned() })
}

async fn judged(folder: &Path, settings: &EmbedderSettings) -> Result<Tried> {
    let settings = settings.clone();
    let model = OnnxEntailment::open(folder, move || runtime(&settings))?;
    let [hypothesis, premise] = TRIED.map(str::to_owned);
    model.judge(vec![EntailmentPair { premise, hypothesis }]).await?;
    Ok(Tried { kind: ModelKind::Entailment, name: model.model().to_owned() })
}
