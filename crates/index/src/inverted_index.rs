//! The inverted index of a table in memory: the rows of each word, and BM25 over them.

use std::collections::HashMap;

use annals_core::ports::Spread;

use crate::bitmap::RowBitmap;

/// BM25's `k1` and `b`. Turns are short, so repeated words and length matter less than in documents; the usual 1.2 and 0.75
/// cost 2 points of nDCG on LoCoMo.
const K1: f32 = 0.6;
const B: f32 = 0.3;

/// Bits of a posting that hold the term frequency. Higher frequencies are stored as the maximum.
const FREQUENCY_BITS: u32 = 4;
const MAX_FREQUENCY: u32 = (1 << FREQUENCY_BITS) - 1;
const MAX_ROWS: u32 = u32::MAX >> FREQUENCY_BITS;

/// The postings of each word, ascending by row; a posting is a row number and a term frequency.
#[derive(Default)]
pub(crate) struct InvertedIndex {
    postings: HashMap<Box<str>, Vec<u32>>,
    /// The number of words of each row; zero for a removed one.
    lengths: Vec<u16>,
    total: u64,
    live: usize,
    /// Size of the words and postings in bytes. It is kept as a running sum, because counting would take longer than a commit.
    held_bytes: usize,
}

/// Bytes of a word without its letters and postings.
const WORD_BYTES: usize = 48;

/// The scores of a search. The next search reuses the buffers: for a million rows they take 12 MB, and new buffers would have
/// to be filled with zeros.
#[derive(Default)]
pub(crate) struct WordScores {
    /// BM25 by row; zero for a row without a word of the query or outside the filter.
    pub scores: Vec<f32>,
    /// By row, the words of the query that it contains: one bit for each of the first 64.
    pub matched: Vec<u64>,
    /// The rows that pass the filter and contain a word.
    pub rows: Vec<u32>,
    /// The inverse document frequency of the first 64 words of the query.
    pub rarity: Vec<f32>,
    /// The inverse document frequency of a word that no row contains.
    pub rarest: f32,
}

impl WordScores {
    fn clear(&mut self, rows: usize) {
        for row in self.rows.drain(..) {
            self.scores[row as usize] = 0.0;
            self.matched[row as usize] = 0;
        }
        self.scores.resize(rows, 0.0);
        self.matched.resize(rows, 0);
        self.rarity.clear();
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.scores.capacity() * size_of::<f32>()
            + self.matched.capacity() * size_of::<u64>()
            + self.rows.capacity() * size_of::<u32>()
            + self.rarity.capacity() * size_of::<f32>()
    }

    /// Returns the mean and deviation of the scores over `rows` rows.
    pub(crate) fn spread(&self, rows: usize) -> Spread {
        Spread::of(rows, self.rows.iter().map(|row| self.scores[*row as usize]))
    }
}

impl InvertedIndex {
    /// Indexes the words of the next row. Returns its number.
    pub(crate) fn push(&mut self, lex: &str) -> u32 {
        let row = self.lengths.len() as u32;
        assert!(row < MAX_ROWS, "no machine holds as many rows in memory");
        let mut length = 0_u16;
        for word in lex.split(' ') {
            length = length.saturating_add(1);
            let rows = match self.postings.get_mut(word) {
                Some(rows) => rows,
                None => {
                    self.held_bytes += word.len() + WORD_BYTES;
                    self.postings.entry(word.into()).or_default()
                }
            };
            let room = rows.capacity();
            match rows.last_mut().filter(|last| **last >> FREQUENCY_BITS == row) {
                Some(last) if *last & MAX_FREQUENCY < MAX_FREQUENCY => *last += 1,
                Some(_) => {}
                None => rows.push(row << FREQUENCY_BITS | 1),
            }
            self.held_bytes += (rows.capacity() - room) * size_of::<u32>();
        }
        self.lengths.push(length);
        self.total += u64::from(length);
        self.live += 1;
        row
    }

    /// Removes a row from the statistics. Its postings stay and are skipped.
    pub(crate) fn remove(&mut self, row: usize) {
        self.total -= u64::from(std::mem::take(&mut self.lengths[row]));
        self.live -= 1;
    }

