//! Removes forgotten content from summaries. Unsealed summaries are deleted and written again. From sealed ones, verbatim
//! sentences with forgotten content are cut out; text that a model wrote is deleted completely.

use std::collections::BTreeSet;

use annals_core::ports::Version;
use annals_core::{Base, Body, Grain, Kind, Memory, MemoryId, Period};

use super::erase::{Erased, Erasing};

impl Erasing<'_> {
    /// Cuts every sealed period with forgotten content in its base or in its present summary. Returns these periods.
    pub(super) fn cut_sealed(&mut self) -> BTreeSet<Period> {
        let sealed: Vec<_> = self.data.bases.clone().into_iter().collect();
        sealed.into_iter().filter_map(|(period, base)| self.cut(period, base).then_some(period)).collect()
    }

    fn cut(&mut self, period: Period, base: Base) -> bool {
        let id = MemoryId::summary(self.agent, period);
        let present = self.data.memories.get(&id).map(|summary| self.data.as_base(summary));
        let base_seq = self.data.base_seqs.get(&period).copied();
        let clean_seq = self.data.ledger.get(&period).map_or(0, |row| row.clean_seq);
        let present_seq = base_seq.map(|seq| seq.max(clean_seq));
        let reaches = |text: &Base, seq| self.selection.reaches(period, text, seq);
        if !reaches(&base, base_seq) && !present.as_ref().is_some_and(|text| reaches(text, present_seq)) {
            return false;
        }
        let mut lost: BTreeSet<String> = [Some(&base), present.as_ref()].into_iter().flatten().flat_map(kept).collect();
        let base = self.selection.without(period, base, base_seq);
        let present =
            present.and_then(|text| self.selection.without(period, text, present_seq)).filter(|_| base.is_some());
        for sentence in base.iter().chain(&present).flat_map(kept) {
            lost.remove(&sentence);
        }
        self.report.sealed_sentences.extend(lost);
        *self.seq += 1;
        let removed = present.is_none() && self.data.delete(&id, self.seq).is_some();
        let list = match (&base, removed) {
            (None, _) => &mut self.report.lost,
            // Only late input is affected: the summary is written again from the base.
            (Some(_), true) => &mut self.report.rebuilt,
            (Some(_), false) => &mut self.report.cut,
        };
        list.push(period);
        if let Some(present) = present {
            self.amend(&id, present);
        }
        self.data.seal(period, base);
        if let Some(seq) = base_seq.filter(|_| self.data.bases.contains_key(&period)) {
            self.data.base_seqs.insert(period, seq);
        }
        self.mark_dirty_with_parent(period);
        true
    }

    fn amend(&mut self, id: &MemoryId, Base { text, sentences, sources, .. }: Base) {
        let former = self.data.memories[id].clone();
        self.data.put(Memory { text, body: Body::Summary { sentences, sources }, seq: *self.seq, ..former });
        self.data.versions.remove(id);
    }

    /// Removes every unsealed summary that was made from these periods, that names the subject, or that has a sentence from a
    /// selected turn, and the unsealed summaries above it. The own summaries of the periods count as made from them.
    pub(super) fn remove_made_of(&mut self, mut touched: BTreeSet<Period>) {
        let summaries = self.data.memories.values().filter(|memory| memory.kind() == Kind::Summary);
        let quotes = |summary: &&Memory| {
            self.selection.is_named_in(&summary.text)
                || summary.sentences().iter().any(|sentence| self.selection.takes_any(&sentence.from))
        };
        let quoting = summaries.filter(quotes);
        touched.extend(quoting.map(|summary| summary.period));
        for period in touched.iter().flat_map(|period| lineage(*period)).collect::<BTreeSet<_>>() {
            let id = MemoryId::summary(self.agent, period);
            if !self.data.bases.contains_key(&period) && self.data.delete(&id, self.seq).is_some() {
                self.report.rebuilt.push(period);
                self.mark_dirty_with_parent(period);
            }
        }
    }

    fn mark_dirty_with_parent(&mut self, period: Period) {
        for period in [Some(period), period.parent()].into_iter().flatten() {
            self.mark_dirty(period);
        }
    }

    /// Drops the former texts of remaining memories that may contain forgotten words. Reports the memories with a former text
    /// that names the subject.
    pub(super) fn drop_versions(&mut self, erased: &mut Erased) {
        let days = erased
            .memories
            .iter()
            .map(|memory| memory.period)
            .chain(erased.pruned.values().filter_map(|turn| turn.day));
        let above: BTreeSet<_> = days.flat_map(lineage).collect();
        let made_of: BTreeSet<_> = above.into_iter().map(|period| MemoryId::summary(self.agent, period)).collect();
        self.data.versions.retain(|id, versions| {
            if made_of.contains(id) {
                return false;
            }
            let names = |version: &mut Version| self.selection.is_named_in(&version.text);
            let naming: Vec<String> = versions.extract_if(.., names).map(|version| version.text).collect();
            self.report.former_texts.extend((!naming.is_empty()).then(|| id.clone()));
            erased.former_texts.extend(naming);
            !versions.is_empty()
        });
    }
}

fn kept(base: &Base) -> impl Iterator<Item = String> {
    base.sentences.iter().map(|sentence| sentence.text.clone())
}

/// Returns the period and its ancestors.
fn lineage(period: Period) -> impl Iterator<Item = Period> {
    Grain::SUMMARIES.into_iter().filter(move |grain| *grain >= period.grain()).map(move |grain| period.ancestor(grain))
}
