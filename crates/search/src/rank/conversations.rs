//! Step 3, and the ranking of conversations. A conversation is more likely about the question if it has several good turns and
//! holds many of the question's words close together.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use annals_core::ConversationFound;

use super::coverage::coverage;
use super::{FoundConversations, Ranked, Row};
use crate::Weights;
use crate::score::Part;

/// Share of a conversation's coverage that is added to its turns. It is less than one because the words identify the
/// conversation better than the turn in it.
const COVERAGE_OF_TURNS: f64 = 0.5;
/// The score parts that depend on words: those of the turn, of neighbouring turns and of its conversation. The ranking of
/// conversations leaves them out of the mean score.
const WORDED: [Part; 3] = [Part::Words, Part::Neighbours, Part::Conversation];

/// Properties of a conversation that are computed before its turns are read back.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// The weighted coverage of the question's words.
    coverage: f64,
    /// The number of its turns that were scored.
    turns: usize,
}

/// The known properties of each conversation, by its name.
pub(crate) type Support = HashMap<Arc<str>, Known>;

/// Adds to each row a share of its conversation's score: the mean of the best other turns, and the coverage. For a row without
/// a conversation, such as a note or a summary, the row's own score replaces the mean, so that it does not lose to a long
/// conversation. Expects the turns of each conversation in their order. Returns the properties of each conversation.
pub(crate) fn support(rows: &mut [Row], conversations: &FoundConversations, weights: &Weights) -> Support {
    let coverage = coverage(rows, conversations);
    let mut turns: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        turns.entry(row.conversation()).or_default().push(index);
    }
    let mut support = Support::new();
    for (conversation, indexes) in turns {
        let coverage = conversation.map_or(0.0, |conversation| weights.coverage * coverage[conversation]);
        let scores: Vec<f64> = indexes.iter().map(|index| rows[*index].score.total()).collect();
        let company = if conversation.is_some() { best_first(&scores, weights.best + 1) } else { Vec::new() };
        for (index, score) in indexes.iter().zip(&scores) {
            let gain = others(&company, *score, weights.best) + COVERAGE_OF_TURNS * coverage;
            rows[*index].score.add(Part::Conversation, weights.conversation * gain);
        }
        if let Some(conversation) = conversation {
            support.insert(conversations.found[conversation].name.clone(), Known { coverage, turns: indexes.len() });
        }
    }
    support
}

/// Returns the conversations of the turns, best first. The score of a conversation is the sum of three parts: the score of the
/// best turn without its `Conversation` part, the weighted mean score of the best turns without the parts for words, and the
/// coverage. Expects the turns sorted best first.
pub(crate) fn conversations(ranked: &[Ranked], support: &Support, weights: &Weights) -> Vec<ConversationFound> {
    let mut turns: BTreeMap<&str, Vec<&Ranked>> = BTreeMap::new();
    for row in ranked {
        if let Some(conversation) = row.memory.conversation() {
            turns.entry(conversation).or_default().push(row);
        }
    }
    let wordless = |row: &Ranked| row.score.without(&WORDED);
    // Only the best turns overall are read back. Turns of a conversation that were not read back count like the worst that was
    // read back.
    let worst = turns.values().flatten().map(|row| wordless(row)).fold(f64::INFINITY, f64::min);
    let found = |(conversation, turns): (&str, Vec<&Ranked>)| {
        let known = support.get(conversation).copied().unwrap_or_default();
        let has = known.turns.max(turns.len()).min(weights.best);
        let mean = mean_of_best(turns.iter().map(|row| wordless(row)), has, worst);
        let score = turns[0].score.without(&[Part::Conversation]) + weights.wordless * mean + known.coverage;
        ConversationFound { conversation: conversation.to_owned(), score, best: turns[0].memory.id.clone() }
    };
    let mut found: Vec<ConversationFound> = turns.into_iter().map(found).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.conversation.cmp(&b.conversation)));
    found
}

