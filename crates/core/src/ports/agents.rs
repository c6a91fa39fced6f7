//! Port `Agents`: the agents of the store, with their settings, their state and their sizes.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::{Totals, VectorModel};
#[cfg(doc)]
use crate::Error;
use crate::{Agent, Date, Result, Settings, Timestamp};

/// The number of memories of an agent, and the time they span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Live memories per grain, in the order of [`crate::Grain::ALL`].
    pub memories: [u64; 6],
    /// When its first and its last turn were said; `None` without turns.
    pub extent: Option<(Timestamp, Timestamp)>,
    /// When a turn was last stored or revised; `None` if no turn was stored since the agent was created.
    pub last_ingest: Option<Timestamp>,
}

impl Counts {
    /// Returns whether the agent has a memory of any grain. Working memory alone does not decide, because a summary
    /// outlives its turns.
    pub fn has_memories(&self) -> bool {
        self.memories.iter().any(|number| *number > 0)
    }
}

/// The state of an agent that every request needs before it begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentState {
    /// Whether [`Agents::agents`] lists the agent.
    pub known: bool,
    /// The stored settings, or the defaults for an unknown agent.
    pub settings: Settings,
    /// Changes of the working grain that its table has not applied yet.
    pub waiting: u64,
}

/// The limits of all plans at one moment, to find the agents that may have something to prune.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetentionLimits {
    /// By plan, for each grain in the order of [`crate::Grain::ALL`]: the last day that can be past the plan in any time
    /// zone. Memories that cover a later day are not past it. `None` if no memory can be past the plan.
    pub last_days: BTreeMap<String, [Option<Date>; 6]>,
    /// Saved model replies older than this are dropped; `None` if no replies are dropped now.
    pub replies_before: Option<Timestamp>,
}

impl RetentionLimits {
    /// Returns whether an agent with this plan may hold memories past their limit. `earliest` is, for each grain, the last day
    /// that its earliest memory covers. Returns true for a plan that is not in `last_days`, so that the missing plan is
    /// reported.
    pub fn are_reached(&self, plan: &str, earliest: &[Option<Date>; 6]) -> bool {
        let Some(limits) = self.last_days.get(plan) else { return true };
        let mut grains = limits.iter().zip(earliest);
        grains.any(|(limit, earliest)| limit.zip(*earliest).is_some_and(|(limit, earliest)| earliest <= limit))
    }
}

/// The agents of the store.
#[async_trait]
pub trait Agents: Send + Sync {
    /// Returns the agents after the given one, sorted by workspace, then by key; at most `limit`. An agent exists if it has
    /// settings, turns, ledger rows, statements, fact operations, blocks or documents. With a workspace, returns only its
    /// agents.
    async fn agents(&self, workspace: Option<&str>, after: Option<&Agent>, limit: usize) -> Result<Vec<Agent>>;

    /// Returns the agent after the given one, or the first; `None` at the end. For work that goes through all agents one by
    /// one.
    async fn next_agent(&self, after: Option<&Agent>) -> Result<Option<Agent>> {
        Ok(self.agents(None, after, 1).await?.pop())
    }

    /// Returns all agents, in the order of [`Agents::agents`]. Code that runs often, or keeps much data of each agent, must
    /// read them in pages.
    async fn all_agents(&self) -> Result<Vec<Agent>> {
        self.agents(None, None, usize::MAX).await
    }

    /// Returns the agent that has this name, or had it before it was renamed. If there is none, returns the agent that the
    /// first memory under this name would create.
    async fn resolve_agent(&self, workspace: &str, name: &str) -> Result<Agent>;

    /// Renames an agent; returns it with the new name. Its former names still resolve to it. [`Error::Exists`] if
    /// another agent of the workspace has or had the name; [`Error::NotFound`] if the agent does not exist.
    async fn rename_agent(&self, agent: &Agent, name: &str) -> Result<Agent>;

    /// Returns the agents for which a roll-up pass may have work: changes that a table or the extraction has not
    /// applied, a table with an urgent rebuild, and periods that may be closed by now and are dirty or were written by
    /// the fallback engine. One query for all agents, so that idle agents cost nothing. May return too many agents,
    /// never too few.
    async fn agents_with_work(&self, now: Timestamp) -> Result<Vec<Agent>>;

    /// Returns the agents with a table for which [`super::Watermark::needs_reembedding`] is true with `model`, sorted by
    /// workspace, then by key. One query for all agents.
    async fn agents_to_reembed(&self, model: &VectorModel) -> Result<Vec<Agent>>;

    /// Returns the agents for which retention may have something to do: the limits of their plan are reached, or they hold
    /// replies of models that are older than the limit. Sorted by workspace, then by key. One query for all agents. May return
    /// too many agents, never too few.
    async fn agents_to_retain(&self, limits: &RetentionLimits) -> Result<Vec<Agent>>;

    /// Returns the sums over all agents. One consistent read, without a query per agent.
    async fn totals(&self, now: Timestamp) -> Result<Totals>;

    /// Returns the state of an agent in one consistent read. For an agent that does not exist: not known, default settings,
    /// nothing waiting.
    async fn agent_state(&self, agent: &Agent) -> Result<AgentState>;

    /// Returns the sequence number of the agent's last change; 0 for an unknown agent. If two calls return the same number, no
    /// memory was added, changed or removed in between. Pins do not count as changes.
    async fn last_change(&self, agent: &Agent) -> Result<u64>;

    /// Returns the agent's settings, or the defaults for an unknown agent.
    async fn settings(&self, agent: &Agent) -> Result<Settings>;

    /// Replaces the settings of an agent, which exists from then on.
    async fn save_settings(&self, agent: &Agent, settings: &Settings) -> Result<()>;

    /// Returns the number of memories of an agent, and the time they span.
    async fn counts(&self, agent: &Agent) -> Result<Counts>;
}
