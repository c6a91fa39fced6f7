//! The in-memory tables that answer searches: vectors in eight bits a component, words, and the columns that filters read. A
//! search of a small table compares the whole vector of every row that passes the filter. A search of a large table first
//! compares only the signs of the vectors. Filtering costs next to nothing.
//!
//! LanceDB's text search has fixed constants that suit documents better than turns, ranks rows not yet indexed by other
//! statistics, and does not report the words that matched; its vector search reads all vectors from its caches for each query.
//! So tables are read once into an LRU cache bounded in bytes. Writes go to disk and memory in the same order, so a cached
//! table contains every batch that `Strata::apply` has returned from. This crate reads Arrow record batches and does not depend
//! on LanceDB: it is compiled at opt-level 3, and so would be all generic code of LanceDB that it used.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bitmap;
pub mod columns;
mod conversations;
mod fill;
mod inverted_index;
pub mod lex;
mod live_rows;
mod scan;
mod search;
mod signs;
mod sums;
mod vectors;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use annals_core::ports::Table;
use annals_core::{Kind, MemoryId};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use lru::LruCache;
use parking_lot::{Mutex, MutexGuard};

use conversations::ConversationRows;
use inverted_index::InvertedIndex;
use live_rows::LiveRows;
use search::Scratch;
use vectors::Vectors;

/// Approximate bytes of a row without its vector: its id, its times, its conversation and some twenty words of four bytes each.
const ROW_BYTES: usize = 200;

/// Expected bytes of an id, for which capacity is reserved when a table is created.
const ID_BYTES: usize = 28;
/// A table of at most this many rows, removed ones included, is never reloaded to get rid of removed rows.
const REBUILD_FROM: usize = 1_000;

/// Returns the expected size in memory of `rows` rows with vectors of `dimension` numbers.
pub fn expected_bytes(rows: usize, dimension: usize) -> usize {
    rows * (dimension + dimension / 8 + ROW_BYTES)
}

/// The cache of tables in memory, bounded in bytes; the least recently used table is evicted first.
pub struct InMemoryTables {
    tables: Mutex<LruCache<Table, Cached>>,
    most_bytes: usize,
}

struct Cached {
    table: Arc<RwLock<InMemoryTable>>,
    /// Size of the table in bytes when it was loaded or last written.
    bytes: usize,
}

impl InMemoryTables {
    /// Creates an empty cache of at most `most_bytes`; a single table may take twice as much.
    pub fn new(most_bytes: usize) -> InMemoryTables {
        InMemoryTables { tables: Mutex::new(LruCache::unbounded()), most_bytes }
    }

    /// Returns the table if it is cached, and marks it as the most recently used one. A table whose change panicked is changed
    /// by half, and no longer cached.
    pub fn get(&self, table: &Table) -> Option<Arc<RwLock<InMemoryTable>>> {
        let mut tables = self.tables();
        if tables.peek(table)?.table.is_poisoned() {
            tables.pop(table);
        }
        tables.get(table).map(|cached| cached.table.clone())
    }

    /// Caches a table. If the cache is full, evicts the least recently used tables. If the table alone takes more than twice
    /// the bound, it is evicted too.
    pub fn put(&self, table: &Table, loaded: Arc<RwLock<InMemoryTable>>) {
        let bytes = read(&loaded).bytes();
        self.tables().put(table.clone(), Cached { table: loaded, bytes });
        self.evict();
    }

    /// Sets the size of a table after a write, if the table is cached. Evicts the least recently used tables if the cache is
    /// full.
    pub fn set_bytes(&self, table: &Table, bytes: usize) {
        if let Some(cached) = self.tables().peek_mut(table) {
            cached.bytes = bytes;
        }
        self.evict();
    }

    pub fn remove(&self, table: &Table) {
        self.tables().pop(table);
    }

    /// Returns the names of the cached tables.
    pub fn names(&self) -> Vec<Table> {
        self.tables().iter().map(|(table, _)| table.clone()).collect()
    }

    /// Evicts the least recently used tables until the rest fits. A single table may take twice the bound, because its size was
    /// only estimated before it was loaded. If it were evicted, each search would load it again.
    fn evict(&self) {
        let mut tables = self.tables();
        loop {
            let used: usize = tables.iter().map(|(_, cached)| cached.bytes).sum();
            let most = if tables.len() > 1 { self.most_bytes } else { self.most_bytes.saturating_mul(2) };
            if used <= most {
                return;
            }
            tables.pop_lru();
        }
    }

    fn tables(&self) -> MutexGuard<'_, LruCache<Table, Cached>> {
        self.tables.lock()
    }
}

pub fn read(table: &RwLock<InMemoryTable>) -> RwLockReadGuard<'_, InMemoryTable> {
    table.read().expect("no change of the table panicked")
}

