//! Passes over the whole database that several callers share, such as those that remove the remains of deleted rows.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
pub(crate) struct Passes {
    running: tokio::sync::Mutex<()>,
    begun: AtomicU64,
    /// The number of the last finished pass.
    done: AtomicU64,
}

impl Passes {
    /// Returns after a whole pass that began after this call. Runs `pass`, unless another caller ran one in the meantime.
    pub(crate) async fn share(
        &self,
        pass: impl Future<Output = annals_core::Result<()>> + Send,
    ) -> annals_core::Result<()> {
        let requested = self.begun.load(Ordering::SeqCst);
        let _running = self.running.lock().await;
        if self.done.load(Ordering::SeqCst) > requested {
            // The last finished pass began after this call.
            return Ok(());
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        pass.await?;
        self.done.store(number, Ordering::SeqCst);
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn begun(&self) -> u64 {
        self.begun.load(Ordering::SeqCst)
    }
}
