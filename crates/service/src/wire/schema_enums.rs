//! Copies of enumerations of `annals_core`, from which the schemas of the API are generated. Fields have the types of
//! `annals_core`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Grain of a memory, from fine to coarse.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum GrainWord {
    /// Turns, statements and passages of documents, not summarised.
    Working,
    /// Summaries of days.
    Daily,
    /// Summaries of ISO weeks.
    Weekly,
    /// Summaries of months, made of whole weeks.
    Monthly,
    /// Summaries of quarters.
    Quarterly,
    /// Summaries of years.
    Yearly,
}

/// Kind of a memory.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KindWord {
    /// A message as it was said.
    Turn,
    /// A statement that was extracted from messages or imported.
    #[serde(rename = "fact")]
    Statement,
    /// The summary of a period.
    Summary,
    /// A passage of a document.
    Passage,
}

/// Role of a speaker.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoleWord {
    /// A person who talks with the agent.
    User,
    /// The agent itself, or another assistant in the conversation.
    Assistant,
    /// Instructions to the agent. They are stored, but not read for facts.
    System,
    /// The answer of a tool that the agent called. It is stored, but not read for facts.
    Tool,
}

/// What writes the summaries of an agent and extracts its facts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EngineWord {
    /// The configured model if there is one, otherwise the built-in engine.
    Auto,
    /// The built-in engine. No text is sent to a language model.
    Extractive,
}

/// Direction in which facts are followed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DirectionWord {
    /// From subject to object.
    Out,
    /// From object to subject.
    In,
    /// Both directions.
    Both,
}
