//! Models' answers, and their cost.

use annals_core::{Agent, Date, Digest, Reply, Timestamp, Usage, Zones};

use crate::agents;
use crate::columns::{micros, number, signed, word};
use crate::db::{Db, Row, params};
use crate::failure::Result;

/// Returns the stored answer to a question.
pub(crate) fn reply(db: &dyn Db, agent: &Agent, key: &Digest) -> Result<Option<String>> {
    db.query_optional(
        "SELECT text FROM reply WHERE agent_id = ?1 AND key = ?2",
        params![agents::known(db, agent)?, key.0],
        |row| row.get(0),
    )
}

/// Books the cost of an answer, and stores the answer unless something of the agent was erased since its input was
/// read.
pub(crate) fn save(db: &dyn Db, agent: &Agent, reply: &Reply, now: Timestamp) -> Result<()> {
    charge(db, agent, reply, now)?;
    let sql = "INSERT OR REPLACE INTO reply (agent_id, key, text, kept_at)
               SELECT agent_id, ?2, ?3, ?4 FROM agent WHERE agent_id = ?1 AND erased < ?5";
    let agent_id = agents::enrolled(db, agent)?;
    let place = params![agent_id, reply.key.0, reply.text, micros(now), signed(reply.read_seq)];
    db.execute(sql, place)?;
    Ok(())
}

/// Books the cost of an answer.
pub(crate) fn charge(db: &dyn Db, agent: &Agent, reply: &Reply, now: Timestamp) -> Result<()> {
    db.execute(
        include_str!("sql/book_usage.sql"),
        params![
            agents::enrolled(db, agent)?,
            utc_day(now).to_string(),
            reply.purpose.as_str(),
            reply.model,
            signed(reply.tokens_in),
            signed(reply.tokens_out),
        ],
    )?;
    Ok(())
}

/// Drops answers stored before an instant; returns their number.
pub(crate) fn drop_before(db: &dyn Db, agent: &Agent, before: Timestamp) -> Result<u64> {
    let sql = "DELETE FROM reply WHERE agent_id = ?1 AND kept_at < ?2";
    let place = params![agents::known(db, agent)?, micros(before)];
    db.execute(sql, place)
}

/// Returns the agent's cost since the UTC day of an instant, by day, purpose and model.
pub(crate) fn usage(db: &dyn Db, agent: &Agent, since: Timestamp) -> Result<Vec<Usage>> {
    let place = params![agents::known(db, agent)?, utc_day(since).to_string()];
    let mut usage = db.query("SELECT * FROM usage WHERE agent_id = ?1 AND day >= ?2", place, read)?;
    // Purposes sort from fine to coarse, not alphabetically.
    usage.sort_by(|a, b| (a.day, a.purpose, &a.model).cmp(&(b.day, b.purpose, &b.model)));
    Ok(usage)
}

/// Returns the cost of all agents on the UTC day of an instant.
pub(crate) fn usage_of_all(db: &dyn Db, day: Timestamp) -> Result<Vec<(Agent, Usage)>> {
    let sql = "SELECT usage.*, workspace, name FROM usage JOIN agent USING (agent_id) WHERE day = ?1";
    db.query(sql, params![utc_day(day).to_string()], |row| {
        let agent = Agent::in_workspace(&row.get::<String>("workspace")?, &row.get::<String>("name")?)?;
        Ok((agent, read(row)?))
    })
}

fn utc_day(at: Timestamp) -> Date {
    Zones::new("UTC").expect("UTC is a zone").day_of(at)
}

fn read(row: &Row) -> Result<Usage> {
    Ok(Usage {
        day: word::<annals_core::Period>(row, "day")?.first_day(),
        purpose: word(row, "purpose")?,
        model: row.get("model")?,
        calls: number(row, "calls")?,
        tokens_in: number(row, "tokens_in")?,
        tokens_out: number(row, "tokens_out")?,
    })
}
