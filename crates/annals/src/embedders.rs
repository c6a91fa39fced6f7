//! The embedders that this process can use: the built-in model, models in folders, and the configured endpoint.
//!
//! Pulled models are in `DIR/models`, one folder each, named after the model with `--` for the slash. Each embedder has its own
//! cache of vectors. Never downloads anything; `annals model pull` does. A damaged or missing folder is an error only for
//! commands that need the model.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::ports::Embedders;
use annals_core::{Embedder, Error, Result};
use annals_embedder::{Cached, OnnxEmbedder, Options, Pooling, Runtime};
use annals_llm::{EmbedderChoice, EmbedderSettings, EmbeddingEndpoint, FolderModel, PoolingConfig};
use annals_service::metrics::{Measured, Metrics};
use async_trait::async_trait;
use tokio::sync::Mutex;

/// Number of vectors cached by content: 4,096 vectors of 384 floats are 6 MB. Summaries often repeat text of the finer grain.
const CACHED: NonZeroUsize = NonZeroUsize::new(4096).expect("4096 is not zero");

/// The folder of pulled models in the data folder.
const MODELS: &str = "models";

/// The embedders of one data folder.
pub(crate) struct AllEmbedders {
    configured: Arc<dyn Embedder>,
    /// Why the configured folder cannot be opened.
    unopened: Option<UnopenedFolder>,
    settings: EmbedderSettings,
    data: PathBuf,
    metrics: Metrics,
    /// Embedders of stored vectors, by the name of their model. A missing model is searched for once, because the search
    /// reads all model folders; a model pulled later is found after a restart.
    opened: Mutex<HashMap<String, Option<Arc<dyn Embedder>>>>,
}

impl AllEmbedders {
    /// Opens the configured embedder. Connects to nothing yet.
    pub(crate) fn open(data: &Path, settings: &EmbedderSettings, metrics: &Metrics) -> Result<AllEmbedders> {
        let (configured, unopened): (Arc<dyn Embedder>, _) = match &settings.choice {
            EmbedderChoice::BuiltIn => (wrapped(built_in(settings)?, metrics), None),
            EmbedderChoice::Folder(model) => match open_folder(data, model, settings) {
                Ok(embedder) => (wrapped(embedder, metrics), None),
                Err(error) => {
                    let unopened = UnopenedFolder { model: model.model.clone(), why: error.to_string() };
                    (Arc::new(unopened.clone()), Some(unopened))
                }
            },
            EmbedderChoice::Endpoint(model) => (wrapped(EmbeddingEndpoint::new(model.clone())?, metrics), None),
        };
        let (settings, data) = (settings.clone(), data.to_owned());
        Ok(AllEmbedders { configured, unopened, settings, data, metrics: metrics.clone(), opened: Mutex::default() })
    }

    /// Returns an error if the configured folder could not be opened.
    pub(crate) fn require(&self) -> Result<()> {
        self.unopened.as_ref().map_or(Ok(()), |unopened| Err(unopened.error()))
    }

    /// Finds a model on this machine by the name that is stored with its vectors, and loads it.
    fn load(&self, model: &str) -> Result<Option<OnnxEmbedder>> {
        if OnnxEmbedder::name_of_bundled() == model {
            return built_in(&self.settings).map(Some);
        }
        for folder in pulled(&self.data)? {
            let options = self.options_of(&folder);
            // A folder that cannot be read holds another model, or one that is still being pulled.
            if OnnxEmbedder::name_of(&folder, &options).is_ok_and(|name| name == model) {
                return OnnxEmbedder::folder_in(&folder, &options, runtime(&self.settings)).map(Some);
            }
        }
        Ok(None)
    }

    /// Returns the options that override a folder's files: those of the configuration for the configured folder, otherwise
    /// none.
    fn options_of(&self, folder: &Path) -> Options {
        match &self.settings.choice {
            EmbedderChoice::Folder(model) if folder_of(&self.data, &model.model).is_ok_and(|own| own == folder) => {
                options(model)
            }
            _ => Options::default(),
        }
    }
}

#[async_trait]
impl Embedders for AllEmbedders {
    fn configured(&self) -> Arc<dyn Embedder> {
        self.configured.clone()
    }

