//! Calls of maintenance: roll-up, retention, status, dead letters, verification, rebuilding, and copies of the catalog.

use std::path::PathBuf;

use annals_core::{Grain, Result};
use serde::{Deserialize, Serialize};

use super::{Call, Context, SendsItems};
use crate::operations::RolledUpAgent;
use crate::wire::{
    BatchStep, BatchView, CatalogCopy, CheckedView, DeadLetterView, RebuildAnswer, ReplayAnswer, RetainRequest,
    RetentionAnswer, RollupRequest, StatusView, VerifyAnswer,
};

/// Rolls agents up. Sends the result of each agent when it is done. Leaves out the remaining agents if the caller asks to stop.
#[derive(Debug, Serialize, Deserialize)]
pub struct Rollup {
    /// Only this agent; all agents if absent.
    pub agent: Option<String>,
    /// Whether it is a dry run, and whether outdated summaries are written again.
    pub request: RollupRequest,
}

impl Call for Rollup {
    const NAME: &'static str = "rollup";
    type Answer = ();

    async fn run(self, mut context: Context<'_>) -> Result<()> {
        for agent in context.agents(self.agent.as_deref()).await? {
            let (now, progress) = (context.now, context.progress);
            let rolled_up = context.service().rollup_reporting(&agent, self.request, now, progress).await?;
            context.send(&rolled_up).await?;
            if context.progress.should_stop() {
                break;
            }
        }
        Ok(())
    }
}

impl SendsItems for Rollup {
    type Item = RolledUpAgent;
}

/// Takes the results of batches that have ended, writes summaries from them, and sends the next questions in new batches.
#[derive(Debug, Serialize, Deserialize)]
pub struct BatchRollup {
    /// Only this agent; all agents if absent.
    pub agent: Option<String>,
    /// Number of tokens that each agent may use today, in place of the limits of the agent and of the operator; if absent,
    /// these limits apply.
    pub budget: Option<u64>,
}

impl Call for BatchRollup {
    const NAME: &'static str = "batch_rollup";
    type Answer = BatchStep;

    async fn run(self, context: Context<'_>) -> Result<BatchStep> {
        let agents = context.agents(self.agent.as_deref()).await?;
        context.service().batch_step(&agents, self.budget, context.now).await
    }
}

/// Lists the batches that have not ended, and those that were recorded within the last day and failed.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListBatches {}

impl Call for ListBatches {
    const NAME: &'static str = "list_batches";
    type Answer = Vec<BatchView>;

    async fn run(self, context: Context<'_>) -> Result<Vec<BatchView>> {
        context.service().batches(context.now).await
    }
}

/// Ends all open batches without waiting for answers, and returns them. Their periods are due again.
#[derive(Debug, Serialize, Deserialize)]
pub struct AbandonBatches {}

impl Call for AbandonBatches {
    const NAME: &'static str = "abandon_batches";
    type Answer = Vec<BatchView>;

    async fn run(self, context: Context<'_>) -> Result<Vec<BatchView>> {
        context.service().abandon_batches().await
    }
}

/// Prunes memories that are past their plan, or reports what would be pruned.
#[derive(Debug, Serialize, Deserialize)]
pub struct Retain {
    /// Only this agent; all agents if absent.
    pub agent: Option<String>,
    /// Whether it is a dry run, under which plan, and whether to trust the clock.
    pub request: RetainRequest,
}

impl Call for Retain {
    const NAME: &'static str = "retain";
    type Answer = RetentionAnswer;

    async fn run(self, context: Context<'_>) -> Result<RetentionAnswer> {
        let agents = context.agents(self.agent.as_deref()).await?;
        let synchronised = context.host.clock_is_synchronised();
        context.service().retain_agents(&agents, &self.request, synchronised, context.now).await
    }
}

/// Returns what is stored, what is waiting and what failed, for each agent.
#[derive(Debug, Serialize, Deserialize)]
pub struct Status {
    /// Only this agent; all agents if absent.
    pub agent: Option<String>,
}

impl Call for Status {
    const NAME: &'static str = "status";
    type Answer = Vec<StatusView>;

    async fn run(self, context: Context<'_>) -> Result<Vec<StatusView>> {
        let mut all = Vec::new();
        for agent in context.agents(self.agent.as_deref()).await? {
            all.push(context.service().status(&agent, context.now).await?);
        }
        Ok(all)
    }
}

