//! Retention: reads the children of each period; prunes them and seals the period, if they are unchanged since they were read;
//! pins memories; and records observations of the clock.

use std::collections::BTreeMap;

use annals_core::ports::{Children, ClockNote, Seals};
use annals_core::{Agent, Base, Error, Grain, MemoryId, ObjectKind, Period};
use async_trait::async_trait;

use crate::columns::{grain_number, instant, micros, number, signed, word};
use crate::db::{Db, Result, Row, Values, params};
use crate::forgotten::KeyedHashes;
use crate::pruned::Pruned;
use crate::{Backend, SqlCatalog};
use crate::{agents, bases, dead_letters, ledger, memories, statements, summaries, turns};

#[async_trait]
impl<B: Backend> Seals for SqlCatalog<B> {
    async fn children(&self, agent: &Agent) -> annals_core::Result<Vec<Children>> {
        let agent = agent.clone();
        self.thread.read("reading the inputs of periods", move |c| children(c, &agent)).await
    }

    async fn seal(&self, agent: &Agent, looked_at: &Children, clean_seq: u64) -> annals_core::Result<()> {
        let (agent, looked_at) = (agent.clone(), looked_at.clone());
        self.thread.write("sealing a period", move |c| seal(c, &agent, &looked_at, clean_seq)).await
    }

    async fn base(&self, agent: &Agent, period: Period) -> annals_core::Result<Option<Base>> {
        let agent = agent.clone();
        self.thread.read("reading a sealed summary", move |c| bases::base(c, &agent, period)).await
    }

    async fn pin(&self, agent: &Agent, id: &MemoryId, pinned: bool) -> annals_core::Result<()> {
        let (agent, id) = (agent.clone(), id.clone());
        self.thread.write("pinning a memory", move |c| pin(c, &agent, &id, pinned)).await
    }

    async fn clock(&self) -> annals_core::Result<Option<ClockNote>> {
        self.thread.read("reading the state of the clock", clock).await
    }

    async fn save_clock(&self, note: ClockNote) -> annals_core::Result<()> {
        self.thread.write("saving the state of the clock", move |c| save_clock(c, note)).await
    }
}

pub(crate) const IS_CLEAN: &str = "SELECT 1
    FROM ledger
    WHERE agent_id = ?1 AND grain = ?2 AND period = ?3 AND clean_seq = ?4 AND dirty_seq <= clean_seq";
pub(crate) const STATEMENTS_OF_DAY: &str =
    "SELECT * FROM statement INDEXED BY statement_by_day WHERE agent_id = ?1 AND day = ?2";

/// Prunes the children of a period, and makes its present summary the base. With `yearly` prunes the yearly summary itself and
/// seals nothing. Fails with `Stale` if the period has no summary, or if the children or the summary changed since they were
/// read.
pub(crate) fn seal(db: &dyn Db, agent: &Agent, looked_at: &Children, clean_seq: u64) -> Result<()> {
    let (agent_id, parent) = (agents::known(db, agent)?, looked_at.parent);
    let present = bases::present(db, agent_id, &MemoryId::summary(agent, parent))?;
    let same = children_of(db, agent_id, parent, looked_at.yearly)?.as_ref() == Some(looked_at);
    let (Some(base), true, true) = (present, same, is_clean(db, agent_id, parent, clean_seq)?) else {
        return Err(Error::Stale { what: format!("period {parent}") }.into());
    };
    let pruning = Pruning { db, agent, agent_id };
    if extent(parent, looked_at.yearly).0 == Grain::Working {
        pruning.day(parent)?;
    } else {
        pruning.summaries(looked_at)?;
    }
    if looked_at.yearly { Ok(()) } else { bases::set(db, agent_id, parent, &base, Some(signed(clean_seq))) }
}

fn is_clean(db: &dyn Db, agent_id: i64, period: Period, clean_seq: u64) -> Result<bool> {
    let values = params![agent_id, grain_number(period.grain()), period.to_string(), signed(clean_seq)];
    db.exists(IS_CLEAN, values)
}

/// Prunes memories with all data that depends on them.
struct Pruning<'c> {
    db: &'c dyn Db,
    agent: &'c Agent,
    agent_id: i64,
}

impl Pruning<'_> {
    /// Prunes the turns and statements of a day, in order of time. Statements that a person or an import entered stay.
    fn day(&self, day: Period) -> Result<()> {
        let hashes = KeyedHashes::ready(self.db, self.agent)?;
        let values = params![self.agent_id, day.to_string()];
        let turns = turns::find(self.db, ledger::TURNS_OF_DAY, values)?;
        for stored in &turns {
            Pruned::of(stored, &hashes).save(self.db, self.agent_id)?;
        }
        let mut members: Vec<_> = turns.into_iter().map(turns::Stored::remember).collect();
        let stated = statements::find(self.db, STATEMENTS_OF_DAY, values)?.into_iter();
        // Statements that a person or an import entered stay: no summary covers them.
        members.extend(stated.filter(|stored| !stored.statement.is_entered()).map(statements::Stored::remember));
        members.sort_by(memories::in_order);
        for memory in members {
            dead_letters::drop_all(self.db, self.agent_id, &memory.id)?;
            match memory.kind() {
                annals_core::Kind::Turn => memories::remove_turn(self.db, self.agent_id, &memory.id)?,
                _ => memories::remove_statement(self.db, self.agent_id, &memory.id)?,
            };
        }
        Ok(())
    }

    fn summaries(&self, looked_at: &Children) -> Result<()> {
        let (grain, first, last) = extent(looked_at.parent, looked_at.yearly);
        let values = params![self.agent_id, grain_number(grain), first.to_string(), last.to_string()];
        for summary in summaries::find(self.db, ledger::SUMMARIES_BETWEEN, values)? {
            dead_letters::drop_all(self.db, self.agent_id, &summary.id)?;
            bases::lift(self.db, self.agent_id, summary.period)?;
            memories::remove_summary(self.db, self.agent_id, &summary.id, summary.grain)?;
        }
        Ok(())
    }
}

