//! The sequence of each agent's changes, the tombstones of removed memories, and how far the table of each grain has applied
//! them.

use annals_core::ports::{Building, Change, VectorModel, Watermark, Watermarks};
use annals_core::{Agent, Error, Grain, MemoryId, Timestamp};
use async_trait::async_trait;

use crate::columns::{grain_number, micros, number, signed};
use crate::db::{Db, Result, Row, Values, params};
use crate::{Backend, SqlCatalog};
use crate::{agents, memories, passages, statements, summaries, turns};

#[async_trait]
impl<B: Backend> Watermarks for SqlCatalog<B> {
    async fn changes(&self, agent: &Agent, grain: Grain, after: u64, limit: usize) -> annals_core::Result<Vec<Change>> {
        let agent = agent.clone();
        self.thread.read("reading changes", move |c| changes(c, &agent, grain, after, limit)).await
    }

    async fn backlog(&self, agent: &Agent, grain: Grain, after: u64) -> annals_core::Result<u64> {
        let agent = agent.clone();
        self.thread.read("counting changes", move |c| backlog(c, &agent, grain, after)).await
    }

    async fn watermark(&self, agent: &Agent, grain: Grain) -> annals_core::Result<Watermark> {
        let agent = agent.clone();
        self.thread.read("reading a watermark", move |c| watermark(c, &agent, grain)).await
    }

    async fn save_watermark(
        &self,
        agent: &Agent,
        grain: Grain,
        read: Watermark,
        watermark: Watermark,
    ) -> annals_core::Result<()> {
        let agent = agent.clone();
        let save = move |c: &dyn Db| save_watermark(c, &agent, grain, &read, &watermark);
        self.thread.write("saving a watermark", save).await
    }
}

pub(crate) const TURNS: &str = "SELECT * FROM turn WHERE agent_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
pub(crate) const SUMMARIES: &str =
    "SELECT * FROM summary WHERE agent_id = ?1 AND grain = ?4 AND seq > ?2 ORDER BY seq LIMIT ?3";
pub(crate) const TOMBSTONES: &str =
    "SELECT id, seq FROM tombstone WHERE agent_id = ?1 AND grain = ?4 AND seq > ?2 ORDER BY seq LIMIT ?3";

pub(crate) const STATEMENTS: &str = "SELECT * FROM statement WHERE agent_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";

pub(crate) const TURNS_LEFT: &str = "SELECT count(*) AS n FROM turn WHERE agent_id = ?1 AND seq > ?2";
pub(crate) const SUMMARIES_LEFT: &str =
    "SELECT count(*) AS n FROM summary WHERE agent_id = ?1 AND grain = ?3 AND seq > ?2";
pub(crate) const STATEMENTS_LEFT: &str = "SELECT count(*) AS n FROM statement WHERE agent_id = ?1 AND seq > ?2";
pub(crate) const TOMBSTONES_LEFT: &str =
    "SELECT count(*) AS n FROM tombstone WHERE agent_id = ?1 AND grain = ?3 AND seq > ?2";

/// Returns the changes of a grain above `after`, ascending, at most `limit`.
pub(crate) fn changes(db: &dyn Db, agent: &Agent, grain: Grain, after: u64, limit: usize) -> Result<Vec<Change>> {
    let (agent_id, after, most) = (agents::known(db, agent)?, signed(after), signed(limit as u64));
    let values = params![agent_id, after, most];
    let upserts = match grain {
        Grain::Working => {
            let mut turns = turns::memories(db, TURNS, values)?;
            turns.append(&mut statements::memories(db, STATEMENTS, values)?);
            turns.append(&mut passages::memories(db, passages::CHANGES, values)?);
            turns
        }
        _ => summaries::find(db, SUMMARIES, params![agent_id, after, most, grain_number(grain)])?,
    };
    let mut changes: Vec<Change> = upserts.into_iter().map(Change::Upsert).collect();
    let values = params![agent_id, after, most, grain_number(grain)];
    changes.append(&mut db.query(TOMBSTONES, values, read_tombstone)?);
    changes.sort_by_key(Change::seq);
    changes.truncate(limit);
    Ok(changes)
}

