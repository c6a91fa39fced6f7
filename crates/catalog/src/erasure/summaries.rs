//! Plans what an erasure does to summaries. Those that can be written again are removed. Sealed ones lose the verbatim
//! sentences that come from erased data; sealed ones that a model wrote are removed.

use std::collections::BTreeSet;

use annals_core::ports::ErasureReport;
use annals_core::{Agent, Base, Grain, MemoryId, Period, Sentence};

use super::erased_sentences;
use super::selection::{Sealed, Selection};
use crate::columns::{json, word};
use crate::db::{Db, Result, params};
use crate::{bases, ledger, summaries};

/// What remains of a sealed period.
pub(super) struct Cut {
    pub(super) period: Period,
    /// The base that remains; `None` if the period is lost.
    pub(super) base: Option<Base>,
    pub(super) base_seq: Option<i64>,
    /// The present summary that remains; `None` if it is removed.
    pub(super) present: Option<Base>,
}

/// Plans what happens to the summaries of an agent.
pub(super) struct Summaries<'a> {
    pub(super) db: &'a dyn Db,
    pub(super) agent: &'a Agent,
    pub(super) agent_id: i64,
    pub(super) selection: &'a Selection,
}

impl Summaries<'_> {
    /// Finds every sealed period with selected data in its base or present summary, and adds it to the report.
    pub(super) fn cuts(&self, report: &mut ErasureReport) -> Result<Vec<Cut>> {
        let mut cuts = Vec::new();
        for period in bases::periods(self.db, self.agent_id)? {
            cuts.extend(self.cut(period, report)?);
        }
        Ok(cuts)
    }

    fn cut(&self, period: Period, report: &mut ErasureReport) -> Result<Option<Cut>> {
        let id = MemoryId::summary(self.agent, period);
        let base_seq = bases::seq(self.db, self.agent_id, period)?;
        let clean_seq = ledger::clean_seq(self.db, self.agent_id, period)?;
        let base = bases::of(self.db, self.agent_id, period)?;
        let base = base.map(|text| Sealed { period, text, seq: base_seq });
        let present = bases::present(self.db, self.agent_id, &id)?;
        // The present summary contains everything that the base contains.
        let present_seq = base_seq.map(|seq| seq.max(clean_seq));
        let present = present.map(|text| Sealed { period, text, seq: present_seq });
        if !base.iter().chain(&present).any(|sealed| self.selection.reaches(sealed)) {
            return Ok(None);
        }
        let mut lost: BTreeSet<String> = base
            .iter()
            .chain(&present)
            .flat_map(|sealed| erased_sentences::kept(&sealed.text))
            .map(str::to_owned)
            .collect();
        let has_summary = present.is_some();
        let base = base.and_then(|base| self.selection.without(base));
        let present = present.and_then(|present| self.selection.without(present)).filter(|_| base.is_some());
        for kept in base.iter().chain(&present).flat_map(erased_sentences::kept) {
            lost.remove(kept);
        }
        report.sealed_sentences.extend(lost);
        let list = match (&base, &present) {
            (None, _) => &mut report.lost,
            // Only late input is affected: the summary is written again from the base.
            (Some(_), None) if has_summary => &mut report.rebuilt,
            (Some(_), _) => &mut report.cut,
        };
        list.push(period);
        Ok(Some(Cut { period, base, base_seq, present }))
    }

    /// Returns the periods of all unsealed summaries that may contain erased data: those of `touched`, those that quote
    /// selected turns or name the subject, and the ancestors of both. The days of the selected turns are not enough, because a
    /// day can quote names from turns of earlier days.
    pub(super) fn made_of(&self, mut touched: BTreeSet<Period>) -> Result<Vec<Period>> {
        touched.extend(self.quoting()?);
        let mut found = Vec::new();
        for period in touched.into_iter().flat_map(lineage).collect::<BTreeSet<_>>() {
            let id = MemoryId::summary(self.agent, period);
            if bases::of(self.db, self.agent_id, period)?.is_none() && summaries::exists(self.db, self.agent_id, &id)? {
                found.push(period);
            }
        }
        Ok(found)
    }

    /// Returns the periods with summaries that name the subject, or have a sentence from a selected turn.
    fn quoting(&self) -> Result<Vec<Period>> {
        let sql = "SELECT period, text, sentences FROM summary WHERE agent_id = ?1";
        let quoting = self.db.query(sql, params![self.agent_id], |row| {
            let sentences: Vec<Sentence> = json(row, "sentences")?;
            let is_quoting = self.selection.is_named_in(row.text("text")?)
                || sentences.iter().any(|sentence| self.selection.takes_any(&sentence.from));
            is_quoting.then(|| word(row, "period")).transpose()
        })?;
        Ok(quoting.into_iter().flatten().collect())
    }
}

/// Returns the period and its ancestors.
pub(super) fn lineage(period: Period) -> impl Iterator<Item = Period> {
    Grain::SUMMARIES.into_iter().filter(move |grain| *grain >= period.grain()).map(move |grain| period.ancestor(grain))
}
