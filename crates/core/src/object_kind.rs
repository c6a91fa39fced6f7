//! The kinds of named objects that an error can be about.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of an object that does not exist, or exists already. Displays as the words for it in error messages,
/// without an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ObjectKind {
    Agent,
    BackupFolder,
    CompleteBackup,
    Conversation,
    DataFolder,
    Document,
    Entity,
    Event,
    FactToRetract,
    File,
    Import,
    Item,
    Job,
    Key,
    /// The newest complete backup at a location, whatever its name.
    LatestBackup,
    LedgerRow,
    Memory,
    Message,
    Operation,
    Plan,
    Price,
    RunningService,
    /// A service that can run the checks of `annals doctor`.
    ServiceToExamine,
    Tool,
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ObjectKind::Agent => "agent",
            ObjectKind::BackupFolder => "backup folder",
            ObjectKind::CompleteBackup => "complete backup",
            ObjectKind::Conversation => "conversation",
            ObjectKind::DataFolder => "data folder",
            ObjectKind::Document => "document",
            ObjectKind::Entity => "entity",
            ObjectKind::Event => "event",
            ObjectKind::FactToRetract => "fact to retract with the predicate",
            ObjectKind::File => "file",
            ObjectKind::Import => "import",
            ObjectKind::Item => "item",
            ObjectKind::Job => "job",
            ObjectKind::Key => "key",
            ObjectKind::LatestBackup => "complete backup at",
            ObjectKind::LedgerRow => "ledger row of the period",
            ObjectKind::Memory => "memory",
            ObjectKind::Message => "message",
            ObjectKind::Operation => "operation",
            ObjectKind::Plan => "plan",
            ObjectKind::Price => "price of model",
            ObjectKind::RunningService => "running service on data folder",
            ObjectKind::ServiceToExamine => "service that can examine itself",
            ObjectKind::Tool => "tool",
        })
    }
}