/// Returns the number of changes of a grain above `after`.
pub(crate) fn backlog(db: &dyn Db, agent: &Agent, grain: Grain, after: u64) -> Result<u64> {
    let (agent_id, after) = (agents::known(db, agent)?, signed(after));
    let of_grain = params![agent_id, after, grain_number(grain)];
    let count = |sql, values: Values<'_>| -> Result<u64> { db.query_one(sql, values, |row| number(row, "n")) };
    let upserts = match grain {
        Grain::Working => {
            let values = &of_grain[..2];
            count(TURNS_LEFT, values)? + count(STATEMENTS_LEFT, values)? + count(passages::LEFT, values)?
        }
        _ => count(SUMMARIES_LEFT, of_grain)?,
    };
    Ok(upserts + count(TOMBSTONES_LEFT, of_grain)?)
}

fn read_tombstone(row: &Row) -> Result<Change> {
    Ok(Change::Delete { id: memories::read_id(row)?, seq: number(row, "seq")? })
}

/// Returns the watermark of the grain's table; generation 0 with nothing applied if none is stored.
pub(crate) fn watermark(db: &dyn Db, agent: &Agent, grain: Grain) -> Result<Watermark> {
    let sql = "SELECT generation, applied, model, dimension,
            building, building_applied, building_model, building_dimension, building_urgent
        FROM watermark WHERE agent_id = ?1 AND grain = ?2";
    let values = params![agents::known(db, agent)?, grain_number(grain)];
    let found = db.query_optional(sql, values, read_watermark)?;
    Ok(found.unwrap_or_default())
}

/// Replaces the watermark that was read as `read`, and removes tombstones that no table has to apply any more. Fails with
/// `Stale` unless the stored watermark [admits](Watermark::admits) the new one.
pub(crate) fn save_watermark(
    db: &dyn Db,
    agent: &Agent,
    grain: Grain,
    read: &Watermark,
    watermark: &Watermark,
) -> Result<()> {
    if !self::watermark(db, agent, grain)?.admits(read, watermark) {
        return Err(Error::Stale { what: format!("the watermark of the {grain} table") }.into());
    }
    let agent_id = agents::enrolled(db, agent)?;
    let building = watermark.building.as_ref();
    db.execute(
        "INSERT INTO watermark (
                agent_id, grain, generation, applied, model, dimension,
                building, building_applied, building_model, building_dimension, building_urgent
            )
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (agent_id, grain) DO UPDATE
            SET generation = excluded.generation,
                applied = excluded.applied,
                model = excluded.model,
                dimension = excluded.dimension,
                building = excluded.building,
                building_applied = excluded.building_applied,
                building_model = excluded.building_model,
                building_dimension = excluded.building_dimension,
                building_urgent = excluded.building_urgent",
        params![
            agent_id,
            grain_number(grain),
            watermark.generation,
            signed(watermark.applied),
            watermark.model.as_ref().map(|model| model.name.as_str()),
            watermark.model.as_ref().map(dimension),
            building.map(|building| building.generation),
            building.map(|building| signed(building.applied)),
            building.map(|building| building.model.name.as_str()),
            building.map(|building| dimension(&building.model)),
            building.map(|building| building.urgent),
        ],
    )?;
    drop_applied(db, agent_id, grain, watermark)
}

fn dimension(model: &VectorModel) -> i64 {
    i64::try_from(model.dimension).unwrap_or(i64::MAX)
}

fn read_watermark(row: &Row) -> Result<Watermark> {
    let building = match row.get("building")? {
        Some(generation) => Some(Building {
            generation,
            applied: number(row, "building_applied")?,
            model: VectorModel { name: row.get("building_model")?, dimension: number(row, "building_dimension")? },
            urgent: row.get("building_urgent")?,
        }),
        None => None,
    };
    let model = match row.get("model")? {
        Some(name) => Some(VectorModel { name, dimension: number(row, "dimension")? }),
        None => None,
    };
    Ok(Watermark { generation: row.get("generation")?, applied: number(row, "applied")?, model, building })
}

/// Assigns the agent's next number. Runs inside the job's savepoint, so a failed job releases its numbers. A database
/// with several writers locks the agent's row here until the commit, so numbers become visible in order.
pub(crate) fn next_seq(db: &dyn Db, agent_id: i64) -> Result<i64> {
    let sql = "UPDATE agent
        SET seq = CASE seq WHEN 0 THEN (SELECT floor.seq FROM sequence_floor AS floor) ELSE seq END + 1
        WHERE agent_id = ?1
        RETURNING seq";
    db.query_one(sql, params![agent_id], |row| row.get(0))
}

/// Returns the agent's last sequence number. For an agent without a row or without changes, returns the number below the first
/// that it will get.
pub(crate) fn last_seq(db: &dyn Db, agent_id: i64) -> Result<i64> {
    let sql = "SELECT coalesce(nullif((SELECT seq FROM agent WHERE agent_id = ?1), 0), seq) FROM sequence_floor";
    db.query_one(sql, params![agent_id], |row| row.get(0))
}

