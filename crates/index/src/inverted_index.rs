//! The inverted index of a table in memory: the rows of each token, and BM25 over them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

use annals_core::ports::Spread;

use crate::bitmap::RowBitmap;
use crate::lex::{Languages, Query, Word};

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
    /// The number of words of each row, at most 65,535; zero for a removed row.
    lengths: Vec<u16>,
    total: u64,
    live: usize,
    /// The languages that the tokens name.
    languages: Languages,
    /// Size of the words and postings in bytes. It is kept as a running sum, because counting would take longer than a commit.
    held_bytes: usize,
}

/// Approximate bytes of a word without its letters and postings.
const WORD_BYTES: usize = 48;

/// The scores of a search. The next search reuses the buffers: for a million rows they take 12 MB, and new buffers would have
/// to be filled with zeros.
#[derive(Default)]
pub(crate) struct WordScores {
    /// BM25 by row; zero for a row without a word of the query or outside the filter.
    pub scores: Vec<f32>,
    /// By row: which of the first 64 words of the query it contains, one bit for each word.
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

    pub(crate) fn bytes(&self) -> usize {
        self.scores.capacity() * size_of::<f32>()
            + self.matched.capacity() * size_of::<u64>()
            + self.rows.capacity() * size_of::<u32>()
            + self.rarity.capacity() * size_of::<f32>()
    }

    /// Returns the mean and deviation of the scores over `rows` rows. Rows without a score count as zero.
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
                    self.languages.add(word);
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

    /// Returns the languages of the rows, except English.
    pub(crate) fn languages(&self) -> Languages {
        self.languages
    }

    /// Removes a row from the statistics. Its postings stay and are skipped.
    pub(crate) fn remove(&mut self, row: usize) {
        self.total -= u64::from(std::mem::take(&mut self.lengths[row]));
        self.live -= 1;
    }

    /// Scores the rows that pass by BM25. A word has the rows of all its tokens. Document frequencies count all live rows,
    /// including rows that do not pass.
    pub(crate) fn search(&self, query: &Query, passing: &RowBitmap, found: &mut WordScores) {
        found.clear(self.lengths.len());
        found.rarest = rarity(self.live, 0);
        let mean = self.total as f32 / self.live.max(1) as f32;
        for (word, index) in query.words.iter().zip(0_u32..) {
            let postings = self.postings(word);
            let rarity = rarity(self.live, self.count(&postings));
            let bit = 1_u64.checked_shl(index).unwrap_or(0);
            if bit > 0 {
                found.rarity.push(rarity);
            }
            for entry in &*postings {
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

    /// Returns the postings of all tokens of a word, ascending by row. Borrows them if at most one
    /// token has postings; otherwise merges them into a copy.
    fn postings(&self, word: &Word) -> Cow<'_, [u32]> {
        let mut held = word.tokens.iter().filter_map(|token| self.postings.get(token.as_str()));
        let mut postings = Cow::Borrowed(held.next().map_or(&[][..], Vec::as_slice));
        for more in held {
            postings = Cow::Owned(merged(&postings, more));
        }
        postings
    }

    /// Returns how many of these rows were not removed.
    fn count(&self, postings: &[u32]) -> usize {
        if self.live == self.lengths.len() {
            return postings.len();
        }
        postings.iter().filter(|entry| self.lengths[row(**entry)] > 0).count()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.held_bytes + self.lengths.capacity() * size_of::<u16>()
    }

    /// Frees capacity that the postings reserved for further rows.
    pub(crate) fn shrink(&mut self) {
        for rows in self.postings.values_mut() {
            let room = rows.capacity();
            rows.shrink_to_fit();
            self.held_bytes -= (room - rows.capacity()) * size_of::<u32>();
        }
    }
}

/// Merges two lists of postings. A row of both has the sum of the frequencies.
fn merged(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    while let (Some(first), Some(second)) = (a.peek(), b.peek()) {
        match row(*first).cmp(&row(*second)) {
            Ordering::Less => merged.extend(a.next()),
            Ordering::Greater => merged.extend(b.next()),
            Ordering::Equal => {
                let times = (first & MAX_FREQUENCY) + (second & MAX_FREQUENCY);
                merged.push(first & !MAX_FREQUENCY | times.min(MAX_FREQUENCY));
                a.next();
                b.next();
            }
        }
    }
    merged.extend(a);
    merged.extend(b);
    merged
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
mod tests;
