//! Answers about backups.

use annals_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::backup::Manifest;

/// A backup at the configured target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupView {
    /// Name of the backup: the UTC time at which it was begun, as in `2026-11-21T17-44-16Z`.
    pub name: String,
    /// When the backup was begun, as its name says.
    pub created: Option<Timestamp>,
    /// Total size of the files; `None` if the backup was never completed.
    pub bytes: Option<u64>,
    /// Version of Annals that made the backup; `None` if the backup was never completed.
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

/// A backup that was just made, and the older ones that were removed.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupReport {
    /// Name of the backup, as `annals restore` takes it.
    pub name: String,
    /// The folder or bucket, as the user wrote it.
    pub target: String,
    /// Size and digest of each file, and what was left out.
    pub manifest: Manifest,
    /// Names of the older backups that were removed.
    pub removed: Vec<String>,
}

/// What `annals backup verify` found.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupCheck {
    /// Name of the checked backup: the UTC time at which it was begun.
    pub name: String,
    /// Whether the backup is complete and undamaged.
    pub sound: bool,
    /// Descriptions of what is wrong; empty if the backup is sound.
    pub problems: Vec<String>,
    /// Number of agents in the catalog of the backup; 0 if the catalog was not opened.
    pub agents: u64,
}

/// What `annals restore` has restored.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreReport {
    /// Name of the backup: the UTC time at which it was begun.
    pub name: String,
    /// Number of memories in the rebuilt tables.
    pub memories: u64,
    /// Number of agents in the restored catalog.
    pub agents: u64,
    /// Keys of secret settings, which a backup never contains. Enter them again.
    pub left_out: Vec<String>,
}
