//! Writes the summaries of one grain, a few at a time, and saves them in batches, or one by one if a model writes them. Records
//! failures with the time of the next retry.

use std::collections::{HashMap, HashSet};

use annals_core::retry::later;
use annals_core::{Error, Grain, LedgerRow, MemoryId, Period, Result, Summary, Timestamp};
use futures::StreamExt;
use parking_lot::Mutex;

use crate::backoff;
use crate::due::MAX_WAIT;
use crate::input::Input;
use crate::pass::{Pass, Passed};
use crate::roll_up::{Outage, Outcome, RollUpReason};

/// Maximum number of roll-ups saved in one transaction: one fsync for many, and little to repeat after a crash.
const BATCH: usize = 64;
/// Maximum number of concurrent roll-ups of one agent: enough to keep an endpoint busy, while other agents still make progress.
const AT_ONCE: usize = 4;

impl Pass<'_> {
    /// Rolls these periods up, until `should_stop` returns true. Skips periods that wait for an answer of a batch. Once the
    /// engine is unavailable, it is not called for the remaining periods, because these calls would fail too. Summaries from an
    /// engine behind a network are saved one by one, because each may have taken minutes.
    pub(crate) async fn roll_up_rows(&mut self, rows: &[LedgerRow], why: RollUpReason) -> Result<()> {
        let away = Mutex::new(None);
        let (mut passed, mut waiting) = (std::mem::take(&mut self.passed), Vec::new());
        let (awaited, rows): (Vec<_>, Vec<_>) =
            rows.iter().cloned().partition(|row| self.awaited.contains(&row.period));
        passed.in_batch.extend(awaited.iter().map(|row| row.period));
        for batch in rows.chunks(BATCH) {
            self.roll_up_batch(batch, why, &away, (&mut passed, &mut waiting)).await?;
            self.begun = true;
        }
        self.passed = passed;
        match away.into_inner() {
            Some(outage) => self.note_outage(&waiting, why, outage).await,
            None => Ok(()),
        }
    }

    /// Rolls up a batch, and saves it at once or one by one.
    async fn roll_up_batch<'r>(
        &self,
        batch: &'r [LedgerRow],
        why: RollUpReason,
        away: &Mutex<Option<Outage>>,
        (passed, waiting): (&mut Passed, &mut Vec<&'r LedgerRow>),
    ) -> Result<()> {
        let is_local =
            batch.iter().all(|row| self.summarizer.engine.writes_locally(&self.settings, row.period.grain()));
        let together = if is_local { BATCH } else { 1 };
        // For periods longer than a day, a model also gets the end of the summary of the previous period as background, so that
        // summary must be saved first.
        let is_in_turn = !is_local && batch.iter().any(|row| row.period.grain() > Grain::Daily);
        let at_once = if is_in_turn { 1 } else { AT_ONCE };
        // Collected first: a closure inside the stream would borrow the pass, and the future would not be `Send`.
        let roll_ups: Vec<_> = batch.iter().zip(0..).map(|(row, index)| self.step(row, why, away, index)).collect();
        let mut outcomes = futures::stream::iter(roll_ups).buffered(at_once).chunks(together);
        let mut rest = batch;
        while let Some(outcomes) = outcomes.next().await {
            let (rows, others) = rest.split_at(outcomes.len());
            let outcomes = outcomes.into_iter().collect::<Result<Vec<Outcome>>>()?;
            self.save_outcomes(rows, outcomes, why, (&mut *passed, &mut *waiting)).await?;
            (self.progress)(rows.len() as u64);
            rest = others;
        }
        Ok(())
    }

    async fn save_outcomes<'r>(
        &self,
        rows: &'r [LedgerRow],
        outcomes: Vec<Outcome>,
        why: RollUpReason,
        (passed, waiting): (&mut Passed, &mut Vec<&'r LedgerRow>),
    ) -> Result<()> {
        let _guard = self.lock.acquire(self.agent).await;
        let outcomes = self.without_stale(rows, outcomes, passed).await?;
        let mut summaries = Vec::new();
        for (row, outcome) in rows.iter().zip(outcomes) {
            match outcome {
                Outcome::Done(summary) => summaries.push(summary),
                Outcome::Failed(error) => self.note_failure(row, why, error, passed).await?,
                Outcome::Waiting => waiting.push(row),
                Outcome::InBatch => passed.in_batch.push(row.period),
                Outcome::Left => passed.left += 1,
            }
        }
        self.save(summaries, passed).await
    }

    /// Saves a batch. If another pass rolled up one of its periods meanwhile, nothing of the batch is saved, and the next pass
    /// writes the periods that are still due.
    async fn save(&self, summaries: Vec<Summary>, passed: &mut Passed) -> Result<()> {
        if summaries.is_empty() {
            return Ok(());
        }
        match self.summarizer.store.save_summaries(self.agent, summaries.clone(), self.now).await {
            Ok(()) => summaries.iter().for_each(|summary| passed.count(summary)),
            Err(Error::Stale { .. }) => {
                passed.stale += summaries.len() as u64;
                passed.left += summaries.len() as u64;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Marks outcomes as left if their period or input changed while the engine worked. These periods are due again.
    async fn without_stale(
        &self,
        batch: &[LedgerRow],
        mut outcomes: Vec<Outcome>,
        passed: &mut Passed,
    ) -> Result<Vec<Outcome>> {
        if self.lock.is_held() {
            return Ok(outcomes);
        }
        let ledger: HashMap<Period, LedgerRow> =
            self.ledger().await?.into_iter().map(|row| (row.period, row)).collect();
        for (row, outcome) in batch.iter().zip(&mut outcomes) {
            let is_same = ledger.get(&row.period).is_some_and(|now| is_same(row, now));
            if !(is_same && self.is_made_of_the_same(row, outcome).await?) {
                passed.stale += 1;
                *outcome = Outcome::Left;
            }
        }
        Ok(outcomes)
    }

    async fn is_made_of_the_same(&self, row: &LedgerRow, outcome: &Outcome) -> Result<bool> {
        let Outcome::Done(summary) = outcome else { return Ok(true) };
        let input = self.summarizer.input(self.agent, row).await?;
        Ok(input.digest == summary.input_digest && self.has_earlier_turns(summary, &input).await?)
    }

    /// Returns whether the earlier turns from which the summary of a day has names still exist. These turns are part of the
    /// background and not of the input.
    async fn has_earlier_turns(&self, summary: &Summary, input: &Input) -> Result<bool> {
        if summary.period.grain() > Grain::Daily {
            return Ok(true);
        }
        let own = input.origins();
        let from = summary.draft.iter().flat_map(|draft| &draft.sentences).flat_map(|sentence| &sentence.from);
        let earlier: HashSet<&MemoryId> = from.filter(|id| !own.contains(id)).collect();
        let earlier: Vec<MemoryId> = earlier.into_iter().cloned().collect();
        Ok(earlier.is_empty() || self.summarizer.store.get(self.agent, &earlier).await?.len() == earlier.len())
    }

    /// Rolls up one period unless `should_stop` returns true. The very first period of a pass is always begun.
    async fn step(
        &self,
        row: &LedgerRow,
        why: RollUpReason,
        away: &Mutex<Option<Outage>>,
        index: usize,
    ) -> Result<Outcome> {
        if (self.begun || index > 0) && (self.should_stop)() {
            return Ok(Outcome::Left);
        }
        self.roll_up(row, why, away).await
    }

    /// Records a failure. An outdated summary gets no failure record, because it is still valid; the caller of the refresh gets
    /// the error.
    async fn note_failure(&self, row: &LedgerRow, why: RollUpReason, error: String, passed: &mut Passed) -> Result<()> {
        if let Some(wait) = backoff::after_failure(why, row.attempts) {
            let not_before = later(self.now, wait);
            self.summarizer.store.note_failure(self.agent, row.period, &error, not_before, self.now).await?;
        }
        passed.failed.push((row.period, error));
        Ok(())
    }

    async fn note_outage(&mut self, waiting: &[&LedgerRow], why: RollUpReason, outage: Outage) -> Result<()> {
        if why != RollUpReason::Outdated && !outage.of_key {
            let not_before = self.again(waiting, why, &outage);
            let periods: Vec<_> = waiting.iter().map(|row| row.period).collect();
            self.summarizer.store.note_outage(self.agent, &periods, &outage.error, not_before, self.now).await?;
        }
        self.passed.waiting.extend(waiting.iter().map(|row| row.period));
        self.passed.outage = Some(outage.error);
        Ok(())
    }

    /// Returns when to call an unavailable engine again: at its retry time, or after as long as it has been unavailable
    /// already, between a minute and an hour; but after `MAX_WAIT` at most. For periods with changed input it is also no later
    /// than the time at which the fallback engine may write the first of them.
    fn again(&self, waiting: &[&LedgerRow], why: RollUpReason, outage: &Outage) -> Timestamp {
        let since = waiting.iter().filter_map(|row| row.failing_since).min().unwrap_or(self.now);
        let wait = backoff::after_outage(self.now.duration_since(since));
        let again = outage.again.unwrap_or_else(|| later(self.now, wait)).min(later(self.now, MAX_WAIT));
        let ends = waiting.iter().map(|row| self.summarizer.policy.ends(row, self.now));
        if why == RollUpReason::Dirty { ends.fold(again, Timestamp::min) } else { again }
    }
}

/// Returns whether the period is unchanged except for failures.
fn is_same(before: &LedgerRow, now: &LedgerRow) -> bool {
    let state = |row: &LedgerRow| (row.dirty_seq, row.clean_seq, row.recipe, row.sealed, row.degraded);
    state(before) == state(now)
}
