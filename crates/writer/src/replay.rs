//! Replays dead letters of extraction: turns that the fallback read in the model's place are read again by the model.

use std::collections::BTreeSet;

use annals_core::ports::{AlreadyHeld, WriteLock};
use annals_core::{Agent, Error, Extracted, Extraction, MemoryId, Result, Stage, Timestamp};

use crate::extract::{ExtractionPassed, FactWriter, tasks};
use crate::project::STALE_READS;

impl FactWriter {
    /// Reads the turns of an agent's dead letters again. Turns that are read, or no longer exist, are no longer dead letters;
    /// those on which the model fails again stay. In an outage the remaining ones wait for the next call. The caller holds the
    /// lock of the agent's facts, or is the only one that writes them.
    pub async fn replay(&self, agent: &Agent, now: Timestamp) -> Result<ExtractionPassed> {
        self.replay_unlocked(agent, now, &AlreadyHeld).await
    }

    /// Reads dead letters like [`FactWriter::replay`], but takes the lock only to save and to write the table of facts, not
    /// while the model reads. Turns that changed meanwhile stay dead letters.
    pub async fn replay_unlocked(
        &self,
        agent: &Agent,
        now: Timestamp,
        lock: &dyn WriteLock,
    ) -> Result<ExtractionPassed> {
        let letters = self.store.dead_letters(agent).await?.into_iter();
        let ids: Vec<MemoryId> =
            letters.filter(|letter| letter.stage == Stage::Extraction).map(|letter| letter.memory).collect();
        let turns = self.store.get(agent, &ids).await?;
        let live: BTreeSet<MemoryId> = turns.iter().map(|turn| turn.id.clone()).collect();
        let gone: Vec<MemoryId> = ids.into_iter().filter(|id| !live.contains(id)).collect();
        if !gone.is_empty() {
            let _guard = lock.acquire(agent).await;
            self.save_again(agent, gone, Extracted::default(), now).await?;
        }
        let mut passed = ExtractionPassed::default();
        let seen = self.seen(agent, &turns).await?;
        let settings = self.store.settings(agent).await?;
        for task in tasks(turns, &seen) {
            let extracted = self.store.extraction(agent).await?.extracted;
            let mut inputs = self.inputs(agent, std::slice::from_ref(&task), extracted).await?;
            match self.ask(&*self.extractor, agent, &settings, &seen, &task, now, &mut inputs).await {
                Ok(found) => {
                    let _guard = lock.acquire(agent).await;
                    if !(lock.is_held() || self.are_current(agent, std::slice::from_ref(&task), &inputs).await?) {
                        passed.stale += 1;
                        continue;
                    }
                    passed.turns += task.spoken.len() as u64;
                    let spoken = task.spoken.into_iter().map(|turn| turn.id);
                    let piece = self.save_again(agent, spoken.chain(task.silent).collect(), found, now).await?;
                    passed.count(&piece);
                }
                Err(error) if error.is_of_input() => {}
                Err(error) if error.is_outage() => {
                    passed.waiting = Some(error.to_string());
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let _guard = lock.acquire(agent).await;
        self.bring_facts(agent).await?;
        Ok(passed)
    }

    /// Saves what was found in turns that the watermark has passed already. Does not move the watermark.
    async fn save_again(
        &self,
        agent: &Agent,
        turns: Vec<MemoryId>,
        found: Extracted,
        now: Timestamp,
    ) -> Result<Extraction> {
        let mut stale = 0;
        loop {
            let extracted = self.store.extraction(agent).await?.extracted;
            let (turns, found) = (turns.clone(), found.clone());
            let piece = Extraction { turns, found, after: extracted, extracted, degraded: None };
            match self.store.save_extraction(agent, piece.clone(), now).await {
                // The watermark moved in between; these turns did not change.
                Err(Error::Stale { .. }) if stale < STALE_READS => stale += 1,
                done => return done.map(|()| piece),
            }
        }
    }
}
