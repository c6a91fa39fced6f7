//! Compares sentences with their sources by a model of entailment, if one is configured.
//!
//! The rules find wrong names, numbers, dates and lost negations, but not "took" in place of "refused". The model judges the
//! sentences that the rules accept, each with the lines that it cites and their neighbours. Only a contradiction counts: a
//! correct summary often says more than its lines imply (who "she" is, which flat), and a model calls that neutral. If the
//! model fails, the rules decide alone; the summary is kept.

use std::fmt;
use std::sync::Arc;

use annals_core::Entailment;
use annals_core::ports::EntailmentPair;

use super::{CitedSentence, Line, cited};

/// Maximum sentences of one summary that are judged; for the others, the rules decide alone. Few summaries have more, and each
/// sentence takes the model some tenths of a second.
const MAX_JUDGED: usize = 64;

/// Bytes of lines up to which a sentence is compared with the cited lines and their neighbours, about 500 tokens. If the text
/// is longer, the neighbours are left out; the cited lines alone may still be longer.
const MAX_PREMISE: usize = 2_000;

/// A model that judges sentences of summaries, and the threshold for its scores.
#[derive(Clone)]
pub struct EntailmentCheck {
    pub model: Arc<dyn Entailment>,
    /// Probability of a contradiction, 0.5 to 1, from which a sentence counts as unsupported.
    pub contradiction: f32,
}

impl fmt::Debug for EntailmentCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntailmentCheck").field("model", &self.model.model()).finish_non_exhaustive()
    }
}

impl EntailmentCheck {
    /// Marks the sentences that their sources contradict, among the first [`MAX_JUDGED`] that are not marked yet. Returns how
    /// many it has marked. Marks none if the model fails.
    pub(in crate::endpoint) async fn mark(&self, drafted: &mut [CitedSentence], lines: &[Line]) -> u32 {
        let mut accepted: Vec<&mut CitedSentence> =
            drafted.iter_mut().filter(|sentence| !sentence.ungrounded).take(MAX_JUDGED).collect();
        let pair = |sentence: &CitedSentence| EntailmentPair {
            premise: premise(sentence, lines),
            hypothesis: sentence.text.clone(),
        };
        let pairs = accepted.iter().map(|sentence| pair(sentence)).collect();
        // The model's adapter has logged the failure.
        let Ok(scores) = self.model.judge(pairs).await else { return 0 };
        let mut marked = 0;
        for (sentence, scores) in accepted.iter_mut().zip(scores) {
            sentence.ungrounded = scores.contradicted >= self.contradiction;
            marked += u32::from(sentence.ungrounded);
        }
        marked
    }
}

/// Returns the lines that a sentence is compared with, one below the other.
fn premise(sentence: &CitedSentence, lines: &[Line]) -> String {
    let near = joined(cited(sentence, lines).into_iter());
    if near.len() <= MAX_PREMISE {
        return near;
    }
    joined(lines.iter().filter(|line| line.from.iter().any(|id| sentence.from.contains(id))))
}

fn joined<'l>(lines: impl Iterator<Item = &'l Line>) -> String {
    lines.map(|line| format!("{}{}", line.head, line.text)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use annals_core::MemoryId;
    use annals_testkit::{Faulty, OppositeWords};

    use super::*;

    fn line(id: &str, text: &str) -> Line {
        let day = jiff::civil::date(2026, 3, 4);
        let from = vec![MemoryId::from_text(id)];
        Line { head: "09:30 Ann: ".into(), text: text.into(), days: (day, day), from, group: String::new() }
    }

    fn sentence(text: &str, id: &str, ungrounded: bool) -> CitedSentence {
        let (day, from) = (jiff::civil::date(2026, 3, 4), vec![MemoryId::from_text(id)]);
        CitedSentence { text: text.into(), day, is_of_one_day: true, from, ungrounded }
    }

    fn check(model: impl Entailment + 'static) -> EntailmentCheck {
        EntailmentCheck { model: Arc::new(model), contradiction: 0.9 }
    }

    fn lines() -> [Line; 4] {
        [line("a", "The bank called."), line("b", "I refused the loan."), line("c", "Tea?"), line("d", "I took tea.")]
    }

    async fn marks(model: impl Entailment + 'static, drafted: &[CitedSentence]) -> (u32, Vec<bool>) {
        let mut drafted = drafted.to_vec();
        let marked = check(model).mark(&mut drafted, &lines()).await;
        (marked, drafted.iter().map(|sentence| sentence.ungrounded).collect())
    }

    fn opposites() -> OppositeWords {
        OppositeWords::new(&[["took", "refused"]])
    }

    #[tokio::test]
    async fn contradicted_sentence_is_marked() {
        let drafted = [
            sentence("Ann took the loan.", "b", false),
            sentence("Ann refused the loan.", "b", false),
            sentence("Ann moved to Oslo.", "b", false),
            sentence("Ann took tea.", "d", false),
        ];
        assert_eq!(marks(opposites(), &drafted).await, (1, vec![true, false, false, false]));
    }

    #[tokio::test]
    async fn failure_of_the_model_leaves_the_marks_of_the_rules() {
        let drafted = [sentence("Ann took the loan.", "b", false), sentence("Bob refused.", "b", true)];
        assert_eq!(marks(Faulty::during(opposites(), 1..9), &drafted).await, (0, vec![false, true]));
    }

    #[tokio::test]
    async fn accepted_sentences_are_judged_by_their_lines_and_the_neighbours() {
        let model = Arc::new(opposites());
        let check = EntailmentCheck { model: model.clone(), contradiction: 0.9 };
        let mut drafted = vec![sentence("Marked by the rules.", "a", true), sentence("Ann refused.", "b", false)];
        check.mark(&mut drafted, &lines()).await;
        let premise = "09:30 Ann: The bank called.\n09:30 Ann: I refused the loan.\n09:30 Ann: Tea?";
        let pair = EntailmentPair { premise: premise.into(), hypothesis: "Ann refused.".into() };
        assert_eq!(model.judged(), [pair]);
    }

    #[tokio::test]
    async fn number_of_sentences_and_length_of_sources_are_bounded() {
        let model = Arc::new(opposites());
        let check = EntailmentCheck { model: model.clone(), contradiction: 0.9 };
        let long = [line("a", &"so much ".repeat(300)), line("b", "I refused the loan.")];
        check.mark(&mut vec![sentence("Ann refused.", "b", false); 100], &long).await;
        assert_eq!(model.judged().len(), MAX_JUDGED);
        assert_eq!(model.judged()[0].premise, "09:30 Ann: I refused the loan.");
    }
}
