//! Admission of new messages: refused while the agent's backlog is too long or the disk is nearly full.

use annals_core::ports::AgentState;
use annals_core::{Agent, Error, Settings};

use crate::Service;

const MEBIBYTE: u64 = 1024 * 1024;

/// The reason why new messages or uploads are not admitted.
#[derive(Debug)]
pub enum NotAdmitted {
    /// Less than this many MiB of disk space are free.
    DiskLow(u32),
    /// This many changes of the agent wait to be made searchable, so the limit is reached.
    BacklogFull(u64),
    /// This many imports of uploads are not finished, so the limit is reached.
    UploadsFull(usize),
    /// Another error: a store failed, or the options of an upload have a fault.
    Failed(Error),
}

impl From<Error> for NotAdmitted {
    fn from(error: Error) -> NotAdmitted {
        NotAdmitted::Failed(error)
    }
}

impl Service {
    /// Returns the settings with which new messages of an agent are to be stored. Fails if the disk is nearly full, the agent's
    /// backlog is at its limit, or the store fails.
    pub async fn admit(&self, agent: &Agent) -> Result<Settings, NotAdmitted> {
        self.admit_data()?;
        let AgentState { settings, waiting: depth, .. } = self.parts.store.agent_state(agent).await?;
        if depth >= u64::from(self.parts.limits.backlog) {
            return Err(NotAdmitted::BacklogFull(depth));
        }
        Ok(settings)
    }

    /// Fails with [`NotAdmitted::DiskLow`] if too little disk space is free. Succeeds if the free space is unknown.
    pub(crate) fn admit_data(&self) -> Result<(), NotAdmitted> {
        if self.disk_free().is_some_and(|free| free < self.disk_low()) {
            return Err(NotAdmitted::DiskLow(self.parts.limits.disk_low_mib));
        }
        Ok(())
    }

    /// Returns the free bytes for the data folder; `None` without a folder, or if the system does not report them.
    pub(crate) fn disk_free(&self) -> Option<u64> {
        let filesystem = rustix::fs::statvfs(self.parts.folder.as_deref()?).ok()?;
        Some(filesystem.f_bavail.saturating_mul(filesystem.f_frsize))
    }

    /// Returns the limit of free bytes below which new messages and other new data are refused.
    pub(crate) fn disk_low(&self) -> u64 {
        u64::from(self.parts.limits.disk_low_mib) * MEBIBYTE
    }
}