/// Returns the highest number that any agent has, or had before it was erased.
pub(crate) fn highest_seq(db: &dyn Db) -> Result<i64> {
    let sql = "SELECT max(seq) FROM (SELECT seq FROM agent UNION ALL SELECT seq FROM sequence_floor) AS numbers";
    db.query_one(sql, &[], |row| row.get(0))
}

/// Raises the sequence floor to the last number of an agent that is erased as a whole, so that no new agent gets these numbers.
pub(crate) fn raise_floor(db: &dyn Db, agent_id: i64) -> Result<()> {
    let sql = "UPDATE sequence_floor SET seq = ?1 WHERE seq < ?1";
    db.execute(sql, params![last_seq(db, agent_id)?])?;
    Ok(())
}

/// The sequence numbers that one request assigns to its changes. Needs one query at the beginning, and one to save the last
/// number.
pub(crate) struct Numbers {
    agent_id: i64,
    first: i64,
    last: i64,
}

impl Numbers {
    pub(crate) fn begin(db: &dyn Db, agent_id: i64) -> Result<Numbers> {
        let last = last_seq(db, agent_id)?;
        Ok(Numbers { agent_id, first: last, last })
    }

    /// Assigns the next number. It is stored only by [`Numbers::save_ingest`].
    pub(crate) fn next(&mut self) -> i64 {
        self.last += 1;
        self.last
    }

    /// Saves the last number and the instant of the ingest, if the ingest assigned numbers. Runs in the transaction of the
    /// changes. No other number of the agent may have been assigned since [`Numbers::begin`].
    pub(crate) fn save_ingest(&self, db: &dyn Db, now: Timestamp) -> Result<()> {
        if self.last > self.first {
            let sql = "UPDATE agent SET seq = ?2, ingested_at = ?3 WHERE agent_id = ?1";
            db.execute(sql, params![self.agent_id, self.last, micros(now)])?;
        }
        Ok(())
    }
}

pub(crate) const DROP_TOMBSTONES: &str = "DELETE FROM tombstone WHERE agent_id = ?1 AND grain = ?2 AND seq <= ?3";

/// Records the deletion of a memory; returns the sequence number of the change.
pub(crate) fn leave_tombstone(db: &dyn Db, agent_id: i64, id: &MemoryId, grain: Grain) -> Result<i64> {
    let seq = next_seq(db, agent_id)?;
    let sql = "INSERT INTO tombstone (agent_id, id, grain, seq) VALUES (?1, ?2, ?3, ?4)";
    db.execute(sql, params![agent_id, id.as_str(), grain_number(grain), seq])?;
    Ok(seq)
}

/// Drops the tombstones that the grain's table and the generation being built beside it have applied.
pub(crate) fn drop_applied(db: &dyn Db, agent_id: i64, grain: Grain, watermark: &Watermark) -> Result<()> {
    let applied = signed(watermark.applied_by_all());
    db.execute(DROP_TOMBSTONES, params![agent_id, grain_number(grain), applied])?;
    Ok(())
}

/// Removes the tombstone of a memory that is stored again.
pub(crate) fn lift_tombstone(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<()> {
    let sql = "DELETE FROM tombstone WHERE agent_id = ?1 AND id = ?2";
    db.execute(sql, params![agent_id, id.as_str()])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use annals_core::prelude::*;
    use annals_testkit::{agent, building, made};

    use super::*;
    use crate::fixture::Folder;

    #[tokio::test]
    async fn watermarks_are_stored_per_agent_and_grain() {
        let (folder, agent, start) = (Folder::new(), agent("a"), Watermark::default());
        let mut read = start.clone();
        for watermark in [
            Watermark { building: Some(building(2, 3)), ..made(1, 7) },
            Watermark { building: Some(Building { urgent: false, ..building(2, 4) }), ..made(1, 7) },
            made(2, 9),
        ] {
            let catalog = folder.open();
            catalog.save_watermark(&agent, Grain::Weekly, read, watermark.clone()).await.unwrap();
            read = watermark.clone();
            drop(catalog);
            let catalog = folder.open();
            assert_eq!(catalog.watermark(&agent, Grain::Weekly).await.unwrap(), watermark);
            assert_eq!(catalog.watermark(&agent, Grain::Daily).await.unwrap(), start);
            assert_eq!(catalog.all_agents().await.unwrap(), [], "a watermark alone makes nobody known");
        }
    }
}
