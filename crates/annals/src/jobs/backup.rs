//! The job backup: copies what cannot be rebuilt to the configured target, while the service runs.

use std::path::PathBuf;

use annals_core::{Error, Result};
use annals_server::config::BackupConfig;
use annals_service::backup::{Source, Target, back_up};
use annals_service::jobs::{Moment, Report, Task};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::config::{Config, without_secrets};
use crate::folder::Folder;
use crate::scratch::Scratch;

/// Copies everything that cannot be rebuilt to the configured target.
pub(super) struct Backup {
    folder: Folder,
    config: BackupConfig,
    file: Option<PathBuf>,
}

impl Backup {
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
        let scratch = Scratch::within(path, "backup")?;
        let settings = without_secrets(self.file.as_deref())?;
        let source = Source { catalog: self.folder.catalog(), data: path, scratch: scratch.path(), settings };
        let made = back_up(&source, &target, self.config.keep, moment.now, stop).await?;
        self.folder.service().metrics().backed_up(moment.now);
        let (name, bytes, removed) = (made.name, made.manifest.bytes(), made.removed.len());
        Ok(Report { done: format!("{name}: {bytes} bytes, {removed} older backups removed"), failures: 0 })
    }
}
