//! Finds and removes all of an agent's rows of a kind, whatever their content.

use std::collections::BTreeSet;

use annals_core::{Period, Sentence};

use crate::columns::{json, number, word};
use crate::db::{Db, Sql, params};
use crate::failure::Result;

/// Removes saved replies, accepted requests and clients' idempotency keys.
pub(super) fn requests(db: &dyn Db, agent_id: i64) -> Result<()> {
    for sql in [
        "DELETE FROM reply WHERE agent_id = ?1",
        "DELETE FROM request WHERE agent_id = ?1",
        "DELETE FROM operation WHERE agent_id = ?1",
    ] {
        db.execute(sql, params![agent_id])?;
    }
    Ok(())
}

/// Returns the sentences of all summaries and of all bases.
pub(super) fn sentences(db: &dyn Db, agent_id: i64) -> Result<Vec<String>> {
    let sql =
        "SELECT sentences FROM summary WHERE agent_id = ?1 UNION ALL SELECT sentences FROM base WHERE agent_id = ?1";
    let of_rows: Vec<Vec<Sentence>> = db.query(Sql::Once(sql), params![agent_id], |row| json(row, "sentences"))?;
    let sentences: BTreeSet<String> = of_rows.into_iter().flatten().map(|sentence| sentence.text).collect();
    Ok(sentences.into_iter().collect())
}

/// Returns the periods of all summaries.
pub(super) fn periods(db: &dyn Db, agent_id: i64) -> Result<Vec<Period>> {
    db.query("SELECT period FROM summary WHERE agent_id = ?1", params![agent_id], |row| word(row, "period"))
}

/// Returns the number of dead letters.
pub(super) fn count_letters(db: &dyn Db, agent_id: i64) -> Result<u64> {
    db.query_one("SELECT count(*) AS n FROM dead_letter WHERE agent_id = ?1", params![agent_id], |row| number(row, "n"))
}

/// Removes every row of the agent from every table, then the agent.
pub(crate) fn agent(db: &dyn Db, agent_id: i64) -> Result<()> {
    let tables = tables_of_agents(db)?;
    // The agent's row last: the others refer to it.
    for table in tables.iter().filter(|table| *table != "agent").chain([&"agent".to_owned()]) {
        let sql = format!("DELETE FROM \"{table}\" WHERE agent_id = ?1");
        db.execute(Sql::Once(&sql), params![agent_id])?;
    }
    Ok(())
}

/// Returns the names of the tables that hold rows of agents.
pub(crate) fn tables_of_agents(db: &dyn Db) -> Result<Vec<String>> {
    db.query(Sql::Once(include_str!("../sql/tables_of_agents.sql")), &[], |row| row.get(0))
}
