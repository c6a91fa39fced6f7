//! The job backup: copies what cannot be rebuilt to the configured target, while the service runs.

use std::path::PathBuf;

use annals_core::{Error, Result};
use annals_server::config::BackupConfig;
use annals_service::jobs::{Moment, Report, Task};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::commands::backup::{Source, Target, prune, take};
use crate::config::Config;
use crate::folder::Folder;

/// Backs up what cannot be rebuilt to the configured target.
pub(super) struct Backup {
    folder: Folder,
    config: BackupConfig,
    file: Option<PathBuf>,
}

impl Backup {
    /// Creates the job for a folder.
    pub(super) fn new(folder: &Folder, config: &Config) -> Backup {
        Backup { folder: folder.clone(), config: config.backup.clone(), file: config.file.clone() }
    }
}

#[async_trait]
impl Task for Backup {
    async fn run(&self, moment: Moment, stop: &CancellationToken) -> Result<Report> {
        let path = self.folder.path();
        let missing = || Error::invalid("backup.target", "is not set in annals.toml");
        let target = Target::to_write(self.config.target.as_deref().ok_or_else(missing)?, path)?;
        let source = Source { catalog: self.folder.catalog(), data: path, config: self.file.as_deref() };
        let (name, manifest) = take(&source, &target, moment.now, stop).await?;
        self.folder.service().metrics().backed_up(moment.now);
        let removed = match self.config.keep {
            Some(keep) => prune(&target, keep, moment.now).await?.len(),
            None => 0,
        };
        Ok(Report { done: format!("{name}: {} bytes, {removed} older backups removed", manifest.bytes()), failures: 0 })
    }
}
