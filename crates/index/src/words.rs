//! The words of a table in memory: for each the rows that hold it, and BM25 over them.

use std::collections::HashMap;

use annals_core::ports::Spread;

use crate::passing::Passing;

/// BM25's constants: how soon more of the same word says nothing more, and how much longer rows are held back. Turns are short,
/// and a word that stands in one twice says little; the usual 1.2 and 0.75 cost 2 points of nDCG on LoCoMo.
const SATURATION: f32 = 0.6;
const LENGTH: f32 = 0.3;

/// Bits of an entry that say how often; a word that stands in a row more often than they can say counts as often as they can.
const TIMES_BITS: u32 = 4;
const MOST_TIMES: u32 = (1 << TIMES_BITS) - 1;
const MOST_ROWS: u32 = u32::MAX >> TIMES_BITS;

/// The words, each with its rows ascending; an entry is the row's number and how often it holds the word.
#[derive(Default)]
pub struct Words {
    holders: HashMap<Box<str>, Vec<u32>>,
    /// Of each row; nothing for one that is gone.
    lengths: Vec<u16>,
    total: u64,
    living: usize,
    /// What the holders take; counting them word by word would take longer than a commit.
    held_bytes: usize,
}

/// What a word takes beside its letters and its rows.
const WORD_BYTES: usize = 48;

/// What the words of a question found. Kept from search to search: of a million rows it is 12 MB, which would be cleared for each.
#[derive(Default)]
pub struct Found {
    /// BM25 of each row that passes; nothing for one that holds none of the words.
    pub scores: Vec<f32>,
    /// Which of the first 64 words it holds.
    pub matched: Vec<u64>,
    /// The rows that pass and hold a word.
    pub rows: Vec<u32>,
}

impl Found {
    fn clear(&mut self, rows: usize) {
        for row in self.rows.drain(..) {
            self.scores[row as usize] = 0.0;
            self.matched[row as usize] = 0;
        }
        self.scores.resize(rows, 0.0);
        self.matched.resize(rows, 0);
    }

    /// What they take.
    pub fn bytes(&self) -> usize {
        self.scores.capacity() * size_of::<f32>()
            + self.matched.capacity() * size_of::<u64>()
            + self.rows.capacity() * size_of::<u32>()
    }

    /// How the scores are spread over so many rows.
    pub fn spread(&self, rows: usize) -> Spread {
        Spread::of(rows, self.rows.iter().map(|row| self.scores[*row as usize]))
    }
}

impl Words {
    /// Enters the words of the next row, and says its number.
    pub fn push(&mut self, lex: &str) -> u32 {
        let row = self.lengths.len() as u32;
        assert!(row < MOST_ROWS, "no machine holds as many rows in memory");
        let mut length = 0_u16;
        for word in lex.split(' ') {
            length = length.saturating_add(1);
            let rows = match self.holders.get_mut(word) {
                Some(rows) => rows,
                None => {
                    self.held_bytes += word.len() + WORD_BYTES;
                    self.holders.entry(word.into()).or_default()
                }
            };
            let room = rows.capacity();
            match rows.last_mut().filter(|last| **last >> TIMES_BITS == row) {
                Some(last) if *last & MOST_TIMES < MOST_TIMES => *last += 1,
                Some(_) => {}
                None => rows.push(row << TIMES_BITS | 1),
            }
            self.held_bytes += (rows.capacity() - room) * size_of::<u32>();
        }
        self.lengths.push(length);
        self.total += u64::from(length);
        self.living += 1;
        row
    }

    /// Takes a row out of the statistics; its entries stay and lead nowhere.
    pub fn forget(&mut self, row: usize) {
        self.total -= u64::from(std::mem::take(&mut self.lengths[row]));
        self.living -= 1;
    }

