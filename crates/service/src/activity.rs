//! Counts requests under way, for a process that ends when it is idle.

use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::Service;

/// The number of requests under way. Cheap to clone; clones share it.
#[derive(Clone, Default)]
pub struct Activity(watch::Sender<usize>);

/// A guard that counts as one request under way until it is dropped.
pub struct Busy(Activity);

impl Activity {
    /// Counts a request as under way until the returned value is dropped.
    pub fn begin(&self) -> Busy {
        self.0.send_modify(|open| *open += 1);
        Busy(self.clone())
    }

    /// Returns once no request has been under way for the duration `wait`.
    pub async fn idle_for(&self, wait: Duration) {
        let mut open = self.0.subscribe();
        loop {
            // `self` holds the sender, so this cannot fail.
            let _ = open.wait_for(|open| *open == 0).await;
            if tokio::time::timeout(wait, open.changed()).await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.0.send_modify(|open| *open -= 1);
    }
}

impl Service {
    /// Cancels `stop` once no request has been under way for `seconds`.
    pub fn stop_when_idle(&self, seconds: u64, stop: CancellationToken) {
        let activity = self.activity.clone();
        tokio::spawn(async move {
            activity.idle_for(Duration::from_secs(seconds)).await;
            stop.cancel();
        });
    }

    pub fn activity(&self) -> &Activity {
        &self.activity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn idle_begins_when_the_last_request_has_ended() {
        let activity = Activity::default();
        let wait = Duration::from_millis(20);
        activity.idle_for(wait).await;
        let (one, other) = (activity.begin(), activity.begin());
        let idle = tokio::spawn({
            let activity = activity.clone();
            async move { activity.idle_for(wait).await }
        });
        drop(one);
        tokio::time::sleep(wait * 3).await;
        assert!(!idle.is_finished(), "one is still being served");
        drop(other);
        idle.await.unwrap();
    }
}
