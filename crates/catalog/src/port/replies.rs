//! Implements port `Replies`.

use annals_core::ports::Replies;
use annals_core::{Agent, Digest, Reply, Result, Timestamp, Usage};
use async_trait::async_trait;

use crate::{SqliteCatalog, replies};

#[async_trait]
impl Replies for SqliteCatalog {
    async fn reply(&self, agent: &Agent, key: &Digest) -> Result<Option<String>> {
        let (agent, key) = (agent.clone(), *key);
        self.thread.read("reading a saved model answer", move |c| replies::reply(c, &agent, &key)).await
    }

    async fn save_reply(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()> {
        let agent = agent.clone();
        self.thread.write("saving a model answer", move |c| replies::save(c, &agent, &reply, now)).await
    }

    async fn charge(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()> {
        let agent = agent.clone();
        self.thread.write("saving a cost", move |c| replies::charge(c, &agent, &reply, now)).await
    }

    async fn drop_replies(&self, agent: &Agent, before: Timestamp) -> Result<u64> {
        let agent = agent.clone();
        self.thread.write("deleting saved model answers", move |c| replies::drop_before(c, &agent, before)).await
    }

    async fn usage(&self, agent: &Agent, since: Timestamp) -> Result<Vec<Usage>> {
        let agent = agent.clone();
        self.thread.read("reading costs", move |c| replies::usage(c, &agent, since)).await
    }

    async fn usage_of_all(&self, day: Timestamp) -> Result<Vec<(Agent, Usage)>> {
        self.thread.read("reading the costs of all agents", move |c| replies::usage_of_all(c, day)).await
    }
}
