//! The index of a table in memory, as far as ranking needs it: vectors in eight bits a number, words, and what filters look
//! at. Every row is compared, of large tables by its signs first, and any filter costs next to nothing.
//!
//! LanceDB's text search has fixed constants that suit documents better than turns, ranks rows that its index does not
//! cover yet by other statistics, and cannot say which words were found; its vector search reads all vectors from its caches
//! for each question. So tables are read once and kept, bounded in bytes, and given up the longest unused first. What
//! is written to a table on the disk is written to the one in memory too, in the same order: it is never older than what
//! `apply` has returned from. Reads record batches alone and knows no LanceDB: this crate is compiled at the highest level, and
//! what LanceDB instantiates in a crate would be too.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod columns;
mod fill;
pub mod lex;
mod living;
mod look;
mod passing;
mod search;
mod signs;
mod sums;
mod talks;
mod vectors;
mod words;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

use annals_core::ports::Table;
use annals_core::{Kind, MemoryId};
use arrow_array::RecordBatch;
use lru::LruCache;

use living::Living;
use search::Scratch;
use talks::Talks;
use vectors::Vectors;
use words::Words;

/// About what a row takes beside its vector: its id, when and where it was said, and some twenty words of four bytes.
const ROW_BYTES: usize = 200;

/// The length of an id.
const ID_BYTES: usize = 28;
/// Tables with fewer rows are small whatever holes they have.
const HOLES_FROM: usize = 1_000;

/// How many bytes so many rows take in memory, whose vectors have `dimension` numbers.
pub fn expected_bytes(rows: usize, dimension: usize) -> usize {
    rows * (dimension + dimension / 8 + ROW_BYTES)
}

/// The tables in memory.
pub struct HotTables {
    tables: Mutex<LruCache<Table, Kept>>,
    most_bytes: usize,
}

struct Kept {
    hot: Arc<RwLock<Hot>>,
    /// What it took when it was last written to.
    bytes: usize,
}

impl HotTables {
    /// None, and room for so many bytes.
    pub fn new(most_bytes: usize) -> HotTables {
        HotTables { tables: Mutex::new(LruCache::unbounded()), most_bytes }
    }

    /// The table, if it is here.
    pub fn get(&self, table: &Table) -> Option<Arc<RwLock<Hot>>> {
        self.tables().get(table).map(|kept| kept.hot.clone())
    }

    /// Keeps a table, and gives up others.
    pub fn put(&self, table: &Table, hot: Arc<RwLock<Hot>>) {
        let bytes = read(&hot).bytes();
        self.tables().put(table.clone(), Kept { hot, bytes });
        self.make_room();
    }

    /// Notes what a table takes by now, and gives up others.
    pub fn note(&self, table: &Table, bytes: usize) {
        if let Some(kept) = self.tables().peek_mut(table) {
            kept.bytes = bytes;
        }
        self.make_room();
    }

    /// Forgets a table.
    pub fn forget(&self, table: &Table) {
        self.tables().pop(table);
    }

    /// Gives up the longest unused until what is left fits. The last one may take up to twice the room: it was let in by an
    /// estimate, and one that takes half as much again would be read anew for each search.
    fn make_room(&self) {
        let mut tables = self.tables();
        loop {
            let taken: usize = tables.iter().map(|(_, kept)| kept.bytes).sum();
            let most = if tables.len() > 1 { self.most_bytes } else { self.most_bytes.saturating_mul(2) };
            if taken <= most {
                return;
            }
            tables.pop_lru();
        }
    }

    fn tables(&self) -> MutexGuard<'_, LruCache<Table, Kept>> {
        self.tables.lock().expect("no holder of the lock panics")
    }
}

/// The table for reading.
pub fn read(hot: &RwLock<Hot>) -> RwLockReadGuard<'_, Hot> {
    hot.read().expect("no holder of the lock panics")
}

/// The table for writing.
pub fn write(hot: &RwLock<Hot>) -> RwLockWriteGuard<'_, Hot> {
    hot.write().expect("no holder of the lock panics")
}

/// A table in memory. Row numbers are given in the order of arrival and never change; rows that go leave a hole.
pub struct Hot {
    rows: Vec<Row>,
    /// The ids of all rows one after the other: a million strings of their own would take three times as much.
    ids: String,
    /// Which rows are there.
    living: Living,
    vectors: Vectors,
    words: Words,
    talks: Talks,
    /// What searches write into, one for each that ran at the same time.
    scratch: Mutex<Vec<Scratch>>,
}

/// What filters and answers need of a row.
#[derive(Clone, Copy)]
struct Row {
    start: i64,
    end: i64,
    /// The first byte of its id.
    id: u32,
    part: u32,
    kind: Option<Kind>,
}

impl Hot {
    /// A table without rows and with room for so many, whose vectors have `dimension` numbers.
    pub fn new(rows: usize, dimension: usize) -> Hot {
        Hot {
            rows: Vec::with_capacity(rows),
            ids: String::with_capacity(rows * ID_BYTES),
            living: Living::default(),
            vectors: Vectors::new(rows, dimension),
            words: Words::default(),
            talks: Talks::default(),
            scratch: Mutex::default(),
        }
    }

    /// What a commit does: these memories have these rows now, and had others before if `replaces`. Says whether so many rows
    /// are holes by now that reading the table anew is better.
    pub fn change(&mut self, memories: &[MemoryId], rows: &RecordBatch, replaces: bool) -> bool {
        if replaces {
            self.remove(&memories.iter().map(MemoryId::as_str).collect());
        }
        self.add(rows);
        self.rows.len() > HOLES_FROM && self.living.all().count() * 2 < self.rows.len()
    }

    /// Removes all rows of these memories.
    fn remove(&mut self, memories: &HashSet<&str>) {
        let living = self.living.all().rows();
        let going: Vec<usize> = living.filter(|row| memories.contains(id(&self.rows, &self.ids, *row))).collect();
        for row in going {
            self.living.clear(row);
            self.words.forget(row);
            self.talks.leave(row);
        }
    }

    /// What it takes, at no cost worth noting.
    pub fn bytes(&self) -> usize {
        let scratch =
            self.scratch.lock().expect("no holder of the lock panics").iter().map(Scratch::bytes).sum::<usize>();
        self.rows.capacity() * size_of::<Row>()
            + self.ids.capacity()
            + self.vectors.bytes()
            + self.words.bytes()
            + self.talks.bytes()
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

/// How the parts of a conversation follow each other.
fn order(rows: &[Row], ids: &str, a: u32, b: u32) -> Ordering {
    let (a, b) = (a as usize, b as usize);
    let ids = || id(rows, ids, a).cmp(id(rows, ids, b));
    rows[a].start.cmp(&rows[b].start).then_with(ids).then_with(|| rows[a].part.cmp(&rows[b].part))
}
