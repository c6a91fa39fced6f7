//! Port `Replies`: saved model answers, and the cost of models.

use annals_core::ports::{KeyTokens, RESERVATION_LIFETIME, Refusals, Replies, TokenRequest, budget_day};
use annals_core::{
    Agent, CacheTokens, Date, Digest, Error, ObjectKind, Price, Purpose, Reply, Result, Timestamp, Usage,
};
use async_trait::async_trait;

use super::agent_data::{AgentData, Reservation};
use super::{KeyUsage, MemoryCatalog, State};
use crate::builders::utc_day;

#[async_trait]
impl Replies for MemoryCatalog {
    async fn reply(&self, agent: &Agent, key: &Digest) -> Result<Option<String>> {
        self.read(agent, |data| data.replies.get(key).map(|(text, _)| text.clone()))
    }

    async fn save_reply(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()> {
        self.charge(agent, reply.clone(), now).await?;
        self.write(agent, |data, _| data.keep(reply, now))
    }

    async fn charge(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()> {
        let payer = self.state().holder(agent, reply.reservation)?;
        book_to_key(&mut self.state().key_usage, &reply, now);
        self.write(&payer, |data, _| data.book(&reply, false, now))
    }

    async fn drop_replies(&self, agent: &Agent, before: Timestamp) -> Result<u64> {
        self.write(agent, |data, _| {
            let kept = data.replies.len();
            data.replies.retain(|_, (_, at)| *at >= before);
            (kept - data.replies.len()) as u64
        })
    }

    async fn usage(&self, agent: &Agent, since: Timestamp) -> Result<Vec<Usage>> {
        self.read(agent, |data| data.usage.values().filter(|usage| usage.day >= utc_day(since)).cloned().collect())
    }

    async fn prices(&self) -> Result<Vec<Price>> {
        Ok(self.state().prices.values().cloned().collect())
    }

    async fn save_prices(&self, prices: Vec<Price>) -> Result<()> {
        self.state().prices = prices.into_iter().map(|price| (price.model.clone(), price)).collect();
        Ok(())
    }

    async fn refusals(&self, key: &Digest) -> Result<Option<Refusals>> {
        Ok(self.state().refusals.get(key).cloned())
    }

    async fn save_refusals(&self, key: Digest, refusals: Refusals) -> Result<()> {
        let oldest = refusals.at.saturating_sub(Refusals::LIFETIME).unwrap_or(Timestamp::MIN);
        let state = &mut *self.state();
        state.refusals.insert(key, refusals);
        state.refusals.retain(|_, refusals| refusals.at > oldest);
        Ok(())
    }

    async fn reserve(&self, agent: &Agent, request: &TokenRequest, now: Timestamp) -> Result<u64> {
        let state = &mut *self.state();
        for data in state.agents_data.values_mut() {
            data.reservations.retain(|_, reservation| reservation.expires_at > now);
        }
        let mut used = state.tokens_in_batches(agent, request.purpose);
        for (other, data) in &state.agents_data {
            let spent = data.spent(budget_day(now), request.purpose == Purpose::Rerank);
            used.process += spent;
            used.workspace += if other.workspace() == agent.workspace() { spent } else { 0 };
            used.agent += if other == agent { spent } else { 0 };
        }
        let of_key = request.access_key.as_deref().map(|id| state.key_tokens(id, now)).transpose()?.flatten();
        request.check(used, of_key, now)?;
        state.reservations += 1;
        let (day, is_rerank) = (budget_day(now), request.purpose == Purpose::Rerank);
        let (tokens, access_key) = (request.tokens, request.access_key.clone());
        let reservation = Reservation { day, is_rerank, tokens, expires_at: now + RESERVATION_LIFETIME, access_key };
        state.agents_data.entry(agent.clone()).or_default().reservations.insert(state.reservations, reservation);
        Ok(state.reservations)
    }

    async fn release(&self, agent: &Agent, reservation: u64) -> Result<()> {
        let holder = self.state().holder(agent, Some(reservation))?;
        self.write(&holder, |data, _| {
            data.reservations.remove(&reservation);
        })
    }
}

impl State {
    /// Returns the tokens of a key that count against its limit on this day; `None` if it has no limit.
    fn key_tokens(&self, id: &str, now: Timestamp) -> Result<Option<KeyTokens>> {
        let missing = || Error::NotFound { what: ObjectKind::Key, name: id.to_owned() };
        let (key, _) = self.keys.get(id).ok_or_else(missing)?;
        let (day, of_key) = (budget_day(now), |other: &Option<String>| other.as_deref() == Some(id));
        let booked = self.key_usage.get(&(id.to_owned(), day)).copied().unwrap_or_default();
        let reservations = self.agents_data.values().flat_map(|data| data.reservations.values());
        let reserved = reservations.filter(|one| one.day == day && of_key(&one.access_key)).map(|one| one.tokens);
        let outstanding = self.requests().filter(|(one, state)| state.is_outstanding() && of_key(&one.access_key));
        let used = booked + reserved.sum::<u64>() + outstanding.map(|(one, _)| one.tokens).sum::<u64>();
        Ok(key.daily_tokens.map(|limit| KeyTokens { used, limit }))
    }

    /// Moves the usage and the reservations of an agent to `heir`, which collects those of all erased agents of the workspace.
    pub(super) fn bequeath(&mut self, agent: &Agent, heir: Agent) {
        let Some(data) = self.agents_data.get_mut(agent) else { return };
        let (usage, reservations) = (std::mem::take(&mut data.usage), std::mem::take(&mut data.reservations));
        let heir = self.agents_data.entry(heir).or_default();
        heir.reservations.extend(reservations);
        for (key, spent) in usage {
            let sum = heir.usage.entry(key).or_insert(Usage {
                calls: 0,
                tokens_in: 0,
                cache: CacheTokens::default(),
                tokens_out: 0,
                ..spent.clone()
            });
            sum.calls += spent.calls;
            sum.tokens_in += spent.tokens_in;
            sum.cache += spent.cache;
            sum.tokens_out += spent.tokens_out;
        }
    }

    /// Returns the agent under which a reservation is stored: the agent itself, or the heir of the workspace if the agent was
    /// erased meanwhile.
    fn holder(&self, agent: &Agent, reservation: Option<u64>) -> Result<Agent> {
        let heir = Agent::erased(agent.workspace())?;
        let held = self.agents_data.get(&heir).zip(reservation);
        let is_held = held.is_some_and(|(data, number)| data.reservations.contains_key(&number));
        Ok(if is_held { heir } else { agent.clone() })
    }
}

pub(super) fn book_to_key(key_usage: &mut KeyUsage, reply: &Reply, now: Timestamp) {
    if let Some(id) = &reply.access_key {
        *key_usage.entry((id.clone(), budget_day(now))).or_default() += reply.tokens_in + reply.tokens_out;
    }
}

impl AgentData {
    /// Returns the tokens of a day's budget that are used or reserved.
    fn spent(&self, day: Date, is_rerank: bool) -> u64 {
        let used =
            self.usage.values().filter(|usage| usage.day == day && (usage.purpose == Purpose::Rerank) == is_rerank);
        let reserved = self.reservations.values().filter(|of| of.day == day && of.is_rerank == is_rerank);
        used.map(|usage| usage.tokens_in + usage.tokens_out).chain(reserved.map(|of| of.tokens)).sum()
    }

    /// Saves a reply unless something was erased since its input was read.
    pub(super) fn keep(&mut self, reply: Reply, now: Timestamp) {
        if self.erased < reply.read_seq {
            self.replies.insert(reply.key, (reply.text, now));
        }
    }

    pub(super) fn book(&mut self, reply: &Reply, batch: bool, now: Timestamp) {
        if let Some(reservation) = reply.reservation {
            self.reservations.remove(&reservation);
        }
        let (day, purpose, model) = (utc_day(now), reply.purpose, reply.model.clone());
        let none = Usage {
            day,
            purpose,
            model: model.clone(),
            batch,
            calls: 0,
            tokens_in: 0,
            cache: CacheTokens::default(),
            tokens_out: 0,
        };
        let usage = self.usage.entry((day, purpose, model, batch)).or_insert(none);
        usage.calls += 1;
        usage.tokens_in += reply.tokens_in;
        usage.cache += reply.cache;
        usage.tokens_out += reply.tokens_out;
    }
}
