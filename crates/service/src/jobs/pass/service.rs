//! The pass over a [`Service`], under its agent locks, so that jobs, requests and erasures take turns.

use std::sync::Arc;

use annals_core::{Agent, Result, Timestamp};
use annals_writer::{ExtractionPassed, Projected};
use async_trait::async_trait;

use super::{Exclusive, Pass, ShouldStop, Tables as TableWork};
use crate::jobs::RoundRobin;
use crate::locks::{AgentLocks, Extraction, Facts, Held, History, RollUp, Tables};
use crate::{Parts, Service};

impl Pass {
    /// Creates a pass over this service.
    pub fn of(service: &Service) -> Pass {
        Pass { locks: service.locks().clone(), ..Pass::over(&service.parts, Arc::new(service.clone())) }
    }

    /// Creates a pass that updates tables without locks, for a process in which no other task writes them.
    pub fn exclusive(parts: &Parts) -> Pass {
        Pass::over(parts, Arc::new(Exclusive::of(parts)))
    }

    fn over(parts: &Parts, tables: Arc<dyn TableWork>) -> Pass {
        Pass {
            store: parts.store.clone(),
            summarizer: parts.summarizer.clone(),
            retention: parts.retention.clone(),
            tables,
            batching: parts.batching.clone(),
            locks: AgentLocks::default(),
            roll_ups: RoundRobin::default(),
            prunings: RoundRobin::default(),
            cleanings: super::FailedCleanings::default(),
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

    async fn pending_cleanings(&self) -> Result<Vec<Agent>> {
        self.parts.eraser.pending_cleanings().await
    }

    async fn clean(&self, agent: &Agent, roll_up: &mut Held<'_, RollUp>, now: Timestamp) -> Result<bool> {
        // A model may hold this lock for minutes; the next round tries again.
        let Some(mut reader) = roll_up.try_then::<Extraction>() else { return Ok(false) };
        let mut history = reader.then::<History>().await;
        let mut facts = history.then::<Facts>().await;
        let _tables = facts.then::<Tables>().await;
        self.parts.eraser.clean(agent, now).await.map(|()| true)
    }
}
