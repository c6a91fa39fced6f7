//! Step 1: converts the hits of the two legs in one table into one row per memory.
//!
//! The score is a weighted sum of z-scores, not a fusion of ranks, because ranks lose how much better the best hit is. Mean and
//! deviation are taken over all rows that pass the filter, found or not. A memory gets the best similarity and the best
//! relevance of its parts. A prior of rows that are unrelated to the question is added: in a table of three rows, their own
//! mean and deviation would only show which row fits best, not how well it fits.
//!
//! A word that few rows have is many deviations above the mean, whatever else the question asks. So the score by words also counts
//! by the share of the question's words that the row has, weighted by rarity: "they use a paper clipboard" has "use" of "What do we
//! use as the message broker?", and no more.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use annals_core::ports::{Findings, Hit, Spread};
use annals_core::{Fit, MemoryId, ones};

use super::{FoundConversations, NamedConversation, Row};
use crate::Weights;
use crate::score::{Part, Score};

/// Prior for the similarity: the values of texts that have nothing in common, with the bundled model. Eight rows are too few to
/// matter among hundreds of real rows.
const UNLIKE: Spread = Spread { rows: 8, mean: 0.05, deviation: 0.1 };
/// If the mean similarity over a table is higher, its model gives even unrelated texts a high similarity, as e5 does (0.78).
/// Then the mean and deviation of the table itself are the prior; `UNLIKE` would widen the scale and leave the vectors almost
/// no weight.
const ALIKE: f64 = 0.35;
/// Prior for the relevance of texts that have nothing in common with the question.
const IRRELEVANT: Spread = Spread { rows: 8, mean: 0.0, deviation: 1.5 };
/// Number of words of a question of which rows say whether they have them. A prompt with as many is mostly pasted text, whose words
/// say little about the question.
const MARKED_WORDS: usize = 64;
/// Number of words that no row contains and that are added to every question. Many memories contain all words of a prompt of
/// usual words ("who are you?"), which says little; the added words keep the share of matched words small in this case.
const UNMATCHED_WORDS: f32 = 1.5;

/// Returns one scored row per memory of a table's hits, and the conversations of the rows.
pub(crate) fn legs(findings: Findings, weights: &Weights) -> (Vec<Row>, FoundConversations) {
    let unlike = unlike(findings.similarity);
    let similarity = Scale::new(findings.similarity, unlike, findings.hits.iter().filter_map(|hit| hit.similarity));
    let relevance = Scale::new(findings.relevance, IRRELEVANT, findings.hits.iter().filter_map(|hit| hit.relevance));
    let found = findings.conversations.into_iter().map(NamedConversation::from).collect();
    // Without a vector, the statistics of similarity are empty and only those of relevance have the number of rows.
    let compared = findings.similarity.rows.max(findings.relevance.rows);
    let similarity_of_all = Spread { rows: compared, ..findings.similarity };
    let known = findings.hits.iter().fold(0, |words, hit| words | hit.matched);
    let known_words = share(known, &findings.rarity, 0.0);
    let conversations =
        FoundConversations { found, all: findings.all_conversations, similarity: similarity_of_all, known_words };
    let mut rows: Vec<Row> = Vec::with_capacity(findings.hits.len());
    let unmatched = UNMATCHED_WORDS * findings.rarest;
    let is_short = findings.rarity.len() < MARKED_WORDS;
    let mut indexes: HashMap<MemoryId, usize> = HashMap::with_capacity(findings.hits.len());
    for hit in findings.hits {
        let fit = Fit {
            similarity: hit.similarity.map_or(0.0, f64::from),
            words: share(hit.matched, &findings.rarity, unmatched),
        };
        let mut score = Score::default();
        score.add(Part::Vector, weights.vector * similarity.of(hit.similarity));
        // Only a lead over other rows shrinks with what the row lacks.
        let relevant = relevance.of(hit.relevance);
        let asked = if relevant > 0.0 && is_short {
            share(hit.matched, &findings.rarity, 0.0).powf(weights.share)
        } else {
            1.0
        };
        score.add(Part::Words, weights.words * relevant * asked);
        match indexes.entry(hit.memory.clone()) {
            Entry::Occupied(known) => rows[*known.get()].merge(row(hit, score, fit)),
            Entry::Vacant(free) => {
                free.insert(rows.len());
                rows.push(row(hit, score, fit));
            }
        }
    }
    (rows, conversations)
}

/// Returns the prior for the similarity: `UNLIKE`, or the table's own mean and deviation if its mean is above `ALIKE` and it
/// has more rows than `UNLIKE`.
fn unlike(all: Spread) -> Spread {
    if all.mean > ALIKE && all.rows > UNLIKE.rows { Spread { rows: UNLIKE.rows, ..all } } else { UNLIKE }
}

/// Returns the share of the question's words that are matched, each word weighted by its rarity. `unmatched` is the total
/// weight of the words that are added to the question.
fn share(matched: u64, rarity: &[f32], unmatched: f32) -> f64 {
    let all: f32 = rarity.iter().sum::<f32>() + unmatched;
    let held: f32 = ones(matched).filter_map(|word| rarity.get(word)).sum();
    if all > 0.0 { f64::from(held / all) } else { 0.0 }
}

