//! The input of a period: the live memories of the finer grain, and the base of a sealed period.

use std::collections::HashSet;

use annals_core::{Agent, Base, Digest, Kind, LedgerRow, Memory, MemoryId, Period, Result, unfenced};

use crate::Summarizer;

/// The input of the summary of one period.
pub(crate) struct Input {
    /// For a sealed period, its summary at the time of sealing.
    pub(crate) base: Option<Base>,
    /// Live turns or finer summaries; for a sealed period only those that came late.
    pub(crate) children: Vec<Memory>,
    /// Hash of the base and the children.
    pub(crate) digest: Digest,
    /// Whether the stored summary was made from exactly this input.
    pub(crate) known: bool,
}

impl Summarizer {
    pub(crate) async fn input(&self, agent: &Agent, row: &LedgerRow) -> Result<Input> {
        let base = if row.sealed { self.store.base(agent, row.period).await? } else { None };
        let children = self.store.inputs(agent, row.period).await?;
        let children: Vec<Memory> = children.into_iter().map(without_recalled).collect();
        let digest = match &base {
            None => digest(&children),
            Some(base) => Digest::of([base.digest().0, digest(&children).0]),
        };
        let known = row.input_digest == Some(digest) && self.has_summary(agent, row).await?;
        Ok(Input { base, children, digest, known })
    }

    /// Returns whether the period has a summary. A ledger row outlives a pruned or forgotten summary; the same input, sent
    /// again, must be summarised again.
    async fn has_summary(&self, agent: &Agent, row: &LedgerRow) -> Result<bool> {
        Ok(!self.with_summary(agent, vec![row.clone()]).await?.is_empty())
    }

    /// Returns the rows with a summary for their period.
    pub(crate) async fn with_summary(&self, agent: &Agent, rows: Vec<LedgerRow>) -> Result<Vec<LedgerRow>> {
        let ids: Vec<MemoryId> = rows.iter().map(|row| MemoryId::summary(agent, row.period)).collect();
        let with_summary: HashSet<Period> =
            self.store.get(agent, &ids).await?.into_iter().map(|summary| summary.period).collect();
        Ok(rows.into_iter().filter(|row| with_summary.contains(&row.period)).collect())
    }
}

impl Input {
    /// Returns whether there is nothing to summarise.
    pub(crate) fn is_empty(&self) -> bool {
        self.base.is_none() && self.children.is_empty()
    }

    /// Returns the ids of the input: the sources of the base, then the new ones.
    pub(crate) fn sources(&self) -> Vec<MemoryId> {
        let old = self.base.iter().flat_map(|base| base.sources.iter());
        let all = old.chain(self.children.iter().map(|memory| &memory.id));
        let mut seen = HashSet::new();
        all.filter(|id| seen.insert(*id)).cloned().collect()
    }

    /// Returns the ids that a sentence made from this input may list as sources: the ids of the input, and the sources that
    /// the input itself lists.
    pub(crate) fn origins(&self) -> HashSet<&MemoryId> {
        let base = self.base.iter().flat_map(|base| &base.sources);
        let children = self.children.iter().flat_map(|memory| memory.sources().iter().chain([&memory.id]));
        let quoted = self.base.iter().flat_map(|base| &base.sentences);
        let quoted = quoted.chain(self.children.iter().flat_map(Memory::sentences));
        base.chain(children).chain(quoted.flat_map(|sentence| &sentence.from)).collect()
    }

    /// Returns the number of words in the texts of the input.
    pub(crate) fn words(&self) -> u64 {
        let base = self.base.iter().map(|base| base.text.as_str());
        let texts = base.chain(self.children.iter().map(|memory| memory.text.as_str()));
        texts.map(|text| text.split_whitespace().count() as u64).sum()
    }
}

/// Removes text recalled from memory from a turn, because it would be summarised again as new. The rest may be empty, but the
/// summary still covers the turn.
pub(crate) fn without_recalled(memory: Memory) -> Memory {
    if memory.kind() != Kind::Turn {
        return memory;
    }
    Memory { text: unfenced(&memory.text).into_owned(), ..memory }
}

/// Returns the digest of an empty input. A period has it if its last roll-up found nothing left to summarise.
pub(crate) fn nothing() -> Digest {
    digest(&[])
}

/// Returns the hash of the ids and contents that a summary reads. Includes speaker and time of turns, and the sources
/// of each sentence of a summary: without these a year would keep listing turns that its quarter no longer quotes.
fn digest(children: &[Memory]) -> Digest {
    Digest::of(children.iter().flat_map(|memory| {
        let speaker = memory.speaker().unwrap_or_default().to_owned();
        let start = memory.cover.start.as_microsecond().to_string();
        let origins = memory.sentences().iter().flat_map(|sentence| sentence.from.iter().map(ToString::to_string));
        let origins = origins.collect::<Vec<_>>().join(" ");
        [memory.id.to_string(), start, speaker, memory.text.clone(), origins]
    }))
}
