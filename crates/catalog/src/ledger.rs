//! The ledger: the state of each period, and its input.

use annals_core::ports::Ledger;
use annals_core::{Agent, Date, Error, Grain, LedgerRow, Memory, ObjectKind, Period, RolledUp, Summary, Timestamp};
use async_trait::async_trait;

use crate::columns::{digest, grain_number, instant, maybe_instant, maybe_json, micros, number, signed, to_json, word};
use crate::db::{Db, Result, Row, params};
use crate::{Backend, SqlCatalog};
use crate::{agents, summaries, turns};

#[async_trait]
impl<B: Backend> Ledger for SqlCatalog<B> {
    async fn ledger(&self, agent: &Agent) -> annals_core::Result<Vec<LedgerRow>> {
        let agent = agent.clone();
        self.thread.read("reading the ledger", move |c| ledger(c, &agent)).await
    }

    async fn failures(&self, limit: usize) -> annals_core::Result<Vec<(Agent, LedgerRow)>> {
        self.thread.read("reading failures", move |c| failures(c, limit)).await
    }

    async fn pruned_until(&self, agent: &Agent, grain: Grain) -> annals_core::Result<Option<Date>> {
        let agent = agent.clone();
        self.thread.read("reading what was pruned", move |c| pruned_until(c, &agent, grain)).await
    }

    async fn inputs(&self, agent: &Agent, period: Period) -> annals_core::Result<Vec<Memory>> {
        let agent = agent.clone();
        self.thread.read("reading the input of a period", move |c| inputs(c, &agent, period)).await
    }

    async fn save_summaries(&self, agent: &Agent, summaries: Vec<Summary>, now: Timestamp) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write("saving summaries", move |c| summaries::save_summaries(c, &agent, &summaries, now)).await
    }

    async fn note_failure(
        &self,
        agent: &Agent,
        period: Period,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> annals_core::Result<()> {
        let (agent, error) = (agent.clone(), error.to_owned());
        let work = move |c: &dyn Db| note_failure(c, &agent, period, &error, not_before, now);
        self.thread.write("saving a failure", work).await
    }

    async fn note_outage(
        &self,
        agent: &Agent,
        periods: &[Period],
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> annals_core::Result<()> {
        let (agent, periods, error) = (agent.clone(), periods.to_vec(), error.to_owned());
        let work = move |c: &dyn Db| note_outage(c, &agent, &periods, &error, not_before, now);
        self.thread.write("saving an outage", work).await
    }
}

/// Returns all ledger rows of the agent, by grain and time: one for each period that ever had input or was rolled up.
pub(crate) fn ledger(db: &dyn Db, agent: &Agent) -> Result<Vec<LedgerRow>> {
    let sql = "SELECT * FROM ledger WHERE agent_id = ?1 ORDER BY grain, period";
    db.query(sql, params![agents::known(db, agent)?], read)
}

/// Selects the rows with an error. Repeats the condition of the index `ledger_failed` (`sqlite/open.rs`) word for word:
/// otherwise the query would read the whole ledger.
pub(crate) const FAILURES: &str = "SELECT ledger.*, workspace, name, shown_name
    FROM ledger INDEXED BY ledger_failed
    JOIN agent USING (agent_id)
    WHERE last_error IS NOT NULL AND workspace <> ''
    ORDER BY workspace, name, grain, period
    LIMIT ?1";

fn failures(db: &dyn Db, limit: usize) -> Result<Vec<(Agent, LedgerRow)>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    db.query(FAILURES, params![limit], |row| Ok((agents::read(row)?, read(row)?)))
}

/// Returns the ledger rows after a period, by grain and time; from the first row if there is no period.
pub(crate) fn page(db: &dyn Db, agent_id: i64, after: Option<Period>, most: i64) -> Result<Vec<LedgerRow>> {
    let sql = "SELECT * FROM ledger WHERE agent_id = ?1 AND (grain, period) > (?2, ?3) ORDER BY grain, period LIMIT ?4";
    let (grain, period) = after.map_or((-1, String::new()), |last| (grain_number(last.grain()), last.to_string()));
    db.query(sql, params![agent_id, grain, period, most], read)
}

