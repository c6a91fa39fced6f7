//! Forgetting. A dry run reports what would be erased. Otherwise the target is erased everywhere, and a search of the agent's
//! data and files shows whether anything is left.

mod partly_named;

use annals_core::ports::{ErasureReport, Target};
use annals_core::{Agent, Error, MemoryId, ObjectKind, Result, Timestamp};

use crate::Service;
use crate::locks::{Facts, History, Tables};
use crate::tables::with_cause;
use crate::wire::{ForgetAnswer, ForgetReport, ForgetRequest, MemoryView};

/// Maximum number of memories that a dry run shows in full.
const SAMPLES: usize = 5;

impl Service {
    /// Reports what would be erased, or erases it everywhere and searches for what is left. The proof in the answer names the
    /// places where erased sentences are still found. Fails if the request does not name exactly one kind of target, and with
    /// [`Error::NotFound`] if it has ids and none is known.
    pub async fn forget(&self, agent: &Agent, request: ForgetRequest, now: Timestamp) -> Result<ForgetAnswer> {
        let dry_run = request.dry_run;
        let target = self.target(agent, request, now).await?;
        if let Target::Memories(ids) = &target {
            self.check_known(agent, ids).await?;
        }
        self.forget_target(agent, &target, dry_run, now).await
    }

    /// Fails with [`Error::NotFound`] if none of the ids is known: most likely they are mistyped.
    async fn check_known(&self, agent: &Agent, ids: &[MemoryId]) -> Result<()> {
        let report = self.parts.eraser.preview(agent, &Target::Memories(ids.to_vec())).await?;
        match ids.first() {
            Some(id) if report.affects_nothing() => {
                Err(Error::NotFound { what: ObjectKind::Memory, name: id.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// Does the same as [`Service::forget`] for a target, which can also be the whole agent. Does not check that ids are known.
    /// After erasing a part of an agent, also writes the summaries that are due.
    pub async fn forget_target(
        &self,
        agent: &Agent,
        target: &Target,
        dry_run: bool,
        now: Timestamp,
    ) -> Result<ForgetAnswer> {
        if dry_run {
            let report = self.parts.eraser.preview(agent, target).await?;
            let partly_named = self.partly_named(agent, target, &report).await;
            return Ok(ForgetAnswer { partly_named, ..ForgetAnswer::new(agent, &report, None) });
        }
        let mut report = self.erase(agent, target, now).await?;
        let not_rewritten = if *target == Target::Agent { None } else { self.rewrite(agent, now).await };
        let mut history = self.locks.lock::<History>(agent).await;
        let mut facts = history.then::<Facts>().await;
        let tables = facts.then::<Tables>().await;
        let sealed = std::mem::take(&mut report.sealed_sentences);
        report.words.extend(self.erased_everywhere(agent, sealed).await?);
        self.parts.eraser.clean_changed_files(agent, now).await?;
        let proof = self.prove(agent, std::mem::take(&mut report.words)).await?;
        if !proof.clean {
            self.parts.eraser.forget_clean_state(agent);
        }
        drop(tables);
        drop(facts);
        drop(history);
        let partly_named = self.partly_named(agent, target, &report).await;
        Ok(ForgetAnswer { partly_named, not_rewritten, ..ForgetAnswer::new(agent, &report, Some(proof)) })
    }

    /// Writes the remaining summaries at once, without the time in which the service waits for late messages. Returns why that failed: erased text must leave
    /// the files even then, and a later roll-up writes the summaries.
    async fn rewrite(&self, agent: &Agent, now: Timestamp) -> Option<String> {
        // Holds no lock meanwhile, because a model may take minutes. Locks the history only to save.
        let history = self.locks.for_saving::<History>(agent);
        let summarizer = self.summarizer().without_quiet_time();
        let error = summarizer.pass_unlocked(agent, now, &|_| (), &|| false, &history).await.err()?;
        tracing::error!(agent.folder = agent.folder(), %error, "writing summaries after an erasure failed; it is retried");
        Some(with_cause(&error))
    }

    /// Removes text from the files that an interrupted call erased in the catalog only. A command does this before its own
    /// work; a service does it in the job rollup.
    pub async fn finish_forgetting(&self, now: Timestamp) -> Result<()> {
        for agent in self.parts.eraser.pending_cleanings().await? {
            let mut history = self.locks.lock::<History>(&agent).await;
            let mut facts = history.then::<Facts>().await;
            let _tables = facts.then::<Tables>().await;
            self.parts.eraser.clean(&agent, now).await?;
        }
        Ok(())
    }

    /// Adds to the answer of a dry run the full text of up to five turns and statements that would be erased. Adds none to the
    /// answer of an erasure.
    pub async fn with_samples(&self, agent: &Agent, answer: ForgetAnswer) -> Result<ForgetReport> {
        let ids = answer.turns.iter().chain(&answer.statements).take(if answer.done { 0 } else { SAMPLES });
        let ids: Vec<MemoryId> = ids.map(MemoryId::from_text).collect();
        let samples = self.parts.store.get(agent, &ids).await?.iter().map(MemoryView::from).collect();
        Ok(ForgetReport { answer, samples })
    }

    /// Erases the target in the catalog and the facts. Does not wait for a roll-up or extraction, which may wait for a model.
    /// Meanwhile the locks keep other tasks from saving summaries, facts and tables of the agent. New messages may still
    /// arrive.
    async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<ErasureReport> {
        let mut history = self.locks.lock::<History>(agent).await;
        let mut facts = history.then::<Facts>().await;
        let _tables = facts.then::<Tables>().await;
        let report = self.parts.eraser.erase(agent, target, now).await?;
        if *target != Target::Agent {
            // Done now, because searches read the table of facts, and the summaries that are written next may wait for a model.
            self.parts.fact_writer.bring_facts(agent).await?;
        }
        Ok(report)
    }

    async fn target(&self, agent: &Agent, request: ForgetRequest, now: Timestamp) -> Result<Target> {
        let ranged = request.from.is_some() || request.to.is_some();
        let ways = [!request.ids.is_empty(), request.conversation.is_some(), request.subject.is_some(), ranged];
        if ways.iter().filter(|way| **way).count() != 1 {
            let reason = "must be exactly one of ids, conversation, subject, or days (from, to or both)";
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
