//! What a period is made of: the live memories of the finer grain, and of a sealed period its base.

use std::collections::HashSet;

use annals_core::{Agent, Base, Digest, Kind, LedgerRow, Memory, MemoryId, Period, Result, unfenced};

use crate::Summarizer;

/// What the summary of one period is written from.
pub(crate) struct Input {
    /// Of a sealed period, its summary at sealing.
    pub(crate) base: Option<Base>,
    /// Live turns or finer summaries; of a sealed period only what came late.
    pub(crate) children: Vec<Memory>,
    /// Hash of all of it.
    pub(crate) digest: Digest,
    /// Whether the stored summary was made of just this.
    pub(crate) known: bool,
}

impl Summarizer {
    pub(crate) async fn input(&self, agent: &Agent, row: &LedgerRow) -> Result<Input> {
        let base = if row.sealed { self.seals.base(agent, row.period).await? } else { None };
        let children = self.catalog.inputs(agent, row.period).await?;
        let children: Vec<Memory> = children.into_iter().map(without_recalled).collect();
        let digest = match &base {
            None => digest(&children),
            Some(base) => Digest::of([base.digest().0, digest(&children).0]),
        };
        let known = row.input_digest == Some(digest) && self.is_told(agent, row).await?;
        Ok(Input { base, children, digest, known })
    }

    /// Whether the period has a summary. A row outlives a summary that is pruned or forgotten: the same input, sent again,
    /// must be written again.
    async fn is_told(&self, agent: &Agent, row: &LedgerRow) -> Result<bool> {
        Ok(!self.told(agent, vec![row.clone()]).await?.is_empty())
    }

    /// Those of the rows whose period has a summary.
    pub(crate) async fn told(&self, agent: &Agent, rows: Vec<LedgerRow>) -> Result<Vec<LedgerRow>> {
        let ids: Vec<MemoryId> = rows.iter().map(|row| MemoryId::summary(agent, row.period)).collect();
        let told: HashSet<Period> =
            self.catalog.get(agent, &ids).await?.into_iter().map(|summary| summary.period).collect();
        Ok(rows.into_iter().filter(|row| told.contains(&row.period)).collect())
    }
}

impl Input {
    /// Whether there is nothing to tell of.
    pub(crate) fn is_empty(&self) -> bool {
        self.base.is_none() && self.children.is_empty()
    }

    /// What it comes from: the sources of the base, then what is new.
    pub(crate) fn sources(&self) -> Vec<MemoryId> {
        let old = self.base.iter().flat_map(|base| base.sources.iter());
        let all = old.chain(self.children.iter().map(|memory| &memory.id));
        let mut seen = HashSet::new();
        all.filter(|id| seen.insert(*id)).cloned().collect()
    }

    /// How many words there are to be read.
    pub(crate) fn words(&self) -> u64 {
        let base = self.base.iter().map(|base| base.text.as_str());
        let texts = base.chain(self.children.iter().map(|memory| memory.text.as_str()));
        texts.map(|text| text.split_whitespace().count() as u64).sum()
    }
}

/// A turn without what memory handed out, which would be told again as new. What is left of it may be nothing, but the turn is
/// still one that the summary covers.
fn without_recalled(memory: Memory) -> Memory {
    if memory.kind != Kind::Turn {
        return memory;
    }
    Memory { text: unfenced(&memory.text).into_owned(), ..memory }
}

/// The digest of no input: what a period has whose last roll-up found nothing left to tell of.
pub(crate) fn nothing() -> Digest {
    digest(&[])
}

/// Hash of the ids and contents of what a summary reads. Speaker and moment belong to what was said, and the sources of each
/// sentence to a summary: without them a year would go on naming turns that its quarter no longer quotes.
fn digest(children: &[Memory]) -> Digest {
    Digest::of(children.iter().flat_map(|memory| {
        let speaker = memory.speaker.clone().unwrap_or_default();
        let start = memory.cover.start.as_microsecond().to_string();
        let traces = memory.sentences.iter().flat_map(|sentence| sentence.from.iter().map(ToString::to_string));
        let traces = traces.collect::<Vec<_>>().join(" ");
        [memory.id.to_string(), start, speaker, memory.text.clone(), traces]
    }))
}
