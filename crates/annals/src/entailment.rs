//! The model that judges sentences of summaries: opens it as configured, limits its time, and logs its failures.
//!
//! If the model fails, summaries are checked by the rules alone. Only `annals serve` does not start with a model that cannot be
//! opened. Never downloads anything.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annals_core::ports::{EntailmentPair, EntailmentScores};
use annals_core::{Entailment, Error, Result};
use annals_embedder::OnnxEntailment;
use annals_llm::{EmbedderSettings, EntailmentCheck, GroundingModel};
use annals_server::rest::chain;
use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::{Instant, timeout};

use crate::embedders::{folder_of, runtime};

/// Configuration key of the model.
pub(crate) const KEY: &str = "models.grounding.model";

/// Maximum time for the sentences of one summary; beyond it the call fails. A small model takes ten seconds for sixty sentences
/// on one core.
const LIMIT: Duration = Duration::from_secs(60);

/// Time after a failure in which every call fails at once, so that a damaged or slow model does not delay every summary.
const REST: Duration = Duration::from_secs(600);

/// Opens the configured model without loading it. Fails if it is missing or does not judge entailment.
pub(crate) fn open(data: &Path, model: &str, settings: &EmbedderSettings) -> Result<OnnxEntailment> {
    let (folder, settings) = (folder_of(data, KEY, model)?, settings.clone());
    OnnxEntailment::open(folder, move || runtime(&settings))
}

/// Returns the configured check; `None` if no model is configured. If the model cannot be opened, fails if `must_open` is set;
/// otherwise returns a check that fails with the reason when it is used, so that commands that write no summary do not report
/// it.
pub(crate) fn check(
    data: &Path,
    configured: Option<&GroundingModel>,
    settings: &EmbedderSettings,
    must_open: bool,
) -> Result<Option<EntailmentCheck>> {
    let Some(GroundingModel { model, contradiction }) = configured else { return Ok(None) };
    let model: Arc<dyn Entailment> = match open(data, model, settings) {
        Ok(opened) => Arc::new(Bounded::new(opened)),
        Err(error) if must_open => return Err(error),
        Err(error) => Arc::new(Bounded::new(Unopened { model: model.clone(), why: error.to_string() })),
    };
    Ok(Some(EntailmentCheck { model, contradiction: *contradiction }))
}

/// A model that cannot be opened. Always fails.
struct Unopened {
    model: String,
    why: String,
}

#[async_trait]
impl Entailment for Unopened {
    fn model(&self) -> &str {
        &self.model
    }

    async fn judge(&self, _pairs: Vec<EntailmentPair>) -> Result<Vec<EntailmentScores>> {
        Err(Error::unavailable(format!("opening {}", self.model), self.why.clone()))
    }
}

/// A model with a time limit for each call. After a failure it is not called for a while.
struct Bounded<E> {
    model: E,
    limit: Duration,
    rest: Duration,
    rests_until: Mutex<Option<Instant>>,
}

impl<E> Bounded<E> {
    fn new(model: E) -> Bounded<E> {
        Bounded { model, limit: LIMIT, rest: REST, rests_until: Mutex::default() }
    }

    fn rests_until(&self) -> MutexGuard<'_, Option<Instant>> {
        self.rests_until.lock()
    }
}

#[async_trait]
impl<E: Entailment> Entailment for Bounded<E> {
    fn model(&self) -> &str {
        self.model.model()
    }

    async fn judge(&self, pairs: Vec<EntailmentPair>) -> Result<Vec<EntailmentScores>> {
        if self.rests_until().is_some_and(|until| Instant::now() < until) {
            return Err(Error::unavailable("judging sentences", "the model failed a few minutes ago"));
        }
        let late = |_| Err(Error::unavailable("judging sentences", format!("it takes more than {:?}", self.limit)));
        let judged = timeout(self.limit, self.model.judge(pairs)).await.unwrap_or_else(late);
        if let Err(error) = &judged {
            *self.rests_until() = Some(Instant::now() + self.rest);
            let error = chain(error);
            tracing::error!(
                error,
                model = self.model(),
                "the model of grounding failed; rules alone check summaries for ten minutes"
            );
        }
        judged
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::{Faulty, OppositeWords};

    use super::*;

    /// A model that never answers.
    struct Stuck;

    #[async_trait]
    impl Entailment for Stuck {
        fn model(&self) -> &str {
            "stuck"
        }

        async fn judge(&self, _pairs: Vec<EntailmentPair>) -> Result<Vec<EntailmentScores>> {
            std::future::pending().await
        }
    }

    #[tokio::test]
    async fn failed_model_rests_and_is_used_again() {
        let calls = async |rest: Duration| {
            let model = Bounded { rest, ..Bounded::new(Faulty::at_call(OppositeWords::default(), 1)) };
            assert!(model.judge(Vec::new()).await.is_err());
            let again = model.judge(Vec::new()).await;
            (model.model.calls(), again.is_ok())
        };
        assert_eq!(calls(REST).await, (1, false), "it is not called while it rests");
        assert_eq!(calls(Duration::ZERO).await, (2, true));
    }

    #[tokio::test]
    async fn slow_model_is_given_up() {
        let model = Bounded { limit: Duration::from_millis(1), ..Bounded::new(Stuck) };
        let error = model.judge(Vec::new()).await.unwrap_err();
        assert!(error.to_string().contains("judging sentences"), "{error}");
    }
}
