//! Verification of an agent: every day is covered, and every table agrees with the catalog. `annals verify` prints the
//! result, and the job rebuilds tables that differ. Only [`Service::rebuild_damaged`] changes anything.

use std::collections::HashSet;

use annals_core::{Agent, Grain, Period, Result, Timestamp};
use annals_summarizer::Gap;
use annals_writer::Discrepancy;

use crate::Service;
use crate::locks::{Facts, Tables};
use crate::wire::{AgentVerification, DiscrepancyView, MissingDay, NotYetDueView, VerifyAnswer};

/// The differences found in an agent's memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Days that are missing in summaries although no summary that should cover them is still to be written.
    pub gaps: Vec<Gap>,
    /// Days that are missing in summaries because a summary is still to be written. This is pending work, not a fault.
    pub unwritten: Vec<Gap>,
    /// Rows of tables that differ from the catalog, and damaged tables.
    pub tables: Vec<Discrepancy>,
    /// Whether the table of facts differs from the fact log.
    pub facts_differ: bool,
}

impl Verified {
    /// Returns whether every table agrees with the catalog.
    pub(crate) fn tables_are_sound(&self) -> bool {
        self.tables.is_empty() && !self.facts_differ
    }
}

impl Service {
    /// Checks that the summaries of closed periods cover every day with content, and that the agent's tables and facts agree
    /// with the catalog. Holds the agent's locks of facts and tables meanwhile.
    pub async fn verify(&self, agent: &Agent, now: Timestamp) -> Result<Verified> {
        let mut facts = self.locks.lock::<Facts>(agent).await;
        let _tables = facts.then::<Tables>().await;
        let ledger = self.parts.store.ledger(agent).await?;
        let dirty: HashSet<Period> = ledger.iter().filter(|row| row.is_dirty()).map(|row| row.period).collect();
        let waits = |gap: &Gap| Grain::SUMMARIES.iter().any(|grain| dirty.contains(&gap.day.ancestor(*grain)));
        let (unwritten, gaps) = self.parts.summarizer.coverage(agent, now).await?.into_iter().partition(waits);
        let tables = self.parts.writer.audit(agent).await?;
        let facts_differ = self.parts.fact_writer.facts_differ(agent).await?;
        Ok(Verified { gaps, unwritten, tables, facts_differ })
    }

    /// Checks the integrity of the catalog, and verifies each of these agents. A day counts as missing also if its summary is
    /// due and not written yet. A day of a period that still waits for late messages does not.
    pub(crate) async fn verify_agents(&self, agents: &[Agent], now: Timestamp) -> Result<VerifyAnswer> {
        let catalog = self.check_catalog().await?;
        let mut answer = VerifyAnswer { sound: catalog.is_empty(), catalog, agents: Vec::new() };
        for agent in agents {
            let Verified { mut gaps, unwritten, tables, facts_differ } = self.verify(agent, now).await?;
            let waiting = self.parts.summarizer.not_yet_due(agent, now).await?;
            let waits = |gap: &Gap| waiting.iter().any(|(period, _)| gap.day.ancestor(period.grain()) == *period);
            gaps.extend(unwritten.into_iter().filter(|gap| !waits(gap)));
            gaps.sort();
            answer.sound &= gaps.is_empty() && tables.is_empty() && !facts_differ;
            let models = self.parts.writer.models(agent).await?;
            answer.agents.push(AgentVerification {
                agent: agent.name().to_owned(),
                memories: self.parts.store.counts(agent).await?.memories.iter().sum(),
                missing_days: gaps.iter().map(MissingDay::from).collect(),
                not_yet_due: waiting.into_iter().map(NotYetDueView::from).collect(),
                tables: tables.iter().map(DiscrepancyView::from).collect(),
                facts_differ,
                models: models.into_iter().map(|(grain, model)| (grain.to_string(), model)).collect(),
                reembedding: self.reembedding(agent).await?,
            });
        }
        Ok(answer)
    }

    /// Returns descriptions of the damage that the integrity check of the catalog finds; none if it is sound.
    pub(crate) async fn check_catalog(&self) -> Result<Vec<String>> {
        self.parts.store.check().await
    }

    /// Rebuilds from the catalog the tables that [`Service::verify`] found to differ, and the table of facts if it differs.
    pub async fn rebuild_damaged(&self, agent: &Agent, found: &Verified, now: Timestamp) -> Result<()> {
        let mut facts = self.locks.lock::<Facts>(agent).await;
        let _tables = facts.then::<Tables>().await;
        if found.facts_differ {
            self.parts.fact_writer.refold(agent).await?;
        }
        // Only these grains: embedding all turns again takes a hundred times as long as all weeks.
        for grain in Grain::ALL.into_iter().filter(|grain| found.tables.iter().any(|table| table.grain() == *grain)) {
            self.parts.writer.rebuild(agent, grain, now, &|_| ()).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use annals_core::ports::{OnConflict, Table};
    use annals_testkit::{agent, at, message};

    use super::*;
    use crate::fixture::{NOW, service_with_memories};

    #[tokio::test]
    async fn tables_that_differ_from_the_catalog_are_found_and_rebuilt() {
        let me = agent("a");
        let service = service_with_memories(&me).await;
        assert_eq!(service.verify(&me, at(NOW)).await.unwrap(), Verified::default());
        let generation = service.parts.store.watermark(&me, Grain::Daily).await.unwrap().generation;
        service.parts.strata.remove(&Table { agent: me.clone(), grain: Grain::Daily, generation }).await.unwrap();
        let version = service.parts.facts.version(&me).await.unwrap();
        service.parts.facts.replace(&me, Vec::new(), version).await.unwrap();
        let found = service.verify(&me, at(NOW)).await.unwrap();
        assert!(found.facts_differ && !found.tables_are_sound());
        assert_eq!(found.tables, [Discrepancy::Damaged(Grain::Daily, "it is missing".into())]);
        service.rebuild_damaged(&me, &found, at(NOW)).await.unwrap();
        assert_eq!(service.verify(&me, at(NOW)).await.unwrap(), Verified::default());
        let generation = async |grain| service.parts.store.watermark(&me, grain).await.unwrap().generation;
        assert_eq!((generation(Grain::Working).await, generation(Grain::Daily).await), (0, 1), "what is sound stays");
    }

    #[tokio::test]
    async fn pending_days_are_unwritten_and_not_gaps() {
        let me = agent("a");
        let service = service_with_memories(&me).await;
        let late = vec![message("2026-03-05T10:00:00Z", "Bob called.")];
        service.parts.writer.ingest(&me, late, OnConflict::Refuse, at(NOW)).await.unwrap();
        let found = service.verify(&me, at(NOW)).await.unwrap();
        assert_eq!(found.gaps, []);
        let unwritten: Vec<_> = found.unwritten.iter().map(|gap| format!("{}@{}", gap.day, gap.period)).collect();
        assert_eq!(unwritten, ["2026-03-05@2026-03-05", "2026-03-05@2026-W10"]);
    }
}
