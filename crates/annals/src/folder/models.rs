//! Opens the models of a data folder as configured: for vectors, for summaries and facts, for judging sentences, for reranking.
//! Calls none of them.

use std::path::Path;
use std::sync::Arc;

use annals_core::ports::{Batching, Embedders, ModelStates, Replies, TokenSums};
use annals_core::{Result, Store};
use annals_llm::{Auto, EmbedderChoice, Endpoint, Extractive, RerankEndpoint, RerankModel, Rules};
use annals_service::metrics::Metrics;
use annals_service::{EmbeddingQueue, SharedEmbedders};

use super::Opening;
use crate::embedders::{AllEmbedders, stored_models};
use crate::entailment;

/// The embedding models of a folder.
pub(super) struct OpenEmbedders {
    /// Embeds at once. For searches: somebody waits for them.
    pub own: Arc<dyn Embedders>,
    /// Embeds together with the other nodes of a cluster, if it is in process. For writes.
    pub shared: Arc<dyn Embedders>,
    pub queue: EmbeddingQueue,
}

impl OpenEmbedders {
    pub(super) async fn open(
        path: &Path,
        opening: &Opening,
        store: &dyn Store,
        metrics: &Metrics,
    ) -> Result<OpenEmbedders> {
        let stored = stored_models(store, &opening.embedder).await?;
        let all = AllEmbedders::open(path, &opening.embedder, &stored, metrics).await?;
        all.record();
        if opening.must_open_models {
            all.require()?;
        }
        let own: Arc<dyn Embedders> = Arc::new(all);
        let queue = EmbeddingQueue::of(own.configured().model());
        let shared: Arc<dyn Embedders> = match opening.embedder.choice {
            EmbedderChoice::Endpoint(_) => own.clone(),
            _ => Arc::new(SharedEmbedders::new(own.clone(), queue.clone())),
        };
        Ok(OpenEmbedders { own, shared, queue })
    }
}

/// The chat models of a folder, with the built-in engine and rules where none is configured.
pub(super) struct ChatModels {
    pub auto: Arc<Auto>,
    pub states: Option<Arc<dyn ModelStates>>,
    pub batching: Option<Arc<dyn Batching>>,
    /// The daily budgets; `None` if no model is configured.
    pub budget: Option<TokenSums>,
}

impl ChatModels {
    pub(super) fn open(
        path: &Path,
        opening: &Opening,
        store: &Arc<dyn Store>,
        replies: Arc<dyn Replies>,
    ) -> Result<ChatModels> {
        let models = &opening.models;
        let budget = (!models.is_empty()).then_some(TokenSums {
            agent: models.daily_tokens,
            workspace: models.workspace_daily_tokens,
            process: models.process_daily_tokens,
        });
        let endpoint = endpoint(path, opening, store, replies)?;
        let states = endpoint.clone().map(|endpoint| endpoint as Arc<dyn ModelStates>);
        let auto = Arc::new(Auto::new(Arc::new(Extractive), Arc::new(Rules), endpoint));
        let batching = budget.is_some().then(|| auto.clone() as Arc<dyn Batching>);
        Ok(ChatModels { auto, states, batching, budget })
    }
}

/// Returns the endpoint of the configured chat models; `None` if none is configured. Connects to nothing yet.
fn endpoint(
    path: &Path,
    opening: &Opening,
    store: &Arc<dyn Store>,
    replies: Arc<dyn Replies>,
) -> Result<Option<Arc<Endpoint>>> {
    let models = &opening.models;
    // Opened even without a chat model: the service does not start with one that cannot be opened.
    let judge = entailment::check(path, models.grounding.as_ref(), &opening.embedder, opening.must_open_models)?;
    if models.is_empty() {
        return Ok(None);
    }
    let mut endpoint = Endpoint::new(models.clone(), replies)?.with_batches(store.clone());
    if let Some(judge) = judge {
        endpoint = endpoint.with_entailment(judge);
    }
    Ok(Some(Arc::new(if models.batch { endpoint.old_in_batches() } else { endpoint })))
}

/// Returns the configured model that reranks search results, with the number of texts that it is shown.
pub(super) fn reranker(opening: &Opening, replies: Arc<dyn Replies>) -> Result<Option<(usize, RerankEndpoint)>> {
    let open = |model: Arc<RerankModel>| Ok((model.candidates, RerankEndpoint::new(model, replies)?));
    opening.models.rerank.clone().map(open).transpose()
}
