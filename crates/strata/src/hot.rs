//! Whole tables in memory, as far as ranking needs them: vectors, words and what filters look at. Every row is compared, so
//! the answer is exact, and any filter costs nothing.
//!
//! LanceDB's text search has fixed constants that suit documents better than turns, ranks rows that its index does not
//! cover yet by other statistics, and cannot say which words were found; its vector search reads all vectors from its caches
//! for each question. So small tables are read once and kept, bounded in bytes, and given up the longest unused first. A table
//! is known by its version: one that changed is read again, whole.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use annals_core::ports::{Hit, Probe, Table};
use annals_core::{Filter, Interval, Kind, MemoryId, Timestamp};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use futures::TryStreamExt;
use lancedb::query::{ExecutableQuery, QueryBase, Select};
use lru::LruCache;

use crate::lex;
use crate::rows::{CONVERSATION, END, KIND, LEX, MEMORY, PART, START, VECTOR};

/// All tables in memory together. One of 20,000 rows is some 40 MB with 384 numbers a vector.
const MOST_BYTES: usize = 96 << 20;

/// BM25's constants: how soon more of the same word says nothing more, and how much longer rows are held back. Turns are short,
/// and a word that stands in one twice says little; the usual 1.2 and 0.75 cost 2 points of nDCG on LoCoMo.
const SATURATION: f32 = 0.6;
const LENGTH: f32 = 0.3;

/// The tables in memory.
pub struct HotTables(Mutex<LruCache<Table, Arc<Hot>>>);

impl HotTables {
    /// None.
    pub fn new() -> HotTables {
        HotTables(Mutex::new(LruCache::unbounded()))
    }

    /// The table at a version or a later one, if it is here.
    pub fn get(&self, table: &Table, version: u64) -> Option<Arc<Hot>> {
        self.tables().get(table).filter(|hot| hot.version >= version).cloned()
    }

    /// Keeps a table, and gives up others.
    pub fn put(&self, table: &Table, hot: Arc<Hot>) {
        let mut tables = self.tables();
        tables.put(table.clone(), hot);
        while tables.len() > 1 && tables.iter().map(|(_, hot)| hot.bytes).sum::<usize>() > MOST_BYTES {
            tables.pop_lru();
        }
    }

    /// Forgets all.
    pub fn clear(&self) {
        self.tables().clear();
    }

    fn tables(&self) -> MutexGuard<'_, LruCache<Table, Arc<Hot>>> {
        self.0.lock().expect("no holder of the lock panics")
    }
}

/// A table in memory.
pub struct Hot {
    version: u64,
    bytes: usize,
    rows: Vec<Row>,
    /// One after the other, each of `dimension` numbers.
    vectors: Vec<f32>,
    dimension: usize,
    /// The rows that hold a word, and how often.
    words: HashMap<Box<str>, Vec<(u32, f32)>>,
    mean_length: f32,
}

struct Row {
    memory: MemoryId,
    part: u32,
    kind: Option<Kind>,
    conversation: Option<Arc<str>>,
    cover: Interval,
    length: f32,
}

impl Hot {
    /// Reads a version of a table.
    pub async fn read(table: &lancedb::Table, version: u64, dimension: usize) -> lancedb::Result<Hot> {
        let columns = [MEMORY, PART, KIND, CONVERSATION, START, END, LEX, VECTOR];
        let mut batches = table.query().select(Select::columns(&columns)).execute().await?;
        let mut hot = Hot {
            version,
            bytes: 0,
            rows: Vec::new(),
            vectors: Vec::new(),
            dimension,
            words: HashMap::new(),
            mean_length: 0.0,
        };
        let mut conversations = HashMap::new();
        while let Some(batch) = batches.try_next().await? {
            hot.add(&batch, &mut conversations);
        }
        let total: f32 = hot.rows.iter().map(|row| row.length).sum();
        hot.mean_length = total / hot.rows.len().max(1) as f32;
        hot.bytes = hot.weigh();
        Ok(hot)
    }

    fn add(&mut self, batch: &RecordBatch, conversations: &mut HashMap<String, Arc<str>>) {
        let (memories, parts) = (batch[MEMORY].as_string::<i32>(), batch[PART].as_primitive::<UInt32Type>());
        let (kinds, talks) = (batch[KIND].as_string::<i32>(), batch[CONVERSATION].as_string::<i32>());
        let (starts, ends) = (batch[START].as_primitive::<Int64Type>(), batch[END].as_primitive::<Int64Type>());
        let (lex, vectors) = (batch[LEX].as_string::<i32>(), batch[VECTOR].as_fixed_size_list());
        for row in 0..batch.num_rows() {
            let cover = Interval { start: instant(starts.value(row)), end: instant(ends.value(row)) };
            // What covers no instant is in no range, not even in all of time.
            if cover.is_empty() {
                continue;
            }
            let talk = talks.is_valid(row).then(|| talks.value(row));
            let conversation =
                talk.map(|talk| conversations.entry(talk.to_owned()).or_insert_with(|| talk.into()).clone());
            let length = self.index(lex.value(row));
            self.vectors.extend(vectors.value(row).as_primitive::<Float32Type>().values());
            self.rows.push(Row {
                memory: MemoryId::from_text(memories.value(row)),
                part: parts.value(row),
                kind: kinds.value(row).parse().ok(),
                conversation,
                cover,
                length,
            });
        }
    }

