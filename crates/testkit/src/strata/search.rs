//! The plainest possible search of a table: cosine similarity and BM25 of every row. A reference for faster implementations.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::{Conversation, Conversations, Findings, Hit, Part, Position, Probe, Spread};

use crate::word_split::words;

/// The rows of a table with their scores for a probe.
struct Search<'a> {
    rows: &'a [&'a Part],
    /// Words of each row.
    words: Vec<Vec<String>>,
    /// Words of the query, each once.
    query_words: Vec<String>,
    /// Indices of the rows that pass the filter.
    passing: Vec<usize>,
    /// Rows of each conversation in order of time, whether they pass the filter or not.
    rows_by_conversation: BTreeMap<&'a str, Vec<usize>>,
    similarity: Vec<Option<f32>>,
    relevance: Vec<Option<f32>>,
}

pub(super) fn findings(rows: &[&Part], probe: &Probe) -> Findings {
    let search = Search::new(rows, probe);
    let whole = rows.len() <= probe.exact;
    let limit = if whole { usize::MAX } else { probe.limit };
    let mut found: BTreeSet<usize> = search.best(&search.similarity, limit).collect();
    found.extend(search.best(&search.relevance, limit));
    if !whole {
        let beside: Vec<usize> = found.iter().flat_map(|row| search.beside(*row)).collect();
        found.extend(beside);
    }
    let names = search.names(found.iter().copied());
    let spread =
        |scores: &[Option<f32>]| Spread::of(search.passing.len(), search.passing.iter().filter_map(|row| scores[*row]));
    Findings {
        hits: found.iter().map(|row| search.hit(*row, &names)).collect(),
        conversations: names.iter().map(|name| search.conversation(name)).collect(),
        all_conversations: search.all_conversations(),
        similarity: if probe.vector.is_some() { spread(&search.similarity) } else { Spread::default() },
        relevance: spread(&search.relevance),
        rarity: search.query_words.iter().take(64).map(|word| search.rarity(word)).collect(),
        rarest: rarity(rows.len(), 0),
    }
}

impl<'a> Search<'a> {
    fn new(rows: &'a [&'a Part], probe: &Probe) -> Search<'a> {
        let admits = |part: &Part| probe.filter.admits(&part.cover, part.kind, part.conversation.as_deref());
        let mut query_words = probe.text.as_deref().map(words).unwrap_or_default();
        let mut seen = BTreeSet::new();
        query_words.retain(|word| seen.insert(word.clone()));
        let mut search = Search {
            rows,
            words: rows.iter().map(|part| words(&part.text)).collect(),
            query_words,
            passing: (0..rows.len()).filter(|row| admits(rows[*row])).collect(),
            rows_by_conversation: BTreeMap::new(),
            similarity: rows.iter().map(|part| Some(dot(probe.vector.as_ref()?, &part.vector))).collect(),
            relevance: Vec::new(),
        };
        search.position();
        search.relevance = search.relevances();
        search
    }

    fn position(&mut self) {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|row| (self.rows[*row].cover.start, *row));
        for row in order {
            if let Some(name) = self.rows[row].conversation.as_deref() {
                self.rows_by_conversation.entry(name).or_default().push(row);
            }
        }
    }

    /// Returns the BM25 score of each row; `None` for a row without any query word.
    fn relevances(&self) -> Vec<Option<f32>> {
        let mean = self.words.iter().map(Vec::len).sum::<usize>() as f32 / self.rows.len().max(1) as f32;
        let rarity: Vec<f32> = self.query_words.iter().map(|word| self.rarity(word)).collect();
        let relevance = |words: &Vec<String>| {
            let held_back = 1.2 * (0.25 + 0.75 * words.len() as f32 / mean);
            let scores = self.query_words.iter().zip(&rarity).map(|(word, rarity)| {
                let times = words.iter().filter(|other| *other == word).count() as f32;
                rarity * times * 2.2 / (times + held_back)
            });
            Some(scores.sum()).filter(|score| *score > 0.0)
        };
        self.words.iter().map(relevance).collect()
    }

    fn rarity(&self, word: &String) -> f32 {
        rarity(self.rows.len(), self.words.iter().filter(|words| words.contains(word)).count())
    }

    /// Returns the `limit` best rows among those that pass the filter and have a score.
    fn best(&self, scores: &[Option<f32>], limit: usize) -> impl Iterator<Item = usize> {
        let mut scored: Vec<(usize, f32)> = self.passing.iter().filter_map(|row| Some((*row, scores[*row]?))).collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        scored.into_iter().take(limit).map(|(row, _)| row)
    }

    fn beside(&self, row: usize) -> Vec<usize> {
        let pairs =
            self.rows_by_conversation.values().flat_map(|rows| rows.windows(2)).filter(|pair| pair.contains(&row));
        pairs.flatten().copied().filter(|other| self.passing.contains(other)).collect()
    }

    /// Returns the conversations of the given rows, sorted.
    fn names(&self, rows: impl Iterator<Item = usize>) -> Vec<&'a str> {
        rows.filter_map(|row| self.rows[row].conversation.as_deref()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn all_conversations(&self) -> Conversations {
        let all: Vec<Conversation> =
            self.names(self.passing.iter().copied()).into_iter().map(|name| self.conversation(name)).collect();
        Conversations::of(all.iter().map(|conversation| (conversation.similarity, conversation.matched)))
    }

    fn matched(&self, row: usize) -> u64 {
        let places = self.query_words.iter().take(64).zip(0_u32..);
        places.filter(|(word, _)| self.words[row].contains(word)).map(|(_, place)| 1 << place).sum()
    }

    fn hit(&self, row: usize, names: &[&str]) -> Hit {
        let part = self.rows[row];
        let position = part.conversation.as_deref().map(|name| Position {
            conversation: names.iter().position(|other| *other == name).expect("it passes"),
            index: self.rows_by_conversation[name]
                .iter()
                .zip(0..)
                .find(|(other, _)| **other == row)
                .expect("it is a row of the conversation")
                .1,
        });
        Hit {
            memory: part.memory.clone(),
            part: part.part,
            position,
            similarity: self.similarity[row],
            relevance: self.relevance[row],
            matched: self.matched(row),
        }
    }

    fn conversation(&self, name: &str) -> Conversation {
        let rows: Vec<usize> =
            self.rows_by_conversation[name].iter().copied().filter(|row| self.passing.contains(row)).collect();
        let similarity = rows.iter().filter_map(|row| self.similarity[*row]).sum::<f32>() / rows.len() as f32;
        let matched = rows.iter().fold(0, |all, row| all | self.matched(*row));
        Conversation { name: name.into(), parts: rows.len() as u32, similarity, matched }
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the inverse document frequency of a word that this many of the rows contain.
fn rarity(rows: usize, holders: usize) -> f32 {
    let (rows, holders) = (rows as f32, holders as f32);
    (1.0 + (rows - holders + 0.5) / (holders + 0.5)).ln()
}
