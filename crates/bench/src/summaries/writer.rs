//! The writers of the summaries to be judged.

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
        let Some(base_url) = &args.base_url else { return Ok(Writer::Extractive) };
        let table = json!({
            "base_url": base_url, "model": args.model, "key_env": args.key_env, "local_network": true,
            "daily_tokens": u64::MAX, "workspace_daily_tokens": u64::MAX, "process_daily_tokens": u64::MAX,
            "shares": { "old": 100 },
        });
        let config: ModelsConfig =
            serde_json::from_value(table).map_err(|error| Error::invalid("models", error.to_string()))?;
        let models = config.check(|name| std::env::var(name).ok()).map_err(|faults| {
            Error::invalid("models", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        })?;
        let tokens = Arc::new(AtomicU64::new(0));
        let replies = Arc::new(RecordedReplies::new(args.replay.clone(), tokens.clone())?);
        Ok(Writer::Endpoint(Box::new(Endpoint::new(models, replies)?), tokens))
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
