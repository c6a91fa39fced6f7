//! Summaries that only say that a period had nothing worth quoting: "Small talk only: 3 messages by Ann and Bob." Such a
//! summary ranks below every other result, and is no part of a context. Pure.

use annals_core::{Body, Memory, Sentence};

use crate::rank::{self, Ranked};
use crate::score::Part;

/// Minimum difference between the lowest score of other results and the score of a placeholder.
const BELOW: f64 = 0.1;

/// Returns whether the memory is a summary of placeholders alone.
pub(crate) fn is_placeholder(memory: &Memory) -> bool {
    match &memory.body {
        Body::Summary { sentences, .. } => !sentences.is_empty() && sentences.iter().all(Sentence::is_placeholder),
        Body::Turn { .. } | Body::Statement { .. } | Body::Passage { .. } => false,
    }
}

/// Lowers placeholders below all other results and sorts again. Does nothing if there are no other results.
pub(crate) fn lower_placeholders(ranked: &mut [Ranked]) {
    let (placeholders, others): (Vec<usize>, Vec<usize>) =
        (0..ranked.len()).partition(|index| is_placeholder(&ranked[*index].memory));
    let lowest = others.iter().map(|index| ranked[*index].score.total()).min_by(f64::total_cmp);
    let Some(lowest) = lowest.filter(|_| !placeholders.is_empty()) else { return };
    for index in placeholders {
        let excess = ranked[index].score.total() - (lowest - BELOW);
        ranked[index].score.add(Part::Kind, -excess.max(0.0));
    }
    rank::sort_ranked(ranked);
}

#[cfg(test)]
mod tests {
    use annals_core::{Fit, Role};

    use super::*;
    use crate::fixture::{memory, turn_body};
    use crate::score::Score;

    /// Ranks memories given best first, turns with `t:` before the text and summaries with their sentences between `|`.
    #[track_caller]
    fn check(texts: &[&str], expect: &[&str]) {
        let mut ranked: Vec<Ranked> = texts.iter().zip(0_u8..).map(|(text, index)| ranked(text, index)).collect();
        lower_placeholders(&mut ranked);
        let order: Vec<&str> = ranked.iter().map(|ranked| ranked.memory.text.as_str()).collect();
        assert_eq!(order, expect);
        assert!(ranked.is_sorted_by(|a, b| a.score.total() >= b.score.total()));
    }

    fn ranked(text: &str, index: u8) -> Ranked {
        let day = "2026-03-04".parse().unwrap();
        let sentence = |text: &str| {
            let (speaker, text) = text.split_once("> ").map_or((None, text), |(speaker, text)| (Some(speaker), text));
            Sentence {
                day,
                speaker: speaker.map(str::to_owned),
                text: text.into(),
                from: Vec::new(),
                ungrounded: false,
            }
        };
        let body = match text.strip_prefix("t:") {
            Some(_) => turn_body("Ann", Role::User),
            None => Body::Summary { sentences: text.split('|').map(sentence).collect(), sources: Vec::new() },
        };
        let mut memory = memory(&index.to_string(), "2026-03-04".parse().unwrap(), body);
        memory.text = text.to_owned();
        let mut score = Score::default();
        score.add(Part::Words, 10.0 - f64::from(index));
        Ranked { memory, access: None, score, fit: Fit::default() }
    }

    #[test]
    fn summary_of_placeholders_ranks_below_everything_else() {
        let (small_talk, notes) = ("Small talk only: 3 messages by Ann.", "Brief notes only.");
        check(&[small_talk, "t:tea", notes, "Ann moved."], &["t:tea", "Ann moved.", small_talk, notes]);
        check(&["Small talk only.|Ann moved.", "t:tea"], &["Small talk only.|Ann moved.", "t:tea"]);
        check(&["t:Small talk only.", "t:tea"], &["t:Small talk only.", "t:tea"]);
        check(&["Ann> Small talk only, he said.", "t:tea"], &["Ann> Small talk only, he said.", "t:tea"]);
        check(&["t:tea", small_talk], &["t:tea", small_talk]);
        check(&[small_talk], &[small_talk]);
    }
}
