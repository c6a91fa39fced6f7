//! Rolls up one period: reads its input, and unless the stored summary was made from it, writes a new one.

use annals_core::ports::{Background, SummaryTask};
use annals_core::retry::{MAX_ATTEMPTS, budget_check, later};
use annals_core::{Base, Digest, Draft, Error, LedgerRow, Result, Summary, Timestamp};
use parking_lot::Mutex;

use crate::input::Input;
use crate::pass::Pass;

/// Why a period is rolled up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RollUpReason {
    /// The input changed. If the engine cannot write the period, the fallback engine does.
    Dirty,
    /// The fallback engine wrote the summary. The configured engine may succeed now.
    Degraded,
    /// The summary was written with another recipe.
    Outdated,
}

/// The result of rolling up one period.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all outcomes are summaries; at most 64 are held at once")]
pub(crate) enum Outcome {
    /// The summary, ready to be saved.
    Done(Summary),
    /// The engine failed on the input of the period, with this error.
    Failed(String),
    /// The engine is unavailable; see [`Outage`].
    Waiting,
    /// The answer comes with a batch. Nothing is recorded.
    InBatch,
    /// Not begun because `should_stop` returned true or the budget of the request's API key is spent, or not to be saved because
    /// the period or its input changed meanwhile.
    Left,
}

/// An unavailable engine, or a spent budget. Once it is detected, the engine is not called for the remaining rows.
#[derive(Clone, Debug)]
pub(crate) struct Outage {
    pub(crate) error: String,
    /// When to call the engine again, if its error says so.
    pub(crate) again: Option<Timestamp>,
    /// Whether only the budget of the request's API key is spent. The engine is available for everybody else, so nothing is
    /// recorded about the periods.
    pub(crate) of_key: bool,
}

impl Outage {
    fn fault(&self) -> Fault {
        if self.of_key { Fault::KeyBudget } else { Fault::Away }
    }
}

/// Why the engine returned no summary: it failed on this input, it is unavailable, the budget of the request's API key is spent,
/// or its answer comes with a batch.
enum Fault {
    Own(String),
    Away,
    KeyBudget,
    InBatch,
}

