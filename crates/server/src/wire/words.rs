//! The words of enumerations, for schemas only: what they mean is core's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How coarse a memory is, from fine to coarse.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum GrainWord {
    /// Turns and facts, as they came.
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

/// What a memory is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KindWord {
    /// A message.
    Turn,
    /// A statement drawn out of messages.
    Fact,
    /// The roll-up of a period.
    Summary,
}

/// Who spoke.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoleWord {
    /// The person.
    User,
    /// The agent.
    Assistant,
    /// Instructions; stored, not read for facts.
    System,
    /// A tool's answer; stored, not read for facts.
    Tool,
}

/// Who writes summaries and facts.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EngineWord {
    /// The configured model where there is one, or else the built-in engine.
    Auto,
    /// The built-in engine: nothing leaves the machine.
    Extractive,
}

/// Which way facts are followed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DirectionWord {
    /// From subject to object.
    Out,
    /// From object to subject.
    In,
    /// Either way.
    Both,
}