pub fn write(table: &RwLock<InMemoryTable>) -> RwLockWriteGuard<'_, InMemoryTable> {
    table.write().expect("no change of the table panicked")
}

/// A table in memory. Rows are numbered in order of arrival. Numbers never change; a removed row stays as a gap.
pub struct InMemoryTable {
    rows: Vec<Row>,
    /// The ids of all rows in one string: a million separate strings would take three times as much.
    ids: String,
    live: LiveRows,
    vectors: Vectors,
    words: InvertedIndex,
    conversations: ConversationRows,
    /// Reusable buffers, one for each search that ran at the same time as others.
    scratch: Mutex<Vec<Scratch>>,
}

/// The columns of a row that filters and results need.
#[derive(Clone, Copy)]
struct Row {
    start: i64,
    end: i64,
    /// Byte offset of the row's id in `ids`.
    id: u32,
    part: u32,
    kind: Option<Kind>,
}

impl InMemoryTable {
    /// Creates an empty table with capacity for `rows` rows and vectors of `dimension` numbers.
    pub fn new(rows: usize, dimension: usize) -> InMemoryTable {
        InMemoryTable {
            rows: Vec::with_capacity(rows),
            ids: String::with_capacity(rows * ID_BYTES),
            live: LiveRows::default(),
            vectors: Vectors::new(rows, dimension),
            words: InvertedIndex::default(),
            conversations: ConversationRows::default(),
            scratch: Mutex::default(),
        }
    }

    pub fn dimension(&self) -> usize {
        self.vectors.dimension()
    }

    /// Applies a commit: adds the rows of these memories, after removing their former rows if `replaces`. Returns whether the
    /// table should be reloaded: it has more than 1,000 rows, removed ones included, and more than half of them are removed.
    pub fn change(&mut self, memories: &[MemoryId], rows: &RecordBatch, replaces: bool) -> bool {
        if replaces {
            self.remove(&memories.iter().map(MemoryId::as_str).collect());
        }
        self.add(rows);
        self.is_fragmented()
    }

    /// Replaces the rows of all memories that have rows in the batches. Returns whether the table should be reloaded, as
    /// [`InMemoryTable::change`] does.
    pub fn upsert(&mut self, batches: &[RecordBatch]) -> bool {
        let memories = batches.iter().flat_map(|batch| batch[columns::MEMORY].as_string::<i32>().iter().flatten());
        self.remove(&memories.collect());
        batches.iter().for_each(|batch| self.add(batch));
        self.is_fragmented()
    }

    fn is_fragmented(&self) -> bool {
        self.rows.len() > REBUILD_FROM && self.live_rows() * 2 < self.rows.len()
    }

    /// Returns the number of rows, without removed ones.
    pub fn live_rows(&self) -> usize {
        self.live.all().count()
    }

    /// Removes the rows of all memories except these. Returns whether the table should be reloaded, as [`InMemoryTable::change`]
    /// does.
    pub fn retain(&mut self, memories: &HashSet<String>) -> bool {
        self.remove_where(|memory| !memories.contains(memory));
        self.is_fragmented()
    }

    /// Removes the rows of these memories.
    fn remove(&mut self, memories: &HashSet<&str>) {
        self.remove_where(|memory| memories.contains(memory));
    }

    fn remove_where(&mut self, is_going: impl Fn(&str) -> bool) {
        let live = self.live.all().rows();
        let going: Vec<usize> = live.filter(|row| is_going(id(&self.rows, &self.ids, *row))).collect();
        for row in going {
            self.live.remove(row);
            self.words.remove(row);
            self.conversations.remove(row);
        }
    }

    /// Returns the approximate size in bytes, without reading the rows.
    pub fn bytes(&self) -> usize {
        let scratch = self.scratch.lock().iter().map(Scratch::bytes).sum::<usize>();
        self.rows.capacity() * size_of::<Row>()
            + self.ids.capacity()
            + self.vectors.bytes()
            + self.words.bytes()
            + self.conversations.bytes()
            + scratch
    }

    fn memory(&self, row: usize) -> MemoryId {
        MemoryId::from_text(id(&self.rows, &self.ids, row))
    }
}

fn id<'a>(rows: &[Row], ids: &'a str, row: usize) -> &'a str {
    let end = rows.get(row + 1).map_or(ids.len(), |next| next.id as usize);
    &ids[rows[row].id as usize..end]
}

/// Orders the rows of a conversation: by time, memory and part.
fn order(rows: &[Row], ids: &str, a: u32, b: u32) -> Ordering {
    let (a, b) = (a as usize, b as usize);
    let ids = || id(rows, ids, a).cmp(id(rows, ids, b));
    rows[a].start.cmp(&rows[b].start).then_with(ids).then_with(|| rows[a].part.cmp(&rows[b].part))
}
