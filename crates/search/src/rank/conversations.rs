//! Step 3, and the ranking of conversations: one that has several good turns, and that holds more of the question's words
//! somewhere, is likely about what is asked.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use annals_core::ConversationFound;

use super::{Ranked, Row, Talk};
use crate::Weights;
use crate::score::Part;

/// What a conversation is about as a whole says which conversation it is, but less which of its turns.
const THEME_OF_TURNS: f64 = 0.5;

/// What a conversation has beyond the scores of its best turns: how many of the question's words it holds and how similar it is
/// as a whole, in standard deviations, weighed.
pub(crate) type Support = HashMap<Arc<str>, Own>;

/// Of one conversation: how much, and how many turns it has.
#[derive(Debug)]
pub(crate) struct Own {
    support: f64,
    turns: usize,
}

/// Adds to each turn a share of what its conversation has: the mean of its best turns, and its own support.
pub(crate) fn support(rows: &mut [Row], talks: &[Talk], weights: &Weights) -> Support {
    let mut turns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        if let Some(conversation) = row.conversation() {
            turns.entry(conversation).or_default().push(place);
        }
    }
    let coverage = standard(talks.iter().map(|talk| talk.coverage).collect());
    let theme = standard(talks.iter().map(|talk| talk.theme).collect());
    let mut support = Support::new();
    for (conversation, places) in turns {
        let talk = &talks[conversation];
        let (coverage, theme) = (weights.coverage * coverage[conversation], weights.theme * theme[conversation]);
        let mean = best(places.iter().map(|place| rows[*place].score.total()), weights.best);
        let gain = mean + coverage + THEME_OF_TURNS * theme;
        for place in &places {
            rows[*place].score.add(Part::Conversation, weights.conversation * gain);
        }
        support.insert(talk.name.clone(), Own { support: coverage + theme, turns: talk.turns });
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
    use annals_core::MemoryId;
    use annals_core::ports::Seat;

    use super::*;
    use crate::score::Score;

    /// A row of a conversation with a score.
    fn row(id: &str, conversation: usize, score: f64) -> Row {
        let mut own = Score::default();
        own.add(Part::Words, score);
        let seat = Seat { conversation, place: 0 };
        Row { memory: MemoryId::from_text(id), seats: Some((seat, seat)), score: own }
    }

    fn talk(name: &str, coverage: f64, theme: f64) -> Talk {
        Talk { name: name.into(), turns: 3, coverage, theme }
    }

    fn gain(rows: &[Row], id: &str, own: f64) -> f64 {
        rows.iter().find(|row| row.memory.as_str() == id).unwrap().score.total() - own
    }

    #[test]
    fn a_turn_gains_from_the_best_of_its_conversation() {
        let weights = Weights { conversation: 0.5, best: 2, ..Weights::default() };
        let mut rows = [row("1", 0, 8.0), row("2", 0, 4.0), row("3", 0, 0.0), row("4", 1, 2.0)];
        support(&mut rows, &[talk("a", 0.0, 0.0), talk("b", 0.0, 0.0)], &weights);
        assert_eq!((gain(&rows, "3", 0.0), gain(&rows, "1", 8.0), gain(&rows, "4", 2.0)), (3.0, 3.0, 1.0));
    }

    #[test]
    fn words_and_theme_count_wherever_in_the_conversation_they_stand() {
        let weights = Weights { conversation: 1.0, coverage: 1.0, theme: 1.0, ..Weights::default() };
        let mut rows = [row("1", 0, 0.0), row("2", 1, 0.0)];
        let talks = [talk("a", 0.9, 0.1), talk("b", 0.1, 0.1), talk("not found", 0.1, 0.1)];
        let support = support(&mut rows, &talks, &weights);
        assert!(support["a"].support > 0.0 && support["b"].support < 0.0, "{support:?}");
        assert_eq!((gain(&rows, "1", 0.0), support.len()), (support["a"].support, 2));
    }

    #[test]
    fn where_all_are_alike_none_gains() {
        let mut rows = [row("1", 0, 0.0), row("2", 1, 0.0)];
        let talks = [talk("a", 0.0, 0.2), talk("b", 0.0, 0.2)];
        assert!(support(&mut rows, &talks, &Weights::default()).values().all(|own| own.support == 0.0));
        assert!(support(&mut [], &[], &Weights::default()).is_empty());
    }
}
