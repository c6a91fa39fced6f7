//! Removal of expired documents, once a minute. Until then, reads leave expired documents out.
//!
//! Waits for a clock that has run steadily, as retention does: a clock that is ahead would remove documents that have not
//! expired.

use std::time::Duration;

use annals_core::{Result, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::Service;
use crate::jobs::Moment;

const EVERY: Duration = Duration::from_secs(60);
/// Maximum number of documents that are removed in one transaction.
const BATCH: usize = 200;

impl Service {
    /// Removes expired documents once a minute until `stop` is cancelled. `synchronised` returns whether the system reports its
    /// clock as synchronised; `None` if it does not report it. Logs failures.
    pub async fn remove_expired_periodically(
        &self,
        synchronised: impl Fn() -> Option<bool> + Send,
        stop: CancellationToken,
    ) {
        while tokio::time::timeout(EVERY, stop.cancelled()).await.is_err() {
            let moment = Moment { now: self.now(), synchronised: synchronised() };
            if let Err(error) = self.remove_expired_by_steady_clock(moment).await {
                tracing::warn!(%error, "expired documents could not be removed");
            }
        }
    }

    /// Removes all expired documents if the clock has run steadily for so long that it is trusted to prune.
    pub(crate) async fn remove_expired_by_steady_clock(&self, moment: Moment) -> Result<()> {
        let look = self.parts.retention.read_clock(moment.now, moment.synchronised).await?;
        if look.trust(None).prunes() { self.remove_expired_documents(look.now).await } else { Ok(()) }
    }

    /// Removes all documents that are expired at `now`, without checking the clock. Queues their agents, so that the passages
    /// leave the tables.
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
