//! Implements the host of calls over the data folder of this process.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use annals_core::{Error, ObjectKind, Result};
use annals_server::config::BackupConfig;
use annals_service::Service;
use annals_service::backup::{CopyTo, overview};
use annals_service::calls::Host;
use annals_service::jobs::Scheduler;
use annals_service::wire::{BackupsView, DoctorAnswer, Finding};
use async_trait::async_trait;
use tokio::process::Command;
use tokio::sync::Mutex;

use crate::cli::Global;
use crate::clock::clock_is_synchronised;
use crate::folder::Folder;

/// Time limit of an examination. The doctor syncs the disk, opens the port and embeds a sentence; if it takes longer, something
/// hangs.
const MAX_EXAMINATION: Duration = Duration::from_secs(120);

/// An open folder, with scheduled jobs if this process is the service.
pub(crate) struct FolderHost {
    pub folder: Folder,
    pub scheduler: Option<Arc<Scheduler>>,
    /// What only a service has; `None` in a process that runs a single command.
    pub operator: Option<Operator>,
}

/// Data that only a service has.
pub struct Operator {
    pub backup: BackupConfig,
    /// The options that the service was started with, for processes that it starts.
    pub global: Global,
    /// Allows one examination at a time.
    pub examination: Mutex<()>,
}

#[async_trait]
impl Host for FolderHost {
    fn service(&self) -> &Service {
        self.folder.service()
    }

    fn jobs(&self) -> Option<&Scheduler> {
        self.scheduler.as_deref()
    }

    fn clock_is_synchronised(&self) -> Option<bool> {
        clock_is_synchronised()
    }

    fn fill_random(&self, bytes: &mut [u8]) -> std::result::Result<(), getrandom::Error> {
        getrandom::fill(bytes)
    }

    async fn copy_catalog(&self, to: &Path) -> Result<i64> {
        if to.exists() {
            return Err(Error::invalid("to", "must be a new file"));
        }
        self.folder.catalog().copy_to(to).await
    }

    async fn backups(&self) -> Result<BackupsView> {
        let config = self.operator.as_ref().map(|operator| operator.backup.clone()).unwrap_or_default();
        overview(config.target, config.keep).await
    }

    /// Runs the doctor as a process of its own: its checks wait for the disk, and a check that hangs must not stop the service.
    /// Fails in a process that is no service, and while another examination runs.
    async fn examine(&self) -> Result<Vec<Finding>> {
        let none = || Error::NotFound { what: ObjectKind::RunningService, name: String::new() };
        let operator = self.operator.as_ref().ok_or_else(none)?;
        let Ok(_one) = operator.examination.try_lock() else {
            return Err(Error::invalid("examination", "is under way already; wait for its end"));
        };
        let failed = |cause| Error::storage("running the doctor", cause);
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command.args(["doctor", "--without-models", "--json", "--data"]).arg(self.folder.path());
        operator.global.config.iter().for_each(|file| {
            command.arg("--config").arg(file);
        });
        operator.global.set.iter().for_each(|set| {
            command.args(["--set", set]);
        });
        command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let output = tokio::time::timeout(MAX_EXAMINATION, command.output());
        let output = output.await.map_err(|_| failed(std::io::Error::other("it did not end in two minutes")))?;
        let examined: DoctorAnswer = serde_json::from_slice(&output.map_err(failed)?.stdout)
            .map_err(|_| failed(std::io::Error::other("it ended without a result; run `annals doctor`")))?;
        Ok(examined.findings)
    }
}
