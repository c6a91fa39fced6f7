//! Computes coverage: how many of the question's words a conversation holds close together. Pure.
//!
//! The words of a question mostly occur in one turn, or in a question and its answer; words far apart in a long conversation
//! mean little. So the coverage of a conversation is that of its best turn together with the turns right before and after it.
//! Each word counts once, weighted by its rarity among conversations: a word that is rare among turns but occurs in every
//! conversation does not distinguish them. The sum is not normalised: if no word distinguishes the conversations, no
//! conversation should stand out. Longer conversations hold more words by chance, so each is compared with conversations of
//! about the same length.

use annals_core::ones;
use annals_core::ports::Conversations;

use super::neighbours::follow;
use super::{FoundConversations, Row};

/// Prior: this many conversations of mean coverage are added to each length class, so that a handful of real ones does not set
/// the mean alone.
const IMAGINED: f64 = 8.0;

/// Returns for each conversation how far its coverage exceeds the mean coverage of conversations of similar length; negative if
/// it is lower. Expects the turns of each conversation in their order.
pub(super) fn coverage(rows: &[Row], conversations: &FoundConversations) -> Vec<f64> {
    let rarity = rarity(&conversations.all);
    let mut held = vec![0.0_f64; conversations.found.len()];
    let mut turns = vec![0_usize; conversations.found.len()];
    for (index, row) in rows.iter().enumerate() {
        if let Some(conversation) = row.conversation() {
            let value = ones(around(rows, index)).filter_map(|word| rarity.get(word)).sum();
            held[conversation] = held[conversation].max(value);
            turns[conversation] += 1;
        }
    }
    // Conversations that were not found have coverage 0.
    let mean = held.iter().sum::<f64>() / conversations.all.similarity.rows.max(1) as f64;
    let mut lengths = [(IMAGINED * mean, IMAGINED); 4];
    for (held, turns) in held.iter().zip(&turns) {
        let (sum, count) = &mut lengths[length(*turns)];
        (*sum, *count) = (*sum + held, *count + 1.0);
    }
    let expected = |turns: usize| lengths[length(turns)].0 / lengths[length(turns)].1;
    held.iter().zip(turns).map(|(held, turns)| held - expected(turns)).collect()
}

/// Returns the length class of a conversation with this many found turns: 0 for one turn, 1 for two, 2 for three to five, 3 for
/// more.
fn length(turns: usize) -> usize {
    match turns {
        0 | 1 => 0,
        2 => 1,
        3..=5 => 2,
        _ => 3,
    }
}

/// Returns the question's words that a turn and the turns right before and after it contain, as a bit set.
fn around(rows: &[Row], index: usize) -> u64 {
    let before = index.checked_sub(1).map(|before| &rows[before]).filter(|before| follow(before, &rows[index]));
    let after = rows.get(index + 1).filter(|after| follow(&rows[index], after));
    rows[index].matched | before.map_or(0, |row| row.matched) | after.map_or(0, |row| row.matched)
}

/// Returns the weight of each of the question's words: its inverse document frequency among the conversations, as in BM25.
fn rarity(all: &Conversations) -> Vec<f64> {
    let count = all.similarity.rows as f64;
    let of = |holders: &u32| (1.0 + (count - f64::from(*holders) + 0.5) / (f64::from(*holders) + 0.5)).ln();
    all.holders.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use annals_core::ports::Position;
    use annals_core::{Fit, MemoryId};

    use super::*;
    use crate::rank::NamedConversation;
    use crate::score::Score;

    /// Ranks conversations by coverage. Each is given as its turns, and each turn as the words that it contains, a bit per
    /// word; `-` is a turn that was not found. Expects the indexes of the conversations, the best first.
    #[track_caller]
    fn check(conversations: &[&str], expect: &[usize]) {
        let values = of(conversations);
        let mut order: Vec<usize> = (0..conversations.len()).collect();
        order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
        assert_eq!(order, expect, "{values:?}");
    }

    fn of(conversations: &[&str]) -> Vec<f64> {
        let (mut rows, mut found, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for (conversation, turns) in conversations.iter().enumerate() {
            let mut matched = 0;
            for (turn, index) in turns.split(' ').zip(0..) {
                let Ok(words) = u64::from_str_radix(turn, 2) else { continue };
                let position = Position { conversation, index };
                let memory = MemoryId::from_text(format!("{conversation}:{index}"));
                rows.push(Row {
                    memory,
                    positions: Some((position, position)),
                    matched: words,
                    fit: Fit::default(),
                    score: Score::default(),
                });
                matched |= words;
            }
            found.push(NamedConversation { name: conversation.to_string().into() });
            all.push((0.0, matched));
        }
        coverage(
            &rows,
            &FoundConversations { found, all: Conversations::of(all.into_iter()), ..FoundConversations::default() },
        )
    }

    #[test]
    fn words_count_only_in_adjacent_turns() {
        check(&["01 00 00 10", "01 10 00 00", "00 00 00 00"], &[1, 0, 2]);
        // All three words occur in adjacent turns of the first conversation.
        check(&["001 010 100", "001 010 000", "100 000 000"], &[0, 1, 2]);
        // In the first conversation the turn in between was not found. Turns of another conversation do not count as
        // neighbours.
        check(&["01 - 10", "11", "00"], &[1, 0, 2]);
    }

    #[test]
    fn word_of_every_conversation_does_not_distinguish_them() {
        check(&["01", "11", "01", "01"], &[1, 0, 2, 3]);
        check(&["011", "101", "101"], &[0, 1, 2]);
        let (often, rare) = (of(&["1", "1", "0"]), of(&["1", "0", "0"]));
        assert!(often[0] - often[2] < rare[0] - rare[2], "{often:?} {rare:?}");
    }

    #[test]
    fn equal_conversations_have_no_coverage() {
        let is_nothing = |values: Vec<f64>| values.iter().all(|value| value.abs() < 1e-9);
        assert!(is_nothing(of(&["1", "1"])) && is_nothing(of(&["0"])));
        assert!(coverage(&[], &FoundConversations::default()).is_empty());
    }
}
