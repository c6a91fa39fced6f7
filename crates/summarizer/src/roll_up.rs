//! Rolling up one period: read what it is made of, and unless that is what the stored summary was made of, write it anew.

use std::sync::Mutex;

use annals_core::ports::SummaryTask;
use annals_core::{Base, Digest, Draft, Error, LedgerRow, Result, Summary, Timestamp};

use crate::due::later;
use crate::input::Input;
use crate::pass::Pass;

/// Failures of its own after which a period is left to the spare engine: a model that could not write it thrice,
/// each time told why, will not the fourth time, and its ancestors wait for it.
const OWN_FAILURES: u32 = 3;

/// Why a period is rolled up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Its input changed: where the engine cannot write it, the spare one does.
    Dirty,
    /// The spare engine wrote it; the engine may be able to by now.
    Degraded,
    /// It was written by another recipe.
    Outdated,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Ready to be saved.
    Done(Summary),
    /// A fault of this period.
    Failed(String),
    /// The engine is away; see the lane's [`Outage`].
    Waiting,
    /// It was enough before it was begun with.
    Left,
}

/// An engine that is away, or whose budget is spent. Once it is known, it is not asked again in the same lane.
#[derive(Clone, Debug)]
pub(crate) struct Outage {
    pub(crate) error: String,
    /// When it said to come again.
    pub(crate) again: Option<Timestamp>,
}

/// Whose fault it is that there is no summary.
enum Fault {
    Own(String),
    Away,
}

impl Pass<'_> {
    /// The roll-up of one period, ready to be saved. An error is the store's, and ends the pass.
    pub(crate) async fn roll_up(&self, row: &LedgerRow, why: Why, away: &Mutex<Option<Outage>>) -> Result<Outcome> {
        let input = self.summarizer.input(self.agent, row).await?;
        if input.is_empty() || (input.known && why == Why::Dirty) {
            return Ok(Outcome::Done(self.summary(row, &input, None, row.recipe)));
        }
        if let Some(base) = input.base.as_ref().filter(|_| input.children.is_empty()) {
            return Ok(Outcome::Done(self.summary(row, &input, Some(unamended(base, row)), row.recipe)));
        }
        let fault = match self.by_engine(row, &input, away).await? {
            Ok(summary) => return Ok(Outcome::Done(summary)),
            Err(fault) => fault,
        };
        if why == Why::Dirty && self.is_enough(row, &fault) {
            return self.by_spare(row, &input).await;
        }
        Ok(match fault {
            Fault::Own(error) => Outcome::Failed(error),
            Fault::Away => Outcome::Waiting,
        })
    }

    /// Whether the engine has been tried, or waited for, long enough.
    fn is_enough(&self, row: &LedgerRow, fault: &Fault) -> bool {
        match fault {
            Fault::Own(_) => row.attempts + 1 >= OWN_FAILURES,
            Fault::Away => self.over_degraded.contains(&row.period) || self.summarizer.patience.is_over(row, self.now),
        }
    }

    async fn by_engine(
        &self,
        row: &LedgerRow,
        input: &Input,
        away: &Mutex<Option<Outage>>,
    ) -> Result<std::result::Result<Summary, Fault>> {
        let engine = &*self.summarizer.engine;
        if away.lock().expect("no holder of the lock panics").is_some() {
            return Ok(Err(Fault::Away));
        }
        let error = match engine.summarize(self.task(row, input)).await {
            Ok(draft) => return Ok(Ok(self.summary(row, input, Some(draft), None))),
            Err(error) => error,
        };
        if is_own(&error) {
            return Ok(Err(Fault::Own(error.to_string())));
        }
        let outage = outage(error, self.now)?;
        away.lock().expect("no holder of the lock panics").get_or_insert(outage);
        Ok(Err(Fault::Away))
    }

    async fn by_spare(&self, row: &LedgerRow, input: &Input) -> Result<Outcome> {
        let spare = &*self.summarizer.spare;
        let draft = match spare.summarize(self.task(row, input)).await {
            Ok(draft) => draft,
            Err(error) if is_own(&error) => return Ok(Outcome::Failed(error.to_string())),
            Err(error) => return Err(error),
        };
        // A recipe that no engine has, so that a refresh finds it even where both engines are the same.
        let recipe = Digest::of(["degraded".as_bytes(), &spare.recipe(&self.settings, row.period.grain()).0]);
        let summary = self.summary(row, input, Some(draft), Some(recipe));
        Ok(Outcome::Done(Summary { degraded: true, ..summary }))
    }

    fn task<'a>(&'a self, row: &LedgerRow, input: &'a Input) -> SummaryTask<'a> {
        SummaryTask {
            agent: self.agent,
            settings: &self.settings,
            period: row.period,
            sources: &input.children,
            base: input.base.as_ref(),
            read_seq: row.dirty_seq,
            now: self.now,
        }
    }

    fn summary(&self, row: &LedgerRow, input: &Input, draft: Option<Draft>, recipe: Option<Digest>) -> Summary {
        let present = || self.summarizer.engine.recipe(&self.settings, row.period.grain());
        Summary {
            period: row.period,
            cover: self.zones.cover(row.period),
            read_seq: row.dirty_seq,
            input_digest: input.digest,
            recipe: recipe.unwrap_or_else(present),
            sources: input.sources(),
            degraded: false,
            draft,
        }
    }
}

/// Whether it is the fault of this input, or of the model with it: the next period may do better.
fn is_own(error: &Error) -> bool {
    matches!(error, Error::Model { .. } | Error::Invalid(_) | Error::Faults(_))
}

/// What an engine says that is away; any other error is the store's and goes on.
fn outage(error: Error, now: Timestamp) -> Result<Outage> {
    let again = match &error {
        Error::Unavailable { retry_after, .. } => retry_after.map(|wait| later(now, wait)),
        Error::Budget { again, .. } => Some(*again),
        _ => return Err(error),
    };
    Ok(Outage { error: error.to_string(), again })
}

/// A sealed summary of which nothing late is left is its base again: no engine is asked, for none could add to it.
fn unamended(base: &Base, row: &LedgerRow) -> Draft {
    Draft {
        text: base.text.clone(),
        sentences: base.sentences.clone(),
        tokens: 0,
        ungrounded: row.ungrounded,
        verbatim: base.verbatim,
    }
}
