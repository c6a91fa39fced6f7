//! Compares tables with the catalog row by row, and repairs damaged tables.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::{Select, Stored, Table, Watermark};
use annals_core::{Agent, Error, Grain, MemoryId, Result, Stage, Timestamp};

use crate::Writer;

/// A difference between a table and the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discrepancy {
    /// A memory of the catalog that the table lacks, although its change was applied and it is not a dead letter.
    Missing(Grain, MemoryId),
    /// A row of a memory that the catalog does not have.
    Extra(Grain, MemoryId),
    /// A row made from another version of the memory, although the change of the present one was applied.
    Stale(Grain, MemoryId),
    /// The table cannot be read.
    Damaged(Grain, String),
}

impl Discrepancy {
    pub fn grain(&self) -> Grain {
        match self {
            Discrepancy::Missing(grain, _)
            | Discrepancy::Extra(grain, _)
            | Discrepancy::Stale(grain, _)
            | Discrepancy::Damaged(grain, _) => *grain,
        }
    }
}

impl Writer {
    /// Returns the differences between an agent's tables and the catalog. Reads every row.
    pub async fn audit(&self, agent: &Agent) -> Result<Vec<Discrepancy>> {
        let mut found = Vec::new();
        for grain in Grain::ALL {
            found.extend(self.audit_grain(agent, grain).await?);
        }
        Ok(found)
    }

    pub(crate) async fn audit_grain(&self, agent: &Agent, grain: Grain) -> Result<Vec<Discrepancy>> {
        match self.read_table(agent, grain).await {
            Ok(rows) => self.compare(agent, grain, &rows).await,
            Err(Error::Damaged { why, .. }) => Ok(vec![Discrepancy::Damaged(grain, why)]),
            Err(error) => Err(error),
        }
    }

    /// Reads every row of the present table. Returns [`Error::Damaged`] if it cannot be read or is missing.
    async fn read_table(&self, agent: &Agent, grain: Grain) -> Result<Vec<Stored>> {
        let Watermark { generation, applied, .. } = self.store.watermark(agent, grain).await?;
        let table = Table { agent: agent.clone(), grain, generation };
        self.strata.require(&table, applied).await?;
        self.strata.scan(&table).await
    }

    /// Moves every unreadable table aside, and rebuilds these and the missing ones. Returns where the damaged ones were moved.
    pub async fn rebuild_damaged(&self, agent: &Agent, now: Timestamp) -> Result<Vec<String>> {
        let mut paths = Vec::new();
        for grain in Grain::ALL {
            if let Err(Error::Damaged { .. }) = self.read_table(agent, grain).await {
                let watermark = self.store.watermark(agent, grain).await?;
                paths.extend(self.put_aside(agent, grain, watermark).await?);
            }
        }
        self.project(agent, now, &|_| ()).await?;
        Ok(paths)
    }

    pub(crate) async fn table(&self, agent: &Agent, grain: Grain) -> Result<Table> {
        let generation = self.store.watermark(agent, grain).await?.generation;
        Ok(Table { agent: agent.clone(), grain, generation })
    }

    async fn compare(&self, agent: &Agent, grain: Grain, rows: &[Stored]) -> Result<Vec<Discrepancy>> {
        let letters = self.store.dead_letters(agent).await?.into_iter();
        let dead: BTreeSet<MemoryId> =
            letters.filter(|letter| letter.stage == Stage::Table).map(|letter| letter.memory).collect();
        let applied = self.store.watermark(agent, grain).await?.applied;
        let select = Select::rows(grain);
        let memories = self.store.list(agent, &select).await?;
        let mut seqs: BTreeMap<MemoryId, u64> = memories.into_iter().map(|memory| (memory.id, memory.seq)).collect();
        let held: BTreeMap<&MemoryId, u64> = rows.iter().map(|row| (&row.memory, row.seq)).collect();
        let mut found = Vec::new();
        for (memory, seq) in held {
            match seqs.remove(memory) {
                None => found.push(Discrepancy::Extra(grain, memory.clone())),
                Some(truth) if truth != seq && truth <= applied => {
                    found.push(Discrepancy::Stale(grain, memory.clone()));
                }
                Some(_) => {}
            }
        }
        let missing = seqs.into_iter().filter(|(memory, seq)| *seq <= applied && !dead.contains(memory));
        found.extend(missing.map(|(memory, _)| Discrepancy::Missing(grain, memory)));
        Ok(found)
    }
}
