//! A search of a table in memory: the filter, the two legs, what stands beside the best, and what all rows come to.
//!
//! In a large table each leg is worked on beside the other, and the vectors' in pieces, each of which any core may take: with
//! two cores a search of a million rows takes little more than half as long as with one.

use std::collections::HashMap;

use annals_core::Filter;
use annals_core::ports::{Conversation, Conversations, Findings, Hit, Probe, Seat, Spread};
use rayon::prelude::*;

use crate::Hot;
use crate::lex;
use crate::passing::Passing;
use crate::sums::Sums;
use crate::vectors::Question;
use crate::words::Found;

/// Rows that are compared exactly for each that is wanted, where only those with the most signs in common are, and the least.
const COMPARED: usize = 4;
const LEAST_COMPARED: usize = 2_000;
/// Rows whose similarities stand for those of all.
const SAMPLE: usize = 1_024;

/// What one search after the other writes into.
#[derive(Default)]
pub struct Scratch {
    found: Found,
    differences: Vec<u16>,
}

/// What the words found, beside what each row has of them.
struct Worded {
    /// The most relevant rows.
    best: Vec<u32>,
    spread: Spread,
    /// Of each conversation, by number, which of the words it holds.
    matched: Vec<u64>,
}

/// What the vector leg found.
struct Similar {
    /// The rows that were compared, ascending, and how similar they are.
    compared: (Vec<u32>, Vec<f32>),
    spread: Spread,
    /// Of each conversation, by number, how many parts pass and how similar they are in the mean.
    talks: Vec<(u32, f32)>,
}

impl Scratch {
    /// What it takes.
    pub fn bytes(&self) -> usize {
        self.found.bytes() + self.differences.capacity() * size_of::<u16>()
    }
}

impl Hot {
    /// What fits the probe. Where more rows pass than `signs_from`, only those whose signs are most like the question's are
    /// compared exactly.
    pub fn search(&self, probe: &Probe, signs_from: usize) -> Findings {
        let mut scratch = self.scratch.lock().expect("no holder of the lock panics").pop().unwrap_or_default();
        let findings = self.search_in(&mut scratch, probe, signs_from);
        self.scratch.lock().expect("no holder of the lock panics").push(scratch);
        findings
    }

    fn search_in(&self, scratch: &mut Scratch, probe: &Probe, signs_from: usize) -> Findings {
        let passing = self.passing(&probe.filter);
        let whole = self.living.all().count() <= probe.exact;
        let limit = if whole { usize::MAX } else { probe.limit };
        let words = probe.text.as_deref().map(|text| lex::query(text, &probe.language)).unwrap_or_default();
        let question = probe.vector.as_deref().map(Question::new);
        let Scratch { found, differences } = scratch;
        let mut by_words = || self.by_words(&words, &passing, limit, found);
        let (worded, similar) = match &question {
            Some(question) if passing.count() > signs_from => {
                rayon::join(by_words, || self.compare_nearest(question, &passing, limit, differences))
            }
            Some(question) => (by_words(), self.compare_all(question, &passing)),
            None => (by_words(), self.compare_none(&passing)),
        };
        let rows = self.rows_of(&worded, &similar, &passing, limit);
        let similarities = question.map(|question| self.similarities(&question, &rows, &similar));
        let talks = similar.talks.iter().zip(&worded.matched).map(|((parts, near), matched)| (*parts, *near, *matched));
        let talks: Vec<(u32, f32, u64)> = talks.collect();
        let (numbers, conversations) = self.conversations(&rows, &talks);
        let passing_talks = talks.iter().filter(|(parts, ..)| *parts > 0);
        let hit = |(place, row): (usize, &u32)| {
            let similarity = similarities.as_ref().map(|similarities| similarities[place]);
            self.hit(*row as usize, similarity, found, &numbers)
        };
        Findings {
            // Each is a walk to memory.
            hits: rows.par_iter().enumerate().map(hit).collect(),
            conversations,
            all_conversations: Conversations::of(passing_talks.map(|(_, near, matched)| (*near, *matched))),
            similarity: similar.spread,
            relevance: worded.spread,
        }
    }

