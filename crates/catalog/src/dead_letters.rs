//! Dead letters: memories that failed in a stage.

use annals_core::ports::DeadLetters;
use annals_core::{Agent, DeadLetter, MemoryId, Stage};
use async_trait::async_trait;

use crate::agents;
use crate::columns::{grain, grain_number, instant, micros, number, unreadable};
use crate::db::{Db, Result, Row, params};
use crate::{Backend, SqlCatalog};

#[async_trait]
impl<B: Backend> DeadLetters for SqlCatalog<B> {
    async fn add_dead_letters(&self, letters: Vec<DeadLetter>) -> annals_core::Result<()> {
        self.thread.write("saving dead letters", move |c| add_dead_letters(c, &letters)).await
    }

    async fn dead_letters(&self, agent: &Agent) -> annals_core::Result<Vec<DeadLetter>> {
        let agent = agent.clone();
        self.thread.read("reading dead letters", move |c| dead_letters(c, &agent)).await
    }

    async fn remove_dead_letters(&self, agent: &Agent, memories: &[MemoryId]) -> annals_core::Result<()> {
        let (agent, memories) = (agent.clone(), memories.to_vec());
        self.thread.write("removing dead letters", move |c| remove_dead_letters(c, &agent, &memories)).await
    }
}

/// Stores the letters, replacing earlier ones of the same memory and stage.
pub(crate) fn add_dead_letters(db: &dyn Db, letters: &[DeadLetter]) -> Result<()> {
    for letter in letters {
        let agent_id = agents::enrolled(db, &letter.agent)?;
        let sql = "INSERT INTO dead_letter (agent_id, id, stage, grain, error, at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (agent_id, id, stage) DO UPDATE
            SET grain = excluded.grain, error = excluded.error, at = excluded.at";
        db.execute(
            sql,
            params![
                agent_id,
                letter.memory.as_str(),
                stage_word(letter.stage),
                grain_number(letter.grain),
                letter.error,
                micros(letter.at),
            ],
        )?;
    }
    Ok(())
}

/// Returns the agent's letters, by time, then by memory and stage.
pub(crate) fn dead_letters(db: &dyn Db, agent: &Agent) -> Result<Vec<DeadLetter>> {
    let sql = "SELECT * FROM dead_letter WHERE agent_id = ?1 ORDER BY at, id, stage DESC";
    db.query(sql, params![agents::known(db, agent)?], |row| {
        Ok(DeadLetter {
            agent: agent.clone(),
            grain: grain(row)?,
            stage: read_stage(row)?,
            memory: MemoryId::from_text(row.get::<String>("id")?),
            error: row.get("error")?,
            at: instant(row, "at")?,
        })
    })
}

/// Removes the dead letters of these memories at the stage `Table`.
pub(crate) fn remove_dead_letters(db: &dyn Db, agent: &Agent, memories: &[MemoryId]) -> Result<()> {
    settle(db, agents::known(db, agent)?, memories, Stage::Table)
}

/// Removes the letters of these memories at a stage.
pub(crate) fn settle(db: &dyn Db, agent_id: i64, memories: &[MemoryId], stage: Stage) -> Result<()> {
    let sql = "DELETE FROM dead_letter WHERE agent_id = ?1 AND id = ?2 AND stage = ?3";
    for memory in memories {
        db.execute(sql, params![agent_id, memory.as_str(), stage_word(stage)])?;
    }
    Ok(())
}

/// Returns the number of letters of a memory.
pub(crate) fn count(db: &dyn Db, agent_id: i64, memory: &MemoryId) -> Result<u64> {
    let sql = "SELECT count(*) AS n FROM dead_letter WHERE agent_id = ?1 AND id = ?2";
    db.query_one(sql, params![agent_id, memory.as_str()], |row| number(row, "n"))
}

/// Removes all letters of a memory.
pub(crate) fn drop_all(db: &dyn Db, agent_id: i64, memory: &MemoryId) -> Result<()> {
    let sql = "DELETE FROM dead_letter WHERE agent_id = ?1 AND id = ?2";
    db.execute(sql, params![agent_id, memory.as_str()])?;
    Ok(())
}

fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Table => "table",
        Stage::Extraction => "extraction",
    }
}

fn read_stage(row: &Row) -> Result<Stage> {
    let word: String = row.get("stage")?;
    let known = [Stage::Table, Stage::Extraction].into_iter().find(|stage| stage_word(*stage) == word);
    known.ok_or_else(|| unreadable("stage", "Text", "is not a known stage"))
}

#[cfg(test)]
mod tests {
    use annals_core::prelude::*;
    use annals_core::{Grain, Timestamp};
    use annals_testkit::agent;

    use super::*;
    use crate::fixture::Folder;

    #[tokio::test]
    async fn newest_letter_of_a_memory_replaces_older_ones_until_removed() {
        let folder = Folder::new();
        let (catalog, me, other) = (folder.open(), agent("me"), agent("other"));
        let letter = |agent: &Agent, id: &str, error: &str, at| DeadLetter {
            agent: agent.clone(),
            grain: Grain::Daily,
            memory: MemoryId::from_text(id),
            stage: Stage::Table,
            error: error.into(),
            at: Timestamp::from_second(at).unwrap(),
        };
        let first = [letter(&me, "s-1", "old", 1), letter(&me, "s-2", "too long", 2), letter(&other, "s-1", "x", 3)];
        catalog.add_dead_letters(first.to_vec()).await.unwrap();
        catalog.add_dead_letters(vec![letter(&me, "s-1", "new", 4)]).await.unwrap();
        assert_eq!(catalog.dead_letters(&me).await.unwrap(), [first[1].clone(), letter(&me, "s-1", "new", 4)]);
        catalog.remove_dead_letters(&me, &[MemoryId::from_text("s-1"), MemoryId::from_text("s-9")]).await.unwrap();
        assert_eq!(catalog.dead_letters(&me).await.unwrap(), first[1..2]);
        assert_eq!(catalog.dead_letters(&other).await.unwrap(), first[2..]);
    }
}