/// Returns the mean of the `many` best scores. If there are fewer scores, the remaining ones count as `missing`.
fn mean_of_best(scores: impl Iterator<Item = f64>, many: usize, missing: f64) -> f64 {
    let mut best = best_first(&scores.collect::<Vec<_>>(), many.max(1));
    best.resize(many.max(1), missing);
    best.iter().sum::<f64>() / best.len() as f64
}

fn best_first(scores: &[f64], many: usize) -> Vec<f64> {
    let mut scores = scores.to_vec();
    scores.sort_unstable_by(|a, b| b.total_cmp(a));
    scores.truncate(many);
    scores
}

/// Returns the mean of the first `many` scores in `company`, without the row's own. If `company` has fewer, the row's own score
/// fills the rest.
fn others(company: &[f64], own: f64, many: usize) -> f64 {
    let itself = company.iter().position(|score| *score == own);
    let others = company.iter().enumerate().filter(|(index, _)| Some(*index) != itself).map(|(_, score)| *score);
    let others: Vec<f64> = others.chain(std::iter::repeat(own)).take(many.max(1)).collect();
    others.iter().sum::<f64>() / others.len() as f64
}

#[cfg(test)]
mod tests {
    use annals_core::ports::{Conversations, Position};
    use annals_core::{Body, Fit, MemoryId, Role};

    use super::*;
    use crate::fixture::memory;
    use crate::rank::NamedConversation;
    use crate::score::Score;

    /// Returns a row of a conversation with a score for vectors.
    fn row(id: &str, conversation: usize, score: f64) -> Row {
        let mut own = Score::default();
        own.add(Part::Vector, score);
        let position = Position { conversation, index: 0 };
        Row {
            memory: MemoryId::from_text(id),
            positions: Some((position, position)),
            matched: 0,
            fit: Fit::default(),
            score: own,
        }
    }

    /// Builds conversations from name, mean similarity and words. The first `found` of them were found.
    fn found_of(all: &[(&str, f32, u64)], found: usize) -> FoundConversations {
        let conversation = |(name, ..): &(&str, f32, u64)| NamedConversation { name: (*name).into() };
        let found = all.iter().take(found).map(conversation).collect();
        FoundConversations {
            found,
            all: Conversations::of(all.iter().map(|(_, similarity, words)| (*similarity, *words))),
            ..FoundConversations::default()
        }
    }

    fn gain(rows: &[Row], id: &str, own: f64) -> f64 {
        rows.iter().find(|row| row.memory.as_str() == id).unwrap().score.total() - own
    }

    #[test]
    fn turn_gains_from_the_best_turns_of_its_conversation() {
        let weights = Weights { conversation: 0.5, best: 2, ..Weights::default() };
        let mut rows = [row("1", 0, 8.0), row("2", 0, 4.0), row("3", 0, 0.0), row("4", 1, 2.0)];
        support(&mut rows, &found_of(&[("a", 0.0, 0), ("b", 0.0, 0)], 2), &weights);
        // Each turn gains from the two best other turns; a row without a conversation gains from itself.
        assert_eq!((gain(&rows, "3", 0.0), gain(&rows, "1", 8.0), gain(&rows, "4", 2.0)), (3.0, 1.0, 1.0));
    }

    #[test]
    fn turn_gains_from_words_anywhere_in_its_conversation() {
        let weights = Weights { conversation: 1.0, coverage: 2.0, ..Weights::default() };
        let worded = Row { matched: 1, ..row("2", 0, 0.0) };
        let mut rows = [row("1", 0, 0.0), worded, row("3", 1, 0.0)];
        let conversations = found_of(&[("a", 0.9, 1), ("b", 0.1, 0), ("not found", 0.1, 0)], 2);
        let support_of = support(&mut rows, &conversations, &weights);
        assert!(support_of["a"].coverage > support_of["b"].coverage, "{support_of:?}");
        assert_eq!((gain(&rows, "1", 0.0), support_of.len()), (support_of["a"].coverage / 2.0, 2));
    }

