//! Queries over all agents: the sums that metrics show, and the agents that may have something to prune. None of them runs a
//! query per agent.

use std::ops::ControlFlow;

use annals_core::ports::{Backlog, RetentionLimits, Totals};
use annals_core::{Agent, Date, Grain, Period, Settings, Timestamp, Zones, latest_day};

use crate::agents::{self, KNOWN};
use crate::columns::{grain, json, micros, number, word};
use crate::db::{Db, Result, Row, Sql, params};

/// SQL condition that leaves out the rows of unfinished restores. [`STAGED`] selects them.
const LISTED: &str = "agent_id NOT IN (SELECT agent_id FROM agent WHERE workspace = '')";
const STAGED: &str = "agent_id IN (SELECT agent_id FROM agent WHERE workspace = '')";

/// Returns the SQL for the number of rows of a large table, without those of unfinished restores. SQLite counts all rows by
/// pages of an index, which is about forty times as fast as checking the agent of each row.
fn number_of(table: &str) -> String {
    format!("(SELECT count(*) FROM {table}) - (SELECT count(*) FROM {table} WHERE {STAGED})")
}

/// Returns the SQL for the counts that do not depend on the settings of agents. Names the partial indexes, and repeats their
/// conditions word for word (`sqlite/open.rs`): otherwise the query would read the whole ledger.
fn counts() -> String {
    format!(
        "SELECT
            {} + {} + {} AS working,
            (SELECT count(*) FROM ledger INDEXED BY ledger_failed WHERE last_error IS NOT NULL AND {LISTED}) AS failed,
            (SELECT count(*) FROM ledger INDEXED BY ledger_open
                WHERE (dirty_seq > clean_seq OR degraded = 1) AND degraded = 1 AND {LISTED}) AS degraded,
            (SELECT count(*) FROM dead_letter JOIN agent USING (agent_id) WHERE {KNOWN}) AS letters",
        number_of("turn"),
        number_of("statement"),
        number_of("passage"),
    )
}

fn summaries() -> String {
    format!("SELECT grain, count(*) AS n FROM summary WHERE {LISTED} GROUP BY grain")
}

/// The dirty periods that may be over, by agent. ?1 to ?5 are, by grain, the periods of the latest day in any time zone.
pub(crate) const DIRTY: &str = "SELECT agent.agent_id, settings, period, input_digest IS NOT NULL AS rolled_up
    FROM ledger INDEXED BY ledger_open
    JOIN agent USING (agent_id)
    WHERE (dirty_seq > clean_seq OR degraded = 1) AND dirty_seq > clean_seq AND workspace <> ''
        AND period < CASE grain WHEN 1 THEN ?1 WHEN 2 THEN ?2 WHEN 3 THEN ?3 WHEN 4 THEN ?4 ELSE ?5 END
    ORDER BY agent.agent_id";

/// Returns the SQL for the agents with waiting changes of the working grain.
pub(crate) fn backlogs() -> String {
    let above = |seq: &str| {
        format!(
            "(SELECT count(*) FROM turn WHERE turn.agent_id = progress.agent_id AND turn.seq > {seq})
            + (SELECT count(*) FROM statement WHERE statement.agent_id = progress.agent_id AND statement.seq > {seq})
            + (SELECT count(*) FROM passage WHERE passage.agent_id = progress.agent_id AND passage.seq > {seq})
            + (SELECT count(*) FROM tombstone
                WHERE tombstone.agent_id = progress.agent_id AND tombstone.grain = 0 AND tombstone.seq > {seq})"
        )
    };
    let (unsearchable, unread) = (above("progress.applied"), above("progress.extracted"));
    format!(
        "WITH progress AS (
            SELECT
                agent.agent_id, workspace, name, shown_name,
                coalesce(applied, 0) AS applied,
                coalesce(extracted, 0) AS extracted
            FROM agent
            LEFT JOIN watermark ON watermark.agent_id = agent.agent_id AND watermark.grain = 0
            LEFT JOIN journal ON journal.agent_id = agent.agent_id
            WHERE {KNOWN}
        ),
        backlog AS MATERIALIZED (
            SELECT workspace, name, shown_name, applied, extracted, {unsearchable} AS unsearchable, {unread} AS unread FROM progress
        )
        SELECT * FROM backlog WHERE unsearchable > 0 OR unread > 0 ORDER BY workspace, name"
    )
}

/// Returns the sums over all agents.
pub(crate) fn totals(db: &dyn Db, now: Timestamp) -> Result<Totals> {
    let mut totals = db.query_one(Sql::Once(&counts()), &[], |row| {
        let mut memories = [0; 6];
        memories[0] = number(row, "working")?;
        let (failed, degraded) = (number(row, "failed")?, number(row, "degraded")?);
        Ok(Totals { memories, failed, degraded, dead_letters: number(row, "letters")?, ..Totals::default() })
    })?;
    for (grain, n) in db.query(Sql::Once(&summaries()), &[], |row| Ok((grain(row)?, number(row, "n")?)))? {
        totals.memories[grain as usize] = n;
    }
    totals.backlogs = db.query(Sql::Once(&backlogs()), &[], |row| {
        Ok(Backlog {
            agent: agents::read(row)?,
            applied: number(row, "applied")?,
            unsearchable: number(row, "unsearchable")?,
            extracted: number(row, "extracted")?,
            unread: number(row, "unread")?,
        })
    })?;
    count_dirty(db, &mut totals, now)?;
    Ok(totals)
}

