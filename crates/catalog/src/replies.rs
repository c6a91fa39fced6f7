//! Saved answers of models, the tokens that they cost, prices, and reservations of tokens against budgets.

use annals_core::ports::{RESERVATION_LIFETIME, Refusals, Replies, TokenRequest, TokenSums, budget_day};
use annals_core::{Agent, CacheTokens, Digest, Price, Purpose, Reply, Timestamp, Usage};
use async_trait::async_trait;

use crate::agents;
use crate::columns::{instant, micros, number, signed, word};
use crate::db::{Db, Result, Row, params};
use crate::{Backend, SqlCatalog, key_tokens};

#[async_trait]
impl<B: Backend> Replies for SqlCatalog<B> {
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

    async fn prices(&self) -> annals_core::Result<Vec<Price>> {
        self.thread.read("reading prices", |c| prices(c)).await
    }

    async fn save_prices(&self, list: Vec<Price>) -> annals_core::Result<()> {
        self.thread.write("saving prices", move |c| save_prices(c, &list)).await
    }

    async fn refusals(&self, key: &Digest) -> annals_core::Result<Option<Refusals>> {
        let key = *key;
        self.thread.read("reading refused parameters", move |c| refusals(c, &key)).await
    }

    async fn save_refusals(&self, key: Digest, refusals: Refusals) -> annals_core::Result<()> {
        self.thread.write("saving refused parameters", move |c| save_refusals(c, &key, &refusals)).await
    }

    async fn reserve(&self, agent: &Agent, request: &TokenRequest, now: Timestamp) -> annals_core::Result<u64> {
        let (agent, request) = (agent.clone(), request.clone());
        self.thread.write("reserving tokens", move |c| reserve(c, &agent, &request, now)).await
    }

    async fn release(&self, agent: &Agent, reservation: u64) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write("releasing tokens", move |c| release(c, &agent, Some(reservation))).await
    }
}

/// Returns the saved answer to the request with this digest.
pub(crate) fn reply(db: &dyn Db, agent: &Agent, key: &Digest) -> Result<Option<String>> {
    db.query_optional(
        "SELECT text FROM reply WHERE agent_id = ?1 AND key = ?2",
        params![agents::known(db, agent)?, key.0],
        |row| row.get(0),
    )
}

/// Books the cost of an answer, and stores the answer unless something of the agent was erased since its input was read.
pub(crate) fn save(db: &dyn Db, agent: &Agent, reply: &Reply, now: Timestamp) -> Result<()> {
    charge(db, agent, reply, now)?;
    keep(db, agent, reply, now)
}

/// Stores an answer unless something of the agent was erased since its input was read.
pub(crate) fn keep(db: &dyn Db, agent: &Agent, reply: &Reply, now: Timestamp) -> Result<()> {
    let sql = "INSERT INTO reply (agent_id, key, text, kept_at)
        SELECT agent_id, ?2, ?3, ?4 FROM agent WHERE agent_id = ?1 AND erased < ?5
        ON CONFLICT (agent_id, key) DO UPDATE SET text = excluded.text, kept_at = excluded.kept_at";
    let agent_id = agents::known(db, agent)?;
    let values = params![agent_id, reply.key.0, reply.text, micros(now), signed(reply.read_seq)];
    db.execute(sql, values)?;
    Ok(())
}

/// Stores an answer, whether or not data of the agent was erased since. The caller ensures that the request contained nothing
/// of the erased data.
pub(crate) fn store(db: &dyn Db, agent: &Agent, reply: &Reply, now: Timestamp) -> Result<()> {
    let sql = "INSERT INTO reply (agent_id, key, text, kept_at) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (agent_id, key) DO UPDATE SET text = excluded.text, kept_at = excluded.kept_at";
    db.execute(sql, params![agents::enrolled(db, agent)?, reply.key.0, reply.text, micros(now)])?;
    Ok(())
}

/// Books the cost of the answer to a single call, and ends its reservation.
pub(crate) fn charge(db: &dyn Db, agent: &Agent, reply: &Reply, now: Timestamp) -> Result<()> {
    charge_call(db, agent, reply, false, now)
}

