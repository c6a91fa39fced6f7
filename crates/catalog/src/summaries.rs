//! Summaries: reads their rows, and saves roll-ups.
//!
//! A roll-up changes a summary if its text, its sentences or its cover differ from the stored ones, or if it removes the
//! summary. A change makes the parent period dirty. Any other roll-up updates the lineage and the verbatim mark at most, and
//! makes its own period clean.

use annals_core::{Agent, Base, Body, Draft, Error, Interval, Memory, MemoryId, Period, Sentence, Summary, Timestamp};

use crate::columns::{grain, grain_number, interval, json, micros, number, to_json, word};
use crate::db::{Db, Result, Row, Values, params};
use crate::{agents, bases, changes, ledger, memories};

pub(crate) const BY_ID: &str = "SELECT * FROM summary WHERE agent_id = ?1 AND id = ?2";

/// Returns the summaries that a query over all columns finds, with their lineage.
pub(crate) fn find(db: &dyn Db, sql: &str, values: Values<'_>) -> Result<Vec<Memory>> {
    db.query(sql, values, |row| read_summary(row, sources(db, row.get("summary_id")?)?))
}

pub(crate) const SOURCES: &str = "SELECT id FROM source WHERE summary_id = ?1 ORDER BY position";

fn sources(db: &dyn Db, summary_id: i64) -> Result<Vec<MemoryId>> {
    db.query(SOURCES, params![summary_id], memories::read_id)
}

fn read_summary(row: &Row, sources: Vec<MemoryId>) -> Result<Memory> {
    let period: Period = word(row, "period")?;
    Ok(Memory {
        id: memories::read_id(row)?,
        grain: grain(row)?,
        period,
        cover: interval(row)?,
        days: period.cover_days(),
        text: row.get("text")?,
        pinned: row.get("pinned")?,
        seq: number(row, "seq")?,
        body: Body::Summary { sentences: json(row, "sentences")?, sources },
    })
}

/// Saves the roll-ups, all or none. Fails with `Stale` if a period was rolled up again, corrected or sealed since its input was
/// read.
pub(crate) fn save_summaries(db: &dyn Db, agent: &Agent, summaries: &[Summary], now: Timestamp) -> Result<()> {
    let agent_id = agents::enrolled(db, agent)?;
    for summary in summaries {
        if ledger::rolled_up(db, agent_id, summary.period)? != summary.replaces {
            return Err(Error::Stale { what: format!("the summary of {}", summary.period) }.into());
        }
    }
    for summary in summaries {
        let row = SummaryRow { db, agent_id, id: MemoryId::summary(agent, summary.period) };
        let change = row.save(summary)?;
        ledger::mark_clean(db, agent_id, summary, now)?;
        if let (Some(seq), Some(parent)) = (change, summary.period.parent()) {
            ledger::mark_dirty(db, agent_id, parent, seq, now)?;
        }
    }
    Ok(())
}

pub(crate) fn exists(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<bool> {
    let sql = "SELECT 1 FROM summary WHERE agent_id = ?1 AND id = ?2";
    db.exists(sql, params![agent_id, id.as_str()])
}

/// Writes the row of one summary, and its lineage.
pub(crate) struct SummaryRow<'c> {
    pub(crate) db: &'c dyn Db,
    pub(crate) agent_id: i64,
    pub(crate) id: MemoryId,
}