    async fn by_model(&self, model: &str) -> Result<Option<Arc<dyn Embedder>>> {
        if self.configured.model() == model {
            return Ok(Some(self.configured.clone()));
        }
        let mut opened = self.opened.lock().await;
        if let Some(found) = opened.get(model) {
            return Ok(found.clone());
        }
        let loaded = tokio::task::block_in_place(|| self.load(model))?;
        if loaded.is_none() {
            self.require()?;
        }
        let embedder = loaded.map(|embedder| wrapped(embedder, &self.metrics));
        opened.insert(model.to_owned(), embedder.clone());
        Ok(embedder)
    }
}

/// An embedder in place of the configured model, if its folder cannot be opened. Always fails.
#[derive(Clone)]
struct UnopenedFolder {
    model: String,
    why: String,
}

impl UnopenedFolder {
    /// Returns [`Error::Unavailable`], so that callers do not count the texts as refused. The folder is opened again only after a
    /// restart.
    fn error(&self) -> Error {
        Error::unavailable(format!("opening the embedding model {}", self.model), self.why.clone())
    }
}

#[async_trait]
impl Embedder for UnopenedFolder {
    fn model(&self) -> &str {
        &self.model
    }

    fn dimension(&self) -> usize {
        0
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        std::iter::once(0..text.len()).collect()
    }

    async fn embed(&self, _texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        Err(self.error())
    }
}

fn open_folder(data: &Path, model: &FolderModel, settings: &EmbedderSettings) -> Result<OnnxEmbedder> {
    OnnxEmbedder::folder_in(folder_of(data, &model.model)?, &options(model), runtime(settings))
}

fn wrapped<E: Embedder + 'static>(embedder: E, metrics: &Metrics) -> Arc<dyn Embedder> {
    Arc::new(Cached::new(Measured::new(Arc::new(embedder), metrics), CACHED))
}

fn built_in(settings: &EmbedderSettings) -> Result<OnnxEmbedder> {
    let settings = settings.clone();
    OnnxEmbedder::bundled_in(move || runtime(&settings))
}

/// Returns the runtime that runs models. The first call of the process decides where ONNX Runtime's library is looked for.
pub(crate) fn runtime(settings: &EmbedderSettings) -> Runtime {
    match settings.onnxruntime.as_deref() {
        Some("off") => Runtime::Rten,
        library => Runtime::find(library.map(Path::new)),
    }
}

/// Returns the folder of pulled models.
pub(crate) fn models_of(data: &Path) -> PathBuf {
    data.join(MODELS)
}

/// Returns the name of the folder of a model of a hub.
pub(crate) fn folder_name(model: &str) -> String {
    model.replace('/', "--")
}

/// Returns the folders of pulled models, in order of their names.
pub(crate) fn pulled(data: &Path) -> Result<Vec<PathBuf>> {
    let path = models_of(data);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let failed = |error| Error::storage(format!("cannot read {}", path.display()), error);
    let entries = std::fs::read_dir(&path).map_err(failed)?.collect::<std::io::Result<Vec<_>>>().map_err(failed)?;
    let is_model =
        |path: &PathBuf| path.is_dir() && path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'));
    let mut folders: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).filter(is_model).collect();
    folders.sort();
    Ok(folders)
}

/// Returns the folder of a model: a pulled one by its name, or any other by its path.
pub(crate) fn folder_of(data: &Path, model: &str) -> Result<PathBuf> {
    let pulled = models_of(data).join(folder_name(model));
    let places = [pulled, PathBuf::from(model), data.join(model)];
    places.into_iter().find(|path| path.is_dir()).ok_or_else(|| {
        let reason = format!(
            "is {model:?}, which is neither a pulled model nor a folder; `annals model list` lists the models, \
             `annals model pull OWNER/NAME` fetches one"
        );
        Error::invalid("embedder.model", reason)
    })
}

/// Returns the configured options that override the files in the folder of a model.
pub(crate) fn options(model: &FolderModel) -> Options {
    let pooling = model.pooling.map(|pooling| match pooling {
        PoolingConfig::Mean => Pooling::Mean,
        PoolingConfig::Cls => Pooling::Cls,
        PoolingConfig::LastToken => Pooling::LastToken,
        PoolingConfig::Max => Pooling::Max,
    });
    let FolderModel { file, query_prefix, passage_prefix, window, .. } = model.clone();
    Options { file, pooling, query_prefix, passage_prefix, window }
}