/// Lists memories that could not be indexed or read for facts.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListDeadLetters {
    /// Only dead letters of this agent; of all agents if absent.
    pub agent: Option<String>,
}

impl Call for ListDeadLetters {
    const NAME: &'static str = "list_dead_letters";
    type Answer = Vec<DeadLetterView>;

    async fn run(self, context: Context<'_>) -> Result<Vec<DeadLetterView>> {
        let mut letters = Vec::new();
        for agent in context.agents(self.agent.as_deref()).await? {
            letters.extend(context.service().dead_letters(&agent).await?);
        }
        Ok(letters)
    }
}

/// Indexes dead letters again, and reads them for facts.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReplayDeadLetters {
    /// Only of this agent; of all agents if absent.
    pub agent: Option<String>,
}

impl Call for ReplayDeadLetters {
    const NAME: &'static str = "replay_dead_letters";
    type Answer = ReplayAnswer;

    async fn run(self, context: Context<'_>) -> Result<ReplayAnswer> {
        let mut total = ReplayAnswer::default();
        for agent in context.agents(self.agent.as_deref()).await? {
            let ReplayAnswer { alive, dead } = context.service().replay_dead_letters(&agent, context.now).await?;
            total.alive += alive;
            total.dead += dead;
        }
        Ok(total)
    }
}

/// Checks the catalog, and compares the summaries, tables and facts of agents with it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Verify {
    /// Only this agent; all agents if absent.
    pub agent: Option<String>,
}

impl Call for Verify {
    const NAME: &'static str = "verify";
    type Answer = VerifyAnswer;

    async fn run(self, context: Context<'_>) -> Result<VerifyAnswer> {
        let agents = context.agents(self.agent.as_deref()).await?;
        context.service().verify_agents(&agents, context.now).await
    }
}

/// Rebuilds tables from the catalog.
#[derive(Debug, Serialize, Deserialize)]
pub struct Rebuild {
    /// Only of this agent; of all agents if absent.
    pub agent: Option<String>,
    /// Only these grains; if empty, all grains and the facts.
    pub grains: Vec<Grain>,
    /// Whether to rebuild only tables with vectors of another embedding model than the configured one. If so, `grains` is
    /// ignored.
    #[serde(default)]
    pub embedder: bool,
}

impl Call for Rebuild {
    const NAME: &'static str = "rebuild";
    type Answer = RebuildAnswer;

    async fn run(self, context: Context<'_>) -> Result<RebuildAnswer> {
        let mut memories = 0;
        for agent in context.agents(self.agent.as_deref()).await? {
            memories += match self.embedder {
                true => context.service().reembed(&agent, context.progress).await?,
                false => context.service().rebuild(&agent, &self.grains, context.now, context.progress).await?,
            };
        }
        Ok(RebuildAnswer { memories })
    }
}

/// Sends the dumps of agents in canonical order, as lines of JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct Dump {
    /// Only this agent; all agents if absent.
    pub agent: Option<String>,
}

impl Call for Dump {
    const NAME: &'static str = "dump";
    type Answer = ();

    async fn run(self, context: Context<'_>) -> Result<()> {
        for agent in context.agents(self.agent.as_deref()).await? {
            context.service().dump(&agent, &mut *context.output).await?;
        }
        Ok(())
    }
}

impl SendsItems for Dump {
    type Item = String;
}

/// Makes one small query of the tables and one of the facts of every agent, to check that they can be read.
#[derive(Debug, Serialize, Deserialize)]
pub struct CheckReadable {}

impl Call for CheckReadable {
    const NAME: &'static str = "check_readable";
    type Answer = CheckedView;

    async fn run(self, context: Context<'_>) -> Result<CheckedView> {
        let agents = context.agents(None).await?;
        for agent in &agents {
            context.service().check_readable(agent, context.now).await?;
        }
        let of_another_model = context.service().agents_to_reembed().await?.len() as u64;
        Ok(CheckedView { agents: agents.len() as u64, of_another_model })
    }
}

/// Copies a consistent snapshot of the catalog, for a backup.
#[derive(Debug, Serialize, Deserialize)]
pub struct CopyCatalog {
    /// Absolute path of the file to create.
    pub to: PathBuf,
}

impl Call for CopyCatalog {
    const NAME: &'static str = "copy_catalog";
    type Answer = CatalogCopy;

    async fn run(self, context: Context<'_>) -> Result<CatalogCopy> {
        Ok(CatalogCopy { sequence: context.host.copy_catalog(&self.to).await? })
    }
}
