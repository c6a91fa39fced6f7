//! The text index of a table, for tables that are searched on disk.
//!
//! A table has the index once it has enough rows (`maintenance.rs`), or once it is searched on disk. A small table is searched in
//! memory, and the index would take most of its files and commits.

use annals_core::Result;
use annals_core::ports::Table;
use lance::index::DatasetIndexExt;
use lance_index::{FtsPrewarmOptions, PrewarmOptions};
use lancedb::index::Index;
use lancedb::index::scalar::FtsIndexBuilder;

use crate::damage::explain;
use crate::rows;
use crate::tables::{Slot, Tables};

pub(crate) const TEXT_INDEX: &str = "lex";
/// Memory in MB for building the index, before a part of it is written out. LanceDB's default is 2 GiB per worker.
const BUILD_MB: u64 = 64;

/// Returns whether the table has the index. Without it LanceDB would tokenize by its own rules, with stemming and stop words, and
/// find less.
pub(crate) async fn exists(table: &lancedb::Table) -> lancedb::Result<bool> {
    Ok(table.list_indices().await?.iter().any(|index| index.name == TEXT_INDEX))
}

/// Creates the index of a table that has none.
pub(crate) async fn create(table: &lancedb::Table) -> lancedb::Result<()> {
    let words_as_they_are = FtsIndexBuilder::default()
        .base_tokenizer("whitespace".to_owned())
        .max_token_length(None)
        .lower_case(false)
        .stem(false)
        .remove_stop_words(false)
        .ascii_folding(false)
        .memory_limit_mb(BUILD_MB)
        .num_workers(1);
    table.create_index(&[rows::LEX], Index::FTS(words_as_they_are)).name(TEXT_INDEX.to_owned()).execute().await
}

/// Creates the index for searches if it is still missing. Waits for the writer of the table.
pub(crate) async fn create_to_search(tables: &Tables, name: &Table, slot: &Slot) -> Result<()> {
    let _guard = slot.write_lock.lock().await;
    let Some(open) = tables.reading(name, slot).await?.map(|open| open.clone()) else { return Ok(()) };
    let created = async { if exists(&open).await? { Ok(()) } else { create(&open).await } };
    created.await.map_err(|error| explain(name, error))
}

/// Reads the whole index, which reading rows does not touch. It is no error if LanceDB's cache cannot hold the
/// index: in strict mode the index of 100,000 turns, which is larger than the cache, would count as damaged.
pub(crate) async fn read(table: &lancedb::Table) -> lancedb::Result<()> {
    let Some(dataset) = table.dataset() else { return Ok(()) };
    let options = PrewarmOptions::Fts(FtsPrewarmOptions::new().best_effort());
    Ok(dataset.get().await?.prewarm_index_with_options(TEXT_INDEX, &options).await?)
}
