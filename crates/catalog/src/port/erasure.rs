//! Port `Erasure`.

use annals_core::ports::{Erasure, Reach, Target};
use annals_core::{Agent, Digest, Result, Timestamp, TurnKey};
use async_trait::async_trait;

use crate::{SqliteCatalog, cleaning, erasure, forgotten, scrub};

#[async_trait]
impl Erasure for SqliteCatalog {
    async fn reach(&self, agent: &Agent, target: &Target) -> Result<Reach> {
        let (agent, target) = (agent.clone(), target.clone());
        // It changes things and undoes them, so it is a write.
        self.thread.write("looking what is to be forgotten", move |c| erasure::reach(c, &agent, &target)).await
    }

    async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<Reach> {
        let (agent, target) = (agent.clone(), target.clone());
        self.thread.write("forgetting", move |c| erasure::erase(c, &agent, &target, now)).await
    }

    async fn forgotten(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<Vec<bool>> {
        let (agent, messages) = (agent.clone(), messages.to_vec());
        self.thread.read("reading what was forgotten", move |c| forgotten::forgotten(c, &agent, &messages)).await
    }

    async fn unforget(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<()> {
        let (agent, messages) = (agent.clone(), messages.to_vec());
        self.thread.write("admitting what was forgotten", move |c| forgotten::unforget(c, &agent, &messages)).await
    }

    async fn cleaning_owed(&self) -> Result<Vec<(Agent, u64)>> {
        self.thread.read("reading what is to be cleaned", cleaning::owed).await
    }

    async fn cleaned(&self, agent: &Agent, erasure: u64) -> Result<()> {
        let agent = agent.clone();
        self.thread.write("noting that an agent was cleaned", move |c| cleaning::cleaned(c, &agent, erasure)).await
    }

    async fn scrub(&self) -> Result<()> {
        self.thread.alone("rewriting the catalog", scrub::scrub).await
    }

    async fn holds(&self, words: &[String]) -> Result<Vec<String>> {
        let words = words.to_vec();
        self.thread.read("searching the catalog for words", move |c| erasure::holds(c, &words)).await
    }
}
