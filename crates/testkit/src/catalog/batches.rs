//! Port `Batches`: batches, their requests, and what became of them.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::{
    BATCH_MEMORY, BatchState, BatchedRequest, Batches, ModelBatch, RequestState, Settlement, TokenSums, may_contain,
};
use annals_core::{Agent, Digest, Period, Purpose, Result, Timestamp};
use async_trait::async_trait;

use super::replies::book_to_key;
use super::{MemoryCatalog, State};

#[async_trait]
impl Batches for MemoryCatalog {
    async fn begin_batch(&self, batch: ModelBatch, requests: Vec<BatchedRequest>) -> Result<()> {
        let state = &mut *self.state();
        let is_old = |one: &ModelBatch| one.state == BatchState::Ended && one.at + BATCH_MEMORY < batch.at;
        state.batches.retain(|_, (one, _)| !is_old(one));
        let mut recorded = BTreeMap::new();
        for (number, request) in (0..).zip(requests) {
            let data = state.agents_data.entry(request.agent.clone()).or_default();
            request.reservation.map(|reservation| data.reservations.remove(&reservation));
            let is_erased = data.erased >= request.read_seq;
            recorded.insert(number, (request, if is_erased { RequestState::Void } else { RequestState::Open }));
        }
        state.batches.insert(batch.id.clone(), (batch, recorded));
        Ok(())
    }

    async fn save_batch(&self, batch: &ModelBatch) -> Result<()> {
        if let Some((stored, _)) = self.state().batches.get_mut(&batch.id) {
            *stored = batch.clone();
        }
        Ok(())
    }

    async fn open_batches(&self) -> Result<Vec<ModelBatch>> {
        Ok(self.batches(|batch| batch.state != BatchState::Ended))
    }

    async fn failed_batches(&self, since: Timestamp) -> Result<Vec<ModelBatch>> {
        Ok(self.batches(|batch| batch.state == BatchState::Ended && batch.failure.is_some() && batch.at >= since))
    }

    async fn settle(&self, batch: &str, settlements: Vec<(u64, Settlement)>, now: Timestamp) -> Result<u64> {
        let state = &mut *self.state();
        let Some((batch, requests)) = state.batches.get_mut(batch) else { return Ok(0) };
        let mut settled = 0;
        for (place, settlement) in settlements {
            let Some((request, request_state)) = requests.get_mut(&place).filter(|(_, state)| state.is_outstanding())
            else {
                continue;
            };
            if let Some(answer) = settlement.answer() {
                let data = state.agents_data.entry(request.agent.clone()).or_default();
                let reply = request.reply(&batch.model, answer);
                data.book(&reply, true, now);
                book_to_key(&mut state.key_usage, &reply, now);
                if *request_state == RequestState::Open && matches!(settlement, Settlement::Answered(_)) {
                    data.replies.insert(reply.key, (reply.text, now));
                }
            }
            *request_state = settlement.state();
            settled += 1;
        }
        Ok(settled)
    }

    async fn end_batch(&self, batch: &str, rest: RequestState) -> Result<u64> {
        let state = &mut *self.state();
        let Some((batch, requests)) = state.batches.get_mut(batch) else { return Ok(0) };
        batch.state = BatchState::Ended;
        let left = requests.values_mut().filter(|(_, state)| state.is_outstanding());
        Ok(left.map(|(_, state)| *state = rest).count() as u64)
    }

    async fn batched(&self, agent: &Agent, period: Period) -> Result<Vec<(Digest, RequestState)>> {
        let state = self.state();
        let of_period = state.requests().filter(|(request, _)| request.agent == *agent && request.period == period);
        Ok(of_period.map(|(request, state)| (request.key, *state)).collect())
    }

    async fn in_batch(&self, agent: &Agent) -> Result<Vec<Period>> {
        let state = self.state();
        let open = state.requests().filter(|(request, state)| request.agent == *agent && *state == RequestState::Open);
        let periods: BTreeSet<Period> = open.map(|(request, _)| request.period).collect();
        Ok(periods.into_iter().collect())
    }
}

impl State {
    pub(super) fn requests(&self) -> impl Iterator<Item = &(BatchedRequest, RequestState)> {
        self.batches.values().flat_map(|(_, requests)| requests.values())
    }

    /// Returns the tokens of outstanding requests, which count as used. Returns zeros for reranking, which has a budget of its
    /// own.
    pub(super) fn tokens_in_batches(&self, agent: &Agent, purpose: Purpose) -> TokenSums {
        let mut used = TokenSums::default();
        for (request, _) in self.requests().filter(|(_, state)| state.is_outstanding() && purpose != Purpose::Rerank) {
            used.process += request.tokens;
            used.workspace += if request.agent.workspace() == agent.workspace() { request.tokens } else { 0 };
            used.agent += if request.agent == *agent { request.tokens } else { 0 };
        }
        used
    }

    /// Marks as void the agent's outstanding requests that may contain erased text: all of them if the erased periods are not
    /// known. If the whole agent is erased, these requests pass to `heir`, and the agent's other requests are removed.
    pub(super) fn erase_from_batches(
        &mut self,
        agent: &Agent,
        heir: Option<&Agent>,
        erased: Option<&BTreeSet<Period>>,
    ) {
        let is_touched =
            |period: Period| erased.is_none_or(|erased| erased.iter().any(|one| may_contain(period, *one)));
        for (_, requests) in self.batches.values_mut() {
            if heir.is_some() {
                requests.retain(|_, (request, state)| request.agent != *agent || state.is_outstanding());
            }
            let of_agent =
                requests.values_mut().filter(|(request, _)| request.agent == *agent && is_touched(request.period));
            for (request, state) in of_agent.filter(|(_, state)| state.is_outstanding()) {
                *state = RequestState::Void;
                if let Some(heir) = heir {
                    // The digest and the `read_seq` of the question are removed. The answer is not kept, because the request is
                    // void.
                    *request =
                        BatchedRequest { agent: heir.clone(), key: Digest([0; 32]), read_seq: 0, ..request.clone() };
                }
            }
        }
    }
}

impl MemoryCatalog {
    /// Returns the batches that a filter accepts, oldest first.
    fn batches(&self, accepts: impl Fn(&ModelBatch) -> bool) -> Vec<ModelBatch> {
        let state = self.state();
        let mut found: Vec<ModelBatch> = state.batches.values().map(|(batch, _)| batch.clone()).collect();
        found.retain(accepts);
        found.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        found
    }
}
