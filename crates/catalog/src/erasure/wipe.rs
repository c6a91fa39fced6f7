//! Finds and removes all of an agent's rows of a kind, whatever their content.

use std::collections::BTreeSet;

use annals_core::{Period, Sentence};
use rusqlite::Connection;

use crate::columns::{json, number, word};
use crate::failure::Result;

/// Removes saved replies, accepted requests and clients' idempotency keys.
pub(super) fn requests(connection: &Connection, agent_id: i64) -> Result<()> {
    for sql in [
        "DELETE FROM reply WHERE agent_id = ?1",
        "DELETE FROM request WHERE agent_id = ?1",
        "DELETE FROM operation WHERE agent_id = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([agent_id])?;
    }
    Ok(())
}

/// Returns the sentences of all summaries and of all bases.
pub(super) fn sentences(connection: &Connection, agent_id: i64) -> Result<Vec<String>> {
    let sql =
        "SELECT sentences FROM summary WHERE agent_id = ?1 UNION ALL SELECT sentences FROM base WHERE agent_id = ?1";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([agent_id])?;
    let mut sentences = BTreeSet::new();
    while let Some(row) = rows.next()? {
        let of_row: Vec<Sentence> = json(row, "sentences")?;
        sentences.extend(of_row.into_iter().map(|sentence| sentence.text));
    }
    Ok(sentences.into_iter().collect())
}

/// Returns the periods of all summaries.
pub(super) fn periods(connection: &Connection, agent_id: i64) -> Result<Vec<Period>> {
    let mut statement = connection.prepare_cached("SELECT period FROM summary WHERE agent_id = ?1")?;
    let rows = statement.query_map([agent_id], |row| word(row, "period"))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the number of dead letters.
pub(super) fn count_letters(connection: &Connection, agent_id: i64) -> Result<u64> {
    let mut statement = connection.prepare_cached("SELECT count(*) AS n FROM dead_letter WHERE agent_id = ?1")?;
    Ok(statement.query_row([agent_id], |row| number(row, "n"))?)
}

/// Removes every row of the agent from every table, then the agent.
pub(crate) fn agent(connection: &Connection, agent_id: i64) -> Result<()> {
    let tables = tables_of_agents(connection)?;
    // The agent's row last: the others refer to it.
    for table in tables.iter().filter(|table| *table != "agent").chain([&"agent".to_owned()]) {
        connection.execute(&format!("DELETE FROM \"{table}\" WHERE agent_id = ?1"), [agent_id])?;
    }
    Ok(())
}

/// Returns the names of the tables that hold rows of agents.
pub(crate) fn tables_of_agents(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare(include_str!("../sql/tables_of_agents.sql"))?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}
