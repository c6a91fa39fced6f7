//! The embedders that this process can use: the configured one, the built-in model, pulled models, and those that were
//! configured before ([`FormerEmbedders`]).
//!
//! Pulled models are in `DIR/models`, one folder each, named after the model with `--` for the slash. Each embedder has its own
//! cache of vectors. Never downloads anything; `annals model pull` does. A damaged or missing folder is an error only for
//! commands that need the model.

mod former;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::ports::{Embedders, VectorModel};
use annals_core::{Embedder, Error, Grain, Result, Store};
use annals_embedder::{Cached, OnnxEmbedder, Options, Pooling, Runtime};
use annals_llm::{EmbedderChoice, EmbedderSettings, EmbeddingEndpoint, FolderModel, PoolingConfig};
use annals_service::metrics::{Measured, Metrics};
use async_trait::async_trait;
use former::FormerEmbedders;
use tokio::sync::Mutex;

pub(crate) use former::FORMER;

/// Maximum number of vectors that each embedder caches by content: 4,096 vectors of 384 floats are 6 MB. Summaries often repeat
/// text of the finer grain.
const CACHED: NonZeroUsize = NonZeroUsize::new(4096).expect("4096 is not zero");

/// The folder of pulled models in the data folder.
const MODELS: &str = "models";

/// The configured embedder, and those of other models that made stored vectors. The latter are opened when they are first
/// needed.
pub(crate) struct AllEmbedders {
    configured: Arc<dyn Embedder>,
    /// Why the configured model cannot be opened; `None` if it is open.
    unopened: Option<UnopenedModel>,
    settings: EmbedderSettings,
    data: PathBuf,
    former: FormerEmbedders,
    metrics: Metrics,
    /// Embedders of stored vectors, by the name of their model. A missing model is searched for once, because the search
    /// reads all model folders; a model pulled later is found after a restart.
    opened: Mutex<HashMap<String, Option<Arc<dyn Embedder>>>>,
}

impl AllEmbedders {
    /// Opens the configured embedder and records how. `stored` are the models of stored vectors. Connects to an endpoint only if the number of
    /// its components is neither configured nor known from them.
    pub(crate) async fn open(
        data: &Path,
        settings: &EmbedderSettings,
        stored: &[VectorModel],
        metrics: &Metrics,
    ) -> Result<AllEmbedders> {
        let opened = match &settings.choice {
            EmbedderChoice::BuiltIn => Ok(wrapped(built_in(settings)?, metrics)),
            EmbedderChoice::Folder(model) => open_folder(data, model, settings)
                .map(|embedder| wrapped(embedder, metrics))
                .map_err(|error| UnopenedModel { model: model.model.clone(), why: error.to_string() }),
            EmbedderChoice::Endpoint(model) => match EmbeddingEndpoint::open(model.clone(), stored).await {
                Ok(embedder) => Ok(wrapped(embedder, metrics)),
                Err(error) if model.dimension.is_some() => return Err(error),
                Err(error) => Err(UnopenedModel { model: model.name.clone(), why: without_dimension(&error) }),
            },
        };
        let (configured, unopened): (Arc<dyn Embedder>, _) = match opened {
            Ok(embedder) => (embedder, None),
            Err(unopened) => (Arc::new(unopened.clone()), Some(unopened)),
        };
        let former = FormerEmbedders::of(data);
        let (settings, data, metrics) = (settings.clone(), data.to_owned(), metrics.clone());
        Ok(AllEmbedders { configured, unopened, settings, data, former, metrics, opened: Mutex::default() })
    }

    /// Uses an embedder of the configured model that is open already.
    pub(crate) fn around(
        configured: Arc<dyn Embedder>,
        data: &Path,
        settings: &EmbedderSettings,
        metrics: &Metrics,
    ) -> AllEmbedders {
        AllEmbedders {
            configured: cached(configured, metrics),
            unopened: None,
            settings: settings.clone(),
            data: data.to_owned(),
            former: FormerEmbedders::of(data),
            metrics: metrics.clone(),
            opened: Mutex::default(),
        }
    }

    /// Records the settings of the configured model for the time after a change of them.
    pub(crate) fn record(&self) {
        if self.unopened.is_none()
            && let Err(error) = self.former.record(&*self.configured, &self.settings.table)
        {
            // Without the record, only searches right after a later change are worse. A full disk must not stop the start.
            tracing::warn!(%error, "the settings of the embedder could not be recorded");
        }
    }

    /// Returns an error if the configured model could not be opened.
    pub(crate) fn require(&self) -> Result<()> {
        self.unopened.as_ref().map_or(Ok(()), |unopened| Err(unopened.error()))
    }

    /// Finds a model by the name that is stored with its vectors, and opens it. Returns `None` if it is not on this machine and
    /// was never configured here. Does not connect to an endpoint.
    async fn find(&self, model: &str) -> Result<Option<Arc<dyn Embedder>>> {
        let former = self.former.settings(model).map(|settings| settings.choice);
        if let Some(EmbedderChoice::Endpoint(endpoint)) = former {
            let embedder = EmbeddingEndpoint::open(endpoint, &[]).await?;
            return Ok((embedder.model() == model).then(|| wrapped(embedder, &self.metrics)));
        }
        let loaded = tokio::task::block_in_place(|| self.load(model, former))?;
        Ok(loaded.map(|embedder| wrapped(embedder, &self.metrics)))
    }

