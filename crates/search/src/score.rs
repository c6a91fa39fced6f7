//! A score as the sum of its parts. Pure.

use annals_core::ScorePart;

/// A part of a score, positive or negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Similarity of vectors.
    Vector,
    /// Relevance of words.
    Words,
    /// The turns right before and after.
    Neighbours,
    /// The best other turns of the same conversation, and the conversation's coverage.
    Conversation,
    /// The question names the speaker.
    Speaker,
    /// Bonus or penalty for a turn of a user, if the question asks about the user or about the assistant.
    Role,
    /// Penalty for a turn that ends with a question; smaller if the turn says more besides.
    Question,
    Length,
    /// The question asks when, and the memory contains a time.
    When,
    /// The memory was said at a time that the question names, or in the week after it.
    Mentioned,
    /// Recency, for a question about the present.
    Recency,
    /// Bonus for the importance of a statement, as judged by a model.
    Importance,
    /// Penalty for a statement that a model was not sure of.
    Confidence,
    /// How often and how recently the memory was returned in answers.
    Access,
    Pinned,
    /// Bonus for a statement, or penalty for a summary. Also lowers a placeholder below all other results.
    Kind,
    /// The question asks for the period that the memory summarises.
    Period,
    /// The change made by the reranking model.
    Rerank,
    /// Penalty for repeating a higher-ranked text.
    Repeat,
    /// Raises a turn right above the turn that it corrects.
    Correction,
}

impl Part {
    /// All parts, in the order in which answers list them.
    pub(crate) const ALL: [Part; 20] = [
        Part::Vector,
        Part::Words,
        Part::Neighbours,
        Part::Conversation,
        Part::Speaker,
        Part::Role,
        Part::Question,
        Part::Length,
        Part::When,
        Part::Mentioned,
        Part::Recency,
        Part::Importance,
        Part::Confidence,
        Part::Access,
        Part::Pinned,
        Part::Kind,
        Part::Period,
        Part::Rerank,
        Part::Repeat,
        Part::Correction,
    ];

    /// Returns the name used in answers.
    fn name(self) -> &'static str {
        [
            "vector",
            "words",
            "neighbours",
            "conversation",
            "speaker",
            "role",
            "question",
            "length",
            "when",
            "said",
            "recency",
            "importance",
            "confidence",
            "access",
            "pinned",
            "kind",
            "period",
            "rerank",
            "repeat",
            "correction",
        ][self as usize]
    }
}

/// The parts of one score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Score([f64; Part::ALL.len()]);

impl Score {
    pub(crate) fn add(&mut self, part: Part, value: f64) {
        self.0[part as usize] += value;
    }

    /// Raises each part to the larger of the two values.
    pub(crate) fn raise(&mut self, other: &Score) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own = own.max(other));
    }

    pub(crate) fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Returns the sum of all parts except these.
    pub(crate) fn without(&self, parts: &[Part]) -> f64 {
        let counts = |part: &Part| !parts.contains(part);
        Part::ALL.into_iter().filter(counts).map(|part| self.0[part as usize]).sum()
    }

    /// Returns the parts that are not zero.
    pub(crate) fn explain(&self) -> Vec<ScorePart> {
        let parts = Part::ALL.into_iter().zip(self.0);
        parts.filter(|(_, value)| *value != 0.0).map(|(part, value)| ScorePart { name: part.name(), value }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raise_keeps_the_larger_value_of_each_part() {
        let [mut one, mut other] = [Score::default(); 2];
        one.add(Part::Vector, 2.0);
        other.add(Part::Vector, 1.0);
        other.add(Part::Words, 3.0);
        one.raise(&other);
        let parts: Vec<_> = one.explain().into_iter().map(|part| (part.name, part.value)).collect();
        assert_eq!(parts, [("vector", 2.0), ("words", 3.0)]);
    }

    #[test]
    fn parts_sum_to_the_total_and_have_unique_names() {
        let mut score = Score::default();
        for (part, value) in Part::ALL.into_iter().zip(1_u32..) {
            score.add(part, f64::from(value));
        }
        let parts = score.explain();
        assert_eq!(parts.iter().map(|part| part.value).sum::<f64>(), score.total());
        assert_eq!(score.without(&[Part::Vector, Part::Neighbours]), score.total() - 4.0);
        let names: std::collections::HashSet<_> = parts.iter().map(|part| part.name).collect();
        assert_eq!(names.len(), Part::ALL.len());
        assert_eq!(Score::default().explain(), []);
    }
}