impl Pass<'_> {
    /// Rolls up one period without saving the outcome. An error comes from the store, and ends the pass.
    pub(crate) async fn roll_up(
        &self,
        row: &LedgerRow,
        why: RollUpReason,
        away: &Mutex<Option<Outage>>,
    ) -> Result<Outcome> {
        let input = self.summarizer.input(self.agent, row).await?;
        if input.is_empty() || (input.known && why == RollUpReason::Dirty) {
            return Ok(Outcome::Done(self.summary(row, &input, None, row.recipe)));
        }
        if let Some(base) = input.base.as_ref().filter(|_| input.children.is_empty()) {
            return Ok(Outcome::Done(self.summary(row, &input, Some(unamended(base, row)), row.recipe)));
        }
        let fault = match self.by_engine(row, &input, away).await? {
            Ok(summary) => return Ok(Outcome::Done(summary)),
            Err(fault) => fault,
        };
        if why == RollUpReason::Dirty && self.uses_fallback(row, &fault) {
            return self.by_fallback(row, &input).await;
        }
        Ok(match fault {
            Fault::Own(error) => Outcome::Failed(error),
            Fault::Away => Outcome::Waiting,
            Fault::KeyBudget => Outcome::Left,
            Fault::InBatch => Outcome::InBatch,
        })
    }

    /// Returns whether the fallback engine writes the period. It does after [`MAX_ATTEMPTS`] failures on the input. If the
    /// engine is unavailable, it does after the policy's `outage`, or at once if it wrote one of the period's children.
    fn uses_fallback(&self, row: &LedgerRow, fault: &Fault) -> bool {
        match fault {
            Fault::Own(_) => row.attempts + 1 >= MAX_ATTEMPTS,
            Fault::InBatch | Fault::KeyBudget => false,
            Fault::Away => self.over_degraded.contains(&row.period) || self.summarizer.policy.is_over(row, self.now),
        }
    }

    async fn by_engine(
        &self,
        row: &LedgerRow,
        input: &Input,
        away: &Mutex<Option<Outage>>,
    ) -> Result<std::result::Result<Summary, Fault>> {
        let engine = &*self.summarizer.engine;
        if let Some(outage) = &*away.lock() {
            return Ok(Err(outage.fault()));
        }
        let background = self.background(row, input).await?;
        let error = match engine.summarize(self.task(row, input, &background)).await {
            Ok(draft) => return Ok(Ok(self.summary(row, input, Some(draft), None))),
            Err(error) => error,
        };
        if matches!(error, Error::InBatch) {
            return Ok(Err(Fault::InBatch));
        }
        if error.is_of_input() {
            return Ok(Err(Fault::Own(error.to_string())));
        }
        let outage = outage(error, self.now)?;
        let fault = outage.fault();
        away.lock().get_or_insert(outage);
        Ok(Err(fault))
    }

    async fn by_fallback(&self, row: &LedgerRow, input: &Input) -> Result<Outcome> {
        let fallback = &*self.summarizer.fallback;
        let background = self.local_background(row, input).await?;
        let draft = match fallback.summarize(self.task(row, input, &background)).await {
            Ok(draft) => draft,
            Err(error) if error.is_of_input() => return Ok(Outcome::Failed(error.to_string())),
            Err(error) => return Err(error),
        };
        // A recipe that no engine has, so that a refresh finds the summary even if both engines are the same.
        let recipe = Digest::of(["degraded".as_bytes(), &fallback.recipe(&self.settings, row.period.grain()).0]);
        let summary = self.summary(row, input, Some(draft), Some(recipe));
        let author = fallback.author(&self.settings, row.period.grain());
        Ok(Outcome::Done(Summary { degraded: true, author, ..summary }))
    }

    pub(crate) fn task<'a>(&'a self, row: &LedgerRow, input: &'a Input, background: &'a Background) -> SummaryTask<'a> {
        SummaryTask {
            agent: self.agent,
            settings: &self.settings,
            period: row.period,
            sources: &input.children,
            base: input.base.as_ref(),
            read_seq: row.dirty_seq,
            background: Some(background),
            now: self.now,
            access_key: self.summarizer.access_key.as_deref(),
        }
    }

    fn summary(&self, row: &LedgerRow, input: &Input, draft: Option<Draft>, recipe: Option<Digest>) -> Summary {
        let (engine, grain) = (&*self.summarizer.engine, row.period.grain());
        // `recipe` is set if the present text stays, or if another engine wrote the draft.
        let author = if recipe.is_some() { row.author.clone() } else { engine.author(&self.settings, grain) };
        Summary {
            period: row.period,
            cover: self.zones.cover(row.period),
            read_seq: row.dirty_seq,
            replaces: row.rolled_up(),
            input_digest: input.digest,
            recipe: recipe.unwrap_or_else(|| engine.recipe(&self.settings, grain)),
            author,
            sources: input.sources(),
            degraded: false,
            draft,
        }
    }
}

/// Converts the error of an unavailable engine or of a spent budget. Any other error comes from the store and is returned.
fn outage(error: Error, now: Timestamp) -> Result<Outage> {
    let again = match &error {
        Error::Unavailable { retry_after, .. } => retry_after.map(|wait| later(now, wait)),
        Error::Budget { again, .. } => Some(budget_check(*again, now)),
        _ => return Err(error),
    };
    Ok(Outage { error: error.to_string(), again, of_key: error.is_of_key_budget() })
}

/// Returns the base of a sealed period as its summary, when none of the late input is left. No engine is called, because there
/// is nothing to add.
fn unamended(base: &Base, row: &LedgerRow) -> Draft {
    Draft {
        text: base.text.clone(),
        sentences: base.sentences.clone(),
        tokens: 0,
        ungrounded: row.ungrounded,
        verbatim: base.verbatim,
    }
}
