//! Finds many phrases in one pass over a text, using little memory.

use std::io::{Read, Result};
use std::ops::ControlFlow;

/// Maximum number of bytes at the start of a phrase that are hashed to select candidates.
const WINDOW: usize = 8;
/// Minimum size of the read buffer, in bytes.
const PIECE: usize = 64 * 1024;
/// Multiplier that spreads keys over the table of starts (2⁶⁴ divided by the golden ratio).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A set of phrases to search for. Uses about 50 bytes per phrase besides its text. An Aho–Corasick automaton over the
/// sentences of 100,000 messages takes hundreds of megabytes.
#[derive(Debug, Default)]
pub struct Phrases {
    /// The phrases, sorted and without duplicates.
    sorted: Vec<Box<[u8]>>,
    /// For each phrase, the index of the longest other phrase that is a prefix of it.
    prefixes: Vec<Option<usize>>,
    /// Length of the shortest phrase in bytes, at most [`WINDOW`].
    window: usize,
    /// A bit set. For each phrase, the bit at the hash of its first `window` bytes is set.
    starts: Vec<u64>,
    /// Length of the hash in bits.
    bits: u32,
}

impl Phrases {
    /// Builds the set. Ignores empty phrases.
    pub fn new<P: AsRef<[u8]>>(phrases: impl IntoIterator<Item = P>) -> Phrases {
        let phrases = phrases.into_iter().map(|phrase| Box::from(phrase.as_ref()));
        let mut sorted: Vec<Box<[u8]>> = phrases.collect();
        sorted.retain(|phrase| !phrase.is_empty());
        sorted.sort();
        sorted.dedup();
        let window = sorted.iter().map(|phrase| phrase.len()).min().unwrap_or(0).min(WINDOW);
        // At least 16 bits per phrase, so that few other places in a text pass the bit set and have to be compared.
        let bits = (sorted.len().max(64) * 16).ilog2() + 1;
        let mut phrases =
            Phrases { prefixes: prefixes(&sorted), sorted, window, starts: vec![0; 1 << (bits - 6)], bits };
        for index in 0..phrases.sorted.len() {
            let start = phrases.sorted[index][..window].iter().fold(0, |key, byte| key << 8 | u64::from(*byte));
            let (word, bit) = phrases.slot(start);
            phrases.starts[word] |= bit;
        }
        phrases
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Returns whether the text contains any of the phrases.
    pub fn is_in(&self, text: impl AsRef<[u8]>) -> bool {
        self.scan(text.as_ref(), &mut |_| ControlFlow::Break(())).is_break()
    }

    /// Calls `found` with each phrase in the text, once per occurrence.
    pub fn each_in(&self, text: impl AsRef<[u8]>, mut found: impl FnMut(&[u8])) {
        let _ = self.scan(text.as_ref(), &mut |index| {
            found(&self.sorted[index]);
            ControlFlow::Continue(())
        });
    }

    /// Returns whether the input contains any of the phrases. Buffers 64 KiB or twice the longest phrase, whichever is
    /// more; never the whole input.
    pub fn is_in_stream(&self, mut input: impl Read) -> Result<bool> {
        let longest = self.sorted.iter().map(|phrase| phrase.len()).max().unwrap_or(0);
        let mut piece = vec![0; PIECE.max(2 * longest)];
        let mut kept = 0;
        loop {
            let read = input.read(&mut piece[kept..])?;
            let end = kept + read;
            if self.is_in(&piece[..end]) {
                return Ok(true);
            }
            if read == 0 {
                return Ok(false);
            }
            // A phrase that begins in these bytes may end in the next read.
            kept = end.min(longest.saturating_sub(1));
            piece.copy_within(end - kept..end, 0);
        }
    }

    fn scan(&self, text: &[u8], found: &mut dyn FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.is_empty() || text.len() < self.window {
            return ControlFlow::Continue(());
        }
        let mask = u64::MAX >> (64 - 8 * self.window);
        let mut key = 0;
        for (end, byte) in (1..).zip(text) {
            key = (key << 8 | u64::from(*byte)) & mask;
            let (word, bit) = self.slot(key);
            if end >= self.window && self.starts[word] & bit != 0 {
                self.beginning(&text[end - self.window..], found)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Reports the phrases that the text begins with. Starts at the last phrase that does not sort after the text, and
    /// follows `prefixes` from there.
    fn beginning(&self, text: &[u8], found: &mut dyn FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut candidate = self.sorted.partition_point(|phrase| **phrase <= *text).checked_sub(1);
        while let Some(index) = candidate {
            if text.starts_with(&self.sorted[index]) {
                found(index)?;
            }
            candidate = self.prefixes[index];
        }
        ControlFlow::Continue(())
    }

    fn slot(&self, key: u64) -> (usize, u64) {
        let hash = key.wrapping_mul(SPREAD) >> (64 - self.bits);
        // The conversion cannot fail, because the result is an index into `starts`.
        (usize::try_from(hash >> 6).unwrap_or(0), 1 << (hash & 63))
    }
}

fn prefixes(sorted: &[Box<[u8]>]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let prefix_of = |index: usize| {
        while open.last().is_some_and(|last| !sorted[index].starts_with(&sorted[*last])) {
            open.pop();
        }
        let prefix = open.last().copied();
        open.push(index);
        prefix
    };
    (0..sorted.len()).map(prefix_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_occurrence_of_each_phrase_is_found() {
        fn check(phrases: &str, text: &str, expect: &str) {
            let mut found = Vec::new();
            let split = phrases.split('|');
            Phrases::new(split).each_in(text, |phrase| found.push(String::from_utf8_lossy(phrase).into_owned()));
            found.sort();
            assert_eq!(found.join("|"), expect, "{phrases:?} in {text:?}");
        }
        check("tea", "tea and teacups", "tea|tea");
        check("tea|teacup|a", "a teacup", "a|a|tea|teacup");
        check(
            "went to Rome|we went|we went to Rome by",
            "Yes, we went to Rome by train",
            "we went|we went to Rome by|went to Rome",
        );
        check("a long phrase indeed", "a long phrase inde", "");
        check("", "anything", "");
        check("", "", "");
        check("駅で会いました", "東京駅で会いました。", "駅で会いました");
        check("x|x|x", "xx", "x|x");
    }

    #[test]
    fn match_across_read_boundaries_is_found() {
        /// Returns one byte per read.
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
                let take = self.0.len().min(1);
                self.0.split_at(take).0.read(&mut buffer[..take])?;
                self.0 = &self.0[take..];
                Ok(take)
            }
        }
        let phrases = Phrases::new(["the far end of it"]);
        let mut text = vec![b'.'; PIECE - 5];
        text.extend(b"the far end of it");
        assert!(phrases.is_in_stream(&*text).unwrap());
        assert!(!phrases.is_in_stream(&text[..text.len() - 1]).unwrap());
        assert!(phrases.is_in_stream(Slow(b"at the far end of it")).unwrap());
        assert!(!phrases.is_in_stream(Slow(b"")).unwrap());
    }

    proptest! {
        #[test]
        fn matches_equal_those_of_a_naive_search(
            phrases in prop::collection::vec("[ab]{0,12}", 0..12),
            text in "[ab]{0,40}",
        ) {
            let search = Phrases::new(&phrases);
            let mut found = std::collections::BTreeSet::new();
            search.each_in(&text, |phrase| { found.insert(phrase.to_vec()); });
            let expect: std::collections::BTreeSet<Vec<u8>> =
                phrases.iter().filter(|phrase| !phrase.is_empty() && text.contains(*phrase)).map(|phrase| phrase.clone().into_bytes()).collect();
            prop_assert_eq!(search.is_in(&text), !expect.is_empty());
            prop_assert_eq!(search.is_in_stream(text.as_bytes()).unwrap(), !expect.is_empty());
            prop_assert_eq!(found, expect);
        }
    }
}
