//! The writers of the summaries to be judged.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::ports::{Engine, SummaryTask};
use annals_core::{Agent, Draft, Error, Period, Result};
use annals_llm::{Endpoint, Extractive, ModelsConfig, draft_of};
use serde_json::{Value, json};

use super::Summaries;
use super::by_period::ByPeriod;
use super::replies::RecordedReplies;

pub(super) enum Writer {
    /// The built-in engine.
    Extractive,
    /// Recorded answers.
    Answers(ByPeriod<Value>),
    /// A model. The counter sums the tokens of the requests and answers of this run.
    Endpoint(Box<Endpoint>, Arc<AtomicU64>),
}

impl Writer {
    /// Returns the writer that the options name.
    pub(super) fn of(args: &Summaries) -> Result<Writer> {
        if let Some(path) = &args.answers {
            return ByPeriod::read(path).map(Writer::Answers);
        }
        let mut table = match (&args.models, &args.base_url) {
            (Some(path), _) => models_table(path)?,
            (None, Some(base_url)) => json!({
                "base_url": base_url, "model": args.model, "key_env": args.key_env, "local_network": true,
            }),
            (None, None) => return Ok(Writer::Extractive),
        };
        for budget in ["daily_tokens", "workspace_daily_tokens", "process_daily_tokens"] {
            table[budget] = u64::MAX.into();
        }
        table["shares"] = json!({ "old": 100 });
        let config: ModelsConfig =
            serde_json::from_value(table).map_err(|error| Error::invalid("models", error.to_string()))?;
        let models = config.check(|name| std::env::var(name).ok()).map_err(|faults| {
            Error::invalid("models", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        })?;
        let tokens = Arc::new(AtomicU64::new(0));
        let replies = Arc::new(RecordedReplies::new(args.replay.clone(), tokens.clone())?);
        Ok(Writer::Endpoint(Box::new(Endpoint::new(models, replies)?), tokens))
    }

    /// Returns whether the writer is shown the end of the summary before. Recorded answers were written without it.
    pub(super) fn is_shown_the_period_before(&self) -> bool {
        matches!(self, Writer::Endpoint(..))
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Writer::Extractive => "extractive",
            Writer::Answers(_) => "answers",
            Writer::Endpoint(..) => "endpoint",
        }
    }

    /// Returns the tokens of the model's requests and answers in this run; 0 for the other writers.
    pub(super) fn tokens(&self) -> u64 {
        match self {
            Writer::Endpoint(_, tokens) => tokens.load(Ordering::Relaxed),
            _ => 0,
        }
    }

    /// Writes a summary; `None` if there is no answer for the period.
    pub(super) async fn write(&self, task: SummaryTask<'_>) -> Result<Option<Draft>> {
        match self {
            Writer::Extractive => Extractive.summarize(task).await.map(Some),
            Writer::Answers(_) => match self.answer(task.agent, task.period) {
                Some(answer) => draft_of(&task, answer, None).await.map(Some),
                None => Ok(None),
            },
            Writer::Endpoint(endpoint, _) => endpoint.summarize(task).await.map(Some),
        }
    }

    /// Returns the recorded answer for a period; `None` if there is none, and for the other writers.
    pub(super) fn answer(&self, agent: &Agent, period: Period) -> Option<&Value> {
        match self {
            Writer::Answers(answers) => answers.get(agent, period),
            _ => None,
        }
    }
}

/// Reads the table `[models]` of a configuration.
fn models_table(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|cause| Error::storage(format!("cannot read {}", path.display()), cause))?;
    let wrong = |why: String| Error::invalid(path.display().to_string(), why);
    let mut file: toml::Table = toml::from_str(&text).map_err(|error| wrong(error.message().to_owned()))?;
    let models = file.remove("models").ok_or_else(|| wrong("has no table [models]".into()))?;
    serde_json::to_value(models).map_err(|error| wrong(error.to_string()))
}