/// Books the cost of an answer to the agent and the API key, as that of a batched request if `batch` is set, and ends its
/// reservation.
pub(crate) fn charge_call(db: &dyn Db, agent: &Agent, reply: &Reply, batch: bool, now: Timestamp) -> Result<()> {
    let payer = payer(db, agent, reply.reservation)?;
    release(db, agent, reply.reservation)?;
    let sql = "INSERT INTO usage (agent_id, day, purpose, model, batch, calls, tokens_in, cache_read, cache_written, tokens_out)
        VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9)
        ON CONFLICT (agent_id, day, purpose, model, batch) DO UPDATE
        SET calls = usage.calls + 1,
            tokens_in = usage.tokens_in + excluded.tokens_in,
            cache_read = usage.cache_read + excluded.cache_read,
            cache_written = usage.cache_written + excluded.cache_written,
            tokens_out = usage.tokens_out + excluded.tokens_out";
    db.execute(
        sql,
        params![
            payer,
            budget_day(now).to_string(),
            reply.purpose.as_str(),
            reply.model,
            batch,
            signed(reply.tokens_in),
            signed(reply.cache.read),
            signed(reply.cache.written),
            signed(reply.tokens_out),
        ],
    )?;
    match &reply.access_key {
        Some(id) => key_tokens::book(db, id, reply.tokens_in.saturating_add(reply.tokens_out), now),
        None => Ok(()),
    }
}

/// Drops answers stored before an instant; returns their number.
pub(crate) fn drop_before(db: &dyn Db, agent: &Agent, before: Timestamp) -> Result<u64> {
    let sql = "DELETE FROM reply WHERE agent_id = ?1 AND kept_at < ?2";
    let values = params![agents::known(db, agent)?, micros(before)];
    db.execute(sql, values)
}

/// Returns the agent's cost since the UTC day of an instant, that day included, by day, purpose and model, batched requests
/// apart from single calls.
pub(crate) fn usage(db: &dyn Db, agent: &Agent, since: Timestamp) -> Result<Vec<Usage>> {
    let values = params![agents::known(db, agent)?, budget_day(since).to_string()];
    let mut usage = db.query("SELECT * FROM usage WHERE agent_id = ?1 AND day >= ?2", values, read)?;
    // Purposes sort from fine to coarse, not alphabetically.
    usage.sort_by(|a, b| (a.day, a.purpose, &a.model, a.batch).cmp(&(b.day, b.purpose, &b.model, b.batch)));
    Ok(usage)
}

fn prices(db: &dyn Db) -> Result<Vec<Price>> {
    let read = |row: &Row| {
        let amount = |column: &str| -> Result<Option<u64>> {
            let amount: Option<i64> = row.get(column)?;
            amount.map(|_| number(row, column)).transpose()
        };
        Ok(Price {
            model: row.get("model")?,
            currency: row.get("currency")?,
            input: number(row, "input")?,
            cached_input: amount("cached_input")?,
            cache_write: amount("cache_write")?,
            output: number(row, "output")?,
        })
    };
    db.query("SELECT * FROM price ORDER BY model", &[], read)
}

fn save_prices(db: &dyn Db, list: &[Price]) -> Result<()> {
    db.execute("DELETE FROM price", &[])?;
    for price in list {
        let sql = "INSERT INTO price (model, currency, input, cached_input, cache_write, output)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (model) DO UPDATE
            SET currency = excluded.currency, input = excluded.input, cached_input = excluded.cached_input,
                cache_write = excluded.cache_write, output = excluded.output";
        let (cached_input, cache_write) = (price.cached_input.map(signed), price.cache_write.map(signed));
        let amounts = (signed(price.input), signed(price.output));
        db.execute(sql, params![price.model, price.currency, amounts.0, cached_input, cache_write, amounts.1])?;
    }
    Ok(())
}

fn refusals(db: &dyn Db, key: &Digest) -> Result<Option<Refusals>> {
    db.query_optional("SELECT parameters, at FROM refusal WHERE key = ?1", params![key.0], |row| {
        let parameters: String = row.get("parameters")?;
        let parameters = parameters.split_whitespace().map(str::to_owned).collect();
        Ok(Refusals { parameters, at: instant(row, "at")? })
    })
}

