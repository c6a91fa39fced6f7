//! Reads what each period is made of, for retention.

use std::collections::BTreeMap;

use annals_core::ports::Children;
use annals_core::{Agent, Grain, Period};

use crate::agents;
use crate::columns::{grain_number, number, word};
use crate::db::{Db, Row, Values, params};
use crate::failure::Result;

pub(crate) const TURNS: &str = include_str!("sql/children_turns.sql");
pub(crate) const STATEMENTS: &str = include_str!("sql/children_statements.sql");
pub(crate) const SUMMARIES: &str = include_str!("sql/children_summaries.sql");

/// Bounds that sort before and after all labels.
const ALL_LABELS: (&str, &str) = ("", "~");

/// Returns the children of every period that has live ones, in order; then every yearly summary.
pub(crate) fn all(db: &dyn Db, agent: &Agent) -> Result<Vec<Children>> {
    let mut found = Found::default();
    for grain in Grain::ALL {
        found.look(db, agents::known(db, agent)?, grain, ALL_LABELS)?;
    }
    Ok(found.0.into_values().collect())
}

/// Returns the children of one period, or with `yearly` the yearly summary itself; `None` if there are none.
pub(crate) fn of(db: &dyn Db, agent_id: i64, parent: Period, yearly: bool) -> Result<Option<Children>> {
    let (grain, first, last) = extent(parent, yearly);
    let mut found = Found::default();
    found.look(db, agent_id, grain, (&first.to_string(), &last.to_string()))?;
    Ok(found.0.into_values().next())
}

/// Returns the grain of a period's children, and the first and last of their periods. Labels sort by time.
pub(crate) fn extent(parent: Period, yearly: bool) -> (Grain, Period, Period) {
    let finer = parent.children();
    match (finer.first(), finer.last()) {
        (Some(first), Some(last)) if !yearly => (first.grain(), *first, *last),
        _ if yearly => (Grain::Yearly, parent, parent),
        _ => (Grain::Working, parent, parent),
    }
}

/// Children by parent; yearly summaries sort last.
#[derive(Default)]
struct Found(BTreeMap<(bool, Period), Children>);

impl Found {
    /// Adds the memories of a grain with labels in the given range.
    fn look(&mut self, db: &dyn Db, agent_id: i64, grain: Grain, labels: (&str, &str)) -> Result<()> {
        let (first, last) = labels;
        if grain == Grain::Working {
            self.add(db, TURNS, params![agent_id, first, last])?;
            self.add(db, STATEMENTS, params![agent_id, first, last])
        } else {
            self.add(db, SUMMARIES, params![agent_id, first, last, grain_number(grain)])
        }
    }

    fn add(&mut self, db: &dyn Db, sql: &str, place: Values<'_>) -> Result<()> {
        for one in db.query(sql, place, read)? {
            let children = self.0.entry((one.yearly, one.parent)).or_insert(Children { rows: 0, bytes: 0, ..one });
            children.rows += one.rows;
            children.bytes += one.bytes;
            children.last_day = children.last_day.max(one.last_day);
            children.pinned |= one.pinned;
            children.last_turn = children.last_turn.max(one.last_turn);
        }
        Ok(())
    }
}

/// Reads a row: the children of one period from one table.
fn read(row: &Row) -> Result<Children> {
    let period: Period = word(row, "period")?;
    let is_summary: bool = row.get("is_summary")?;
    let parent = if is_summary { period.parent() } else { Some(period) };
    Ok(Children {
        parent: parent.unwrap_or(period),
        yearly: parent.is_none(),
        rows: number(row, "rows")?,
        bytes: number(row, "bytes")?,
        last_day: period.cover_days().1,
        pinned: row.get("pinned")?,
        last_turn: number(row, "last_turn")?,
    })
}