impl SummaryRow<'_> {
    /// Saves a roll-up. Returns the sequence number of the change; `None` if readers see no change.
    fn save(&self, summary: &Summary) -> Result<Option<i64>> {
        match &summary.draft {
            Some(draft) if !summary.sources.is_empty() || self.is_sealed(summary.period)? => self.write(summary, draft),
            _ if summary.sources.is_empty() => {
                memories::remove_summary(self.db, self.agent_id, &self.id, summary.period.grain())
            }
            _ => Ok(None),
        }
    }

    /// Returns whether the period is sealed: its base is then a source that always exists.
    fn is_sealed(&self, period: Period) -> Result<bool> {
        Ok(bases::of(self.db, self.agent_id, period)?.is_some())
    }

    /// Writes a draft, unless readers would see no change. Replaces the lineage in both cases.
    fn write(&self, summary: &Summary, draft: &Draft) -> Result<Option<i64>> {
        let verbatim = draft.verbatim && !self.quotes_a_model(draft, &summary.sources)?;
        let draft = &Draft { verbatim, ..draft.clone() };
        if self.keep(summary, draft)? {
            self.replace_sources(&summary.sources)?;
            return Ok(None);
        }
        let seq = changes::next_seq(self.db, self.agent_id)?;
        let text = Base {
            text: draft.text.clone(),
            sentences: draft.sentences.clone(),
            sources: summary.sources.clone(),
            verbatim: draft.verbatim,
        };
        self.put(summary.period, summary.cover, &text, seq)?;
        Ok(Some(seq))
    }

    /// Returns whether the draft quotes a source summary that a model or a person worded. An excerpt of such a summary is not
    /// an excerpt of a turn, so the draft is not verbatim.
    fn quotes_a_model(&self, draft: &Draft, sources: &[MemoryId]) -> Result<bool> {
        let sql = "SELECT sentences FROM summary WHERE agent_id = ?1 AND id = ?2 AND verbatim = 0";
        for source in sources {
            let values = params![self.agent_id, source.as_str()];
            let reworded: Option<Vec<Sentence>> = self.db.query_optional(sql, values, |row| json(row, "sentences"))?;
            if reworded.is_some_and(|reworded| draft.may_quote(&reworded)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether text, sentences and cover equal the stored ones. If so, updates only the column `verbatim`.
    fn keep(&self, summary: &Summary, draft: &Draft) -> Result<bool> {
        let (start, end) = (micros(summary.cover.start), micros(summary.cover.end));
        let sentences = to_json(&draft.sentences);
        let values = params![self.agent_id, self.id.as_str(), draft.text, sentences, start, end, draft.verbatim];
        // The same text may be verbatim in this roll-up and not in the former one, or the reverse.
        let sql = "UPDATE summary
            SET verbatim = ?7
            WHERE agent_id = ?1 AND id = ?2 AND text = ?3 AND sentences = ?4 AND cover_start = ?5 AND cover_end = ?6";
        Ok(self.db.execute(sql, values)? > 0)
    }

    /// Writes the summary as the change `seq`, replacing the stored one.
    pub(crate) fn put(&self, period: Period, cover: Interval, text: &Base, seq: i64) -> Result<()> {
        changes::lift_tombstone(self.db, self.agent_id, &self.id)?;
        // A summary that is written again keeps its pin and its summary_id, which its lineage rows refer to.
        let sql =
            "INSERT INTO summary (agent_id, grain, period, id, seq, cover_start, cover_end, text, sentences, verbatim)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (agent_id, grain, period) DO UPDATE
            SET seq = excluded.seq,
                cover_start = excluded.cover_start,
                cover_end = excluded.cover_end,
                text = excluded.text,
                sentences = excluded.sentences,
                verbatim = excluded.verbatim";
        self.db.execute(
            sql,
            params![
                self.agent_id,
                grain_number(period.grain()),
                period.to_string(),
                self.id.as_str(),
                seq,
                micros(cover.start),
                micros(cover.end),
                text.text,
                to_json(&text.sentences),
                text.verbatim,
            ],
        )?;
        self.replace_sources(&text.sources)
    }

    /// Replaces the text of the stored summary, as the change `seq`.
    pub(crate) fn reword(&self, text: &Base, seq: i64) -> Result<()> {
        let sql = "UPDATE summary
            SET seq = ?3, text = ?4, sentences = ?5, verbatim = ?6
            WHERE agent_id = ?1 AND id = ?2";
        self.db.execute(
            sql,
            params![self.agent_id, self.id.as_str(), seq, text.text, to_json(&text.sentences), text.verbatim,],
        )?;
        self.replace_sources(&text.sources)
    }

    fn replace_sources(&self, sources: &[MemoryId]) -> Result<()> {
        let sql = "SELECT summary_id FROM summary WHERE agent_id = ?1 AND id = ?2";
        let values = params![self.agent_id, self.id.as_str()];
        let summary_id: i64 = self.db.query_one(sql, values, |row| row.get(0))?;
        self.db.execute("DELETE FROM source WHERE summary_id = ?1", params![summary_id])?;
        let sql = "INSERT INTO source (summary_id, position, id) VALUES (?1, ?2, ?3)";
        for (position, source) in (0_i64..).zip(sources) {
            self.db.execute(sql, params![summary_id, position, source.as_str()])?;
        }
        Ok(())
    }
}
