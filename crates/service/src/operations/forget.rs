//! Forgetting: a dry run reports what would be erased; otherwise the target is erased and the erasure proved.

use annals_core::ports::{ErasureReport, Target};
use annals_core::{Agent, Error, MemoryId, ObjectKind, Result, Timestamp};

use crate::Service;
use crate::locks::{Facts, History, Tables};
use crate::wire::{ForgetAnswer, ForgetReport, ForgetRequest, MemoryView};

/// Number of memories that a dry run shows.
const SAMPLES: usize = 5;

impl Service {
    /// Reports what would be erased, or erases it everywhere and searches for what is left. The proof in the answer says where
    /// erased sentences are still found. Returns [`Error::NotFound`] if the request has ids and none of them is known.
    pub async fn forget(&self, agent: &Agent, request: ForgetRequest, now: Timestamp) -> Result<ForgetAnswer> {
        let dry_run = request.dry_run;
        let target = self.target(agent, request, now).await?;
        if let Target::Memories(ids) = &target {
            self.check_known(agent, ids).await?;
        }
        self.forget_target(agent, &target, dry_run, now).await
    }

    /// Returns [`Error::NotFound`] if none of the ids is known: most likely they are mistyped.
    async fn check_known(&self, agent: &Agent, ids: &[MemoryId]) -> Result<()> {
        let report = self.parts.eraser.preview(agent, &Target::Memories(ids.to_vec())).await?;
        match ids.first() {
            Some(id) if report.affects_nothing() => {
                Err(Error::NotFound { what: ObjectKind::Memory, name: id.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// Does the same as [`Service::forget`] for a given target, but does not check that ids are known.
    pub async fn forget_target(
        &self,
        agent: &Agent,
        target: &Target,
        dry_run: bool,
        now: Timestamp,
    ) -> Result<ForgetAnswer> {
        if dry_run {
            return Ok(ForgetAnswer::new(agent, &self.parts.eraser.preview(agent, target).await?, None));
        }
        let mut report = self.erase(agent, target, now).await?;
        if *target != Target::Agent {
            // Writes the remaining summaries without holding a lock: a model may take minutes. Locks the history only to save.
            let history = self.locks.for_saving::<History>(agent);
            self.parts.summarizer.pass_unlocked(agent, now, &|_| (), &|| false, &history).await?;
        }
        let mut history = self.locks.lock::<History>(agent).await;
        let mut facts = history.then::<Facts>().await;
        let _tables = facts.then::<Tables>().await;
        let sealed = std::mem::take(&mut report.sealed_sentences);
        report.words.extend(self.gone(agent, sealed).await?);
        self.parts.eraser.clean_what_was_written(agent, now).await?;
        let proof = self.prove(agent, std::mem::take(&mut report.words)).await?;
        if !proof.clean {
            self.parts.eraser.distrust_files(agent);
        }
        Ok(ForgetAnswer::new(agent, &report, Some(proof)))
    }

    /// Removes from the files what an interrupted forgetting erased in the catalog. For a process that opened the folder and has
    /// not begun its work; a service does it in its rounds.
    pub async fn finish_forgetting(&self, now: Timestamp) -> Result<()> {
        for agent in self.parts.eraser.pending_cleanings().await? {
            let mut history = self.locks.lock::<History>(&agent).await;
            let mut facts = history.then::<Facts>().await;
            let _tables = facts.then::<Tables>().await;
            self.parts.eraser.clean(&agent, now).await?;
        }
        Ok(())
    }

    /// Adds up to five of the memories that would be erased to the answer of a dry run.
    pub async fn with_samples(&self, agent: &Agent, answer: ForgetAnswer) -> Result<ForgetReport> {
        let ids = answer.turns.iter().chain(&answer.statements).take(if answer.done { 0 } else { SAMPLES });
        let ids: Vec<MemoryId> = ids.map(MemoryId::from_text).collect();
        let samples = self.parts.store.get(agent, &ids).await?.iter().map(MemoryView::from).collect();
        Ok(ForgetReport { answer, samples })
    }

    /// Erases in the catalog at once, without waiting for a roll-up or extraction that waits for a model. The locks held here
    /// keep other tasks from saving summaries, facts and tables of the agent meanwhile. New messages may still arrive.
    async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<ErasureReport> {
        let mut history = self.locks.lock::<History>(agent).await;
        let mut facts = history.then::<Facts>().await;
        let _tables = facts.then::<Tables>().await;
        let report = self.parts.eraser.erase(agent, target, now).await?;
        if *target != Target::Agent {
            // Facts are read from the table alone, and the summaries that are written next may wait for a model.
            self.parts.fact_writer.bring_facts(agent).await?;
        }
        Ok(report)
    }

    async fn target(&self, agent: &Agent, request: ForgetRequest, now: Timestamp) -> Result<Target> {
        let ranged = request.from.is_some() || request.to.is_some();
        let ways = [!request.ids.is_empty(), request.conversation.is_some(), request.subject.is_some(), ranged];
        if ways.iter().filter(|way| **way).count() != 1 {
            let reason = "must be exactly one of ids, conversation, subject, or from and to";
            return Err(Error::invalid("what is to be forgotten", reason));
        }
        for (field, name) in [("conversation", &request.conversation), ("subject", &request.subject)] {
            if name.as_ref().is_some_and(|name| name.trim().is_empty()) {
                return Err(Error::invalid(field, "is empty"));
            }
        }
        Ok(match (request.conversation, request.subject) {
            (Some(conversation), _) => Target::Conversation(conversation),
            (_, Some(subject)) => Target::Subject(subject),
            _ if ranged => {
                let zones = self.parts.store.settings(agent).await?.zones()?;
                Target::Range(self.days(&zones, request.from, request.to, now)?)
            }
            _ => Target::Memories(request.ids.iter().map(MemoryId::from_text).collect()),
        })
    }
}

#[cfg(test)]
mod tests;
