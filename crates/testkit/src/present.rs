//! Writes over the present state of a store: reads it first, as every writer has to.

use annals_core::ports::Watermark;
use annals_core::{Agent, Catalog, Grain, Summary};

/// Replaces the projection state of a table, whatever it is.
pub async fn set_watermark(catalog: &dyn Catalog, agent: &Agent, grain: Grain, watermark: Watermark) {
    let read = catalog.watermark(agent, grain).await.unwrap();
    catalog.save_watermark(agent, grain, read, watermark).await.unwrap();
}

/// Returns the summary as one that replaces the period's present roll-up.
pub async fn replacing(catalog: &dyn Catalog, agent: &Agent, summary: Summary) -> Summary {
    let rows = catalog.ledger(agent).await.unwrap();
    let row = rows.into_iter().find(|row| row.period == summary.period);
    Summary { replaces: row.map(|row| row.rolled_up()).unwrap_or_default(), ..summary }
}