/// Counts the dirty periods that are over in the time zone of their agent.
fn count_dirty(db: &dyn Db, totals: &mut Totals, now: Timestamp) -> Result<()> {
    let day = latest_day(now);
    let [daily, weekly, monthly, quarterly, yearly] = Grain::SUMMARIES.map(|grain| Period::of(grain, day).to_string());
    let mut last: Option<(i64, Zones)> = None;
    db.for_each(DIRTY, params![daily, weekly, monthly, quarterly, yearly], |row| {
        let agent_id: i64 = row.get("agent_id")?;
        let zones = match last.take() {
            Some((of, zones)) if of == agent_id => zones,
            _ => settings(row)?.zones()?,
        };
        totals.count_dirty(word(row, "period")?, row.get("rolled_up")?, &zones, now);
        last = Some((agent_id, zones));
        Ok(ControlFlow::Continue(()))
    })
}

fn settings(row: &Row) -> Result<Settings> {
    if row.is_null("settings")? { Ok(Settings::default()) } else { json(row, "settings") }
}

/// Returns the SQL for all known agents with the first label of each grain. SQLite finds each label as the first entry of an
/// index.
pub(crate) fn earliest() -> String {
    format!(
        "SELECT
            workspace, name, shown_name, settings,
            (SELECT min(day) FROM turn WHERE turn.agent_id = agent.agent_id) AS turn,
            (SELECT min(day) FROM statement WHERE statement.agent_id = agent.agent_id) AS statement,
            (SELECT min(period) FROM summary WHERE summary.agent_id = agent.agent_id AND grain = 1) AS daily,
            (SELECT min(period) FROM summary WHERE summary.agent_id = agent.agent_id AND grain = 2) AS weekly,
            (SELECT min(period) FROM summary WHERE summary.agent_id = agent.agent_id AND grain = 3) AS monthly,
            (SELECT min(period) FROM summary WHERE summary.agent_id = agent.agent_id AND grain = 4) AS quarterly,
            (SELECT min(period) FROM summary WHERE summary.agent_id = agent.agent_id AND grain = 5) AS yearly,
            EXISTS (SELECT 1 FROM reply WHERE reply.agent_id = agent.agent_id AND kept_at < ?1) AS old_replies
        FROM agent
        WHERE {KNOWN}
        ORDER BY workspace, name"
    )
}

/// Returns the known agents with a memory past the limits of their plan or, if `limits.replies_before` is set, with a saved
/// answer from before it.
pub(crate) fn agents_to_retain(db: &dyn Db, limits: &RetentionLimits) -> Result<Vec<Agent>> {
    let before = limits.replies_before.map_or(i64::MIN, micros);
    let mut reached = Vec::new();
    db.for_each(Sql::Once(&earliest()), params![before], |row| {
        let day = |column: &str| -> Result<Option<Date>> {
            if row.is_null(column)? { Ok(None) } else { Ok(Some(word::<Period>(row, column)?.cover_days().1)) }
        };
        let working = day("turn")?.into_iter().chain(day("statement")?).min();
        let earliest = [working, day("daily")?, day("weekly")?, day("monthly")?, day("quarterly")?, day("yearly")?];
        if limits.are_reached(&settings(row)?.plan, &earliest) || row.get("old_replies")? {
            reached.push(agents::read(row)?);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(reached)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Folder;
    use crate::sqlite::open::{Options, open};

    /// The counts of large tables come from indexes; only the few failed, open and dead rows are read.
    #[test]
    fn totals_read_no_whole_table() {
        let folder = Folder::new();
        let db = open(&folder.path(), &Options::default()).unwrap();
        let scans = |sql: &str| {
            let (db, sql): (&dyn Db, _) = (&db, format!("EXPLAIN QUERY PLAN {sql}"));
            let numbers = sql.matches('?').map(|_| &0_i64 as &dyn crate::db::ToValue).collect::<Vec<_>>();
            let lines: Vec<String> = db.query(Sql::Once(&sql), &numbers, |row| row.get("detail")).ok().unwrap();
            lines.into_iter().filter(|line| line.starts_with("SCAN")).collect::<Vec<_>>()
        };
        assert_eq!(
            scans(&counts()),
            [
                "SCAN CONSTANT ROW",
                // Without a condition: SQLite counts the entries of whole pages.
                "SCAN turn USING COVERING INDEX turn_by_time",
                "SCAN statement USING COVERING INDEX statement_by_change",
                "SCAN passage USING COVERING INDEX passage_by_document",
                "SCAN ledger USING INDEX ledger_failed",
                "SCAN ledger USING INDEX ledger_open",
                "SCAN dead_letter",
            ]
        );
        assert_eq!(scans(&summaries()), ["SCAN summary USING COVERING INDEX summary_by_change"]);
        assert_eq!(scans(DIRTY), ["SCAN ledger USING INDEX ledger_open"]);
        assert_eq!(scans(&backlogs()), ["SCAN agent", "SCAN backlog"]);
        assert_eq!(scans(&earliest()), ["SCAN agent USING INDEX sqlite_autoindex_agent_1"]);
    }
}