fn save_refusals(db: &dyn Db, key: &Digest, refusals: &Refusals) -> Result<()> {
    let sql = "INSERT INTO refusal (key, parameters, at) VALUES (?1, ?2, ?3)
        ON CONFLICT (key) DO UPDATE SET parameters = excluded.parameters, at = excluded.at";
    db.execute(sql, params![key.0, refusals.parameters.join(" "), micros(refusals.at)])?;
    let oldest = refusals.at.saturating_sub(Refusals::LIFETIME).unwrap_or(Timestamp::MIN);
    db.execute("DELETE FROM refusal WHERE at <= ?1", params![micros(oldest)])?;
    Ok(())
}

/// Sums the used and reserved tokens of day ?1: of agent ?3, of workspace ?4, and of all agents. ?2 chooses between the budget
/// for reranking and the budget for everything else. Requests of batches that wait for an answer, void ones included, count on
/// every day, against the budget for everything else.
pub(crate) const SPENT: &str = "WITH spent (agent_id, tokens) AS (
        SELECT agent_id, tokens_in + tokens_out FROM usage
        WHERE day = ?1 AND CASE purpose WHEN 'rerank' THEN 1 ELSE 0 END = ?2
        UNION ALL
        SELECT agent_id, tokens FROM reservation WHERE day = ?1 AND is_rerank = ?2
        UNION ALL
        SELECT agent_id, tokens FROM batch_request WHERE state IN ('open', 'void') AND ?2 = 0
    )
    SELECT
        CAST(coalesce(sum(tokens) FILTER (WHERE agent_id = ?3), 0) AS BIGINT) AS of_agent,
        CAST(coalesce(sum(tokens) FILTER (WHERE workspace = ?4), 0) AS BIGINT) AS of_workspace,
        CAST(coalesce(sum(tokens), 0) AS BIGINT) AS of_all
    FROM spent
    JOIN agent USING (agent_id)";

/// Reserves tokens, and returns the number of the reservation. Fails if a budget has too few tokens left, or there is no key
/// with the id of the request. Ends expired
/// reservations of all agents before.
pub(crate) fn reserve(db: &dyn Db, agent: &Agent, request: &TokenRequest, now: Timestamp) -> Result<u64> {
    db.execute("DELETE FROM reservation WHERE expires_at <= ?1", params![micros(now)])?;
    let agent_id = agents::enrolled(db, agent)?;
    let (day, is_rerank) = (budget_day(now).to_string(), request.purpose == Purpose::Rerank);
    let used = db.query_one(SPENT, params![day, is_rerank, agent_id, agent.workspace()], |row| {
        let (agent, workspace) = (number(row, "of_agent")?, number(row, "of_workspace")?);
        Ok(TokenSums { agent, workspace, process: number(row, "of_all")? })
    })?;
    let of_key = request.access_key.as_deref().map(|id| key_tokens::of_key(db, id, now)).transpose()?.flatten();
    request.check(used, of_key, now)?;
    let sql = "INSERT INTO reservation (agent_id, day, is_rerank, tokens, expires_at, key_id)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        RETURNING reservation_id";
    let expires_at = micros(now.saturating_add(RESERVATION_LIFETIME).unwrap_or(Timestamp::MAX));
    let row = params![agent_id, day, is_rerank, signed(request.tokens), expires_at, request.access_key];
    db.query_one(sql, row, |row| number(row, "reservation_id"))
}

/// Ends all reservations. Called when the catalog is opened, because no call is under way then.
pub(crate) fn drop_reservations(db: &dyn Db) -> Result<()> {
    db.execute("DELETE FROM reservation", &[])?;
    Ok(())
}

/// Ends a reservation of an agent, if there is one. The agent may have been erased since it reserved tokens.
pub(crate) fn release(db: &dyn Db, agent: &Agent, reservation: Option<u64>) -> Result<()> {
    if let Some(number) = reservation {
        let sql = "DELETE FROM reservation WHERE reservation_id = ?1
            AND agent_id IN (SELECT agent_id FROM agent WHERE workspace = ?2 AND name IN (?3, ''))";
        db.execute(sql, params![signed(number), agent.workspace(), agent.key()])?;
    }
    Ok(())
}