fn row(hit: Hit, score: Score, fit: Fit) -> Row {
    let positions = hit.position.map(|position| (position, position));
    Row { memory: hit.memory, positions, matched: hit.matched, fit, score }
}

/// Converts a leg's values to distances from the mean in standard deviations.
struct Scale {
    mean: f64,
    deviation: f64,
    /// The value of a row that the leg did not find: the worst value found, or the mean of unrelated texts if that is lower.
    missing: f64,
}

impl Scale {
    fn new(all: Spread, unlike: Spread, found: impl Iterator<Item = f32>) -> Scale {
        let missing = found.map(f64::from).fold(unlike.mean, f64::min);
        let (rows, imagined) = (all.rows as f64, unlike.rows as f64);
        let count = rows + imagined;
        let mean = (rows * all.mean + imagined * unlike.mean) / count;
        let square = |spread: Spread| spread.deviation.powi(2) + (spread.mean - mean).powi(2);
        let deviation = ((rows * square(all) + imagined * square(unlike)) / count).sqrt();
        Scale { mean, deviation, missing }
    }

    fn of(&self, found: Option<f32>) -> f64 {
        (found.map_or(self.missing, f64::from) - self.mean) / self.deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks hits given as `id:similarity:relevance`, with `-` for a leg that did not find the hit. Expects these ids, best
    /// first.
    #[track_caller]
    fn check(hits: &str, expect: &str) {
        let (rows, _) = legs(findings(hits), &Weights::default());
        let rows = super::super::best(&rows, rows.len());
        let order: Vec<String> = rows.iter().map(|row| row.memory.to_string()).collect();
        assert_eq!(order.join(" "), expect);
    }

    fn findings(hits: &str) -> Findings {
        let hits: Vec<Hit> = hits.split_whitespace().map(hit).collect();
        let similar = || hits.iter().filter_map(|hit| hit.similarity);
        Findings {
            similarity: Spread::of(similar().count(), similar()),
            relevance: Spread::of(hits.len(), hits.iter().filter_map(|hit| hit.relevance)),
            rarity: vec![1.0],
            hits,
            ..Findings::default()
        }
    }

    fn hit(text: &str) -> Hit {
        let fields: Vec<&str> = text.split(':').collect();
        Hit {
            memory: MemoryId::from_text(fields[0]),
            part: 0,
            position: None,
            similarity: fields[1].parse().ok(),
            relevance: fields[2].parse().ok(),
            matched: u64::from(fields[2] != "-"),
        }
    }

    #[test]
    fn hit_of_both_legs_ranks_first() {
        check("a:0.9:- b:0.8:7 c:-:8 d:0.1:1", "b a c d");
    }

    #[test]
    fn one_leg_decides_if_the_other_finds_nothing() {
        check("a:0.2:- b:0.9:- c:0.5:-", "b c a");
        check("a:-:2 b:-:9", "b a");
    }

    #[test]
    fn model_that_finds_all_texts_alike_keeps_its_weight() {
        let best = |level: f64| {
            let rows = (0..200).map(|row| format!("x{row}:{}:- ", level + 0.02 * f64::from(row % 3 - 1)));
            let hits = format!("{}a:{}:-", rows.collect::<String>(), level + 0.1);
            let (rows, _) = legs(findings(&hits), &Weights::default());
            rows.iter().find(|row| row.memory.as_str() == "a").unwrap().score.total()
        };
        assert!(best(0.8) > best(0.05), "{} {}", best(0.8), best(0.05));
    }

    #[test]
    fn row_with_more_of_the_question_ranks_first_although_another_has_a_higher_relevance() {
        let hit = |id: &str, relevance, matched| Hit { matched, ..hit(&format!("{id}:-:{relevance}")) };
        let hits = vec![hit("a", 9.0, 0b001), hit("b", 8.0, 0b110)];
        let relevance = Spread::of(100, hits.iter().filter_map(|hit| hit.relevance));
        let found = Findings { hits, relevance, rarity: vec![1.0, 4.0, 4.0], ..Findings::default() };
        let (rows, _) = legs(found, &Weights::default());
        assert_eq!(super::super::best(&rows, 1)[0].memory.as_str(), "b");
    }

    #[test]
    fn ties_are_ordered_by_id() {
        check("b:0.5:1 a:0.5:1", "a b");
        check("", "");
    }

    #[test]
    fn memory_counts_by_its_best_part() {
        check("a:0.1:1 b:0.5:5 a:0.9:9", "a b");
    }

    #[test]
    fn lone_row_is_scored_against_the_prior() {
        let alone = |text| legs(findings(text), &Weights::default()).0[0].score.total();
        assert!(alone("a:0.8:9") > alone("a:0.3:2") && alone("a:0.3:2") > alone("a:0.05:-"));
        assert!(alone("a:0.05:-").abs() < 1e-6);
    }
}