pub(crate) const CHILD_TURNS: &str = "SELECT
        day AS period,
        0 AS is_summary,
        count(*) AS rows,
        sum(octet_length(content)) AS bytes,
        max(pinned) AS pinned,
        max(seq) AS last_turn
    FROM turn INDEXED BY turn_by_day
    WHERE agent_id = ?1 AND day BETWEEN ?2 AND ?3
    GROUP BY day";
pub(crate) const CHILD_STATEMENTS: &str = "SELECT
        day AS period,
        0 AS is_summary,
        count(*) AS rows,
        sum(octet_length(text)) AS bytes,
        max(pinned) AS pinned,
        0 AS last_turn
    FROM statement INDEXED BY statement_by_day
    WHERE agent_id = ?1 AND day BETWEEN ?2 AND ?3
      AND NOT EXISTS (SELECT 1 FROM statement_source AS entry
          WHERE entry.agent_id = ?1 AND entry.statement = statement.id AND substr(entry.id, 1, 2) = 'u-')
    GROUP BY day";
pub(crate) const CHILD_SUMMARIES: &str =
    "SELECT period, 1 AS is_summary, 1 AS rows, octet_length(text) AS bytes, pinned, 0 AS last_turn
    FROM summary
    WHERE agent_id = ?1 AND grain = ?4 AND period BETWEEN ?2 AND ?3";

/// Bounds that sort before and after all labels.
const ALL_LABELS: (&str, &str) = ("", "~");

/// Returns the children of every period with live children, in order of period, then every yearly summary.
pub(crate) fn children(db: &dyn Db, agent: &Agent) -> Result<Vec<Children>> {
    let mut found = Found::default();
    for grain in Grain::ALL {
        found.look(db, agents::known(db, agent)?, grain, ALL_LABELS)?;
    }
    Ok(found.0.into_values().collect())
}

/// Returns the children of one period, or with `yearly` the yearly summary itself; `None` if there are none.
pub(crate) fn children_of(db: &dyn Db, agent_id: i64, parent: Period, yearly: bool) -> Result<Option<Children>> {
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
            self.add(db, CHILD_TURNS, params![agent_id, first, last])?;
            self.add(db, CHILD_STATEMENTS, params![agent_id, first, last])
        } else {
            self.add(db, CHILD_SUMMARIES, params![agent_id, first, last, grain_number(grain)])
        }
    }

    fn add(&mut self, db: &dyn Db, sql: &str, values: Values<'_>) -> Result<()> {
        for one in db.query(sql, values, read_children)? {
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

/// Reads a row of one of the `CHILD_` queries: the children of one period from one table.
fn read_children(row: &Row) -> Result<Children> {
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

/// Sets or removes the pin of a turn, statement or summary. Fails with `NotFound` if there is none with this id.
pub(crate) fn pin(db: &dyn Db, agent: &Agent, id: &MemoryId, pinned: bool) -> Result<()> {
    if set_pin(db, agents::known(db, agent)?, id, pinned)? {
        return Ok(());
    }
    Err(Error::NotFound { what: ObjectKind::Memory, name: id.to_string() }.into())
}

/// Sets or removes a pin; returns whether there is a turn, statement or summary with this id. Passages cannot be pinned.
pub(crate) fn set_pin(db: &dyn Db, agent_id: i64, id: &MemoryId, pinned: bool) -> Result<bool> {
    for sql in [
        "UPDATE turn SET pinned = ?3 WHERE agent_id = ?1 AND id = ?2",
        "UPDATE statement SET pinned = ?3 WHERE agent_id = ?1 AND id = ?2",
        "UPDATE summary SET pinned = ?3 WHERE agent_id = ?1 AND id = ?2",
    ] {
        if db.execute(sql, params![agent_id, id.as_str(), pinned])? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn clock(db: &dyn Db) -> Result<Option<ClockNote>> {
    db.query_optional("SELECT seen, steady_since FROM clock", &[], read_clock)
}

pub(crate) fn save_clock(db: &dyn Db, note: ClockNote) -> Result<()> {
    let sql = "INSERT INTO clock (\"only\", seen, steady_since) VALUES (1, ?1, ?2)
        ON CONFLICT (\"only\") DO UPDATE SET seen = excluded.seen, steady_since = excluded.steady_since";
    db.execute(sql, params![micros(note.seen), micros(note.steady_since)])?;
    Ok(())
}

fn read_clock(row: &Row) -> Result<ClockNote> {
    Ok(ClockNote { seen: instant(row, "seen")?, steady_since: instant(row, "steady_since")? })
}