/// Returns the number of the agent that pays for a call. If the agent was erased since it reserved tokens, this is the number
/// of the row for erased agents.
fn payer(db: &dyn Db, agent: &Agent, reservation: Option<u64>) -> Result<i64> {
    let sql = "SELECT agent_id FROM reservation JOIN agent USING (agent_id)
        WHERE reservation_id = ?1 AND workspace = ?2 AND name = ''";
    let heir = match reservation {
        Some(number) => db.query_optional(sql, params![signed(number), agent.workspace()], |row| row.get(0))?,
        None => None,
    };
    heir.map_or_else(|| agents::enrolled(db, agent), Ok)
}

/// Moves the usage, reservations and outstanding batch requests of an agent to the erased agents of its workspace, so that they
/// still count towards the budgets. The moved rows keep nothing that identifies a request.
pub(crate) fn bequeath(db: &dyn Db, agent: &Agent, agent_id: i64) -> Result<()> {
    let has_spent = [
        "SELECT 1 FROM usage WHERE agent_id = ?1",
        "SELECT 1 FROM reservation WHERE agent_id = ?1",
        "SELECT 1 FROM batch_request WHERE agent_id = ?1 AND state IN ('open', 'void')",
    ];
    for sql in has_spent {
        if db.exists(sql, params![agent_id])? {
            let heir = agents::enrolled(db, &Agent::erased(agent.workspace())?)?;
            BEQUEATH.into_iter().try_for_each(|sql| db.execute(sql, params![agent_id, heir]).map(drop))?;
            db.execute(BEQUEATH_BATCHED, params![agent_id, heir, [0_u8; 32]])?;
            return Ok(());
        }
    }
    Ok(())
}

/// Moves usage and reservations from agent ?1 to agent ?2, for [`bequeath`].
const BEQUEATH: [&str; 2] = [
    "INSERT INTO usage (agent_id, day, purpose, model, batch, calls, tokens_in, cache_read, cache_written, tokens_out)
        SELECT ?2, day, purpose, model, batch, calls, tokens_in, cache_read, cache_written, tokens_out
        FROM usage WHERE agent_id = ?1
        ON CONFLICT (agent_id, day, purpose, model, batch) DO UPDATE SET calls = usage.calls + excluded.calls,
            tokens_in = usage.tokens_in + excluded.tokens_in, cache_read = usage.cache_read + excluded.cache_read,
            cache_written = usage.cache_written + excluded.cache_written, tokens_out = usage.tokens_out + excluded.tokens_out",
    "UPDATE reservation SET agent_id = ?2 WHERE agent_id = ?1",
];
/// Moves the waiting batch requests, and makes them void, so that their answers are never kept. Sets the key to ?3, which no
/// request has, and `read_seq` to 0.
const BEQUEATH_BATCHED: &str = "UPDATE batch_request SET agent_id = ?2, state = 'void', key = ?3, read_seq = 0
    WHERE agent_id = ?1 AND state IN ('open', 'void')";

fn read(row: &Row) -> Result<Usage> {
    Ok(Usage {
        day: word::<annals_core::Period>(row, "day")?.first_day(),
        purpose: word(row, "purpose")?,
        model: row.get("model")?,
        batch: row.get("batch")?,
        calls: number(row, "calls")?,
        tokens_in: number(row, "tokens_in")?,
        cache: CacheTokens { read: number(row, "cache_read")?, written: number(row, "cache_written")? },
        tokens_out: number(row, "tokens_out")?,
    })
}

#[cfg(test)]
mod tests {
    use annals_core::ports::{Replies, TokenRequest, TokenSums};
    use annals_core::{Error, Purpose};
    use annals_testkit::{agent, at};

    use crate::fixture::Folder;

    #[tokio::test]
    async fn opening_the_catalog_ends_the_reservations_of_a_killed_process() {
        let (folder, me, now) = (Folder::new(), agent("me"), at("2026-06-01T00:00:00Z"));
        let limits = TokenSums { agent: 10, workspace: 10, process: 10 };
        let request = TokenRequest { purpose: Purpose::Daily, tokens: 10, limits, access_key: None };
        let catalog = folder.open();
        catalog.reserve(&me, &request, now).await.unwrap();
        assert!(matches!(catalog.reserve(&me, &request, now).await, Err(Error::Budget { limit: 10, .. })));
        drop(catalog);
        folder.open().reserve(&me, &request, now).await.unwrap();
    }
}
