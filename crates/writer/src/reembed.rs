//! Change of the embedding model: builds a generation with the configured model beside each table of another one, and swaps it
//! in when it is complete.
//!
//! Works as a rebuild does (`rebuild.rs`), in small steps that continue where a crash ended them. But the present table
//! is intact: until the swap it answers searches, and new memories are embedded with its own model. So this work has
//! the lowest priority. Setting the former model again drops the unfinished generation.

use annals_core::ports::{Table, Watermark};
use annals_core::{Agent, Error, Grain, Result, Timestamp};

use crate::Writer;
use crate::project::BATCH;

/// The progress of embedding an agent's tables again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reembedding {
    /// The names of the models that are being replaced.
    pub from: Vec<String>,
    /// Number of changes that are applied to the new generations.
    pub done: u64,
    /// Number of changes to apply in all, those that are applied included.
    pub total: u64,
}

impl Writer {
    /// Applies one batch of at most `changes` changes, and never more than `BATCH`, to a table that changes its model.
    /// Returns the number of applied changes: 0 if no change was left, or if another writer moved the watermark. Returns `None` if no table of the agent is to change its model.
    pub async fn reembed_some(&self, agent: &Agent, now: Timestamp, changes: usize) -> Result<Option<u64>> {
        for grain in Grain::ALL {
            match self.reembed_grain(agent, grain, now, changes.min(BATCH)).await {
                Ok(None) => {}
                // Another writer moved the watermark.
                Err(Error::Stale { .. }) => return Ok(Some(0)),
                done => return done,
            }
        }
        Ok(None)
    }

    /// Returns the progress of embedding an agent's tables again; empty if every table is of the configured model.
    pub async fn reembedding(&self, agent: &Agent) -> Result<Reembedding> {
        let (model, mut state) = (self.configured_model(), Reembedding::default());
        for grain in Grain::ALL {
            let watermark = self.store.watermark(agent, grain).await?;
            if !watermark.is_of_another(&model) {
                continue;
            }
            let built = watermark.building.as_ref().filter(|building| building.model == model);
            let built = built.map_or(0, |building| building.applied);
            let total = self.store.backlog(agent, grain, 0).await?;
            state.total += total;
            state.done += total.saturating_sub(self.store.backlog(agent, grain, built).await?);
            let name = watermark.model.map(|model| model.name).unwrap_or_default();
            if !state.from.contains(&name) {
                state.from.push(name);
            }
        }
        Ok(state)
    }

    /// Returns whether a model can be opened by the name that stored vectors carry. False for the empty name of placeholders,
    /// and for an endpoint that does not answer now.
    pub async fn can_open(&self, model: &str) -> Result<bool> {
        match self.embedders.by_model(model).await {
            Err(error) if error.is_outage() => Ok(false),
            found => Ok(!model.is_empty() && found?.is_some()),
        }
    }

    /// Embeds a question with the configured model, to check that it works. Returns the model's error if it does not.
    pub async fn try_model(&self, question: &str) -> Result<()> {
        self.embedders.configured().embed_query(question.to_owned()).await.map(drop)
    }

    /// Returns the name of the model of each table that holds anything; an empty name if the vectors of the table are
    /// placeholders.
    pub async fn models(&self, agent: &Agent) -> Result<Vec<(Grain, String)>> {
        let mut models = Vec::new();
        for grain in Grain::ALL {
            let model = self.store.watermark(agent, grain).await?.model;
            models.extend(model.map(|model| (grain, model.name)));
        }
        Ok(models)
    }

    async fn reembed_grain(&self, agent: &Agent, grain: Grain, now: Timestamp, most: usize) -> Result<Option<u64>> {
        let mut watermark = self.store.watermark(agent, grain).await?;
        // An urgent rebuild uses the configured model too, so it changes the model.
        if watermark.is_urgent() {
            return Ok(None);
        }
        if !watermark.is_of_another(&self.configured_model()) {
            self.drop_unfinished(agent, grain, watermark).await?;
            return Ok(None);
        }
        if watermark.building.is_none() {
            watermark = self.begin(agent, grain, false).await?;
        }
        match self.build(agent, grain, watermark, now, most).await {
            Ok(step) => Ok(Some(step.map_or(0, |step| step.changes))),
            Err(Error::Damaged { what, why }) => {
                self.begin(agent, grain, false).await?;
                Err(Error::Damaged { what, why })
            }
            Err(error) => Err(error),
        }
    }

    /// Drops a generation that was begun with another model. The configured model is now the present table's, so the change is
    /// not needed.
    pub(crate) async fn drop_unfinished(&self, agent: &Agent, grain: Grain, read: Watermark) -> Result<()> {
        let Some(building) = read.building.clone() else { return Ok(()) };
        let kept = Watermark { building: None, ..read.clone() };
        self.store.save_watermark(agent, grain, read, kept).await?;
        self.strata.remove(&Table { agent: agent.clone(), grain, generation: building.generation }).await
    }
}

#[cfg(test)]
mod tests;
