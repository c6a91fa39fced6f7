//! Verifying an agent: is every day covered, is every table what the catalog says. What `annals verify` prints, and what the job
//! mends. Changes nothing but through [`Service::mend`].

use std::collections::HashSet;

use annals_core::{Agent, Grain, Period, Result, Timestamp};
use annals_summarizer::Gap;
use annals_writer::Discrepancy;

use crate::Service;
use crate::locks::{Facts, Tables};

/// What is wrong with an agent's memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Days that are missing in summaries, and that nothing is about to bring there.
    pub gaps: Vec<Gap>,
    /// Days that are missing in summaries because one of theirs is still to be written: work, not a fault.
    pub unwritten: Vec<Gap>,
    /// Rows of tables that are not what the catalog says.
    pub tables: Vec<Discrepancy>,
    /// Whether the table of facts is not what follows from the log.
    pub facts_differ: bool,
}

impl Verified {
    /// Whether every table is as it should be.
    pub fn tables_are_sound(&self) -> bool {
        self.tables.is_empty() && !self.facts_differ
    }
}

impl Service {
    /// Compares the agent's summaries, tables and facts with the catalog. Nobody writes them meanwhile.
    pub async fn verify(&self, agent: &Agent, now: Timestamp) -> Result<Verified> {
        let mut facts = self.locks.lock::<Facts>(agent).await;
        let _tables = facts.then::<Tables>().await;
        let ledger = self.catalog.ledger(agent).await?;
        let dirty: HashSet<Period> = ledger.iter().filter(|row| row.is_dirty()).map(|row| row.period).collect();
        let waits = |gap: &Gap| Grain::SUMMARIES.iter().any(|grain| dirty.contains(&gap.day.ancestor(*grain)));
        let (unwritten, gaps) = self.summarizer.coverage(agent, now).await?.into_iter().partition(waits);
        let tables = self.writer.audit(agent).await?;
        let facts_differ = self.fact_writer.facts_differ(agent).await?;
        Ok(Verified { gaps, unwritten, tables, facts_differ })
    }

    /// Makes anew from the catalog what was found not to be what that says.
    pub async fn mend(&self, agent: &Agent, found: &Verified, now: Timestamp) -> Result<()> {
        let mut facts = self.locks.lock::<Facts>(agent).await;
        let _tables = facts.then::<Tables>().await;
        if found.facts_differ {
            self.fact_writer.refold(agent).await?;
        }
        // Only these: embedding all turns anew takes a hundred times as long as all weeks.
        for grain in Grain::ALL.into_iter().filter(|grain| found.tables.iter().any(|table| table.grain() == *grain)) {
            self.writer.rebuild(agent, grain, now, &|_| ()).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use annals_core::ports::Table;
    use annals_testkit::{agent, at, message};

    use super::*;
    use crate::fixture::{NOW, told};

    #[tokio::test]
    async fn tables_that_are_not_what_the_catalog_says_are_found_and_mended() {
        let me = agent("a");
        let service = told(&me).await;
        assert_eq!(service.verify(&me, at(NOW)).await.unwrap(), Verified::default());
        let generation = service.catalog.lane(&me, Grain::Daily).await.unwrap().generation;
        service.strata.remove(&Table { agent: me.clone(), grain: Grain::Daily, generation }).await.unwrap();
        let version = service.facts.version(&me).await.unwrap();
        service.facts.replace(&me, Vec::new(), version).await.unwrap();
        let found = service.verify(&me, at(NOW)).await.unwrap();
        assert!(found.facts_differ && !found.tables_are_sound());
        assert_eq!(found.tables, [Discrepancy::Damaged(Grain::Daily, "it is missing".into())]);
        service.mend(&me, &found, at(NOW)).await.unwrap();
        assert_eq!(service.verify(&me, at(NOW)).await.unwrap(), Verified::default());
        let generation = async |grain| service.catalog.lane(&me, grain).await.unwrap().generation;
        assert_eq!((generation(Grain::Working).await, generation(Grain::Daily).await), (0, 1), "what is sound stays");
    }

    #[tokio::test]
    async fn what_is_about_to_be_written_is_told_from_what_is_missing() {
        let me = agent("a");
        let service = told(&me).await;
        let late = vec![message("2026-03-05T10:00:00Z", "Bob called.")];
        service.writer.ingest(&me, late, false, at(NOW)).await.unwrap();
        let found = service.verify(&me, at(NOW)).await.unwrap();
        assert_eq!(found.gaps, []);
        let unwritten: Vec<_> = found.unwritten.iter().map(|gap| format!("{}@{}", gap.day, gap.period)).collect();
        assert_eq!(unwritten, ["2026-03-05@2026-03-05", "2026-03-05@2026-W10"]);
    }
}
