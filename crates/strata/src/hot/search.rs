//! A search of a table in memory: the filter, the two legs, what stands beside the best, and what all rows come to.

use std::collections::BTreeSet;

use annals_core::Filter;
use annals_core::ports::{Conversation, Findings, Hit, Probe, Seat, Spread};

use super::passing::Passing;
use super::vectors::{Question, nearest};
use super::words::Found;
use super::{Hot, order};
use crate::lex;

/// Rows that are compared exactly for each that is wanted, where only those with the most signs in common are. With four, of the
/// ten most similar of a million none is missed in 97 of 100 questions; twice as many would cost a millisecond.
const COMPARED: usize = 4;
/// Rows whose similarities stand for those of all.
const SAMPLE: usize = 4_096;

/// What the vector leg found.
struct Similar {
    /// The most similar rows, as many as were wanted.
    rows: Vec<u32>,
    spread: Spread,
    /// Of each conversation, by number, how many parts pass and how similar they are together.
    talks: Vec<(u32, f32)>,
}

impl Hot {
    /// What fits the probe. Where more rows pass than `signs_from`, only those whose signs are most like the question's are
    /// compared exactly.
    pub fn search(&self, probe: &Probe, signs_from: usize) -> Findings {
        let passing = self.passing(&probe.filter);
        let whole = self.living.all().count() <= probe.exact;
        let limit = if whole { usize::MAX } else { probe.limit };
        let words = probe.text.as_deref().map(|text| lex::query(text, &probe.language)).unwrap_or_default();
        let worded = self.words.search(&words, &passing);
        let question = probe.vector.as_deref().map(Question::new);
        let similar = match &question {
            Some(question) => self.similar(question, &passing, limit, signs_from),
            None => Similar { rows: Vec::new(), spread: Spread::default(), talks: self.parts(&passing) },
        };
        let mut rows = best(worded.rows.clone(), limit, |row| worded.scores[row as usize]);
        rows.extend(&similar.rows);
        let mut rows: BTreeSet<u32> = rows.into_iter().collect();
        if !whole {
            let beside: Vec<u32> = rows.iter().flat_map(|row| self.beside(*row as usize, &passing)).collect();
            rows.extend(beside);
        }
        let (numbers, conversations) = self.conversations(&similar.talks, &worded);
        let rows: Vec<u32> = rows.into_iter().collect();
        let similarities = question.map(|question| self.vectors.similarities(&question, &rows));
        let hit = |(place, row): (usize, &u32)| {
            let similarity = similarities.as_ref().map(|similarities| similarities[place]);
            self.hit(*row as usize, similarity, &worded, &numbers)
        };
        Findings {
            hits: rows.iter().enumerate().map(hit).collect(),
            conversations,
            similarity: similar.spread,
            relevance: worded.spread(passing.count()),
            rarity: worded.rarity,
        }
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

    fn similar(&self, question: &Question, passing: &Passing, limit: usize, signs_from: usize) -> Similar {
        if passing.count() <= signs_from {
            let rows: Vec<u32> = passing.rows().map(|row| row as u32).collect();
            let similarities = self.vectors.similarities(question, &rows);
            let talks = self.sums(rows.iter().map(|row| *row as usize).zip(similarities.iter().copied()));
            let spread = Spread::of(rows.len(), similarities.iter().copied());
            return Similar { rows: most_similar(&rows, &similarities, limit), spread, talks };
        }
        let differences = self.vectors.differences(question, passing);
        let rows = nearest(&differences, passing, limit.saturating_mul(COMPARED));
        let similarities = self.vectors.similarities(question, &rows);
        let estimates = self.vectors.estimates();
        let talks = self.sums(passing.rows().map(|row| (row, estimates[usize::from(differences[row])])));
        let spread = self.sampled(question, passing);
        Similar { rows: most_similar(&rows, &similarities, limit), spread, talks }
    }

    /// How similarities are spread, by those of some thousand rows evenly among all.
    fn sampled(&self, question: &Question, passing: &Passing) -> Spread {
        let count = passing.count();
        let rows: Vec<u32> = passing.rows().step_by(count.div_ceil(SAMPLE)).map(|row| row as u32).collect();
        let spread = Spread::of(rows.len(), self.vectors.similarities(question, &rows).into_iter());
        Spread { rows: count, ..spread }
    }

    fn parts(&self, passing: &Passing) -> Vec<(u32, f32)> {
        self.sums(passing.rows().map(|row| (row, 0.0)))
    }

    fn sums(&self, similarities: impl Iterator<Item = (usize, f32)>) -> Vec<(u32, f32)> {
        let mut sums = vec![(0, 0.0); self.talks.len()];
        for (row, similarity) in similarities {
            if let Some(talk) = self.talks.of(row) {
                sums[talk].0 += 1;
                sums[talk].1 += similarity;
            }
        }
        sums
    }

    /// The conversations with a part that passes, and for each number of a conversation its place among them.
    fn conversations(&self, talks: &[(u32, f32)], worded: &Found) -> (Vec<usize>, Vec<Conversation>) {
        let mut matched = vec![0; talks.len()];
        for row in &worded.rows {
            if let Some(talk) = self.talks.of(*row as usize) {
                matched[talk] |= worded.matched[*row as usize];
            }
        }
        let (mut numbers, mut conversations) = (Vec::with_capacity(talks.len()), Vec::new());
        for (talk, (parts, similarity)) in talks.iter().enumerate() {
            numbers.push(conversations.len());
            if *parts > 0 {
                let (name, similarity) = (self.talks.name(talk), similarity / *parts as f32);
                conversations.push(Conversation { name, parts: *parts, similarity, matched: matched[talk] });
            }
        }
        (numbers, conversations)
    }

    /// What was said right before and after a row, as far as it passes.
    fn beside(&self, row: usize, passing: &Passing) -> impl Iterator<Item = u32> {
        let seat = self.talks.of(row).map(|talk| (talk, self.place(talk, row)));
        let neighbours = seat.into_iter().flat_map(|(talk, place)| {
            let rows = self.talks.rows(talk);
            [place.checked_sub(1), Some(place + 1)].into_iter().flatten().filter_map(|place| rows.get(place).copied())
        });
        neighbours.filter(|row| passing.holds(*row as usize))
    }

    fn place(&self, talk: usize, row: usize) -> usize {
        let key = order(&self.rows, &self.ids, row as u32);
        self.talks.rows(talk).partition_point(|other| order(&self.rows, &self.ids, *other) < key)
    }

    fn hit(&self, row: usize, similarity: Option<f32>, worded: &Found, numbers: &[usize]) -> Hit {
        let seat = |talk: usize| Seat { conversation: numbers[talk], place: self.place(talk, row) as u32 };
        Hit {
            memory: self.memory(row),
            part: self.rows[row].part,
            seat: self.talks.of(row).map(seat),
            similarity,
            relevance: Some(worded.scores[row]).filter(|score| *score > 0.0),
            matched: worded.matched[row],
        }
    }
}

fn most_similar(rows: &[u32], similarities: &[f32], limit: usize) -> Vec<u32> {
    let places = best((0..rows.len() as u32).collect(), limit, |place| similarities[place as usize]);
    places.into_iter().map(|place| rows[place as usize]).collect()
}

/// The best so many by their scores, in no order; of equals the first.
fn best(mut rows: Vec<u32>, limit: usize, score: impl Fn(u32) -> f32) -> Vec<u32> {
    if rows.len() > limit {
        rows.select_nth_unstable_by(limit, |a, b| score(*b).total_cmp(&score(*a)).then(a.cmp(b)));
        rows.truncate(limit);
    }
    rows
}
