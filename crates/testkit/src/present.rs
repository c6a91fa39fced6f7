//! States of tables, and functions that replace the present state of a store. Those for watermarks and summaries first read the
//! state that they replace, as every writer has to.

use annals_core::ports::{Block, Blocks, Building, VectorModel, Watermark};
use annals_core::{Agent, Catalog, Grain, Result, Summary};

use crate::WordEmbedder;

/// Returns the state of a table with vectors of the word embedder, while no other generation is being built.
pub fn made(generation: u32, applied: u64) -> Watermark {
    Watermark { generation, applied, model: Some(VectorModel::of(&WordEmbedder::new())), building: None }
}

/// Returns an unfinished generation that is to replace a damaged table, with vectors of the word embedder.
pub fn building(generation: u32, applied: u64) -> Building {
    Building { generation, applied, model: VectorModel::of(&WordEmbedder::new()), urgent: true }
}

/// Replaces the watermark of a table, whatever its present state is.
pub async fn set_watermark(catalog: &dyn Catalog, agent: &Agent, grain: Grain, watermark: Watermark) {
    let read = catalog.watermark(agent, grain).await.unwrap();
    catalog.save_watermark(agent, grain, read, watermark).await.unwrap();
}

/// Returns a summary that replaces the present roll-up of the same period.
pub async fn replacing(catalog: &dyn Catalog, agent: &Agent, summary: Summary) -> Summary {
    let rows = catalog.ledger(agent).await.unwrap();
    let row = rows.into_iter().find(|row| row.period == summary.period);
    Summary { replaces: row.map(|row| row.rolled_up()).unwrap_or_default(), ..summary }
}

/// Stores one block, replacing one of the same name.
pub async fn save_block(store: &(impl Blocks + ?Sized), agent: &Agent, block: Block) -> Result<()> {
    store.write_blocks(agent, vec![block], Vec::new(), usize::MAX).await.map(|_| ())
}

/// Removes one block. Returns whether it existed.
pub async fn remove_block(store: &(impl Blocks + ?Sized), agent: &Agent, name: &str) -> Result<bool> {
    let before = store.blocks(agent).await?.len();
    let after = store.write_blocks(agent, Vec::new(), vec![name.to_owned()], usize::MAX).await?.len();
    Ok(after < before)
}