    /// Loads a model on this machine. `former` is what was configured when it made its vectors, if that is known.
    fn load(&self, model: &str, former: Option<EmbedderChoice>) -> Result<Option<OnnxEmbedder>> {
        if OnnxEmbedder::name_of_bundled() == model {
            return built_in(&self.settings).map(Some);
        }
        let configured = match former {
            Some(EmbedderChoice::Folder(former)) => {
                folder_of(&self.data, KEY, &former.model).ok().map(|folder| (folder, options(&former)))
            }
            _ => None,
        };
        let pulled = pulled(&self.data)?.into_iter().map(|folder| (folder, Options::default()));
        for (folder, options) in configured.into_iter().chain(pulled) {
            // A folder that cannot be read holds another model, or one that is still being pulled.
            if OnnxEmbedder::name_of(&folder, &options).is_ok_and(|name| name == model) {
                return OnnxEmbedder::folder_in(&folder, &options, runtime(&self.settings)).map(Some);
            }
        }
        Ok(None)
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
        let embedder = self.find(model).await?;
        if embedder.is_none() {
            self.require()?;
        }
        opened.insert(model.to_owned(), embedder.clone());
        Ok(embedder)
    }
}

/// An embedder in place of the configured model, if its folder cannot be opened, or the number of components of an endpoint is
/// not known. Always fails.
#[derive(Clone)]
struct UnopenedModel {
    model: String,
    why: String,
}

impl UnopenedModel {
    /// Returns [`Error::Unavailable`], so that callers do not count the texts as refused. The model is opened again only after
    /// a restart.
    fn error(&self) -> Error {
        Error::unavailable(format!("opening the embedding model {}", self.model), self.why.clone())
    }
}

#[async_trait]
impl Embedder for UnopenedModel {
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

/// Returns the models that made the stored vectors of turns, if the number of components of the configured endpoint is to be
/// read from them. Returns none if it is not needed.
pub(crate) async fn stored_models(store: &dyn Store, settings: &EmbedderSettings) -> Result<Vec<VectorModel>> {
    let mut models = Vec::new();
    if !matches!(&settings.choice, EmbedderChoice::Endpoint(model) if model.dimension.is_none()) {
        return Ok(models);
    }
    for agent in store.all_agents().await? {
        let watermark = store.watermark(&agent, Grain::Working).await?;
        let building = watermark.building.map(|building| building.model);
        for model in watermark.model.into_iter().chain(building) {
            if !models.contains(&model) {
                models.push(model);
            }
        }
    }
    Ok(models)
}

/// Returns the advice for an endpoint that gave no vector from which to read the number of components.
fn without_dimension(error: &Error) -> String {
    let cause = std::error::Error::source(error).map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"));
    format!(
        "the number of components of its vectors is not known yet ({cause}); start the endpoint and open the folder again, or \
         set embedder.dimension"
    )
}

fn open_folder(data: &Path, model: &FolderModel, settings: &EmbedderSettings) -> Result<OnnxEmbedder> {
    OnnxEmbedder::folder_in(folder_of(data, KEY, &model.model)?, &options(model), runtime(settings))
}

fn wrapped<E: Embedder + 'static>(embedder: E, metrics: &Metrics) -> Arc<dyn Embedder> {
    cached(Arc::new(embedder), metrics)
}

fn cached(embedder: Arc<dyn Embedder>, metrics: &Metrics) -> Arc<dyn Embedder> {
    Arc::new(Cached::new(Measured::new(embedder, metrics), CACHED))
}

/// Opens the configured model for a standby node, without a cache: the node keeps nothing of the texts that it embeds. Returns
/// `None` for an endpoint, which the active node asks itself.
pub(crate) fn for_standby(data: &Path, settings: &EmbedderSettings) -> Result<Option<Arc<dyn Embedder>>> {
    let opened = match &settings.choice {
        EmbedderChoice::BuiltIn => built_in(settings)?,
        EmbedderChoice::Folder(model) => open_folder(data, model, settings)
            .map_err(|error| UnopenedModel { model: model.model.clone(), why: error.to_string() }.error())?,
        EmbedderChoice::Endpoint(_) => return Ok(None),
    };
    Ok(Some(Arc::new(opened)))
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

/// Returns the path of the folder that has one folder for each pulled model.
pub(crate) fn models_of(data: &Path) -> PathBuf {
    data.join(MODELS)
}

/// Returns the name of a pulled model's folder: `OWNER--NAME`.
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

/// Configuration key of the embedding model.
pub(crate) const KEY: &str = "embedder.model";

/// Returns the folder of a model: that of a pulled model by its name, or any other by its path, which may be relative to the
/// working directory or to the data folder. `key` is the configuration key that the error names.
pub(crate) fn folder_of(data: &Path, key: &str, model: &str) -> Result<PathBuf> {
    let pulled = models_of(data).join(folder_name(model));
    let places = [pulled, PathBuf::from(model), data.join(model)];
    places.into_iter().find(|path| path.is_dir()).ok_or_else(|| {
        let reason = format!(
            "is {model:?}, which is neither a pulled model nor a folder; `annals model list` lists the models, \
             `annals model pull OWNER/NAME` fetches one"
        );
        Error::invalid(key, reason)
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