    /// BM25 of the rows that pass, into what an earlier search found. Rare and common is told by all rows that are there.
    pub fn search(&self, words: &str, passing: &Passing, found: &mut Found) {
        found.clear(self.lengths.len());
        let mean = self.total as f32 / self.living.max(1) as f32;
        for (word, place) in words.split_whitespace().zip(0_u32..) {
            let holders = self.holders.get(word).map_or(&[][..], Vec::as_slice);
            let rarity = rarity(self.living, self.count(holders));
            let bit = 1_u64.checked_shl(place).unwrap_or(0);
            for entry in holders {
                let (row, times) = (row(*entry), (entry & MOST_TIMES) as f32);
                if !passing.holds(row) {
                    continue;
                }
                if found.scores[row] == 0.0 {
                    found.rows.push(entry >> TIMES_BITS);
                }
                let held_back = SATURATION * (1.0 - LENGTH + LENGTH * f32::from(self.lengths[row]) / mean);
                found.scores[row] += rarity * times * (SATURATION + 1.0) / (times + held_back);
                found.matched[row] |= bit;
            }
        }
    }

    /// How many of the rows that hold a word are there.
    fn count(&self, holders: &[u32]) -> usize {
        if self.living == self.lengths.len() {
            return holders.len();
        }
        holders.iter().filter(|entry| self.lengths[row(**entry)] > 0).count()
    }

    /// What they take.
    pub fn bytes(&self) -> usize {
        self.held_bytes + self.lengths.capacity() * size_of::<u16>()
    }

    /// Gives back what was allocated ahead.
    pub fn shrink(&mut self) {
        for rows in self.holders.values_mut() {
            let room = rows.capacity();
            rows.shrink_to_fit();
            self.held_bytes -= (room - rows.capacity()) * size_of::<u32>();
        }
    }
}

fn row(entry: u32) -> usize {
    (entry >> TIMES_BITS) as usize
}

/// BM25's inverse document frequency: above zero however common a word is.
fn rarity(rows: usize, holders: usize) -> f32 {
    let (all, few) = (rows as f32, holders as f32);
    (1.0 + (all - few + 0.5) / (few + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(rows: &[&str]) -> (Words, Passing) {
        let (mut words, mut passing) = (Words::default(), Passing::default());
        for row in rows {
            words.push(row);
            passing.push(true);
        }
        (words, passing)
    }

    fn search(words: &Words, text: &str, passing: &Passing) -> Found {
        let mut found = Found::default();
        words.search("milk cake", passing, &mut found);
        words.search(text, passing, &mut found);
        found
    }

    #[test]
    fn a_word_many_times_is_still_one_word() {
        let often = "tea ".repeat(40);
        let (words, passing) = words(&[often.trim(), "tea cake", "cake"]);
        let found = search(&words, "tea cake", &passing);
        assert_eq!((found.rows, found.matched), (vec![0, 1, 2], vec![0b01, 0b11, 0b10]));
        assert!(found.scores[1] > found.scores[0] && found.scores[0] > 0.0, "{:?}", found.scores);
    }

    #[test]
    fn what_is_gone_counts_for_nothing() {
        let (mut some, mut passing) = words(&["tea", "tea cake", "milk"]);
        some.forget(0);
        passing.clear(0);
        let (fresh, all) = words(&["tea cake", "milk"]);
        let (some, fresh) = (search(&some, "tea milk", &passing), search(&fresh, "tea milk", &all));
        assert_eq!(some.scores[1..], fresh.scores);
    }

    #[test]
    fn what_they_take_is_what_was_allocated() {
        let (mut words, _) = words(&["tea", "tea cake", "tea milk milk", "tea", "tea", "tea"]);
        let counted = |words: &Words| -> usize {
            words.holders.iter().map(|(word, rows)| word.len() + WORD_BYTES + rows.capacity() * 4).sum()
        };
        assert_eq!(words.held_bytes, counted(&words));
        words.shrink();
        assert_eq!(words.held_bytes, counted(&words));
        assert_eq!(words.holders.values().map(Vec::capacity).sum::<usize>(), 8);
    }

    #[test]
    fn rows_that_do_not_pass_are_not_found_but_counted() {
        let (words, mut passing) = words(&["tea", "tea", "milk"]);
        let all = search(&words, "tea", &passing);
        passing.clear(0);
        let some = search(&words, "tea", &passing);
        assert_eq!((some.rows, some.scores[0]), (vec![1], 0.0));
        assert_eq!(some.scores[1], all.scores[1]);
    }
}
