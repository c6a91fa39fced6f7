//! Port `Archive`: exports and restores the records of an agent; corrects memories and keeps their former texts.

mod records;
mod restore;

use annals_core::ports::{Archive, Record, Version};
use annals_core::{
    Agent, Body, Error, Grain, Kind, LedgerRow, Memory, MemoryId, ObjectKind, Period, Result, Sentence, Timestamp,
};
use async_trait::async_trait;

use super::MemoryCatalog;
use super::agent_data::AgentData;

#[async_trait]
impl Archive for MemoryCatalog {
    async fn records(&self, agent: &Agent, after: Option<&Record>, limit: usize) -> Result<Vec<Record>> {
        let all = self.read(agent, |data| data.records(agent))?;
        let start =
            after.map_or(0, |last| all.iter().rposition(|record| is_at_one_place(record, last)).map_or(0, |at| at + 1));
        let mut page: Vec<Record> = Vec::new();
        for record in all.into_iter().skip(start) {
            if page.len() >= limit && !page.last().is_some_and(|last| is_at_one_place(&record, last)) {
                break;
            }
            page.push(record);
        }
        Ok(page)
    }

    async fn begin_restore(&self, agent: &Agent) -> Result<()> {
        let data = self.read(agent, |data| data.unless_full(agent).map(|()| data.clone()))??;
        let state = &mut *self.state();
        for name in [agent.key(), agent.name()] {
            state.check_free(agent, name)?;
        }
        state.restoring.insert(agent.clone(), data);
        Ok(())
    }

    async fn restore_some(&self, agent: &Agent, records: Vec<Record>) -> Result<()> {
        let state = &mut *self.state();
        let data = state.restoring.get_mut(agent).ok_or_else(not_begun)?;
        let present = state.agents_data.entry(agent.clone()).or_default();
        for record in records {
            let mut seq = present.last_seq(state.floor) + 1;
            data.take(agent, record, &mut seq)?;
            present.seq = seq;
        }
        Ok(())
    }

    async fn finish_restore(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        let state = &mut *self.state();
        let mut data = state.restoring.remove(agent).ok_or_else(not_begun)?;
        let present = state.agents_data.entry(agent.clone()).or_default();
        data.seq = present.seq;
        data.erased = data.erased.max(present.erased);
        data.mark_unknown_days_dirty(present.last_seq(state.floor), now);
        let of_days = |row: &&LedgerRow| row.period.grain() == Grain::Daily;
        data.last_ingest = data.ledger.values().filter(of_days).map(|row| row.dirty_at).max();
        present.unless_full(agent)?;
        data.names.clone_from(&present.names);
        *present = data;
        if let Some(name) = agent.shown_name() {
            state.check_free(agent, name)?;
            state.show(agent.clone());
        }
        Ok(())
    }

    async fn drop_restore(&self, agent: &Agent) -> Result<()> {
        self.state().restoring.remove(agent);
        Ok(())
    }

    async fn correct(&self, agent: &Agent, id: &MemoryId, text: &str, now: Timestamp) -> Result<()> {
        self.write(agent, |data, seq| {
            let stored = data.memories.get(id).cloned();
            let former = stored.ok_or_else(|| Error::NotFound { what: ObjectKind::Memory, name: id.to_string() })?;
            if former.kind() == Kind::Turn {
                return Err(Error::invalid("id", "is a turn; store it again with revise"));
            }
            if former.kind() == Kind::Passage {
                return Err(Error::invalid("id", "is a passage; write its document instead"));
            }
            if former.text != text {
                data.reword(former, text, seq, now);
            }
            Ok(())
        })?
    }

    async fn versions(&self, agent: &Agent, id: &MemoryId) -> Result<Vec<Version>> {
        self.read(agent, |data| data.versions.get(id).cloned().unwrap_or_default())
    }
}

/// Returns whether two records must be on the same page. Former texts of one memory may be equal, so all of them are on one
/// page.
fn is_at_one_place(a: &Record, b: &Record) -> bool {
    match (a, b) {
        (Record::Version { id: a, .. }, Record::Version { id: b, .. }) => a == b,
        _ => a == b,
    }
}

fn not_begun() -> Error {
    Error::invalid("restore", "was not started")
}

impl AgentData {
    fn reword(&mut self, former: Memory, text: &str, seq: &mut u64, now: Timestamp) {
        *seq += 1;
        self.keep_version(&former.id, former.text.clone(), now);
        if let Some(statement) = self.statements.get_mut(&former.id) {
            text.clone_into(&mut statement.text);
        }
        if former.kind() == Kind::Summary {
            self.verbatim.remove(&former.period);
            if let Some(row) = self.ledger.get_mut(&former.period) {
                // A person wrote the text. The input digest stays, and no refresh treats the summary as outdated.
                row.recipe = Some(LedgerRow::corrected_by_a_person());
                row.degraded = false;
            }
            if let Some(parent) = former.period.parent() {
                self.mark_dirty(parent, *seq, now);
            }
        }
        let body = match former.body {
            Body::Summary { sentences, sources } => {
                Body::Summary { sentences: vec![in_one(former.period, sentences, text)], sources }
            }
            other => other,
        };
        self.put(Memory { text: text.to_owned(), seq: *seq, body, ..former });
    }
}

/// Returns the one sentence of a corrected summary: the new text, with all sources of the former sentences.
fn in_one(period: Period, former: Vec<Sentence>, text: &str) -> Sentence {
    let mut from: Vec<MemoryId> = Vec::new();
    for id in former.into_iter().flat_map(|sentence| sentence.from) {
        if !from.contains(&id) {
            from.push(id);
        }
    }
    Sentence { day: period.first_day(), speaker: None, text: text.to_owned(), from, ungrounded: false }
}
