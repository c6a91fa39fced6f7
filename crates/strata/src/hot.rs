//! Whole tables in memory, as far as ranking needs them: vectors in eight bits a number, words, and what filters look at.
//! Every row is compared, of large tables by its signs first, and any filter costs next to nothing.
//!
//! LanceDB's text search has fixed constants that suit documents better than turns, ranks rows that its index does not
//! cover yet by other statistics, and cannot say which words were found; its vector search reads all vectors from its caches
//! for each question. So tables are read once and kept, bounded in bytes, and given up the longest unused first. What
//! is written to a table on the disk is written to the one in memory too, in the same order: it is never older than what
//! `apply` has returned from.

mod living;
mod passing;
mod read;
mod search;
mod talks;
mod vectors;
mod words;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

use annals_core::ports::{Part, Table};
use annals_core::{Kind, MemoryId};
use lru::LruCache;

use living::Living;
use search::Scratch;
use talks::Talks;
use vectors::Vectors;
use words::Words;
pub use words::rarity;

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
    tables: Mutex<LruCache<Table, Arc<RwLock<Hot>>>>,
    most_bytes: usize,
}

impl HotTables {
    /// None, and room for so many bytes.
    pub fn new(most_bytes: usize) -> HotTables {
        HotTables { tables: Mutex::new(LruCache::unbounded()), most_bytes }
    }

    /// The table, if it is here.
    pub fn get(&self, table: &Table) -> Option<Arc<RwLock<Hot>>> {
        self.tables().get(table).cloned()
    }

    /// Keeps a table, and gives up others.
    pub fn put(&self, table: &Table, hot: Arc<RwLock<Hot>>) {
        self.tables().put(table.clone(), hot);
        self.make_room();
    }

    /// Forgets a table.
    pub fn forget(&self, table: &Table) {
        self.tables().pop(table);
    }

    /// Gives up the longest unused, or all, until what is left fits.
    pub fn make_room(&self) {
        let mut tables = self.tables();
        while tables.iter().map(|(_, hot)| read(hot).bytes()).sum::<usize>() > self.most_bytes {
            tables.pop_lru();
        }
    }

    fn tables(&self) -> MutexGuard<'_, LruCache<Table, Arc<RwLock<Hot>>>> {
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

/// A row on its way in.
struct Newcomer<'a> {
    /// The memory.
    memory: &'a str,
    /// Which piece of it.
    part: u32,
    /// What the memory is.
    kind: Option<Kind>,
    /// The conversation of a turn.
    conversation: Option<&'a str>,
    /// The first instant that it covers, and the first after it, in microseconds.
    cover: (i64, i64),
    /// Its words, as the column `lex` has them.
    lex: &'a str,
    /// Its vector.
    vector: &'a [f32],
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

    /// Adds a row.
    fn add(&mut self, new: &Newcomer<'_>) {
        // What covers no instant is in no range, not even in all of time.
        if new.cover.0 >= new.cover.1 {
            return;
        }
        let number = self.words.push(new.lex);
        let id = u32::try_from(self.ids.len()).expect("ids of so many rows are below 4 GB");
        self.ids.push_str(new.memory);
        self.rows.push(Row { start: new.cover.0, end: new.cover.1, id, part: new.part, kind: new.kind });
        self.living.push(new.cover);
        self.vectors.push(new.vector);
        if let Some(talk) = self.talks.push(new.conversation) {
            let (rows, ids) = (&self.rows, &self.ids);
            self.talks.seat(talk, number, |a, b| order(rows, ids, a, b));
        }
    }

    /// What a commit does: these memories have these parts now, and had others before if `replaces`. Says whether so many rows
    /// are holes by now that reading the table anew is better.
    pub fn change(&mut self, memories: &[MemoryId], parts: &[Part], replaces: bool) -> bool {
        if replaces {
            self.remove(&memories.iter().map(MemoryId::as_str).collect());
        }
        parts.iter().for_each(|part| self.add_part(part));
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

    /// What it takes.
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>()
            + self.ids.capacity()
            + self.vectors.bytes()
            + self.words.bytes()
            + self.talks.bytes()
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
