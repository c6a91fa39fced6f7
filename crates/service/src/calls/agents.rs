//! Calls about agents, their settings and the plans that they can have.

use annals_core::Result;
use annals_core::ports::Target;
use serde::{Deserialize, Serialize};

use super::{Call, Context};
use crate::wire::{AgentsAnswer, ForgetReport, PlansAnswer, SettingsChange, SettingsView};

/// Lists the names of the agents of all workspaces.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListAgents {}

impl Call for ListAgents {
    const NAME: &'static str = "list_agents";
    type Answer = AgentsAnswer;

    async fn run(self, context: Context<'_>) -> Result<AgentsAnswer> {
        let agents = context.agents(None).await?;
        Ok(AgentsAnswer { agents: agents.iter().map(|agent| agent.name().to_owned()).collect(), next_cursor: None })
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub struct GetSettings {
    pub agent: String,
}

impl Call for GetSettings {
    const NAME: &'static str = "get_settings";
    type Answer = SettingsView;

    async fn run(self, context: Context<'_>) -> Result<SettingsView> {
        context.service().settings(&context.agent(&self.agent).await?).await
    }
}

/// Creates an agent with settings. Fails if it exists.
#[derive(Debug, Serialize, Deserialize)]
pub struct CreateAgent {
    pub agent: String,
    pub settings: SettingsChange,
}

impl Call for CreateAgent {
    const NAME: &'static str = "create_agent";
    type Answer = SettingsView;

    async fn run(self, context: Context<'_>) -> Result<SettingsView> {
        let agent = context.new_agent(&self.agent).await?;
        context.service().create_agent(&agent, self.settings, context.now).await
    }
}

/// Gives an agent another name. Former names keep leading to it.
#[derive(Debug, Serialize, Deserialize)]
pub struct RenameAgent {
    pub agent: String,
    /// The new name of the agent.
    pub name: String,
}

impl Call for RenameAgent {
    const NAME: &'static str = "rename_agent";
    type Answer = SettingsView;

    async fn run(self, context: Context<'_>) -> Result<SettingsView> {
        let agent = context.agent(&self.agent).await?;
        context.service().rename_agent(&agent, &self.name).await
    }
}

/// Changes the settings of an agent that exists.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChangeSettings {
    pub agent: String,
    pub change: SettingsChange,
}

impl Call for ChangeSettings {
    const NAME: &'static str = "change_settings";
    type Answer = SettingsView;

    async fn run(self, context: Context<'_>) -> Result<SettingsView> {
        let agent = context.agent(&self.agent).await?;
        context.service().change_settings(&agent, self.change, context.now).await
    }
}

/// Erases everything of an agent, or reports what would be erased.
#[derive(Debug, Serialize, Deserialize)]
pub struct DeleteAgent {
    pub agent: String,
    /// Whether to report only what would be erased.
    pub dry_run: bool,
}

impl Call for DeleteAgent {
    const NAME: &'static str = "delete_agent";
    type Answer = ForgetReport;

    async fn run(self, context: Context<'_>) -> Result<ForgetReport> {
        let agent = context.agent(&self.agent).await?;
        let answer = context.service().forget_target(&agent, &Target::Agent, self.dry_run, context.now).await?;
        context.service().with_samples(&agent, answer).await
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ListPlans {}

impl Call for ListPlans {
    const NAME: &'static str = "list_plans";
    type Answer = PlansAnswer;

    async fn run(self, context: Context<'_>) -> Result<PlansAnswer> {
        Ok(context.service().plan_list())
    }
}
