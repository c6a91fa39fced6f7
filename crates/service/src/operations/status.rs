//! The status of an agent, in full and as a line for a list of agents.

use std::collections::BTreeMap;

use annals_core::{Agent, Grain, LedgerRow, Period, Result, SignedDuration, Timestamp, Zones};

use crate::Service;
use crate::metrics::Pipeline;
use crate::wire::{AgentView, FailureView, GrainStatus, ModelView, StatusView, UngroundedView, UsageView};

const A_MONTH: SignedDuration = SignedDuration::from_hours(30 * 24);

impl Service {
    /// Returns what is stored, what is pending, what failed, and the token usage of the last 30 days.
    pub async fn status(&self, agent: &Agent, now: Timestamp) -> Result<StatusView> {
        let settings = self.parts.store.settings(agent).await?;
        let zones = settings.zones()?;
        let counts = self.parts.store.counts(agent).await?;
        let ledger = self.parts.store.ledger(agent).await?;
        let plan = self.parts.summarizer.plan(agent, false, now).await?;
        let models = self.model_states(&settings);
        let open = self.open_periods(agent, &zones, now).await?;
        let extraction = self.parts.store.extraction(agent).await?;
        let unread = self.parts.store.backlog(agent, Grain::Working, extraction.extracted).await?;
        let requests_left = self.requests_left(&settings, &plan, unread);
        let usage = self.parts.store.usage(agent, now.saturating_sub(A_MONTH).unwrap_or(now)).await?;
        // Without a model no period waits for a batch, even if batches were sent before.
        let in_batch = match &self.parts.batching {
            Some(_) => self.parts.store.in_batch(agent).await?,
            None => Vec::new(),
        };
        let labels = |periods: &[Period]| periods.iter().map(Period::to_string).collect::<Vec<_>>();
        Ok(StatusView {
            agent: agent.name().to_owned(),
            time_zone: settings.present_zone().to_owned(),
            memories: Grain::ALL.iter().zip(counts.memories).map(|(grain, n)| (grain.to_string(), n)).collect(),
            first: counts.extent.map(|extent| extent.0.to_string()),
            last: counts.extent.map(|extent| extent.1.to_string()),
            last_ingest: counts.last_ingest.map(|at| at.to_string()),
            not_yet_searchable: self.parts.writer.backlog(agent).await?,
            index_error: self.queue.failure(agent, Pipeline::Working),
            not_yet_read_for_facts: unread,
            extraction_error: extraction.last_error.or_else(|| self.queue.failure(agent, Pipeline::Extract)),
            grains: grains(&ledger, &open, &zones, now),
            due: labels(&plan.periods),
            in_batch: labels(&in_batch),
            open: labels(&open),
            failed: ledger.iter().filter_map(FailureView::of).collect(),
            degraded: ledger.iter().filter(|row| row.degraded).map(|row| row.period.to_string()).collect(),
            ungrounded: ungrounded(&ledger),
            dead: self.parts.store.dead_letters(agent).await?.len(),
            plan: settings.plan,
            sealed: ledger.iter().filter(|row| row.sealed).count(),
            usage: usage.iter().map(UsageView::from).collect(),
            models: models.into_iter().map(ModelView::from).collect(),
            requests_left: requests_left.map(|left| left.requests),
            seconds_left: requests_left.and_then(|left| left.seconds),
            reembedding: self.reembedding(agent).await?,
        })
    }
}

impl Service {
    /// Returns the size and the state of an agent's memory, for a list of agents. Reads far less than [`Service::status`].
    pub async fn agent_overview(&self, agent: &Agent) -> Result<AgentView> {
        let zones = self.parts.store.settings(agent).await?.zones()?;
        let counts = self.parts.store.counts(agent).await?;
        let ledger = self.parts.store.ledger(agent).await?;
        let having = |has: fn(&LedgerRow) -> bool| ledger.iter().filter(|row| has(row)).count() as u64;
        Ok(AgentView {
            agent: agent.name().to_owned(),
            turns: counts.memories[Grain::Working as usize],
            summaries: counts.memories[Grain::Daily as usize..].iter().sum(),
            first: counts.extent.map(|extent| zones.day_of(extent.0)),
            last: counts.extent.map(|extent| zones.day_of(extent.1)),
            last_ingest: counts.last_ingest,
            not_yet_searchable: self.parts.writer.backlog(agent).await?,
            failed: having(|row| row.is_dirty() && row.attempts > 0),
            degraded: having(|row| row.degraded),
        })
    }
}

fn ungrounded(ledger: &[LedgerRow]) -> Vec<UngroundedView> {
    let rows = ledger.iter().filter(|row| row.ungrounded > 0 && !row.is_corrected());
    rows.map(|row| UngroundedView { period: row.period.to_string(), faults: row.ungrounded }).collect()
}

fn grains(ledger: &[LedgerRow], open: &[Period], zones: &Zones, now: Timestamp) -> Vec<GrainStatus> {
    let mut rows: BTreeMap<Grain, Vec<&LedgerRow>> = BTreeMap::new();
    for row in ledger {
        rows.entry(row.period.grain()).or_default().push(row);
    }
    let status = |grain: Grain| {
        let rows = rows.remove(&grain).unwrap_or_default();
        let written = rows.iter().filter(|row| row.input_digest.is_some()).map(|row| row.period).max();
        let stale = rows.iter().filter(|row| row.is_dirty() && zones.cover(row.period).end <= now).count();
        let closing = open.iter().filter(|period| period.grain() == grain).map(|period| zones.cover(*period).end);
        GrainStatus {
            grain: grain.to_string(),
            last_period: written.map(|period| period.to_string()),
            stale: stale as u64,
            next_close: closing.min().map(|at| at.to_string()),
        }
    };
    Grain::SUMMARIES.map(status).to_vec()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_core::ports::{OnConflict, Target};
    use annals_testkit::{agent, at, message};

    use crate::fixture::service;

    #[tokio::test]
    async fn last_ingest_moves_with_messages_alone() {
        let (me, service) = (agent("me"), service(Arc::new(|| at("2026-03-10T12:00:00Z"))));
        let last = async || service.status(&me, at("2026-03-10T12:00:00Z")).await.unwrap().last_ingest;
        assert_eq!(last().await, None);
        let messages = vec![message("2026-03-04T10:00:00Z", "tea"), message("2026-03-05T10:00:00Z", "cake")];
        let arrival = at("2026-03-06T08:00:00Z");
        service.parts.writer.ingest(&me, messages.clone(), OnConflict::Refuse, arrival).await.unwrap();
        service.parts.summarizer.pass(&me, at("2026-03-10T11:00:00Z"), &|_| ()).await.unwrap();
        let expect = Some(arrival.to_string());
        assert_eq!(last().await, expect, "after a roll-up");
        service.parts.writer.ingest(&me, messages, OnConflict::Refuse, at("2026-03-10T11:10:00Z")).await.unwrap();
        assert_eq!(last().await, expect, "after messages that were known");
        let id = service.parts.store.inputs(&me, annals_testkit::period("2026-03-05")).await.unwrap().remove(0).id;
        service.parts.store.erase(&me, &Target::Memories(vec![id]), at("2026-03-10T11:20:00Z")).await.unwrap();
        assert_eq!(last().await, expect, "after a forgetting");
    }
}
