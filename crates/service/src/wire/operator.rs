//! Answers for the operator of the process: backups, findings of `annals doctor`, failures of all agents.

use annals_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::FailureView;

/// A backup at the configured target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupView {
    /// Its name.
    pub name: String,
    /// When it was begun.
    pub created: Option<Timestamp>,
    /// Total size of its files; `None` if it was never completed.
    pub bytes: Option<u64>,
    /// The version of Annals that made it.
    pub annals: Option<String>,
}

/// The backups at the configured target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupsView {
    /// The folder or bucket; `None` if none is configured.
    pub target: Option<String>,
    /// Number of backups that are kept; `None` if all are.
    pub keep: Option<u32>,
    /// Newest first.
    pub backups: Vec<BackupView>,
}

/// Result of a check of `annals doctor`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingView {
    /// What was checked, in a word or two.
    pub about: String,
    /// `ok`, `doubtful` or `wrong`.
    pub state: String,
    /// What was found.
    #[serde(rename = "says")]
    pub found: String,
    /// How to fix it.
    #[serde(default, rename = "mend")]
    pub remedy: Option<String>,
}

/// A failure with its agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentFailure {
    /// Workspace of the agent.
    pub workspace: String,
    /// Name of the agent.
    pub agent: String,
    /// The failure.
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
    /// Number of periods whose last roll-up failed or that have to wait.
    pub failed: u64,
    /// Number of memories that could not be made searchable or read for facts.
    pub dead: u64,
}
