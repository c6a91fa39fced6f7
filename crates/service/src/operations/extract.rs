//! Extraction of facts from new messages, on request.

use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::{Agent, Grain, Result};

use super::model_progress::ModelWork;
use crate::locks::Facts;
use crate::wire::ExtractionView;
use crate::{ProgressSink, Service};

impl Service {
    /// Extracts facts from all messages that were not read before, by a model or by rules, and brings the table of facts up to
    /// date. Shows the progress as the stage `extracting facts`, and ends early if `progress` says so.
    pub async fn extract_facts(&self, agent: &Agent, progress: &dyn ProgressSink) -> Result<ExtractionView> {
        let read = self.parts.store.extraction(agent).await?.extracted;
        let unread = self.parts.store.backlog(agent, Grain::Working, read).await?;
        let stage = progress.begin("extracting facts", unread);
        let settings = self.parts.store.settings(agent).await?;
        let done = AtomicU64::new(0);
        let advance = |turns| {
            done.fetch_add(turns, Ordering::Relaxed);
            stage.advance(turns);
        };
        let left = || ModelWork::Messages(unread.saturating_sub(done.load(Ordering::Relaxed)));
        let should_stop = || progress.should_stop();
        let reading = self.read_for_facts_until(agent, &advance, &should_stop);
        let passed = self.noting_models(&settings, &left, &*stage, reading).await?;
        Ok(ExtractionView::from(passed))
    }

    /// Does the same as [`Service::extract_facts`] if the extractor is local. Otherwise only updates the table of facts, and
    /// leaves the extraction to the roll-up, because a model costs money and time.
    pub(crate) async fn bring_facts_up_to_date(&self, agent: &Agent, progress: &dyn ProgressSink) -> Result<()> {
        let settings = self.parts.store.settings(agent).await?;
        if self.parts.extractor.is_local(&settings) {
            self.extract_facts(agent, progress).await?;
        } else {
            let _facts_lock = self.locks.lock::<Facts>(agent).await;
            self.parts.fact_writer.bring_facts(agent).await?;
        }
        Ok(())
    }
}
