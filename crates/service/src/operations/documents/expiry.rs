//! Removal of expired documents, once a minute. Reads leave them out before.

use std::time::Duration;

use annals_core::{Result, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::Service;

const EVERY: Duration = Duration::from_secs(60);
/// Documents removed in one transaction.
const BATCH: usize = 200;

impl Service {
    /// Removes expired documents at intervals until `stop`.
    pub async fn remove_expired_periodically(&self, stop: CancellationToken) {
        while tokio::time::timeout(EVERY, stop.cancelled()).await.is_err() {
            if let Err(error) = self.remove_expired_documents(self.now()).await {
                tracing::warn!(%error, "expired documents could not be removed");
            }
        }
    }

    /// Removes all expired documents, and queues their agents for the tables.
    pub async fn remove_expired_documents(&self, now: Timestamp) -> Result<()> {
        loop {
            let agents = self.parts.store.remove_expired(now, BATCH).await?;
            if agents.is_empty() {
                return Ok(());
            }
            agents.iter().for_each(|agent| self.enqueue(agent));
        }
    }
}
