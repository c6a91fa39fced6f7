//! Batches of requests to models, and the state of each request.

use std::collections::BTreeSet;

use annals_core::ports::{BATCH_MEMORY, BatchedRequest, Batches, ModelBatch, RequestState, Settlement, may_contain};
use annals_core::{Agent, Digest, Period, Timestamp};
use async_trait::async_trait;

use crate::agents;
use crate::columns::{digest, instant, micros, number, signed, word};
use crate::db::{Db, Result, Row, params};
use crate::replies;
use crate::{Backend, SqlCatalog};

#[async_trait]
impl<B: Backend> Batches for SqlCatalog<B> {
    async fn begin_batch(&self, batch: ModelBatch, requests: Vec<BatchedRequest>) -> annals_core::Result<()> {
        self.thread.write("recording a batch", move |c| begin(c, &batch, &requests)).await
    }

    async fn save_batch(&self, batch: &ModelBatch) -> annals_core::Result<()> {
        let batch = batch.clone();
        self.thread.write("saving a batch", move |c| save(c, &batch)).await
    }

    async fn open_batches(&self) -> annals_core::Result<Vec<ModelBatch>> {
        self.thread.read("reading batches", |c| open(c)).await
    }

    async fn failed_batches(&self, since: Timestamp) -> annals_core::Result<Vec<ModelBatch>> {
        self.thread.read("reading failed batches", move |c| failed(c, since)).await
    }

    async fn settle(
        &self,
        batch: &str,
        settlements: Vec<(u64, Settlement)>,
        now: Timestamp,
    ) -> annals_core::Result<u64> {
        let batch = batch.to_owned();
        self.thread.write("saving answers of a batch", move |c| settle(c, &batch, &settlements, now)).await
    }

    async fn end_batch(&self, batch: &str, rest: RequestState) -> annals_core::Result<u64> {
        let batch = batch.to_owned();
        self.thread.write("ending a batch", move |c| end(c, &batch, rest)).await
    }

    async fn batched(&self, agent: &Agent, period: Period) -> annals_core::Result<Vec<(Digest, RequestState)>> {
        let agent = agent.clone();
        self.thread.read("reading requests of batches", move |c| batched(c, &agent, period)).await
    }

    async fn in_batch(&self, agent: &Agent) -> annals_core::Result<Vec<Period>> {
        let agent = agent.clone();
        self.thread.read("reading periods of batches", move |c| in_batch(c, &agent)).await
    }
}

fn begin(db: &dyn Db, batch: &ModelBatch, requests: &[BatchedRequest]) -> Result<()> {
    let old = micros(batch.at.saturating_sub(BATCH_MEMORY).unwrap_or(Timestamp::MIN));
    let sql =
        "DELETE FROM batch_request WHERE batch_id IN (SELECT batch_id FROM batch WHERE state = 'ended' AND at < ?1)";
    db.execute(sql, params![old])?;
    db.execute("DELETE FROM batch WHERE state = 'ended' AND at < ?1", params![old])?;
    let sql = "INSERT INTO batch (batch_id, base_url, model, remote, state, at, requests, done, reads, failure)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let ModelBatch { id, base_url, model, remote, failure, .. } = batch;
    let (state, at) = (batch.state.as_str(), micros(batch.at));
    let (requests_made, done, reads) = (signed(batch.requests), signed(batch.done), signed(batch.reads));
    db.execute(sql, params![id, base_url, model, remote, state, at, requests_made, done, reads, failure])?;
    let mut last: Option<(&Agent, i64)> = None;
    for (position, request) in (0_i64..).zip(requests) {
        let agent_id = match last.filter(|(agent, _)| *agent == &request.agent) {
            Some((_, agent_id)) => agent_id,
            None => agents::enrolled(db, &request.agent)?,
        };
        last = Some((&request.agent, agent_id));
        replies::release(db, &request.agent, request.reservation)?;
        let sql =
            "INSERT INTO batch_request (batch_id, number, agent_id, period, key, purpose, read_seq, tokens, key_id, state)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,
                CASE WHEN (SELECT erased FROM agent WHERE agent_id = ?3) < ?7 THEN 'open' ELSE 'void' END)";
        let (period, purpose) = (request.period.to_string(), request.purpose.as_str());
        let (read_seq, tokens) = (signed(request.read_seq), signed(request.tokens));
        let access_key = &request.access_key;
        db.execute(sql, params![id, position, agent_id, period, request.key.0, purpose, read_seq, tokens, access_key])?;
    }
    Ok(())
}

fn save(db: &dyn Db, batch: &ModelBatch) -> Result<()> {
    let sql = "UPDATE batch
        SET remote = ?2, state = ?3, at = ?4, requests = ?5, done = ?6, reads = ?7, failure = ?8
        WHERE batch_id = ?1";
    let (state, at) = (batch.state.as_str(), micros(batch.at));
    let (requests, done, reads) = (signed(batch.requests), signed(batch.done), signed(batch.reads));
    db.execute(sql, params![batch.id, batch.remote, state, at, requests, done, reads, batch.failure])?;
    Ok(())
}

