//! Whether new messages can be taken in now: not while too much waits already, and not onto a disk that is nearly full.

use annals_core::Agent;
use axum::http::StatusCode;

use crate::Service;
use crate::rest::Problem;

impl Service {
    /// Lets new messages of an agent in, or says when to try again.
    pub async fn admit(&self, agent: &Agent) -> Result<(), Problem> {
        let depth = self.depth(agent).await?;
        if depth >= u64::from(self.limits.lane_depth) {
            // At some tens of messages a second; the queue may be shared.
            let seconds = (depth / 50).clamp(1, 60);
            let detail = format!("{depth} messages of this agent are not searchable yet; nothing of this request was stored");
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "lane_full", detail).after(seconds));
        }
        Ok(())
    }
}
