//! Port `Replies`: saved model answers, and the cost of models.

use annals_core::ports::Replies;
use annals_core::{Agent, Digest, Reply, Result, Timestamp, Usage};
use async_trait::async_trait;

use super::MemoryCatalog;
use super::agent_data::AgentData;
use crate::builders::utc_day;

#[async_trait]
impl Replies for MemoryCatalog {
    async fn reply(&self, agent: &Agent, key: &Digest) -> Result<Option<String>> {
        self.read(agent, |data| data.replies.get(key).map(|(text, _)| text.clone()))
    }

    async fn save_reply(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()> {
        self.write(agent, |data, _| {
            data.book(&reply, now);
            if data.erased < reply.read_seq {
                data.replies.insert(reply.key, (reply.text, now));
            }
        })
    }

    async fn charge(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()> {
        self.write(agent, |data, _| data.book(&reply, now))
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

    async fn usage_of_all(&self, day: Timestamp) -> Result<Vec<(Agent, Usage)>> {
        let state = self.state();
        let all = state
            .agents_data
            .iter()
            .flat_map(|(agent, data)| data.usage.values().map(|usage| (agent.clone(), usage.clone())));
        Ok(all.filter(|(_, usage)| usage.day == utc_day(day)).collect())
    }
}

impl AgentData {
    fn book(&mut self, reply: &Reply, now: Timestamp) {
        let (day, purpose, model) = (utc_day(now), reply.purpose, reply.model.clone());
        let none = Usage { day, purpose, model: model.clone(), calls: 0, tokens_in: 0, tokens_out: 0 };
        let usage = self.usage.entry((day, purpose, model)).or_insert(none);
        usage.calls += 1;
        usage.tokens_in += reply.tokens_in;
        usage.tokens_out += reply.tokens_out;
    }
}
