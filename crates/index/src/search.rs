//! A search of a table in memory: the filter, the search by vector, the search by words, the neighbours of the best rows, and
//! statistics over all rows.
//!
//! In a large table the searches by vector and by words run in parallel, and the search by vector runs in pieces on all cores.
//! With two cores, a search of a million rows takes little more than half as long as with one.

use std::collections::HashMap;

use annals_core::Filter;
use annals_core::ports::{Conversation, Conversations, Findings, Hit, Position, Probe, Spread};
use rayon::prelude::*;

use crate::InMemoryTable;
use crate::bitmap::RowBitmap;
use crate::inverted_index::WordScores;
use crate::lex::{self, Query};
use crate::sums::Sums;
use crate::vectors::QueryVector;

/// For a table that is too large to compare every row: the number of rows compared exactly for each requested row, and the
/// minimum number of rows compared exactly.
const COMPARED: usize = 4;
const MIN_COMPARED: usize = 2_000;
/// Maximum number of rows sampled to estimate the spread of similarities in a table that is too large to compare every row.
const SAMPLE: usize = 1_024;

/// Buffers of a search, reused by the next one.
#[derive(Default)]
pub(crate) struct Scratch {
    found: WordScores,
    differences: Vec<u16>,
}

/// Result of the search by words.
struct WordMatches {
    /// The rows with the highest BM25.
    best: Vec<u32>,
    spread: Spread,
    /// By conversation number: which of the first 64 words of the query occur in rows of the conversation that pass the filter,
    /// one bit for each word.
    matched: Vec<u64>,
}

/// Result of the search by vector.
struct VectorMatches {
    /// The rows that were compared exactly, ascending, and their similarities.
    compared: (Vec<u32>, Vec<f32>),
    spread: Spread,
    /// By conversation number: the number of rows of the conversation that pass the filter, and their mean similarity. In a
    /// large table, the mean is estimated from signs; without a query vector, it is zero.
    conversations: Vec<(u32, f32)>,
}

impl Scratch {
    pub(crate) fn bytes(&self) -> usize {
        self.found.bytes() + self.differences.capacity() * size_of::<u16>()
    }
}

impl InMemoryTable {
    /// Searches the table. If more rows than `signs_from` pass the filter, the search by vector considers only the rows that
    /// share the most signs with the query. The limit of the probe does not apply if the table has at most `probe.exact` rows.
    pub fn search(&self, probe: &Probe, signs_from: usize) -> Findings {
        let mut scratch = self.scratch.lock().pop().unwrap_or_default();
        let findings = self.search_in(&mut scratch, probe, signs_from);
        self.scratch.lock().push(scratch);
        findings
    }

    fn search_in(&self, scratch: &mut Scratch, probe: &Probe, signs_from: usize) -> Findings {
        let passing = self.filtered(&probe.filter);
        let whole = self.live.all().count() <= probe.exact;
        let limit = if whole { usize::MAX } else { probe.limit };
        let query = |text| lex::query(text, &probe.language, self.words.languages());
        let words = probe.text.as_deref().map(query).unwrap_or_default();
        let question = probe.vector.as_deref().map(QueryVector::new);
        let Scratch { found, differences } = scratch;
        let mut match_words = || self.by_words(&words, &passing, limit, found);
        let (by_word, similar) = match &question {
            Some(question) if passing.count() > signs_from => {
                rayon::join(match_words, || self.compare_nearest(question, &passing, limit, differences))
            }
            Some(question) => (match_words(), self.compare_all(question, &passing)),
            None => (match_words(), self.compare_nothing(&passing)),
        };
        let rows = self.rows_of(&by_word, &similar, &passing, limit);
        let similarities = question.map(|question| self.similarities(&question, &rows, &similar));
        let all = similar.conversations.iter().zip(&by_word.matched);
        let all: Vec<(u32, f32, u64)> = all.map(|((parts, near), matched)| (*parts, *near, *matched)).collect();
        let (numbers, conversations) = self.conversations_of(&rows, &all);
        let passing_conversations = all.iter().filter(|(parts, ..)| *parts > 0);
        let hit = |(n, row): (usize, &u32)| {
            let similarity = similarities.as_ref().map(|similarities| similarities[n]);
            self.hit(*row as usize, similarity, found, &numbers)
        };
        Findings {
            // Built in parallel, because each hit costs a cache miss.
            hits: rows.par_iter().enumerate().map(hit).collect(),
            conversations,
            all_conversations: Conversations::of(passing_conversations.map(|(_, near, matched)| (*near, *matched))),
            similarity: similar.spread,
            relevance: by_word.spread,
            rarity: found.rarity.clone(),
            rarest: found.rarest,
        }
    }

