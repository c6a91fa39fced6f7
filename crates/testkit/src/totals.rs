//! Sums over all agents, computed agent by agent with the queries for one agent. A reference for stores that compute the sums
//! in another way.

use annals_core::ports::{Backlog, Catalog, Journal, Totals};
use annals_core::{Grain, Result, Timestamp};

/// Adds up what a store returns for each of its agents.
pub async fn totals_of_each(store: &(impl Catalog + Journal + ?Sized), now: Timestamp) -> Result<Totals> {
    let mut totals = Totals::default();
    for agent in store.all_agents().await? {
        let zones = store.settings(&agent).await?.zones()?;
        for (sum, number) in totals.memories.iter_mut().zip(store.counts(&agent).await?.memories) {
            *sum += number;
        }
        totals.dead_letters += store.dead_letters(&agent).await?.len() as u64;
        for row in store.ledger(&agent).await? {
            totals.failed += u64::from(row.last_error.is_some());
            totals.degraded += u64::from(row.degraded);
            if row.is_dirty() {
                totals.count_dirty(row.period, row.input_digest.is_some(), &zones, now);
            }
        }
        let applied = store.watermark(&agent, Grain::Working).await?.applied;
        let extracted = store.extraction(&agent).await?.extracted;
        let unsearchable = store.backlog(&agent, Grain::Working, applied).await?;
        let unread = store.backlog(&agent, Grain::Working, extracted).await?;
        if unsearchable + unread > 0 {
            totals.backlogs.push(Backlog { agent, applied, unsearchable, extracted, unread });
        }
    }
    Ok(totals)
}
