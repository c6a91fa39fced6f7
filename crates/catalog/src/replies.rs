//! Models' answers, and their cost.

use annals_core::{Agent, Date, Digest, Reply, Timestamp, Usage, Zones};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::agents;
use crate::columns::{micros, number, signed, word};
use crate::failure::Result;

/// Returns the stored answer to a question.
pub(crate) fn reply(connection: &Connection, agent: &Agent, key: &Digest) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT text FROM reply WHERE agent_id = ?1 AND key = ?2")?;
    Ok(statement.query_row(params![agents::known(connection, agent)?, key.0], |row| row.get(0)).optional()?)
}

/// Books the cost of an answer, and stores the answer unless something of the agent was erased since its input was
/// read.
pub(crate) fn save(connection: &Connection, agent: &Agent, reply: &Reply, now: Timestamp) -> Result<()> {
    charge(connection, agent, reply, now)?;
    let sql = "INSERT OR REPLACE INTO reply (agent_id, key, text, kept_at)
               SELECT agent_id, ?2, ?3, ?4 FROM agent WHERE agent_id = ?1 AND erased < ?5";
    let agent_id = agents::enrolled(connection, agent)?;
    let place = params![agent_id, reply.key.0, reply.text, micros(now), signed(reply.read_seq)];
    connection.prepare_cached(sql)?.execute(place)?;
    Ok(())
}

/// Books the cost of an answer.
pub(crate) fn charge(connection: &Connection, agent: &Agent, reply: &Reply, now: Timestamp) -> Result<()> {
    connection.prepare_cached(include_str!("sql/book_usage.sql"))?.execute(params![
        agents::enrolled(connection, agent)?,
        utc_day(now).to_string(),
        reply.purpose.as_str(),
        reply.model,
        signed(reply.tokens_in),
        signed(reply.tokens_out),
    ])?;
    Ok(())
}

/// Drops answers stored before an instant; returns their number.
pub(crate) fn drop_before(connection: &Connection, agent: &Agent, before: Timestamp) -> Result<u64> {
    let sql = "DELETE FROM reply WHERE agent_id = ?1 AND kept_at < ?2";
    let place = params![agents::known(connection, agent)?, micros(before)];
    Ok(connection.prepare_cached(sql)?.execute(place)? as u64)
}

/// Returns the agent's cost since the UTC day of an instant, by day, purpose and model.
pub(crate) fn usage(connection: &Connection, agent: &Agent, since: Timestamp) -> Result<Vec<Usage>> {
    let mut statement = connection.prepare_cached("SELECT * FROM usage WHERE agent_id = ?1 AND day >= ?2")?;
    let place = params![agents::known(connection, agent)?, utc_day(since).to_string()];
    let mut usage = statement.query_map(place, read)?.collect::<rusqlite::Result<Vec<Usage>>>()?;
    // Purposes sort from fine to coarse, not alphabetically.
    usage.sort_by(|a, b| (a.day, a.purpose, &a.model).cmp(&(b.day, b.purpose, &b.model)));
    Ok(usage)
}

/// Returns the cost of all agents on the UTC day of an instant.
pub(crate) fn usage_of_all(connection: &Connection, day: Timestamp) -> Result<Vec<(Agent, Usage)>> {
    let sql = "SELECT usage.*, workspace, name FROM usage JOIN agent USING (agent_id) WHERE day = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([utc_day(day).to_string()])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let agent = Agent::in_workspace(&row.get::<_, String>("workspace")?, &row.get::<_, String>("name")?)?;
        all.push((agent, read(row)?));
    }
    Ok(all)
}

fn utc_day(at: Timestamp) -> Date {
    Zones::new("UTC").expect("UTC is a zone").day_of(at)
}

fn read(row: &Row) -> rusqlite::Result<Usage> {
    Ok(Usage {
        day: word::<annals_core::Period>(row, "day")?.first_day(),
        purpose: word(row, "purpose")?,
        model: row.get("model")?,
        calls: number(row, "calls")?,
        tokens_in: number(row, "tokens_in")?,
        tokens_out: number(row, "tokens_out")?,
    })
}
