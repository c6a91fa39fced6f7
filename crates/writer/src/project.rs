//! Projection of a table: applies the catalog's changes of one grain to its table, in order and in batches.
//!
//! A batch is durable in the table before the watermark ([`Watermark`]) advances, and applying a batch twice has no further
//! effect. So a crash at any point repeats at most one batch. A memory that the table or the model refuses becomes a dead
//! letter and is skipped. An outage, or a model that refuses everything, stops the projection where it is. A damaged or
//! missing table is moved aside and rebuilt (`rebuild.rs`). All vectors of a table come from one model: the one that
//! made the first of them, whichever model is configured now (`reembed.rs`). If that model no longer exists, new rows get
//! placeholders (`placeholder.rs`).

use std::ops::AddAssign;
use std::sync::Arc;

use annals_core::ports::{Batch, Change, Part, Table, VectorModel, Watermark};
use annals_core::{Agent, DeadLetter, Embedder, Error, Grain, Memory, Result, Stage, Timestamp, detected_language};

use crate::Writer;
use crate::placeholder::{Placeholders, UnavailableModel};

/// How often stale work is repeated before its error ends the pass. By then another writer has moved the watermark of the same
/// table during every attempt.
pub(crate) const STALE_READS: usize = 2;
/// Changes per batch. Each batch is a table version and two fsyncs. With texts of at most 256 KiB this also bounds memory.
pub(crate) const BATCH: usize = 256;

/// The result of bringing tables up to date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Projected {
    /// Changes applied.
    pub applied: u64,
    /// Memories that became dead letters.
    pub dead: u64,
    /// The places to which damaged tables were moved.
    pub quarantined: Vec<String>,
}

impl AddAssign for Projected {
    fn add_assign(&mut self, more: Projected) {
        self.applied += more.applied;
        self.dead += more.dead;
        self.quarantined.extend(more.quarantined);
    }
}

/// Limits on how many changes are applied to a table at once.
#[derive(Clone, Copy)]
struct Bounds {
    batches: usize,
    /// Maximum number of changes in a batch.
    changes: usize,
}

impl Bounds {
    const NONE: Bounds = Bounds { batches: usize::MAX, changes: BATCH };
}

impl Writer {
    /// Returns how many changes of this agent have not reached their tables.
    pub async fn backlog(&self, agent: &Agent) -> Result<u64> {
        let mut backlog = 0;
        for grain in Grain::ALL {
            let watermark = self.store.watermark(agent, grain).await?;
            backlog += self.store.backlog(agent, grain, watermark.applied).await?;
        }
        Ok(backlog)
    }

    /// Applies all changes that exist when this is called, and perhaps later ones, to the tables of an agent. Calls `progress` with the
    /// number of changes after each batch.
    pub async fn project(&self, agent: &Agent, now: Timestamp, progress: &(dyn Fn(u64) + Sync)) -> Result<Projected> {
        self.project_within(agent, now, Bounds::NONE, progress).await.map(|(projected, _)| projected)
    }

    /// Applies one batch of at most `changes` changes to each table of an agent; more than `BATCH` are never applied at once.
    /// Returns whether more may be due.
    pub async fn project_some(&self, agent: &Agent, now: Timestamp, changes: usize) -> Result<bool> {
        let bounds = Bounds { batches: 1, changes: changes.min(BATCH) };
        self.project_within(agent, now, bounds, &|_| ()).await.map(|(_, more)| more)
    }

