//! A score and what it is the sum of, in the order in which the parts come about. Pure.

use annals_core::ScorePart;

/// What adds to a score, or takes away from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Similarity of vectors.
    Vector,
    /// Relevance of words.
    Words,
    /// What was said right before and after.
    Neighbours,
    /// The best turns of the same conversation.
    Conversation,
    /// The question names who speaks.
    Speaker,
    /// Whether those said it whom the question is about: who asks, or the assistant.
    Role,
    /// A turn that only asks.
    Question,
    /// How much it says.
    Length,
    /// The question asks when, and it says a time.
    When,
    /// It was said at a time that the question speaks of.
    Said,
    /// How long ago it was, of a question about the present.
    Recency,
    /// Whether it will matter later, as a model judged.
    Importance,
    /// How surely it was said, as a model judged.
    Confidence,
    /// How often it was given out.
    Access,
    /// Somebody pinned it.
    Pinned,
    /// What kind of memory it is.
    Kind,
    /// The question asks for the period that it sums up.
    Period,
    /// Where a model has put it.
    Rerank,
    /// Much the same stands above it.
    Repeat,
}

impl Part {
    /// All, in order.
    pub(crate) const ALL: [Part; 19] = [
        Part::Vector,
        Part::Words,
        Part::Neighbours,
        Part::Conversation,
        Part::Speaker,
        Part::Role,
        Part::Question,
        Part::Length,
        Part::When,
        Part::Said,
        Part::Recency,
        Part::Importance,
        Part::Confidence,
        Part::Access,
        Part::Pinned,
        Part::Kind,
        Part::Period,
        Part::Rerank,
        Part::Repeat,
    ];

    /// The word in answers.
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
        ][self as usize]
    }
}

/// The parts of one score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Score([f64; Part::ALL.len()]);

impl Score {
    /// Adds to a part.
    pub(crate) fn add(&mut self, part: Part, value: f64) {
        self.0[part as usize] += value;
    }

    /// Takes from each part the larger value.
    pub(crate) fn raise(&mut self, other: &Score) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own = own.max(other));
    }

    /// The sum.
    pub(crate) fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The sum of all parts but these.
    pub(crate) fn without(&self, parts: &[Part]) -> f64 {
        let counts = |part: &Part| !parts.contains(part);
        Part::ALL.into_iter().filter(counts).map(|part| self.0[part as usize]).sum()
    }

    /// The parts that are not nothing.
    pub(crate) fn explain(&self) -> Vec<ScorePart> {
        let parts = Part::ALL.into_iter().zip(self.0);
        parts.filter(|(_, value)| *value != 0.0).map(|(part, value)| ScorePart { name: part.name(), value }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_scores_each_part_is_the_larger() {
        let [mut one, mut other] = [Score::default(); 2];
        one.add(Part::Vector, 2.0);
        other.add(Part::Vector, 1.0);
        other.add(Part::Words, 3.0);
        one.raise(&other);
        let parts: Vec<_> = one.explain().into_iter().map(|part| (part.name, part.value)).collect();
        assert_eq!(parts, [("vector", 2.0), ("words", 3.0)]);
    }

    #[test]
    fn the_parts_add_up_and_have_names_of_their_own() {
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