    /// Returns the rows of the answer, ascending: the best by vector and by words and, if their number is limited, those of
    /// their neighbours that pass the filter.
    fn rows_of(&self, by_word: &WordMatches, similar: &VectorMatches, passing: &RowBitmap, limit: usize) -> Vec<u32> {
        let mut rows = similar.best(limit);
        rows.extend(&by_word.best);
        if limit != usize::MAX {
            let beside: Vec<u32> = rows.iter().flat_map(|row| self.neighbours(*row as usize)).copied().collect();
            rows.extend(beside.into_iter().filter(|row| passing.contains(*row as usize)));
        }
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// Returns the rows of all parts of a row's turn, of the last part of the turn before, and of the first part of the turn
    /// after. Empty for a row without a conversation.
    fn neighbours(&self, row: usize) -> &[u32] {
        let Some(conversation) = self.conversations.of(row) else { return &[] };
        let rows = self.conversations.rows(conversation);
        let begins = |position: usize| self.rows[rows[position] as usize].part == 0;
        let position = self.conversations.position(row) as usize;
        let first = (0..=position).rev().find(|position| begins(*position)).unwrap_or(0);
        let next = (position + 1..rows.len()).find(|position| begins(*position)).unwrap_or(rows.len());
        &rows[first.saturating_sub(1)..(next + 1).min(rows.len())]
    }

    fn by_words(&self, words: &Query, passing: &RowBitmap, limit: usize, found: &mut WordScores) -> WordMatches {
        self.words.search(words, passing, found);
        let mut matched = vec![0; self.conversations.len()];
        for row in &found.rows {
            if let Some(conversation) = self.conversations.of(*row as usize) {
                matched[conversation] |= found.matched[*row as usize];
            }
        }
        let best = best(found.rows.iter().map(|row| (found.scores[*row as usize], *row)), limit);
        WordMatches { best, spread: found.spread(passing.count()), matched }
    }

    fn filtered(&self, filter: &Filter) -> RowBitmap {
        let (from, to) = (filter.within.start.as_microsecond(), filter.within.end.as_microsecond());
        let overlaps = |row: usize| self.rows[row].start < to && from < self.rows[row].end;
        let is_kind = |row: usize| self.rows[row].kind.is_some_and(|kind| filter.kinds.contains(&kind));
        let live = self.live.all();
        let passing = match &filter.conversation {
            Some(name) => {
                let rows =
                    self.conversations.find(name).map_or(&[][..], |conversation| self.conversations.rows(conversation));
                live.of(rows.iter().map(|row| *row as usize).filter(|row| overlaps(*row)))
            }
            None => self.live.within(filter.within, overlaps),
        };
        if filter.kinds.is_empty() { passing } else { live.of(passing.rows().filter(|row| is_kind(*row))) }
    }

    fn compare_all(&self, question: &QueryVector, passing: &RowBitmap) -> VectorMatches {
        let rows: Vec<u32> = passing.rows().map(|row| row as u32).collect();
        let similarities = self.vectors.similarities(question, &rows);
        let mut sums = Sums::new(self.conversations.len());
        for (row, near) in rows.iter().zip(&similarities) {
            sums.add(self.conversations.of(*row as usize), 1, f64::from(*near));
        }
        let conversations = sums.means().map(|(rows, near)| (rows, near as f32)).collect();
        let spread = Spread::of(rows.len(), similarities.iter().copied());
        VectorMatches { compared: (rows, similarities), spread, conversations }
    }

    fn compare_nearest(
        &self,
        question: &QueryVector,
        passing: &RowBitmap,
        limit: usize,
        differences: &mut Vec<u16>,
    ) -> VectorMatches {
        let stats = self.scan(question, passing, differences);
        let many = limit.saturating_mul(COMPARED).max(MIN_COMPARED);
        let nearest = || self.nearest(question, passing, differences, stats.counts.threshold(many));
        let (compared, spread) = rayon::join(nearest, || self.sampled(question, passing));
        let similar = |(rows, differing)| (rows, self.vectors.signs.similarity(differing));
        VectorMatches { compared, spread, conversations: stats.sums.means().map(similar).collect() }
    }

    fn compare_nothing(&self, passing: &RowBitmap) -> VectorMatches {
        let mut sums = Sums::new(self.conversations.len());
        passing.rows().for_each(|row| sums.add(self.conversations.of(row), 1, 0.0));
        let conversations = sums.means().map(|(rows, _)| (rows, 0.0)).collect();
        VectorMatches { compared: (Vec::new(), Vec::new()), spread: Spread::default(), conversations }
    }

    /// Returns the similarities of these rows. Reuses known similarities, because comparing a row costs a cache miss.
    fn similarities(&self, question: &QueryVector, rows: &[u32], similar: &VectorMatches) -> Vec<f32> {
        let (compared, known) = &similar.compared;
        let known = |row: &u32| compared.binary_search(row).ok().map(|n| known[n]);
        let missing: Vec<u32> = rows.iter().copied().filter(|row| known(row).is_none()).collect();
        let mut others = self.vectors.similarities(question, &missing).into_iter();
        rows.iter().map(|row| known(row).or_else(|| others.next()).unwrap_or(0.0)).collect()
    }

    /// Estimates the spread of similarities from at most [`SAMPLE`] evenly spaced rows that pass.
    fn sampled(&self, question: &QueryVector, passing: &RowBitmap) -> Spread {
        let count = passing.count();
        let rows: Vec<u32> = passing.every(count.div_ceil(SAMPLE)).map(|row| row as u32).collect();
        let spread = Spread::of(rows.len(), self.vectors.similarities(question, &rows).into_iter());
        Spread { rows: count, ..spread }
    }

    /// Returns the conversations of these rows. Also returns, by conversation number, the position of each conversation in that
    /// list. `all` holds for each conversation the number of rows that pass, their mean similarity, and which words they
    /// contain.
    fn conversations_of(&self, rows: &[u32], all: &[(u32, f32, u64)]) -> (HashMap<usize, usize>, Vec<Conversation>) {
        let (mut positions, mut conversations) = (HashMap::new(), Vec::new());
        for number in rows.iter().filter_map(|row| self.conversations.of(*row as usize)) {
            positions.entry(number).or_insert_with(|| {
                let (parts, similarity, matched) = all[number];
                conversations.push(Conversation { name: self.conversations.name(number), parts, similarity, matched });
                conversations.len() - 1
            });
        }
        (positions, conversations)
    }

    fn hit(&self, row: usize, similarity: Option<f32>, found: &WordScores, numbers: &HashMap<usize, usize>) -> Hit {
        let position = |conversation: usize| Position {
            conversation: numbers[&conversation],
            index: self.conversations.position(row),
        };
        Hit {
            memory: self.memory(row),
            part: self.rows[row].part,
            position: self.conversations.of(row).map(position),
            similarity,
            relevance: Some(found.scores[row]).filter(|score| *score > 0.0),
            matched: found.matched[row],
        }
    }
}

impl VectorMatches {
    /// Returns the `limit` most similar of the compared rows.
    fn best(&self, limit: usize) -> Vec<u32> {
        let (rows, similarities) = &self.compared;
        best(similarities.iter().copied().zip(rows.iter().copied()), limit)
    }
}

/// Returns the `limit` rows with the highest scores, in no particular order. Of rows with equal scores, the lower numbers win.
fn best(scored: impl Iterator<Item = (f32, u32)>, limit: usize) -> Vec<u32> {
    let mut scored: Vec<(f32, u32)> = scored.collect();
    if scored.len() > limit {
        scored.select_nth_unstable_by(limit, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.truncate(limit);
    }
    scored.into_iter().map(|(_, row)| row).collect()
}
