//! Memories that could not be brought into their table.

use annals_core::{Agent, DeadLetter, MemoryId};
use rusqlite::{Connection, params};

use crate::agents;
use crate::columns::{grain, grain_number, instant, micros};
use crate::failure::Result;

/// Notes the letters, replacing earlier notes of the same memories.
pub(crate) fn bury(connection: &Connection, letters: &[DeadLetter]) -> Result<()> {
    let mut statement = connection.prepare_cached(include_str!("sql/bury.sql"))?;
    for letter in letters {
        let agent_id = agents::enrolled(connection, &letter.agent)?;
        let grain = grain_number(letter.grain);
        statement.execute(params![agent_id, letter.memory.as_str(), grain, letter.error, micros(letter.at)])?;
    }
    Ok(())
}

/// The agent's letters, by time, then by memory.
pub(crate) fn dead_letters(connection: &Connection, agent: &Agent) -> Result<Vec<DeadLetter>> {
    let sql = "SELECT id, grain, error, at FROM dead_letter WHERE agent_id = ?1 ORDER BY at, id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([agents::known(connection, agent)?], |row| {
        Ok(DeadLetter {
            agent: agent.clone(),
            grain: grain(row)?,
            memory: MemoryId::from_text(row.get::<_, String>("id")?),
            error: row.get("error")?,
            at: instant(row, "at")?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Forgets the letters of these memories.
pub(crate) fn exhume(connection: &Connection, agent: &Agent, memories: &[MemoryId]) -> Result<()> {
    let agent_id = agents::known(connection, agent)?;
    let mut statement = connection.prepare_cached("DELETE FROM dead_letter WHERE agent_id = ?1 AND id = ?2")?;
    for memory in memories {
        statement.execute(params![agent_id, memory.as_str()])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Folder;
    use annals_core::{Catalog, Grain, Timestamp};
    use annals_testkit::agent;

    #[tokio::test]
    async fn the_last_note_of_a_memory_counts_until_it_is_exhumed() {
        let folder = Folder::new();
        let (catalog, me, other) = (folder.open(), agent("me"), agent("other"));
        let letter = |agent: &Agent, id: &str, error: &str, at| DeadLetter {
            agent: agent.clone(),
            grain: Grain::Daily,
            memory: MemoryId::from_text(id),
            error: error.into(),
            at: Timestamp::from_second(at).unwrap(),
        };
        let first = [letter(&me, "s-1", "old", 1), letter(&me, "s-2", "too long", 2), letter(&other, "s-1", "x", 3)];
        catalog.bury(first.to_vec()).await.unwrap();
        catalog.bury(vec![letter(&me, "s-1", "new", 4)]).await.unwrap();
        assert_eq!(catalog.dead_letters(&me).await.unwrap(), [first[1].clone(), letter(&me, "s-1", "new", 4)]);
        catalog.exhume(&me, &[MemoryId::from_text("s-1"), MemoryId::from_text("s-9")]).await.unwrap();
        assert_eq!(catalog.dead_letters(&me).await.unwrap(), first[1..2]);
        assert_eq!(catalog.dead_letters(&other).await.unwrap(), first[2..]);
    }
}
