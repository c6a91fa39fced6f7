//! Finds many phrases in one pass over a text, with little memory.

use std::io::{Read, Result};
use std::ops::ControlFlow;

/// Bytes at the start of a phrase that decide whether it is compared with a text at all.
const WINDOW: usize = 8;
/// Bytes that are read at once, at least.
const PIECE: usize = 64 * 1024;
/// Spreads keys over the table of starts (2⁶⁴ divided by the golden ratio).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A set of phrases to look for. Besides their bytes it takes some 50 bytes a phrase: an Aho–Corasick automaton over the
/// sentences of 100,000 messages takes hundreds of megabytes.
#[derive(Debug, Default)]
pub struct Phrases {
    /// In order and without duplicates.
    sorted: Vec<Box<[u8]>>,
    /// For each phrase, the longest other one that it begins with.
    prefixes: Vec<Option<usize>>,
    /// Bytes of the shortest phrase, at most [`WINDOW`].
    window: usize,
    /// One bit for each hash of the first bytes of a phrase.
    starts: Vec<u64>,
    /// Bits of a hash.
    bits: u32,
}

impl Phrases {
    /// Prepares the search. Empty phrases are ignored.
    pub fn new<P: AsRef<[u8]>>(phrases: impl IntoIterator<Item = P>) -> Phrases {
        let phrases = phrases.into_iter().map(|phrase| Box::from(phrase.as_ref()));
        let mut sorted: Vec<Box<[u8]>> = phrases.collect();
        sorted.retain(|phrase| !phrase.is_empty());
        sorted.sort();
        sorted.dedup();
        let window = sorted.iter().map(|phrase| phrase.len()).min().unwrap_or(0).min(WINDOW);
        // Sixteen bits a phrase, so that few texts that begin otherwise are compared.
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Whether the text contains any of them.
    pub fn is_in(&self, text: impl AsRef<[u8]>) -> bool {
        self.scan(text.as_ref(), &mut |_| ControlFlow::Break(())).is_break()
    }

    /// Calls `found` with each one that the text contains, as often as it occurs.
    pub fn each_in(&self, text: impl AsRef<[u8]>, mut found: impl FnMut(&[u8])) {
        let _ = self.scan(text.as_ref(), &mut |index| {
            found(&self.sorted[index]);
            ControlFlow::Continue(())
        });
    }

    /// Whether what is read contains any of them. Holds a few pieces of the input at a time, never all of it.
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
            // One that begins here may end in what is read next.
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

    /// Those that the text begins with: the last in order that is not after the text, if any, and what that begins with.
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
        // Of at most 40 bits.
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
    fn a_stream_is_searched_across_the_pieces_that_it_comes_in() {
        /// Gives a byte at a time.
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
        fn it_finds_what_a_plain_search_finds(
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
