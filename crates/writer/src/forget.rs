//! Forgetting: what is erased in the catalog goes from all that was made of it, on disk too.
//!
//! In order: [`Eraser::erase`]; then summaries are written anew by whoever does that; then [`Eraser::clean`]. Each may be run
//! again: a crash between them is finished by cleaning once more, and [`Eraser::owed`] knows whom.

use std::sync::Arc;

use annals_core::ports::{Erasure, Lane, Reach, Table, Target};
use annals_core::{Agent, Digest, Grain, Message, Result, Timestamp, TurnKey};

use crate::{FactWriter, Writer};

/// Everything that forgets for agents. Cheap to clone.
#[derive(Clone)]
pub struct Eraser {
    writer: Writer,
    facts: FactWriter,
    erasure: Arc<dyn Erasure>,
}

impl Eraser {
    /// An eraser over the stores of these writers.
    pub fn new(writer: Writer, facts: FactWriter, erasure: Arc<dyn Erasure>) -> Eraser {
        Eraser { writer, facts, erasure }
    }

    /// What forgetting the target would reach. Changes nothing.
    pub async fn reach(&self, agent: &Agent, target: &Target) -> Result<Reach> {
        self.erasure.reach(agent, target).await
    }

    /// Forgets the target in the catalog: from here on no answer holds it, and it is refused when it comes again. Its words are
    /// still on disk, until [`Eraser::clean`] has run.
    pub async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<Reach> {
        self.erasure.erase(agent, target, now).await
    }

    /// The agents that are still to be cleaned: their erasure was interrupted, or is under way.
    pub async fn owed(&self) -> Result<Vec<Agent>> {
        Ok(self.erasure.cleaning_owed().await?.into_iter().map(|(agent, _)| agent).collect())
    }

    /// Writes every file of the agent anew that may hold what was erased. Says nothing of backups.
    pub async fn clean(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        // Looked up first: what is erased while this runs is owed still.
        let owed = self.erasure.cleaning_owed().await?.into_iter().find(|(of, _)| of == agent);
        self.renew(agent, now).await?;
        match owed {
            Some((_, erasure)) => self.erasure.cleaned(agent, erasure).await,
            None => Ok(()),
        }
    }

    async fn renew(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        let keep = if self.writer.catalog.standing(agent).await?.known {
            self.renew_tables(agent, now).await?
        } else {
            Vec::new()
        };
        self.writer.strata.purge(agent, &keep).await?;
        if self.facts.journal.log_version(agent).await? == 0 {
            self.facts.facts.remove(agent).await?;
        } else {
            // Even if the table is of the log's version: what was put beside it goes only by writing.
            self.facts.refold(agent).await?;
        }
        self.erasure.scrub().await
    }

    /// The places where this agent still has any of these words, over catalog, tables and facts; none if they are forgotten.
    pub async fn prove(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut places = self.erasure.holds(agent, words).await?;
        places.extend(self.remains(words).await?);
        places.extend(self.writer.strata.holds(agent, words).await?);
        places.extend(self.facts.facts.holds(agent, words).await?);
        Ok(places)
    }

    /// Whether the catalog's free space holds any of the words. Other agents that have the same words may leave them there while they
    /// write, so it is overwritten once more before that counts.
    async fn remains(&self, words: &[String]) -> Result<Option<String>> {
        if !self.erasure.unused_space_holds(words).await? {
            return Ok(None);
        }
        self.erasure.scrub().await?;
        let remains = self.erasure.unused_space_holds(words).await?;
        Ok(remains.then(|| "free space of the catalog".to_owned()))
    }

    /// Takes back that these messages were forgotten, for an import that is to store them all the same. They must be prepared
    /// as [`Writer::prepare`] does.
    pub async fn unforget(&self, agent: &Agent, messages: &[(TurnKey, Message)]) -> Result<()> {
        let traces: Vec<(TurnKey, Digest)> =
            messages.iter().map(|(key, message)| (key.clone(), message.digest())).collect();
        self.erasure.unforget(agent, &traces).await
    }

    /// Brings all tables up to date and into generations of their own. Which these are.
    async fn renew_tables(&self, agent: &Agent, now: Timestamp) -> Result<Vec<Table>> {
        self.writer.project(agent, now, &|_| ()).await?;
        let mut keep = Vec::new();
        for grain in Grain::ALL {
            self.renew_table(agent, grain, now).await?;
            keep.push(self.writer.table(agent, grain).await?);
        }
        Ok(keep)
    }

    /// Copies what a table holds now into its next generation. One that is not what the catalog holds is built anew instead:
    /// rows that should be gone would be copied too.
    async fn renew_table(&self, agent: &Agent, grain: Grain, now: Timestamp) -> Result<()> {
        let Writer { catalog, strata, .. } = &self.writer;
        let mut lane = catalog.lane(agent, grain).await?;
        if lane.building.take().is_some() {
            // A half-built generation is never copied, so what was deleted would stay in it.
            catalog.save_lane(agent, grain, lane).await?;
        }
        if !self.writer.audit_grain(agent, grain).await?.is_empty() {
            return self.writer.rebuild(agent, grain, now, &|_| ()).await;
        }
        let former = Table { agent: agent.clone(), grain, generation: lane.generation };
        let generation = lane.generation + 1;
        // What an earlier attempt may have left before it was recorded.
        strata.remove(&Table { generation, ..former.clone() }).await?;
        strata.rewrite(&former, generation).await?;
        catalog.save_lane(agent, grain, Lane { generation, ..lane }).await
    }
}

#[cfg(test)]
mod tests;
