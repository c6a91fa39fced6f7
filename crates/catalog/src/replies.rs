//! Models' answers, and their cost.

use annals_core::ports::Replies;
use annals_core::{Agent, Date, Digest, Reply, Timestamp, Usage, Zones};
use async_trait::async_trait;

use crate::SqliteCatalog;
use crate::agents;
use crate::columns::{micros, number, signed, word};
use crate::db::{Db, Result, Row, params};

#[async_trait]
impl Replies for SqliteCatalog {
    async fn reply(&self, agent: &Agent, key: &Digest) -> annals_core::Result<Option<String>> {
        let (agent, key) = (agent.clone(), *key);
        self.thread.read("reading a saved model answer", move |c| reply(c, &agent, &key)).await
    }

    async fn save_reply(&self, agent: &Agent, reply: Reply, now: Timestamp) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write("saving a model answer", move |c| save(c, &agent, &reply, now)).await
    }

    async fn charge(&self, agent: &Agent, reply: Reply, now: Timestamp) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write("saving a cost", move |c| charge(c, &agent, &reply, now)).await
    }

    async fn drop_replies(&self, agent: &Agent, before: Timestamp) -> annals_core::Result<u64> {
        let agent = agent.clone();
        self.thread.write("deleting saved model answers", move |c| drop_before(c, &agent, before)).await
    }

    async fn usage(&self, agent: &Agent, since: Timestamp) -> annals_core::Result<Vec<Usage>> {
        let agent = agent.clone();
        self.thread.read("reading costs", move |c| usage(c, &agent, since)).await
    }

    async fn usage_of_all(&self, day: Timestamp) -> annals_core::Result<Vec<(Agent, Usage)>> {
        self.thread.read("reading the costs of all agents", move |c| usage_of_all(c, day)).await
    }
}

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
    let sql = "INSERT INTO usage (agent_id, day, purpose, model, calls, tokens_in, tokens_out)
        VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)
        ON CONFLICT (agent_id, day, purpose, model) DO UPDATE
        SET calls = calls + 1, tokens_in = tokens_in + excluded.tokens_in, tokens_out = tokens_out + excluded.tokens_out";
    db.execute(
        sql,
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
