//! Answers for the operator of the process: findings of `annals doctor`, failures of all agents.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::FailureView;

/// The result of a check of `annals doctor`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was checked, in a word or two.
    pub about: String,
    /// Whether what was checked works.
    pub state: FindingState,
    /// The result of the check, in a sentence for the user.
    #[serde(rename = "says")]
    pub found: String,
    /// How to fix what does not work; `None` if nothing is to be done.
    #[serde(default, rename = "mend", skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// Whether what was checked works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingState {
    /// What was checked works.
    Ok,
    /// What was checked works, but the user should read the finding.
    Doubtful,
    /// What was checked does not work. The remedy says how to fix it.
    Wrong,
}

impl Finding {
    /// Creates a finding that something works.
    pub fn ok(about: &str, found: impl Into<String>) -> Finding {
        Finding { about: about.to_owned(), state: FindingState::Ok, found: found.into(), remedy: None }
    }

    /// Creates a finding that something works, with advice in `remedy`.
    pub fn doubtful(about: &str, found: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { state: FindingState::Doubtful, remedy: Some(remedy.into()), ..Finding::ok(about, found) }
    }

    /// Creates a finding that something does not work. `remedy` says how to fix it.
    pub fn wrong(about: &str, found: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { state: FindingState::Wrong, remedy: Some(remedy.into()), ..Finding::ok(about, found) }
    }
}

/// The findings of `annals doctor`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorAnswer {
    /// Path of the data folder.
    pub data: PathBuf,
    /// Whether no finding is [`FindingState::Wrong`].
    pub well: bool,
    /// One entry for each check.
    pub findings: Vec<Finding>,
}

/// A period that could not be rolled up, with its agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentFailure {
    /// Workspace of the agent.
    pub workspace: String,
    /// Current name of the agent.
    pub agent: String,
    /// The period, the error, and when it is tried again.
    pub failure: FailureView,
}

/// The health of the process.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct HealthView {
    /// Why the store does not answer; `None` if it does.
    pub error: Option<String>,
    /// Free bytes for the data folder; `None` if the system does not report them.
    pub disk_free: Option<u64>,
    /// Free bytes below which no new messages are accepted.
    pub disk_low: u64,
    /// Number of changes of all agents that searches do not find yet.
    pub not_yet_searchable: u64,
    /// Number of periods of all agents that are due for a summary.
    pub due: u64,
    /// Number of periods that failed in the last roll-up or have to wait.
    pub failed: u64,
    /// Number of memories that could not be made searchable or read for facts.
    pub dead: u64,
}
