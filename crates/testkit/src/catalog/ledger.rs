//! Port `Ledger`: which periods have a summary, which failed, and what each was made from.

use annals_core::ports::Ledger;
use annals_core::{Agent, Date, Error, Grain, Kind, LedgerRow, Memory, Period, Result, Summary, Timestamp};
use async_trait::async_trait;

use super::MemoryCatalog;

#[async_trait]
impl Ledger for MemoryCatalog {
    async fn ledger(&self, agent: &Agent) -> Result<Vec<LedgerRow>> {
        self.read(agent, |data| data.ledger.values().cloned().collect())
    }

    async fn failures(&self, limit: usize) -> Result<Vec<(Agent, LedgerRow)>> {
        let state = self.state();
        let rows = state.agents_data.iter().flat_map(|(agent, data)| {
            let failed = data.ledger.values().filter(|row| row.last_error.is_some());
            failed.map(|row| (agent.clone(), row.clone()))
        });
        Ok(rows.take(limit).collect())
    }

    async fn pruned_until(&self, agent: &Agent, grain: Grain) -> Result<Option<Date>> {
        self.read(agent, |data| {
            let sealed = data.ledger.values().filter(|row| row.sealed).map(|row| row.period);
            sealed.filter(|period| Some(period.grain()) == grain.coarser()).map(|period| period.cover_days().1).max()
        })
    }

    async fn inputs(&self, agent: &Agent, period: Period) -> Result<Vec<Memory>> {
        self.read(agent, |data| {
            data.select(|memory| match memory.kind() {
                Kind::Turn => memory.period == period,
                Kind::Statement | Kind::Passage => false,
                Kind::Summary => memory.period.parent() == Some(period),
            })
        })
    }

    async fn save_summaries(&self, agent: &Agent, summaries: Vec<Summary>, now: Timestamp) -> Result<()> {
        self.write(agent, |data, seq| {
            let rolled_up = |period| data.ledger.get(&period).map(LedgerRow::rolled_up).unwrap_or_default();
            if let Some(stale) = summaries.iter().find(|summary| rolled_up(summary.period) != summary.replaces) {
                return Err(Error::Stale { what: format!("the summary of {}", stale.period) });
            }
            for summary in summaries {
                data.save(agent, summary, seq, now);
            }
            Ok(())
        })?
    }

    async fn note_failure(
        &self,
        agent: &Agent,
        period: Period,
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        self.write(agent, |data, _| {
            if let Some(row) = data.ledger.get_mut(&period) {
                row.attempts += 1;
                row.failing_since = Some(row.failing_since.map_or(now, |since| since.min(now)));
                row.last_error = Some(error.to_owned());
                row.not_before = Some(not_before);
            }
        })
    }

    async fn note_outage(
        &self,
        agent: &Agent,
        periods: &[Period],
        error: &str,
        not_before: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        self.write(agent, |data, _| {
            for row in data.ledger.values_mut().filter(|row| periods.contains(&row.period)) {
                row.failing_since = Some(row.failing_since.map_or(now, |since| since.min(now)));
                row.last_error = Some(error.to_owned());
                row.not_before = Some(not_before);
            }
        })
    }
}