    /// Scores the rows that pass by BM25. Document frequencies count all live rows, including rows that do not pass.
    pub(crate) fn search(&self, words: &str, passing: &RowBitmap, found: &mut WordScores) {
        found.clear(self.lengths.len());
        found.rarest = rarity(self.live, 0);
        let mean = self.total as f32 / self.live.max(1) as f32;
        for (word, index) in words.split_whitespace().zip(0_u32..) {
            let postings = self.postings.get(word).map_or(&[][..], Vec::as_slice);
            let rarity = rarity(self.live, self.count(postings));
            let bit = 1_u64.checked_shl(index).unwrap_or(0);
            if bit > 0 {
                found.rarity.push(rarity);
            }
            for entry in postings {
                let (row, times) = (row(*entry), (entry & MAX_FREQUENCY) as f32);
                if !passing.contains(row) {
                    continue;
                }
                if found.scores[row] == 0.0 {
                    found.rows.push(entry >> FREQUENCY_BITS);
                }
                let saturation = K1 * (1.0 - B + B * f32::from(self.lengths[row]) / mean);
                found.scores[row] += rarity * times * (K1 + 1.0) / (times + saturation);
                found.matched[row] |= bit;
            }
        }
    }

    /// Returns how many of these rows were not removed.
    fn count(&self, postings: &[u32]) -> usize {
        if self.live == self.lengths.len() {
            return postings.len();
        }
        postings.iter().filter(|entry| self.lengths[row(**entry)] > 0).count()
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.held_bytes + self.lengths.capacity() * size_of::<u16>()
    }

    /// Frees capacity that was allocated ahead.
    pub(crate) fn shrink(&mut self) {
        for rows in self.postings.values_mut() {
            let room = rows.capacity();
            rows.shrink_to_fit();
            self.held_bytes -= (room - rows.capacity()) * size_of::<u32>();
        }
    }
}

fn row(entry: u32) -> usize {
    (entry >> FREQUENCY_BITS) as usize
}

/// Returns BM25's inverse document frequency. It is positive even for a word that every row contains.
fn rarity(rows: usize, postings: usize) -> f32 {
    let (all, few) = (rows as f32, postings as f32);
    (1.0 + (all - few + 0.5) / (few + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(rows: &[&str]) -> (InvertedIndex, RowBitmap) {
        let (mut words, mut passing) = (InvertedIndex::default(), RowBitmap::default());
        for row in rows {
            words.push(row);
            passing.push(true);
        }
        (words, passing)
    }

    fn search(words: &InvertedIndex, text: &str, passing: &RowBitmap) -> WordScores {
        let mut found = WordScores::default();
        words.search("milk cake", passing, &mut found);
        words.search(text, passing, &mut found);
        found
    }

    #[test]
    fn repeated_word_scores_below_two_words() {
        let often = "tea ".repeat(40);
        let (words, passing) = words(&[often.trim(), "tea cake", "cake"]);
        let found = search(&words, "tea cake", &passing);
        assert_eq!((found.rows, found.matched), (vec![0, 1, 2], vec![0b01, 0b11, 0b10]));
        assert_eq!(found.rarity.len(), 2);
        assert!(found.scores[1] > found.scores[0] && found.scores[0] > 0.0, "{:?}", found.scores);
    }

    #[test]
    fn removed_rows_do_not_affect_scores() {
        let (mut some, mut passing) = words(&["tea", "tea cake", "milk"]);
        some.remove(0);
        passing.clear(0);
        let (fresh, all) = words(&["tea cake", "milk"]);
        let (some, fresh) = (search(&some, "tea milk", &passing), search(&fresh, "tea milk", &all));
        assert_eq!(some.scores[1..], fresh.scores);
    }

    #[test]
    fn held_bytes_equal_allocated_bytes() {
        let (mut words, _) = words(&["tea", "tea cake", "tea milk milk", "tea", "tea", "tea"]);
        let counted = |words: &InvertedIndex| -> usize {
            words.postings.iter().map(|(word, rows)| word.len() + WORD_BYTES + rows.capacity() * 4).sum()
        };
        assert_eq!(words.held_bytes, counted(&words));
        words.shrink();
        assert_eq!(words.held_bytes, counted(&words));
        assert_eq!(words.postings.values().map(Vec::capacity).sum::<usize>(), 8);
    }

    #[test]
    fn filtered_rows_are_not_found_but_count_in_rarity() {
        let (words, mut passing) = words(&["tea", "tea", "milk"]);
        let all = search(&words, "tea", &passing);
        passing.clear(0);
        let some = search(&words, "tea", &passing);
        assert_eq!((some.rows, some.scores[0]), (vec![1], 0.0));
        assert_eq!(some.scores[1], all.scores[1]);
    }
}
