//! State that open pages poll: change markers, failed periods, and the health of the process.

use annals_core::{Agent, Digest, Result, Timestamp};

use crate::Service;
use crate::locks::Lock;
use crate::wire::{AgentFailure, FailureView, HealthView};

impl Service {
    /// Returns a marker that changes whenever a memory of the agent changes, its backlog changes, a roll-up begins or ends, or
    /// an import makes progress. Reads a few rows by their keys.
    pub async fn pulse(&self, agent: &Agent) -> Result<String> {
        let change = self.parts.store.last_change(agent).await?;
        let waiting = self.parts.store.agent_state(agent).await?.waiting;
        let is_rolling_up = self.locks.is_held(agent, Lock::RollUp);
        let parts = [format!("{change} {waiting} {is_rolling_up}"), self.pulse_of_imports(Some(agent))];
        Ok(Digest::of(parts).to_string()[..16].to_owned())
    }

    /// Returns a marker that changes whenever this process accepts a message of any agent, or an import makes progress.
    pub fn pulse_of_all(&self) -> String {
        format!("{} {}", self.metrics.accepted_messages(), self.pulse_of_imports(None))
    }

    /// Returns a marker that changes with the progress of any import of the agent; of any agent if `agent` is `None`.
    fn pulse_of_imports(&self, agent: Option<&Agent>) -> String {
        let views = self.present_uploads(agent);
        views.iter().map(|view| format!("{} {:?} {}\n", view.operation_id, view.status, view.bytes_read)).collect()
    }

    /// Returns at most `limit` periods of all agents that failed in the last roll-up or have to wait.
    pub async fn all_failures(&self, limit: usize) -> Result<Vec<AgentFailure>> {
        let rows = self.parts.store.failures(limit).await?;
        let view = |(agent, row): &(Agent, _)| {
            let failure = FailureView::of(row)?;
            Some(AgentFailure { workspace: agent.workspace().to_owned(), agent: agent.name().to_owned(), failure })
        };
        Ok(rows.iter().filter_map(view).collect())
    }

    /// Returns the health of the process. Never fails: a store that does not answer is reported in the result.
    pub async fn health(&self, now: Timestamp) -> HealthView {
        let (disk_free, disk_low) = (self.disk_free(), self.disk_low());
        let view = HealthView { disk_free, disk_low, ..HealthView::default() };
        if let Err(error) = self.check_ready().await {
            return HealthView { error: Some(error.to_string()), ..view };
        }
        match self.parts.store.totals(now).await {
            Ok(totals) => HealthView {
                not_yet_searchable: totals.unsearchable(),
                due: totals.due,
                failed: totals.failed,
                dead: totals.dead_letters,
                ..view
            },
            Err(error) => HealthView { error: Some(error.to_string()), ..view },
        }
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::{agent, at, message, period};

    use crate::fixture::{NOW, ingest, service_with_memories};

    #[tokio::test]
    async fn pulse_changes_with_memories_alone() {
        let (ann, bob) = (agent("ann"), agent("bob"));
        let service = service_with_memories(&ann).await;
        let (before, before_all) = (service.pulse(&ann).await.unwrap(), service.pulse_of_all());
        ingest(&service, &bob, vec![message("2026-03-04T10:00:00Z", "tea")]).await;
        assert_eq!(service.pulse(&ann).await.unwrap(), before);
        assert_ne!(service.pulse_of_all(), before_all);
        ingest(&service, &ann, vec![message("2026-03-04T11:00:00Z", "cake")]).await;
        assert_ne!(service.pulse(&ann).await.unwrap(), before);
    }

    #[tokio::test]
    async fn failures_name_their_agent_and_count_for_health() {
        let ann = agent("ann");
        let service = service_with_memories(&ann).await;
        let day = period("2026-03-04");
        service.parts.store.note_failure(&ann, day, "no model", at(NOW), at(NOW)).await.unwrap();
        let found = service.all_failures(9).await.unwrap().remove(0);
        assert_eq!((found.agent.as_str(), found.failure.period.as_str()), ("ann", "2026-03-04"));
        let health = service.health(at(NOW)).await;
        assert_eq!((health.failed, health.error), (1, None));
    }
}