/// Returns the last day of the last sealed period with children of this grain; `None` if there is no such period, as for yearly
/// summaries, which have no parent.
pub(crate) fn pruned_until(db: &dyn Db, agent: &Agent, grain: Grain) -> Result<Option<Date>> {
    let Some(parent) = grain.coarser() else { return Ok(None) };
    let sql =
        "SELECT period FROM ledger WHERE agent_id = ?1 AND grain = ?2 AND sealed = 1 ORDER BY period DESC LIMIT 1";
    let values = params![agents::known(db, agent)?, grain_number(parent)];
    let last: Option<Period> = db.query_optional(sql, values, |row| word(row, "period"))?;
    Ok(last.map(|period| period.cover_days().1))
}

/// Returns the sequence number up to which the last roll-up of a period read its input; 0 if there was no roll-up.
pub(crate) fn clean_seq(db: &dyn Db, agent_id: i64, period: Period) -> Result<i64> {
    let sql = "SELECT clean_seq FROM ledger WHERE agent_id = ?1 AND grain = ?2 AND period = ?3";
    let values = params![agent_id, grain_number(period.grain()), period.to_string()];
    Ok(db.query_optional(sql, values, |row| row.get(0))?.unwrap_or(0))
}

/// Returns the state of a period's last roll-up; the default if there was none.
pub(crate) fn rolled_up(db: &dyn Db, agent_id: i64, period: Period) -> Result<RolledUp> {
    let sql = "SELECT clean_seq, recipe, sealed FROM ledger WHERE agent_id = ?1 AND grain = ?2 AND period = ?3";
    let values = params![agent_id, grain_number(period.grain()), period.to_string()];
    let read = |row: &Row| {
        Ok(RolledUp {
            clean_seq: number(row, "clean_seq")?,
            recipe: digest(row, "recipe")?,
            sealed: row.get("sealed")?,
        })
    };
    Ok(db.query_optional(sql, values, read)?.unwrap_or_default())
}

/// Records that the change `seq` is input of the period.
pub(crate) fn mark_dirty(db: &dyn Db, agent_id: i64, period: Period, seq: i64, now: Timestamp) -> Result<()> {
    let sql = "INSERT INTO ledger (agent_id, grain, period, dirty_seq, dirty_at)
        VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (agent_id, grain, period) DO UPDATE
        SET dirty_seq = excluded.dirty_seq, dirty_at = excluded.dirty_at";
    db.execute(sql, params![agent_id, grain_number(period.grain()), period.to_string(), seq, micros(now)])?;
    Ok(())
}

/// Records that the period was rolled up from its input up to `read_seq`.
pub(crate) fn mark_clean(db: &dyn Db, agent_id: i64, summary: &Summary, now: Timestamp) -> Result<()> {
    // A period without a row never had input known to this catalog: it is clean.
    let sql = "INSERT INTO ledger
            (agent_id, grain, period, dirty_seq, clean_seq, dirty_at, input_digest, recipe, tokens, degraded, ungrounded,
             author)
        VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, coalesce(?9, 0), coalesce(?10, 0), ?11)
        ON CONFLICT (agent_id, grain, period) DO UPDATE
        SET clean_seq = CASE WHEN ledger.clean_seq > excluded.clean_seq THEN ledger.clean_seq ELSE excluded.clean_seq END,
            input_digest = excluded.input_digest,
            -- Without a draft the stored text stays, and so does the record of how it was made.
            recipe = coalesce(excluded.recipe, ledger.recipe),
            degraded = coalesce(?9, ledger.degraded),
            ungrounded = coalesce(?10, ledger.ungrounded),
            author = CASE WHEN excluded.recipe IS NULL THEN ledger.author ELSE excluded.author END,
            attempts = 0,
            failing_since = NULL,
            not_before = NULL,
            last_error = NULL,
            tokens = ledger.tokens + excluded.tokens";
    db.execute(
        sql,
        params![
            agent_id,
            grain_number(summary.period.grain()),
            summary.period.to_string(),
            signed(summary.read_seq),
            micros(now),
            summary.input_digest.0,
            summary.draft.is_some().then_some(summary.recipe.0),
            signed(summary.draft.as_ref().map_or(0, |draft| draft.tokens)),
            summary.draft.is_some().then_some(summary.degraded),
            summary.draft.as_ref().map(|draft| draft.ungrounded),
            summary.author.as_ref().filter(|_| summary.draft.is_some()).map(to_json),
        ],
    )?;
    Ok(())
}