    /// The rows to tell of, ascending: the best of both legs, and in a large table what stands beside them.
    fn rows_of(&self, worded: &Worded, similar: &Similar, passing: &Passing, limit: usize) -> Vec<u32> {
        let mut rows = similar.best(limit);
        rows.extend(&worded.best);
        if limit != usize::MAX {
            let beside: Vec<u32> = rows.iter().flat_map(|row| self.around(*row as usize)).copied().collect();
            rows.extend(beside.into_iter().filter(|row| passing.holds(*row as usize)));
        }
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// All parts of a turn, with the last part of the turn before and the first of the one after.
    fn around(&self, row: usize) -> &[u32] {
        let Some(talk) = self.talks.of(row) else { return &[] };
        let rows = self.talks.rows(talk);
        let begins = |place: usize| self.rows[rows[place] as usize].part == 0;
        let place = self.talks.place(row) as usize;
        let first = (0..=place).rev().find(|place| begins(*place)).unwrap_or(0);
        let next = (place + 1..rows.len()).find(|place| begins(*place)).unwrap_or(rows.len());
        &rows[first.saturating_sub(1)..(next + 1).min(rows.len())]
    }

    fn by_words(&self, words: &str, passing: &Passing, limit: usize, found: &mut Found) -> Worded {
        self.words.search(words, passing, found);
        let mut matched = vec![0; self.talks.len()];
        for row in &found.rows {
            if let Some(talk) = self.talks.of(*row as usize) {
                matched[talk] |= found.matched[*row as usize];
            }
        }
        let best = best(found.rows.iter().map(|row| (found.scores[*row as usize], *row)), limit);
        Worded { best, spread: found.spread(passing.count()), matched }
    }

    fn passing(&self, filter: &Filter) -> Passing {
        let (from, to) = (filter.within.start.as_microsecond(), filter.within.end.as_microsecond());
        let overlaps = |row: usize| self.rows[row].start < to && from < self.rows[row].end;
        let is_kind = |row: usize| self.rows[row].kind.is_some_and(|kind| filter.kinds.contains(&kind));
        let living = self.living.all();
        let passing = match &filter.conversation {
            Some(name) => {
                let rows = self.talks.find(name).map_or(&[][..], |talk| self.talks.rows(talk));
                living.of(rows.iter().map(|row| *row as usize).filter(|row| overlaps(*row)))
            }
            None => self.living.within(filter.within, overlaps),
        };
        if filter.kinds.is_empty() { passing } else { living.of(passing.rows().filter(|row| is_kind(*row))) }
    }

    fn compare_all(&self, question: &Question, passing: &Passing) -> Similar {
        let rows: Vec<u32> = passing.rows().map(|row| row as u32).collect();
        let similarities = self.vectors.similarities(question, &rows);
        let mut sums = Sums::new(self.talks.len());
        for (row, near) in rows.iter().zip(&similarities) {
            sums.add(self.talks.of(*row as usize), 1, f64::from(*near));
        }
        let talks = sums.means().map(|(rows, near)| (rows, near as f32)).collect();
        let spread = Spread::of(rows.len(), similarities.iter().copied());
        Similar { compared: (rows, similarities), spread, talks }
    }

    fn compare_nearest(
        &self,
        question: &Question,
        passing: &Passing,
        limit: usize,
        differences: &mut Vec<u16>,
    ) -> Similar {
        let looked = self.look(question, passing, differences);
        let many = limit.saturating_mul(COMPARED).max(LEAST_COMPARED);
        let nearest = || self.nearest(question, passing, differences, looked.counts.most(many));
        let (compared, spread) = rayon::join(nearest, || self.sampled(question, passing));
        let similar = |(rows, differing)| (rows, self.vectors.signs.similarity(differing));
        Similar { compared, spread, talks: looked.sums.means().map(similar).collect() }
    }

    fn compare_none(&self, passing: &Passing) -> Similar {
        let mut sums = Sums::new(self.talks.len());
        passing.rows().for_each(|row| sums.add(self.talks.of(row), 1, 0.0));
        let talks = sums.means().map(|(rows, _)| (rows, 0.0)).collect();
        Similar { compared: (Vec::new(), Vec::new()), spread: Spread::default(), talks }
    }

    /// How similar these rows are, ascending. Most were compared already, and each that is not at hand is a walk to memory.
    fn similarities(&self, question: &Question, rows: &[u32], similar: &Similar) -> Vec<f32> {
        let (compared, known) = &similar.compared;
        let known = |row: &u32| compared.binary_search(row).ok().map(|place| known[place]);
        let missing: Vec<u32> = rows.iter().copied().filter(|row| known(row).is_none()).collect();
        let mut others = self.vectors.similarities(question, &missing).into_iter();
        rows.iter().map(|row| known(row).or_else(|| others.next()).unwrap_or(0.0)).collect()
    }

    /// How similarities are spread, by those of some thousand rows evenly among all.
    fn sampled(&self, question: &Question, passing: &Passing) -> Spread {
        let count = passing.count();
        let rows: Vec<u32> = passing.every(count.div_ceil(SAMPLE)).map(|row| row as u32).collect();
        let spread = Spread::of(rows.len(), self.vectors.similarities(question, &rows).into_iter());
        Spread { rows: count, ..spread }
    }

    /// The conversations of these rows, and for the number of each its place among them. Of each is told by number how many parts
    /// pass, how similar they are, and which words it holds.
    fn conversations(&self, rows: &[u32], talks: &[(u32, f32, u64)]) -> (HashMap<usize, usize>, Vec<Conversation>) {
        let (mut places, mut conversations) = (HashMap::new(), Vec::new());
        for talk in rows.iter().filter_map(|row| self.talks.of(*row as usize)) {
            places.entry(talk).or_insert_with(|| {
                let (parts, similarity, matched) = talks[talk];
                conversations.push(Conversation { name: self.talks.name(talk), parts, similarity, matched });
                conversations.len() - 1
            });
        }
        (places, conversations)
    }

    fn hit(&self, row: usize, similarity: Option<f32>, found: &Found, numbers: &HashMap<usize, usize>) -> Hit {
        let seat = |talk: usize| Seat { conversation: numbers[&talk], place: self.talks.place(row) };
        Hit {
            memory: self.memory(row),
            part: self.rows[row].part,
            seat: self.talks.of(row).map(seat),
            similarity,
            relevance: Some(found.scores[row]).filter(|score| *score > 0.0),
            matched: found.matched[row],
        }
    }
}

impl Similar {
    /// The most similar so many.
    fn best(&self, limit: usize) -> Vec<u32> {
        let (rows, similarities) = &self.compared;
        best(similarities.iter().copied().zip(rows.iter().copied()), limit)
    }
}

/// The best so many of scored rows, in no order; of equals the first.
fn best(scored: impl Iterator<Item = (f32, u32)>, limit: usize) -> Vec<u32> {
    let mut scored: Vec<(f32, u32)> = scored.collect();
    if scored.len() > limit {
        scored.select_nth_unstable_by(limit, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.truncate(limit);
    }
    scored.into_iter().map(|(_, row)| row).collect()
}