    #[test]
    fn equal_conversations_gain_nothing() {
        let mut rows = [row("1", 0, 0.0), row("2", 1, 0.0)];
        let conversations = found_of(&[("a", 0.2, 0), ("b", 0.2, 0)], 2);
        assert!(support(&mut rows, &conversations, &Weights::default()).values().all(|known| known.coverage == 0.0));
        assert_eq!((gain(&rows, "1", 0.0), gain(&rows, "2", 0.0)), (0.0, 0.0));
        assert!(support(&mut [], &FoundConversations::default(), &Weights::default()).is_empty());
    }

    /// Ranks the conversations of these turns, given as `conversation:vector:words`, the best first; `names` gives the
    /// conversations as `name:coverage`. Expects this order of the conversations.
    #[track_caller]
    fn check(ranked: &str, names: &str, expect: &str) {
        let weights = Weights { best: 2, wordless: 2.0, ..Weights::default() };
        let ranked: Vec<Ranked> = ranked.split(' ').map(read_back).collect();
        let own = |text: &str| {
            let (name, coverage) = text.split_once(':').unwrap();
            (Arc::from(name), Known { coverage: coverage.parse().unwrap(), turns: 9 })
        };
        let found = conversations(&ranked, &names.split(' ').map(own).collect(), &weights);
        let order: Vec<&str> = found.iter().map(|found| found.conversation.as_str()).collect();
        assert_eq!(order.join(" "), expect, "{found:?}");
    }

    fn read_back(text: &str) -> Ranked {
        let fields: Vec<&str> = text.split(':').collect();
        let (speaker, conversation, message) = ("Ann".into(), fields[0].into(), text.into());
        let body = Body::Turn { speaker, role: Role::User, conversation, message };
        let memory = memory(text, "2026-03-04".parse().unwrap(), body);
        let mut score = Score::default();
        score.add(Part::Vector, fields[1].parse().unwrap());
        score.add(Part::Words, fields[2].parse().unwrap());
        Ranked { memory, access: None, score, fit: Fit::default() }
    }

    #[test]
    fn words_repeated_by_several_turns_count_once() {
        check("a:2:0 b:1:0", "a:0 b:0", "a b");
        // The best turn counts with its score for words, the second only with its other parts.
        check("a:1:3 a:1:3 b:1:4 b:1:1", "a:0 b:0", "b a");
        check("a:1:3 a:1:3 b:1:3 b:1.1:1", "a:0 b:0", "b a");
        check("a:1:3 b:1:3", "a:0 b:1", "b a");
    }

    #[test]
    fn lone_turn_gains_nothing_from_missing_turns() {
        check("b:3:0 a:2.5:0 b:0.5:0 c:0:0", "a:0 b:0 c:0", "b a c");
    }

    #[test]
    fn row_without_a_conversation_gains_like_one_among_equals() {
        let weights = Weights { coverage: 0.0, ..Weights::default() };
        let lone = |score| {
            let mut rows = [row("1", 0, score)];
            support(&mut rows, &found_of(&[("a", 0.0, 0)], 1), &weights);
            rows[0].score.total()
        };
        let among = |score: f64, others: f64| {
            let mut rows = [row("1", 0, score), row("2", 0, others), row("3", 0, others), row("4", 0, others)];
            support(&mut rows, &found_of(&[("a", 0.0, 0)], 1), &weights);
            rows[0].score.total()
        };
        assert_eq!(lone(4.0), among(4.0, 4.0));
        assert!(lone(4.0) > among(4.0, 3.0));
        let mut note = [Row { positions: None, ..row("n", 0, 4.0) }];
        support(&mut note, &FoundConversations::default(), &weights);
        assert_eq!(note[0].score.total(), lone(4.0));
    }

    #[test]
    fn turn_not_read_back_counts_as_the_worst() {
        check("a:3:0 a:3:0 b:4:0 c:0:0", "a:0 b:0 c:0", "a b c");
    }
}
