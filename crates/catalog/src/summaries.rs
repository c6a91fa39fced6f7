//! Saves roll-ups. A text that differs from the stored one, or a summary that goes, is a change and makes the parent
//! period dirty; all else only makes the period clean.

use annals_core::{Agent, Draft, MemoryId, Summary, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use crate::columns::{grain_number, micros};
use crate::failure::Result;
use crate::{agents, ledger, sequence};

/// Saves the roll-ups, all or none.
pub(crate) fn save_summaries(
    connection: &Connection,
    agent: &Agent,
    summaries: &[Summary],
    now: Timestamp,
) -> Result<()> {
    for summary in summaries {
        let agent_id = agents::enrolled(connection, agent)?;
        let place = Place { connection, agent_id, id: MemoryId::summary(agent, summary.period) };
        let change = match &summary.draft {
            _ if summary.sources.is_empty() => place.remove(summary)?,
            Some(draft) => place.write(summary, draft)?,
            None => None,
        };
        ledger::mark_clean(connection, agent_id, summary, now)?;
        if let (Some(seq), Some(parent)) = (change, summary.period.parent()) {
            ledger::mark_dirty(connection, agent_id, parent, seq, now)?;
        }
    }
    Ok(())
}

/// Where one summary is kept.
struct Place<'c> {
    connection: &'c Connection,
    agent_id: i64,
    id: MemoryId,
}

impl Place<'_> {
    /// Removes the summary; the number of the change, if there was one to remove.
    fn remove(&self, summary: &Summary) -> Result<Option<i64>> {
        let sql = "DELETE FROM summary WHERE agent_id = ?1 AND id = ?2";
        if self.connection.prepare_cached(sql)?.execute(params![self.agent_id, self.id.as_str()])? == 0 {
            return Ok(None);
        }
        let seq = sequence::next(self.connection)?;
        let sql = "INSERT INTO tombstone (agent_id, id, grain, seq) VALUES (?1, ?2, ?3, ?4)";
        let grain = grain_number(summary.period.grain());
        self.connection.prepare_cached(sql)?.execute(params![self.agent_id, self.id.as_str(), grain, seq])?;
        Ok(Some(seq))
    }

    /// Writes the summary; the number of the change, if a reader sees any. What it was made from is renewed in any
    /// case.
    fn write(&self, summary: &Summary, draft: &Draft) -> Result<Option<i64>> {
        let sentences = serde_json::to_string(&draft.sentences).expect("sentences are strings and dates");
        let stored = self.same(summary, draft, &sentences)?;
        let change = if stored { None } else { Some(self.upsert(summary, draft, &sentences)?) };
        self.replace_sources(&summary.sources)?;
        Ok(change)
    }

    fn same(&self, summary: &Summary, draft: &Draft, sentences: &str) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(include_str!("sql/same_summary.sql"))?;
        let (start, end) = (micros(summary.cover.start), micros(summary.cover.end));
        let place = params![self.agent_id, self.id.as_str(), draft.text, sentences, start, end];
        Ok(statement.query_row(place, |_| Ok(())).optional()?.is_some())
    }

    fn upsert(&self, summary: &Summary, draft: &Draft, sentences: &str) -> Result<i64> {
        let seq = sequence::next(self.connection)?;
        let sql = "DELETE FROM tombstone WHERE agent_id = ?1 AND id = ?2";
        self.connection.prepare_cached(sql)?.execute(params![self.agent_id, self.id.as_str()])?;
        self.connection.prepare_cached(include_str!("sql/save_summary.sql"))?.execute(params![
            self.agent_id,
            grain_number(summary.period.grain()),
            summary.period.to_string(),
            self.id.as_str(),
            seq,
            micros(summary.cover.start),
            micros(summary.cover.end),
            draft.text,
            sentences,
        ])?;
        Ok(seq)
    }

    fn replace_sources(&self, sources: &[MemoryId]) -> Result<()> {
        let sql = "SELECT summary_id FROM summary WHERE agent_id = ?1 AND id = ?2";
        let place = params![self.agent_id, self.id.as_str()];
        let summary_id: i64 = self.connection.prepare_cached(sql)?.query_row(place, |row| row.get(0))?;
        self.connection.prepare_cached("DELETE FROM source WHERE summary_id = ?1")?.execute([summary_id])?;
        let sql = "INSERT INTO source (summary_id, position, id) VALUES (?1, ?2, ?3)";
        let mut insert = self.connection.prepare_cached(sql)?;
        for (position, source) in (0_i64..).zip(sources) {
            insert.execute(params![summary_id, position, source.as_str()])?;
        }
        Ok(())
    }
}
