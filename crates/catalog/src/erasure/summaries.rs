//! What an erasure does to summaries. Those that can be written again go; of sealed ones, verbatim sentences that come from what
//! went are cut out, and what a model wrote goes altogether.

use std::collections::BTreeSet;

use annals_core::{Base, Grain, MemoryId, Period};
use rusqlite::{Connection, params};

use super::aim::Sealed;
use super::{Erasing, Gone, words};
use crate::columns::word;
use crate::failure::Result;
use crate::summaries::Place;
use crate::{bases, ledger, remove, sequence};

impl Erasing<'_> {
    /// Cuts every sealed period that has any of what goes, in its base or in its present summary. Which ones.
    pub(super) fn cut_sealed(&mut self) -> Result<BTreeSet<Period>> {
        let mut cut = BTreeSet::new();
        for period in bases::periods(self.connection, self.agent_id)? {
            if self.cut(period)? {
                cut.insert(period);
            }
        }
        Ok(cut)
    }

    fn cut(&mut self, period: Period) -> Result<bool> {
        let id = MemoryId::summary(self.agent, period);
        let base_seq = bases::seq(self.connection, self.agent_id, period)?;
        let clean_seq = ledger::clean_seq(self.connection, self.agent_id, period)?;
        let base = bases::of(self.connection, self.agent_id, period)?;
        let base = base.map(|text| Sealed { period, text, seq: base_seq });
        let present = bases::present(self.connection, self.agent_id, &id)?;
        // What is in the base is in what came of it.
        let present_seq = base_seq.map(|seq| seq.max(clean_seq));
        let present = present.map(|text| Sealed { period, text, seq: present_seq });
        if !base.iter().chain(&present).any(|sealed| self.aim.reaches(sealed)) {
            return Ok(false);
        }
        let mut lost: BTreeSet<String> =
            base.iter().chain(&present).flat_map(|sealed| words::kept(&sealed.text)).map(str::to_owned).collect();
        let base = base.and_then(|base| self.aim.without(base));
        let present = present.and_then(|present| self.aim.without(present)).filter(|_| base.is_some());
        for kept in base.iter().chain(&present).flat_map(words::kept) {
            lost.remove(kept);
        }
        self.reach.sealed_sentences.extend(lost);
        let seq = sequence::next(self.connection)?;
        let removed = match &present {
            Some(present) => self.amend(&id, present, seq).map(|()| false)?,
            None => remove::summary(self.connection, self.agent_id, &id, period.grain())?.is_some(),
        };
        let list = match (&base, removed) {
            (None, _) => &mut self.reach.lost,
            // Only what came late is concerned: it is written again from the base.
            (Some(_), true) => &mut self.reach.rebuilt,
            (Some(_), false) => &mut self.reach.cut,
        };
        list.push(period);
        match base {
            Some(base) => bases::set(self.connection, self.agent_id, period, &base, base_seq)?,
            None => bases::lift(self.connection, self.agent_id, period)?,
        }
        self.soil_with_parent(period)?;
        Ok(true)
    }

    fn amend(&self, id: &MemoryId, text: &Base, seq: i64) -> Result<()> {
        let (connection, agent_id) = (self.connection, self.agent_id);
        Place { connection, agent_id, id: id.clone() }.reword(text, seq)?;
        self.forget_versions(id)
    }

    /// Removes every summary that was made of these periods, themselves included, or that names the subject, except
    /// sealed ones.
    pub(super) fn remove_made_of(&mut self, mut touched: BTreeSet<Period>) -> Result<()> {
        if self.aim.has_subject() {
            touched.extend(self.naming()?);
        }
        for period in touched.into_iter().flat_map(lineage).collect::<BTreeSet<_>>() {
            let id = MemoryId::summary(self.agent, period);
            if bases::of(self.connection, self.agent_id, period)?.is_none()
                && remove::summary(self.connection, self.agent_id, &id, period.grain())?.is_some()
            {
                self.reach.rebuilt.push(period);
                self.soil_with_parent(period)?;
            }
        }
        Ok(())
    }

    /// The periods whose summaries name the subject.
    fn naming(&self) -> Result<Vec<Period>> {
        let mut statement = self.connection.prepare_cached("SELECT period, text FROM summary WHERE agent_id = ?1")?;
        let mut rows = statement.query([self.agent_id])?;
        let mut naming = Vec::new();
        while let Some(row) = rows.next()? {
            if self.aim.is_named_in(&row.get::<_, String>("text")?) {
                naming.push(word(row, "period")?);
            }
        }
        Ok(naming)
    }

    fn soil_with_parent(&self, period: Period) -> Result<()> {
        [Some(period), period.parent()].into_iter().flatten().try_for_each(|period| self.soil(period))
    }

    /// Drops former texts that may hold words of what went, of memories that stay.
    pub(super) fn drop_versions(&self, gone: &Gone) -> Result<()> {
        let days =
            gone.memories.iter().map(|memory| memory.period).chain(gone.pruned.iter().filter_map(|turn| turn.day));
        for period in days.flat_map(lineage).collect::<BTreeSet<_>>() {
            self.forget_versions(&MemoryId::summary(self.agent, period))?;
        }
        if self.aim.has_subject() {
            drop_where(self.connection, self.agent_id, |text| self.aim.is_named_in(text))?;
        }
        Ok(())
    }

    fn forget_versions(&self, id: &MemoryId) -> Result<()> {
        let sql = "DELETE FROM version WHERE agent_id = ?1 AND id = ?2";
        self.connection.prepare_cached(sql)?.execute(params![self.agent_id, id.as_str()])?;
        Ok(())
    }
}

fn drop_where(connection: &Connection, agent_id: i64, takes: impl Fn(&str) -> bool) -> Result<()> {
    let mut statement = connection.prepare_cached("SELECT version_id, text FROM version WHERE agent_id = ?1")?;
    let rows = statement.query_map([agent_id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let versions: Vec<(i64, String)> = rows.collect::<rusqlite::Result<_>>()?;
    for (version_id, _) in versions.iter().filter(|(_, text)| takes(text)) {
        connection.prepare_cached("DELETE FROM version WHERE version_id = ?1")?.execute([version_id])?;
    }
    Ok(())
}

/// The period and its ancestors.
fn lineage(period: Period) -> impl Iterator<Item = Period> {
    Grain::SUMMARIES.into_iter().filter(move |grain| *grain >= period.grain()).map(move |grain| period.ancestor(grain))
}
