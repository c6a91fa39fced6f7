//! Reads the turns of a section: by the extractor; in an outage, or after repeated failures, by the fallback. Says when the
//! extractor is to be called again. Saves nothing.

use annals_core::retry::{Backoff, MAX_ATTEMPTS, budget_check, later};
use annals_core::{Error, Extracted, Extraction, ExtractionWatermark, Result, Timestamp};

use super::section::{Section, Task};
use super::{FactWriter, Inputs, Pass};
use crate::recalled::SeenSentences;

/// The input and the result of reading a section.
pub(super) struct Read {
    pub(super) inputs: Inputs,
    pub(super) outcome: Outcome,
}

pub(super) enum Outcome {
    /// The pieces of the result, in the order in which to save them. Only the last piece moves the watermark, so after a crash
    /// between two pieces the whole section is read again.
    Found(Vec<Extraction>),
    /// Nothing was found, because the extractor has to be called again later.
    Wait(Pause),
}

/// Why the extractor is not called, and until when.
pub(super) struct Pause {
    pub(super) reason: String,
    /// `None` if this pass alone may not call it, because the budget of its API key is spent. Then nothing is recorded, so that
    /// other passes read the turns.
    pub(super) until: Option<Timestamp>,
}

impl FactWriter {
    /// Runs the extractors on the tasks of a section.
    pub(super) async fn read_section(
        &self,
        pass: &mut Pass<'_>,
        seen: &SeenSentences,
        section: &Section,
    ) -> Result<Read> {
        let watermark = self.store.extraction(pass.agent).await?;
        let mut inputs = self.inputs(pass.agent, &section.tasks, watermark.extracted).await?;
        let empty = Extraction {
            turns: Vec::new(),
            found: Extracted::default(),
            after: watermark.extracted,
            extracted: watermark.extracted,
            degraded: None,
        };
        let (mut whole, mut pieces) = (empty.clone(), Vec::new());
        for task in &section.tasks {
            let (found, degraded) = match self.read(pass, seen, &watermark, task, &mut inputs).await? {
                Ok(found) => found,
                Err(pause) => return Ok(Read { inputs, outcome: Outcome::Wait(pause) }),
            };
            let spoken = task.spoken.iter().map(|turn| turn.id.clone());
            whole.turns.extend(task.silent.iter().cloned());
            if degraded.is_some() {
                pieces.push(Extraction { turns: spoken.collect(), found, degraded, ..empty.clone() });
            } else {
                whole.turns.extend(spoken);
                join(&mut whole.found, found);
            }
        }
        if pieces.is_empty() || !whole.turns.is_empty() {
            pieces.insert(0, whole);
        }
        if let Some(last) = pieces.last_mut() {
            last.extracted = section.last;
        }
        Ok(Read { inputs, outcome: Outcome::Found(pieces) })
    }

    /// Runs the extractor on the turns of a task, or the fallback in its place. Returns the result, with the reason if the
    /// fallback read the turns. If the extractor has to be called again later, returns a pause and no result.
    async fn read(
        &self,
        pass: &mut Pass<'_>,
        seen: &SeenSentences,
        watermark: &ExtractionWatermark,
        task: &Task,
        inputs: &mut Inputs,
    ) -> Result<std::result::Result<(Extracted, Option<String>), Pause>> {
        let (agent, now) = (pass.agent, pass.now);
        if pass.fallback_reason.is_none() {
            let error = match self.ask(&*self.extractor, agent, &pass.settings, seen, task, now, inputs).await {
                Ok(found) => return Ok(Ok((found, None))),
                Err(error) if error.is_outage() || error.is_of_input() => error,
                Err(error) => return Err(error),
            };
            let reason = error.to_string();
            if error.is_of_key_budget() {
                return Ok(Err(Pause { reason, until: None }));
            }
            if let Some(until) = again(&error, watermark, pass.overdue, now) {
                return Ok(Err(Pause { reason, until: Some(until) }));
            }
            if !error.is_outage() {
                let found = self.ask(&*self.fallback, agent, &pass.settings, seen, task, now, inputs).await?;
                return Ok(Ok((found, Some(reason))));
            }
            pass.fallback_reason = Some(reason);
        }
        let found = self.ask(&*self.fallback, agent, &pass.settings, seen, task, now, inputs).await?;
        Ok(Ok((found, pass.fallback_reason.clone())))
    }
}

fn join(all: &mut Extracted, more: Extracted) {
    all.statements.extend(more.statements);
    all.operations.extend(more.operations);
    all.rejected.extend(more.rejected);
}

/// Returns when to call the model again after an error. Returns `None` if the fallback is to read in its place: in an outage of
/// [`MAX_OUTAGE`](annals_core::retry::MAX_OUTAGE) or longer, or after [`MAX_ATTEMPTS`] failed calls.
fn again(error: &Error, watermark: &ExtractionWatermark, overdue: bool, now: Timestamp) -> Option<Timestamp> {
    let doubled = Backoff::EXTRACTION.after(watermark.attempts);
    match error {
        error if error.is_outage() && overdue => None,
        Error::Unavailable { retry_after, .. } => Some(later(now, retry_after.unwrap_or(doubled))),
        Error::Budget { again, .. } => Some(budget_check(*again, now)),
        _ => (watermark.attempts + 1 < MAX_ATTEMPTS).then(|| later(now, doubled)),
    }
}
