//! Watermarks: up to which change the table of each grain has applied the catalog.

use annals_core::ports::Watermark;
use annals_core::{Agent, Error, Grain};

use crate::columns::{grain_number, number, signed};
use crate::db::{Db, Row, params};
use crate::failure::Result;
use crate::{agents, tombstones};

/// Returns the watermark of the grain's table; generation 0 with nothing applied if none is stored.
pub(crate) fn watermark(db: &dyn Db, agent: &Agent, grain: Grain) -> Result<Watermark> {
    let sql = "SELECT generation, applied, building, building_applied FROM lane WHERE agent_id = ?1 AND grain = ?2";
    let place = params![agents::known(db, agent)?, grain_number(grain)];
    let found = db.query_optional(sql, place, read)?;
    Ok(found.unwrap_or_default())
}

/// Replaces the watermark that was read, and removes tombstones that no table has to apply any more.
pub(crate) fn save_watermark(
    db: &dyn Db,
    agent: &Agent,
    grain: Grain,
    read: Watermark,
    watermark: Watermark,
) -> Result<()> {
    if !self::watermark(db, agent, grain)?.admits(read, watermark) {
        return Err(Error::Stale { what: format!("the watermark of the {grain} table") }.into());
    }
    let agent_id = agents::enrolled(db, agent)?;
    db.execute(
        include_str!("sql/save_watermark.sql"),
        params![
            agent_id,
            grain_number(grain),
            watermark.generation,
            signed(watermark.applied),
            watermark.building.map(|(generation, _)| generation),
            watermark.building.map(|(_, applied)| signed(applied)),
        ],
    )?;
    tombstones::drop_applied(db, agent_id, grain, watermark)
}

fn read(row: &Row) -> Result<Watermark> {
    let building = match row.get("building")? {
        Some(generation) => Some((generation, number(row, "building_applied")?)),
        None => None,
    };
    Ok(Watermark { generation: row.get("generation")?, applied: number(row, "applied")?, building })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Folder;
    use annals_core::Catalog;
    use annals_testkit::agent;

    #[tokio::test]
    async fn watermarks_are_stored_per_agent_and_grain() {
        let (folder, agent, start) = (Folder::new(), agent("a"), Watermark::default());
        let mut read = start;
        for watermark in [
            Watermark { generation: 1, applied: 7, building: Some((2, 3)) },
            Watermark { generation: 2, applied: 9, ..start },
        ] {
            let catalog = folder.open();
            catalog.save_watermark(&agent, Grain::Weekly, read, watermark).await.unwrap();
            read = watermark;
            drop(catalog);
            let catalog = folder.open();
            assert_eq!(catalog.watermark(&agent, Grain::Weekly).await.unwrap(), watermark);
            assert_eq!(catalog.watermark(&agent, Grain::Daily).await.unwrap(), start);
            assert_eq!(catalog.all_agents().await.unwrap(), [], "a lane alone makes nobody known");
        }
    }
}
