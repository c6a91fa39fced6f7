//! The pass over a [`Service`], under its agent locks, so that jobs, requests and erasures take turns.

use annals_core::{Agent, Result, Timestamp};
use annals_writer::{ExtractionPassed, Projected};
use async_trait::async_trait;

use super::{Pass, ShouldStop, Tables as TableWork};
use crate::Service;
use crate::jobs::RoundRobin;
use crate::locks::{Extraction, Facts, Held, History, RollUp, Tables};

impl Pass {
    /// Creates a pass over this service.
    pub fn of(service: &Service) -> Pass {
        Pass {
            store: service.store.clone(),
            summarizer: service.summarizer.clone(),
            retention: service.retention.clone(),
            tables: std::sync::Arc::new(service.clone()),
            locks: service.locks().clone(),
            roll_ups: RoundRobin::default(),
            prunings: RoundRobin::default(),
            cleanings: super::Backoff::default(),
        }
    }
}

#[async_trait]
impl TableWork for Service {
    async fn read_for_facts(
        &self,
        agent: &Agent,
        _: Timestamp,
        should_stop: ShouldStop<'_>,
    ) -> Result<ExtractionPassed> {
        self.read_for_facts_if_free(agent, should_stop).await
    }

    async fn make_searchable(&self, agent: &Agent, _: Timestamp) -> Result<Projected> {
        self.make_searchable_if_free(agent).await
    }

    async fn owed(&self) -> Result<Vec<Agent>> {
        self.eraser.owed().await
    }

    async fn clean(&self, agent: &Agent, roll_up: &mut Held<'_, RollUp>, now: Timestamp) -> Result<bool> {
        // A model may hold this lock for minutes; the next round tries again.
        let Some(mut reader) = roll_up.try_then::<Extraction>() else { return Ok(false) };
        let mut history = reader.then::<History>().await;
        let mut facts = history.then::<Facts>().await;
        let _tables = facts.then::<Tables>().await;
        self.eraser.clean(agent, now).await.map(|()| true)
    }
}