/// Records that rolling up the period failed, and counts the attempt. Fails with `NotFound` if the period has no row.
pub(crate) fn note_failure(
    db: &dyn Db,
    agent: &Agent,
    period: Period,
    error: &str,
    not_before: Timestamp,
    now: Timestamp,
) -> Result<()> {
    let agent_id = agents::known(db, agent)?;
    let (grain, label) = (grain_number(period.grain()), period.to_string());
    let sql = "UPDATE ledger
        SET attempts = attempts + 1, last_error = ?4, not_before = ?5,
            failing_since = CASE WHEN failing_since < ?6 THEN failing_since ELSE ?6 END
        WHERE agent_id = ?1 AND grain = ?2 AND period = ?3";
    if db.execute(sql, params![agent_id, grain, label, error, micros(not_before), micros(now)])? == 0 {
        return Err(Error::NotFound { what: ObjectKind::LedgerRow, name: period.to_string() }.into());
    }
    Ok(())
}

/// Records an error because of which the roll-up of these periods has to wait. Counts no attempt. Leaves out periods without a
/// row.
pub(crate) fn note_outage(
    db: &dyn Db,
    agent: &Agent,
    periods: &[Period],
    error: &str,
    not_before: Timestamp,
    now: Timestamp,
) -> Result<()> {
    let agent_id = agents::known(db, agent)?;
    for period in periods {
        let (grain, label) = (grain_number(period.grain()), period.to_string());
        let sql = "UPDATE ledger
            SET last_error = ?4, not_before = ?5, failing_since = CASE WHEN failing_since < ?6 THEN failing_since ELSE ?6 END
            WHERE agent_id = ?1 AND grain = ?2 AND period = ?3";
        db.execute(sql, params![agent_id, grain, label, error, micros(not_before), micros(now)])?;
    }
    Ok(())
}

/// Writes a row of an archive, replacing an existing one.
pub(crate) fn restore(db: &dyn Db, agent_id: i64, row: &LedgerRow) -> Result<()> {
    let sql = "INSERT INTO ledger
            (agent_id, grain, period, dirty_seq, clean_seq, dirty_at, input_digest, recipe, tokens, degraded, ungrounded,
             author)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let former = "DELETE FROM ledger WHERE agent_id = ?1 AND grain = ?2 AND period = ?3";
    db.execute(former, params![agent_id, grain_number(row.period.grain()), row.period.to_string()])?;
    db.execute(
        sql,
        params![
            agent_id,
            grain_number(row.period.grain()),
            row.period.to_string(),
            signed(row.dirty_seq),
            signed(row.clean_seq),
            micros(row.dirty_at),
            row.input_digest.map(|digest| digest.0),
            row.recipe.map(|digest| digest.0),
            signed(row.tokens),
            row.degraded,
            row.ungrounded,
            row.author.as_ref().map(to_json),
        ],
    )?;
    Ok(())
}

fn read(row: &Row) -> Result<LedgerRow> {
    Ok(LedgerRow {
        period: word(row, "period")?,
        dirty_seq: number(row, "dirty_seq")?,
        clean_seq: number(row, "clean_seq")?,
        dirty_at: instant(row, "dirty_at")?,
        input_digest: digest(row, "input_digest")?,
        recipe: digest(row, "recipe")?,
        author: maybe_json(row, "author")?,
        sealed: row.get("sealed")?,
        degraded: row.get("degraded")?,
        ungrounded: row.get("ungrounded")?,
        attempts: row.get("attempts")?,
        failing_since: maybe_instant(row, "failing_since")?,
        not_before: maybe_instant(row, "not_before")?,
        last_error: row.get("last_error")?,
        tokens: number(row, "tokens")?,
    })
}

pub(crate) const TURNS_OF_DAY: &str = "SELECT * FROM turn
    INDEXED BY turn_by_day
    WHERE agent_id = ?1 AND day = ?2
    ORDER BY at, conversation, message";

/// Selects the summaries of a grain between two labels. Labels sort by time, so all labels between the first and the last child
/// belong to children.
pub(crate) const SUMMARIES_BETWEEN: &str =
    "SELECT * FROM summary WHERE agent_id = ?1 AND grain = ?2 AND period BETWEEN ?3 AND ?4 ORDER BY period";

/// Returns the live turns of a day, or the live summaries of the finer grain, in order.
pub(crate) fn inputs(db: &dyn Db, agent: &Agent, period: Period) -> Result<Vec<Memory>> {
    let agent_id = agents::known(db, agent)?;
    let children = period.children();
    let (Some(first), Some(last)) = (children.first(), children.last()) else {
        return turns::memories(db, TURNS_OF_DAY, params![agent_id, period.to_string()]);
    };
    let values = params![agent_id, grain_number(first.grain()), first.to_string(), last.to_string()];
    summaries::find(db, SUMMARIES_BETWEEN, values)
}