    /// Enters the words of the row that comes next, and says how many they are.
    fn index(&mut self, lex: &str) -> f32 {
        let row = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let mut length = 0.0;
        for word in lex.split(' ') {
            length += 1.0;
            let rows = match self.words.get_mut(word) {
                Some(rows) => rows,
                None => self.words.entry(word.into()).or_default(),
            };
            match rows.last_mut().filter(|(last, _)| *last == row) {
                Some((_, times)) => *times += 1.0,
                None => rows.push((row, 1.0)),
            }
        }
        length
    }

    /// About what it takes.
    fn weigh(&self) -> usize {
        let words: usize = self.words.iter().map(|(word, rows)| word.len() + 64 + rows.capacity() * 8).sum();
        words + self.vectors.capacity() * 4 + self.rows.capacity() * size_of::<Row>() + self.rows.len() * 32
    }

    /// The parts that fit the probe: all that pass, or the best for each of vector and words.
    pub fn search(&self, probe: &Probe) -> Vec<Hit> {
        let limit = if self.rows.len() <= probe.exact { usize::MAX } else { probe.limit };
        let passing: Vec<bool> = self.rows.iter().map(|row| row.passes(&probe.filter)).collect();
        let similar = probe.vector.as_ref().map(|vector| self.similar(vector, &passing)).unwrap_or_default();
        let words = probe.text.as_deref().map(|text| lex::query(text, &probe.language)).unwrap_or_default();
        let (relevance, matched) = self.relevance(&words);
        let relevant = (0..self.rows.len()).filter(|row| passing[*row] && relevance[*row] > 0.0);
        let mut hits: Vec<Option<Hit>> = Vec::new();
        hits.resize_with(self.rows.len(), || None);
        for (row, similarity) in best(similar, limit) {
            hits[row].get_or_insert_with(|| self.rows[row].hit()).similarity = Some(similarity);
        }
        for (row, relevance) in best(relevant.map(|row| (row, relevance[row])).collect(), limit) {
            let hit = hits[row].get_or_insert_with(|| self.rows[row].hit());
            (hit.relevance, hit.matched) = (Some(relevance), matched[row]);
        }
        hits.into_iter().flatten().collect()
    }

    fn similar(&self, vector: &[f32], passing: &[bool]) -> Vec<(usize, f32)> {
        let vectors = self.vectors.chunks_exact(self.dimension).enumerate();
        vectors.filter(|(row, _)| passing[*row]).map(|(row, other)| (row, dot(vector, other))).collect()
    }

    /// BM25 of each row, and which of the first 64 words it holds.
    fn relevance(&self, words: &str) -> (Vec<f32>, Vec<u64>) {
        let (mut scores, mut matched) = (vec![0.0; self.rows.len()], vec![0; self.rows.len()]);
        for (word, place) in words.split_whitespace().zip(0_u32..) {
            let Some(holders) = self.words.get(word) else { continue };
            let (all, few) = (self.rows.len() as f32, holders.len() as f32);
            let rarity = (1.0 + (all - few + 0.5) / (few + 0.5)).ln();
            for (row, times) in holders {
                let row = *row as usize;
                let held_back = SATURATION * (1.0 - LENGTH + LENGTH * self.rows[row].length / self.mean_length);
                scores[row] += rarity * times * (SATURATION + 1.0) / (times + held_back);
                matched[row] |= 1_u64.checked_shl(place).unwrap_or(0);
            }
        }
        (scores, matched)
    }
}

impl Row {
    fn hit(&self) -> Hit {
        Hit {
            memory: self.memory.clone(),
            part: self.part,
            conversation: self.conversation.as_deref().map(str::to_owned),
            at: self.cover.start,
            similarity: None,
            relevance: None,
            matched: 0,
        }
    }

    fn passes(&self, filter: &Filter) -> bool {
        let kind = filter.kinds.is_empty() || self.kind.is_some_and(|kind| filter.kinds.contains(&kind));
        let conversation =
            filter.conversation.is_none() || filter.conversation.as_deref() == self.conversation.as_deref();
        kind && conversation && filter.within.overlaps(&self.cover)
    }
}

fn instant(microsecond: i64) -> Timestamp {
    let nearest = if microsecond < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_microsecond(microsecond).unwrap_or(nearest)
}

fn best(mut scored: Vec<(usize, f32)>, limit: usize) -> Vec<(usize, f32)> {
    if scored.len() > limit {
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scored.truncate(limit);
    }
    scored
}

/// In eight sums side by side, which processors add at once.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (a_rows, b_rows) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a_rows.remainder().iter().zip(b_rows.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_rows.zip(b_rows) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}
