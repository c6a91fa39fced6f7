//! Whether anybody is being served, for a process that ends when nobody is.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::Service;

/// How many are being served. Cheap to clone.
#[derive(Clone, Default)]
pub struct Activity(watch::Sender<usize>);

/// Somebody who is being served, while it lives.
pub struct Busy(Activity);

impl Activity {
    /// Somebody is being served from now on.
    pub fn begin(&self) -> Busy {
        self.0.send_modify(|open| *open += 1);
        Busy(self.clone())
    }

    /// Ends once nobody has been served for so long.
    pub async fn idle_for(&self, wait: Duration) {
        let mut open = self.0.subscribe();
        loop {
            // The sender is ours, so this cannot fail.
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
    /// Stops the service once nobody has been served for so many seconds.
    pub fn stop_when_idle(&self, seconds: u64, stop: CancellationToken) {
        let activity = self.activity.clone();
        tokio::spawn(async move {
            activity.idle_for(Duration::from_secs(seconds)).await;
            stop.cancel();
        });
    }

    /// Who is being served.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }
}

/// Counts a request while it is answered.
pub(crate) async fn count(State(activity): State<Activity>, request: Request, next: Next) -> Response {
    let _busy = activity.begin();
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn idle_is_when_nobody_has_been_served_for_a_while() {
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
