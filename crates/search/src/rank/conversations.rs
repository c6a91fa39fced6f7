//! Step 3, and the ranking of conversations: one that has several good turns, and that holds more of the question's words
//! somewhere, is likely about what is asked.

use std::collections::{BTreeMap, HashMap};

use annals_core::ConversationFound;

use super::{Ranked, Row};
use crate::Weights;
use crate::score::Part;

/// What a conversation is about as a whole says which conversation it is, but less which of its turns.
const THEME_OF_TURNS: f64 = 0.5;

/// What a conversation has beyond the scores of its best turns: how many of the question's words it holds and how similar it is
/// as a whole, in standard deviations, weighed.
pub(crate) type Support = HashMap<String, Own>;

/// Of one conversation: how much, and how many turns it has.
#[derive(Debug)]
pub(crate) struct Own {
    support: f64,
    turns: usize,
}

/// Adds to each turn a share of what its conversation has: the mean of its best turns, and its own support.
pub(crate) fn support(rows: &mut [Row], weights: &Weights) -> Support {
    let mut turns: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        if let Some(conversation) = &row.conversation {
            turns.entry(conversation.clone()).or_default().push(place);
        }
    }
    let coverage = standard(coverages(rows, &turns));
    let theme = standard(themes(rows, &turns));
    let mut support = Support::new();
    for ((conversation, places), (coverage, theme)) in turns.into_iter().zip(coverage.into_iter().zip(theme)) {
        let (coverage, theme) = (weights.coverage * coverage, weights.theme * theme);
        let mean = best(places.iter().map(|place| rows[*place].score.total()), weights.best);
        let gain = mean + coverage + THEME_OF_TURNS * theme;
        for place in &places {
            rows[*place].score.add(Part::Conversation, weights.conversation * gain);
        }
        support.insert(conversation, Own { support: coverage + theme, turns: places.len() });
    }
    support
}

/// The conversations of the turns, ranked by the best turn, the mean of the best, and their own support.
pub(crate) fn conversations(ranked: &[Ranked], support: &Support, weights: &Weights) -> Vec<ConversationFound> {
    let mut turns: BTreeMap<&str, Vec<&Ranked>> = BTreeMap::new();
    for row in ranked {
        if let Some(conversation) = row.memory.conversation.as_deref() {
            turns.entry(conversation).or_default().push(row);
        }
    }
    // Only the best turns of all are ranked: what a conversation has beyond them is at most as good as the last.
    let last = ranked.last().map_or(0.0, |row| row.score.total());
    let found = |(conversation, turns): (&str, Vec<&Ranked>)| {
        let (own, all) = support.get(conversation).map_or((0.0, 0), |own| (own.support, own.turns));
        let beyond = std::iter::repeat_n(last, all.saturating_sub(turns.len()));
        let mean = best(turns.iter().map(|row| row.score.total()).chain(beyond), weights.best);
        let score = turns[0].score.total() + mean + own;
        ConversationFound { conversation: conversation.to_owned(), score, best: turns[0].memory.id.clone() }
    };
    let mut found: Vec<ConversationFound> = turns.into_iter().map(found).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.conversation.cmp(&b.conversation)));
    found
}

/// The mean of the best so many.
fn best(scores: impl Iterator<Item = f64>, many: usize) -> f64 {
    let mut scores: Vec<f64> = scores.collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    scores.truncate(many.max(1));
    scores.iter().sum::<f64>() / scores.len() as f64
}

/// For each conversation the share of the question's words that it holds, by how rare they are among the rows.
fn coverages(rows: &[Row], turns: &BTreeMap<String, Vec<usize>>) -> Vec<f64> {
    let rarity: Vec<f64> = (0..u64::BITS).map(|bit| rarity(rows, bit)).collect();
    let weigh = |matched: u64| {
        (0..u64::BITS).filter(|bit| matched >> bit & 1 == 1).map(|bit| rarity[bit as usize]).sum::<f64>()
    };
    let all = weigh(rows.iter().fold(0, |all, row| all | row.matched));
    let held = |places: &Vec<usize>| places.iter().fold(0, |all, place| all | rows[*place].matched);
    turns.values().map(|places| if all > 0.0 { weigh(held(places)) / all } else { 0.0 }).collect()
}

/// For each conversation how similar its turns are to the question in the mean.
fn themes(rows: &[Row], turns: &BTreeMap<String, Vec<usize>>) -> Vec<f64> {
    let mean = |places: &Vec<usize>| {
        places.iter().map(|place| rows[*place].score.part(Part::Vector)).sum::<f64>() / places.len() as f64
    };
    turns.values().map(mean).collect()
}

fn rarity(rows: &[Row], bit: u32) -> f64 {
    let holders = rows.iter().filter(|row| row.matched >> bit & 1 == 1).count() as f64;
    (1.0 + (rows.len() as f64 - holders + 0.5) / (holders + 0.5)).ln()
}

/// Distances from the mean in standard deviations.
fn standard(values: Vec<f64>) -> Vec<f64> {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    let scale = if spread < 1e-9 { 0.0 } else { 1.0 / spread };
    values.into_iter().map(|value| (value - mean) * scale).collect()
}

#[cfg(test)]
mod tests {
    use annals_core::{MemoryId, Timestamp};

    use super::*;
    use crate::score::Score;

    /// A row of a conversation with a score and the words it holds, as bits.
    fn row(id: &str, conversation: &str, score: f64, matched: u64) -> Row {
        let mut own = Score::default();
        own.add(Part::Words, score);
        let conversation = Some(conversation.to_owned());
        Row { memory: MemoryId::from_text(id), conversation, at: Timestamp::UNIX_EPOCH, matched, score: own }
    }

    fn gain(rows: &[Row], id: &str, own: f64) -> f64 {
        rows.iter().find(|row| row.memory.as_str() == id).unwrap().score.total() - own
    }

    #[test]
    fn a_turn_gains_from_the_best_of_its_conversation() {
        let weights = Weights { conversation: 0.5, best: 2, coverage: 0.0, theme: 0.0, ..Weights::default() };
        let mut rows = [row("1", "a", 8.0, 0), row("2", "a", 4.0, 0), row("3", "a", 0.0, 0), row("4", "b", 2.0, 0)];
        support(&mut rows, &weights);
        assert_eq!((gain(&rows, "3", 0.0), gain(&rows, "1", 8.0), gain(&rows, "4", 2.0)), (3.0, 3.0, 1.0));
    }

    #[test]
    fn words_count_wherever_in_the_conversation_they_stand() {
        let weights = Weights { conversation: 1.0, coverage: 1.0, theme: 0.0, ..Weights::default() };
        let mut rows =
            [row("1", "a", 0.0, 0b01), row("2", "a", 0.0, 0b10), row("3", "b", 0.0, 0b01), row("4", "b", 0.0, 0b01)];
        let support = support(&mut rows, &weights);
        assert!(support["a"].support > 0.0 && support["b"].support < 0.0, "{support:?}");
        assert_eq!(gain(&rows, "1", 0.0), support["a"].support);
    }

    #[test]
    fn no_word_found_says_nothing_of_any() {
        let mut rows = [row("1", "a", 0.0, 0), row("2", "b", 0.0, 0)];
        assert!(support(&mut rows, &Weights::default()).values().all(|own| own.support == 0.0));
        assert!(support(&mut [], &Weights::default()).is_empty());
    }
}
