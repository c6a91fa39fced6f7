//! Admission of new messages: refused while the agent's backlog is too long or the disk is nearly full.

use annals_core::ports::AgentState;
use annals_core::{Agent, Settings};
use axum::http::StatusCode;

use crate::Service;
use crate::rest::Problem;

const MEBIBYTE: u64 = 1024 * 1024;

impl Service {
    /// Admits new messages of an agent and returns the settings to store them with. Otherwise returns a problem with a time to
    /// retry after. Reading is always allowed.
    pub async fn admit(&self, agent: &Agent) -> Result<Settings, Problem> {
        if self.disk_free().is_some_and(|free| free < self.disk_low()) {
            let detail = format!(
                "less than {} MiB of disk space are free for the data folder; new messages are refused",
                self.limits.disk_low_mib
            );
            return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "disk_low", detail).after(60));
        }
        let AgentState { settings, waiting: depth, .. } = self.store.agent_state(agent).await?;
        if depth >= u64::from(self.limits.lane_depth) {
            // Assumes some tens of messages a second; other agents may share the queue.
            let seconds = (depth / 50).clamp(1, 60);
            let detail = format!(
                "{depth} messages of this agent are still waiting to be indexed; nothing of this request was stored"
            );
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "lane_full", detail).after(seconds));
        }
        Ok(settings)
    }

    /// Returns the free bytes for the data folder; `None` without a folder, or if the system does not report them.
    pub(crate) fn disk_free(&self) -> Option<u64> {
        let stated = rustix::fs::statvfs(self.folder.as_deref()?).ok()?;
        Some(stated.f_bavail.saturating_mul(stated.f_frsize))
    }

    /// Returns the free bytes below which new messages are refused.
    pub(crate) fn disk_low(&self) -> u64 {
        u64::from(self.limits.disk_low_mib) * MEBIBYTE
    }
}
