//! Embeds a text with the configured model, and reports which runtime runs the model.

use std::path::Path;
use std::time::Instant;

use annals_core::Result;
use annals_core::ports::Embedders;
use annals_embedder::Runtime;
use annals_llm::{EmbedderChoice, EmbedderSettings};
use annals_service::metrics::Metrics;

use super::Finding;
use super::round_trip::message_of;
use crate::embedders::{AllEmbedders, runtime};

const ABOUT: &str = "vectors";

const TEXT: &str = "My name is Ada. I live in Oslo.";

pub(crate) async fn look(data: &Path, settings: &EmbedderSettings) -> Finding {
    let found = match embed(data, settings).await {
        Ok(found) => found,
        Err(error) => return Finding::wrong(ABOUT, message_of(&error), "correct [embedder] in annals.toml"),
    };
    match (&settings.choice, runtime(settings)) {
        (EmbedderChoice::Endpoint(_), _) => Finding::ok(ABOUT, found),
        (_, Runtime::OnnxRuntime) => Finding::ok(ABOUT, format!("{found}, by {}", Runtime::OnnxRuntime.describe())),
        (_, runtime) => {
            let remedy = "put libonnxruntime.so.1 beside the program, or set embedder.onnxruntime to it: vectors then take less time";
            Finding::doubtful(ABOUT, format!("{found}, by {}", runtime.describe()), remedy)
        }
    }
}

async fn embed(data: &Path, settings: &EmbedderSettings) -> Result<String> {
    let embedder = AllEmbedders::open(data, settings, &[], &Metrics::new()).await?.configured();
    let begun = Instant::now();
    embedder.embed_query(TEXT.into()).await?;
    Ok(format!("{} embedded a text in {} ms", embedder.model(), begun.elapsed().as_millis()))
}