    /// Applies at most `batches` batches to each table of an agent. Returns what was done, and whether more may be due.
    /// Calls `progress` with the number of changes after each batch.
    pub async fn project_batches(
        &self,
        agent: &Agent,
        now: Timestamp,
        batches: usize,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<(Projected, bool)> {
        self.project_within(agent, now, Bounds { batches, changes: BATCH }, progress).await
    }

    async fn project_within(
        &self,
        agent: &Agent,
        now: Timestamp,
        bounds: Bounds,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<(Projected, bool)> {
        let (mut total, mut more) = (Projected::default(), false);
        for grain in Grain::ALL {
            more |= self.project_grain(agent, grain, now, bounds, progress, &mut total).await?;
        }
        Ok((total, more))
    }

    /// Applies changes within the bounds. Returns whether more may be due.
    async fn project_grain(
        &self,
        agent: &Agent,
        grain: Grain,
        now: Timestamp,
        bounds: Bounds,
        progress: &(dyn Fn(u64) + Sync),
        total: &mut Projected,
    ) -> Result<bool> {
        let (mut replaced, mut is_full, mut stale) = (false, false, 0);
        for _ in 0..bounds.batches {
            match self.advance(agent, grain, now, bounds.changes).await {
                Ok(None) => return Ok(false),
                Ok(Some(step)) => {
                    stale = 0;
                    is_full = step.changes >= bounds.changes as u64;
                    total.applied += step.changes;
                    total.dead += step.dead;
                    progress(step.changes);
                    // Ends behind the last change that was there. A client that sends without a pause would keep a loop to the end
                    // of all changes, and the locks of its caller, for ever.
                    if !is_full && !self.store.watermark(agent, grain).await?.is_urgent() {
                        return Ok(false);
                    }
                }
                // Replaced only once: if a new table is damaged at once, the disk is faulty and a person must look at it.
                Err(Error::Damaged { .. }) if !replaced => {
                    (replaced, is_full) = (true, true);
                    total.quarantined.extend(self.replace(agent, grain).await?);
                }
                // Another writer moved the watermark: it is read again.
                Err(Error::Stale { .. }) if stale < STALE_READS => (stale, is_full) = (stale + 1, true),
                Err(error) => return Err(error),
            }
        }
        Ok(is_full || self.store.watermark(agent, grain).await?.is_urgent())
    }

    /// Applies the next batch of a grain to the present table. If the present table is up to date or unreadable and an urgent
    /// rebuild is under way, applies the next batch to the generation that is being built. Returns `None` if there is nothing
    /// to do.
    async fn advance(&self, agent: &Agent, grain: Grain, now: Timestamp, most: usize) -> Result<Option<Step>> {
        let watermark = self.store.watermark(agent, grain).await?;
        match self.advance_present(agent, grain, watermark.clone(), now, most).await {
            Ok(None) | Err(Error::Damaged { .. }) if watermark.is_urgent() => {
                self.build(agent, grain, watermark, now, most).await
            }
            done => done,
        }
    }

    async fn advance_present(
        &self,
        agent: &Agent,
        grain: Grain,
        mut watermark: Watermark,
        now: Timestamp,
        most: usize,
    ) -> Result<Option<Step>> {
        let table = Table { agent: agent.clone(), grain, generation: watermark.generation };
        let mut embedder = self.embedder_of(&watermark).await?;
        if embedder.is_none() && self.store.backlog(agent, grain, watermark.applied).await? > 0 {
            watermark = self.give_up_model(agent, grain, watermark).await?;
            embedder = self.embedder_of(&watermark).await?;
        }
        let Some(embedder) = embedder else { return Ok(None) };
        let Some(step) = self.step(&table, &*embedder, watermark.applied, now, most).await? else { return Ok(None) };
        let model = Some(VectorModel::of(&*embedder));
        let advanced = Watermark { applied: step.applied_to, model, ..watermark.clone() };
        self.store.save_watermark(agent, grain, watermark, advanced).await?;
        Ok(Some(step))
    }

    /// Returns the embedder of the present table's model, or of the configured one if the table has no vectors yet. Returns a
    /// substitute if the model cannot be opened now or the table has placeholders, and none if the model no longer exists.
    pub(crate) async fn embedder_of(&self, watermark: &Watermark) -> Result<Option<Arc<dyn Embedder>>> {
        let configured = self.embedders.configured();
        match &watermark.model {
            None => Ok(Some(configured)),
            Some(model) if model.is_placeholder() => {
                Ok(Some(Arc::new(Placeholders { configured, dimension: model.dimension })))
            }
            Some(model) => match model.open(&*self.embedders).await {
                Err(error) if error.is_outage() => {
                    Ok(Some(Arc::new(UnavailableModel { configured, model: model.clone(), error })))
                }
                found => found,
            },
        }
    }

    /// Records that the vectors of a table are placeholders, because its model no longer exists. Searches then find rows by
    /// words only, until the table is embedded again. The record is saved before the first placeholder is written; otherwise,
    /// after a crash between the two, the placeholder would count as a vector of the model.
    async fn give_up_model(&self, agent: &Agent, grain: Grain, read: Watermark) -> Result<Watermark> {
        let model = read.model.as_ref().map(VectorModel::placeholder);
        let given_up = Watermark { model, ..read.clone() };
        self.store.save_watermark(agent, grain, read, given_up.clone()).await?;
        Ok(given_up)
    }

    /// Applies at most `most` changes after `applied` to a table. Returns `None` if there are no changes.
    pub(crate) async fn step(
        &self,
        table: &Table,
        embedder: &dyn Embedder,
        applied: u64,
        now: Timestamp,
        most: usize,
    ) -> Result<Option<Step>> {
        let changes = self.store.changes(&table.agent, table.grain, applied, most).await?;
        let Some(last) = changes.last() else { return Ok(None) };
        // Writing to a missing table would create one that holds only this batch and looks complete.
        self.strata.require(table, applied).await?;
        let (applied_to, count) = (last.seq(), changes.len() as u64);
        let language = self.store.settings(&table.agent).await?.language;
        let dead = match self.apply(table, embedder, &changes, &language).await {
            Err(error) if error.is_of_input() => {
                self.apply_one_by_one(table, embedder, &changes, &language, now).await?
            }
            done => done.map(|()| 0)?,
        };
        Ok(Some(Step { applied_to, changes: count, dead }))
    }

    async fn apply_one_by_one(
        &self,
        table: &Table,
        embedder: &dyn Embedder,
        changes: &[Change],
        language: &str,
        now: Timestamp,
    ) -> Result<u64> {
        // The table must exist even if all changes are refused; a missing table counts as lost.
        self.strata.apply(table, Batch { dimension: embedder.dimension(), ..Batch::default() }).await?;
        let mut letters = Vec::new();
        for change in changes {
            match (self.apply(table, embedder, std::slice::from_ref(change), language).await, change) {
                (Err(error), Change::Upsert(memory)) if error.is_of_input() => {
                    embed_probe(embedder, now).await?;
                    letters.push(dead_letter(table, memory, &error, now));
                }
                (done, _) => done?,
            }
        }
        let dead = letters.len() as u64;
        self.store.add_dead_letters(letters).await?;
        Ok(dead)
    }

    pub(crate) async fn apply(
        &self,
        table: &Table,
        embedder: &dyn Embedder,
        changes: &[Change],
        language: &str,
    ) -> Result<()> {
        let mut batch = Batch { dimension: embedder.dimension(), ..Batch::default() };
        let mut memories = Vec::new();
        for change in changes {
            match change {
                Change::Upsert(memory) => memories.push(memory),
                Change::Delete { id, .. } => batch.deletes.push(id.clone()),
            }
        }
        batch.upserts = parts(embedder, &memories, language).await?;
        self.strata.apply(table, batch).await
    }
}

/// Embeds a text that no model has a reason to refuse. An error means that the model is at fault, and not the text that it
/// refused before. The text contains the current time, so that no cache answers in place of the model.
async fn embed_probe(embedder: &dyn Embedder, now: Timestamp) -> Result<()> {
    embedder.embed(vec![format!("A short text of {now}.")]).await.map(drop)
}

async fn parts(embedder: &dyn Embedder, memories: &[&Memory], language: &str) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = memories.iter().flat_map(|memory| split(embedder, memory, language)).collect();
    let texts = parts.iter().map(|part| part.text.clone()).collect();
    let vectors = embedder.embed(texts).await?;
    for (part, vector) in parts.iter_mut().zip(vectors) {
        part.vector = vector;
    }
    Ok(parts)
}

/// Splits a memory into parts. A part has the language of its text; if that is unclear, the language of the whole memory, or
/// else that of the agent.
fn split(embedder: &dyn Embedder, memory: &Memory, agents: &str) -> Vec<Part> {
    let ranges = embedder.split(&memory.text);
    let of_memory = detected_language(&memory.text, agents).unwrap_or(agents);
    let language = |text: &str| match text.len() == memory.text.len() {
        true => of_memory.to_owned(),
        false => detected_language(text, of_memory).unwrap_or(of_memory).to_owned(),
    };
    ranges
        .into_iter()
        .zip(0..)
        .map(|(range, part)| Part {
            memory: memory.id.clone(),
            part,
            kind: memory.kind(),
            period: memory.period,
            cover: memory.cover,
            speaker: memory.speaker().map(str::to_owned),
            conversation: memory.conversation().map(str::to_owned),
            language: language(&memory.text[range.clone()]),
            text: memory.text[range].to_owned(),
            vector: Vec::new(),
            seq: memory.seq,
        })
        .collect()
}

/// The result of one applied batch.
pub(crate) struct Step {
    pub(crate) applied_to: u64,
    pub(crate) changes: u64,
    dead: u64,
}

fn dead_letter(table: &Table, memory: &Memory, error: &Error, now: Timestamp) -> DeadLetter {
    DeadLetter {
        agent: table.agent.clone(),
        grain: table.grain,
        memory: memory.id.clone(),
        stage: Stage::Table,
        error: error.to_string(),
        at: now,
    }
}

#[cfg(test)]
mod tests;