fn open(db: &dyn Db) -> Result<Vec<ModelBatch>> {
    db.query("SELECT * FROM batch WHERE state <> 'ended' ORDER BY at, batch_id", &[], read)
}

fn failed(db: &dyn Db, since: Timestamp) -> Result<Vec<ModelBatch>> {
    let sql = "SELECT * FROM batch WHERE state = 'ended' AND failure IS NOT NULL AND at >= ?1 ORDER BY at, batch_id";
    db.query(sql, params![micros(since)], read)
}

fn read(row: &Row) -> Result<ModelBatch> {
    Ok(ModelBatch {
        id: row.get("batch_id")?,
        base_url: row.get("base_url")?,
        model: row.get("model")?,
        remote: row.get("remote")?,
        state: word(row, "state")?,
        at: instant(row, "at")?,
        requests: number(row, "requests")?,
        done: number(row, "done")?,
        reads: number(row, "reads")?,
        failure: row.get("failure")?,
    })
}

fn settle(db: &dyn Db, batch: &str, settlements: &[(u64, Settlement)], now: Timestamp) -> Result<u64> {
    let sql = "SELECT model FROM batch WHERE batch_id = ?1";
    let Some(model) = db.query_optional(sql, params![batch], |row| row.get::<String>("model"))? else { return Ok(0) };
    let mut settled = 0;
    for (position, settlement) in settlements {
        let Some((request, is_open)) = outstanding(db, batch, *position)? else { continue };
        if let Some(answer) = settlement.answer() {
            let reply = request.reply(&model, answer);
            replies::charge_call(db, &request.agent, &reply, true, now)?;
            if is_open && matches!(settlement, Settlement::Answered(_)) {
                replies::store(db, &request.agent, &reply, now)?;
            }
        }
        let sql = "UPDATE batch_request SET state = ?3 WHERE batch_id = ?1 AND number = ?2";
        db.execute(sql, params![batch, signed(*position), settlement.state().as_str()])?;
        settled += 1;
    }
    Ok(settled)
}

/// Returns the request at `position` of a batch, and whether its answer will be kept; the answer to a void request is not.
/// Returns `None` if the request does not exist or no longer waits for its answer.
fn outstanding(db: &dyn Db, batch: &str, position: u64) -> Result<Option<(BatchedRequest, bool)>> {
    let sql = "SELECT * FROM batch_request JOIN agent USING (agent_id)
        WHERE batch_id = ?1 AND number = ?2 AND state IN ('open', 'void')";
    db.query_optional(sql, params![batch, signed(position)], |row| {
        let request = BatchedRequest {
            agent: agents::read(row)?,
            period: word(row, "period")?,
            key: digest(row, "key")?.expect("the column is never null"),
            purpose: word(row, "purpose")?,
            read_seq: number(row, "read_seq")?,
            tokens: number(row, "tokens")?,
            reservation: None,
            access_key: row.get("key_id")?,
        };
        Ok((request, word::<RequestState>(row, "state")? == RequestState::Open))
    })
}

fn end(db: &dyn Db, batch: &str, rest: RequestState) -> Result<u64> {
    let sql = "UPDATE batch_request SET state = ?2 WHERE batch_id = ?1 AND state IN ('open', 'void')";
    let lost = db.execute(sql, params![batch, rest.as_str()])?;
    db.execute("UPDATE batch SET state = 'ended' WHERE batch_id = ?1", params![batch])?;
    Ok(lost)
}

fn batched(db: &dyn Db, agent: &Agent, period: Period) -> Result<Vec<(Digest, RequestState)>> {
    let sql = "SELECT key, state FROM batch_request WHERE agent_id = ?1 AND period = ?2 ORDER BY batch_id, number";
    db.query(sql, params![agents::known(db, agent)?, period.to_string()], |row| {
        Ok((digest(row, "key")?.expect("the column is never null"), word(row, "state")?))
    })
}

fn in_batch(db: &dyn Db, agent: &Agent) -> Result<Vec<Period>> {
    let mut periods = open_periods(db, agents::known(db, agent)?)?;
    periods.sort();
    Ok(periods)
}

fn open_periods(db: &dyn Db, agent_id: i64) -> Result<Vec<Period>> {
    let sql = "SELECT DISTINCT period FROM batch_request WHERE agent_id = ?1 AND state = 'open'";
    db.query(sql, params![agent_id], |row| word(row, "period"))
}

/// Makes the open requests of an agent void if they may contain erased data. Makes all of them void if the erased
/// periods are not known.
pub(crate) fn make_void(db: &dyn Db, agent_id: i64, erased: Option<&BTreeSet<Period>>) -> Result<()> {
    let is_touched = |period: Period| erased.is_none_or(|erased| erased.iter().any(|one| may_contain(period, *one)));
    let sql = "UPDATE batch_request SET state = 'void' WHERE agent_id = ?1 AND period = ?2 AND state = 'open'";
    for period in open_periods(db, agent_id)?.into_iter().filter(|period| is_touched(*period)) {
        db.execute(sql, params![agent_id, period.to_string()])?;
    }
    Ok(())
}
