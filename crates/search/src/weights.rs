//! The weight of each part of a score, in one place. They are constants; nothing is tuned at run time.
//!
//! The unit is one standard deviation of a leg over the rows of a table. The weights were chosen on four kinds of memory, with
//! each left out in turn, and kept to round numbers. `docs/recall.md` has the effect of each.

use annals_core::is_wide;

/// Share of the vector's weight that text in a wide script loses: the bundled embedder has few of its characters in its
/// vocabulary.
const UNREAD: f64 = 0.6;

/// The weights of the ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Similarity of vectors.
    pub vector: f64,
    /// Relevance of words.
    pub words: f64,
    /// Share of the score of the turn right before. A question comes before its answer and shares words with the query.
    pub before: f64,
    /// Share of the score of the turn right after.
    pub after: f64,
    /// Share of the mean score of the best turns of the conversation.
    pub conversation: f64,
    /// How many best turns of a conversation count.
    pub best: usize,
    /// How many of the question's words stand close together in the conversation, each weighted by how few conversations have
    /// it. Added to the conversation's score; half of it counts in what its turns gain from the conversation.
    pub coverage: f64,
    /// Weight of the mean score without words of a conversation's best turns, in the conversation's score. Coverage counts each
    /// word once, while every turn that repeats a word would count it again.
    pub wordless: f64,
    /// The question names the speaker.
    pub speaker: f64,
    /// The question says "I": a user's own words beat those of an assistant that explains.
    pub own_words: f64,
    /// The question is about what "you" said: the assistant's words beat those of the user.
    pub your_words: f64,
    /// Penalty for a turn that only asks, because it seldom answers. The more the turn says besides, the smaller the penalty.
    pub question: f64,
    /// Per doubling of a turn's length beyond the usual length of its role. Longer turns hold more, but less than in
    /// proportion.
    pub length: f64,
    /// The question asks when, and the memory contains a time.
    pub when: f64,
    /// The memory was said in the days that the question names, or in the week after, because events are told later. It is only
    /// a bonus: most answers were said on other days.
    pub mentioned: f64,
    /// Bonus for recent memories in a question about the present; it halves with every half-life.
    pub recency: f64,
    /// Days in which `recency` and `access` halve.
    pub half_life: f64,
    /// A statement that a model judged most important. Scaled by the importance.
    pub importance: f64,
    /// Penalty for a statement that a model was not sure of, scaled by the doubt. Turns are verbatim and have no doubt.
    pub confidence: f64,
    /// The memory was returned often and recently. Returned memories are found more easily again, so the bonus is limited in
    /// three ways: its maximum is less than a third of a standard deviation, so it only decides between memories that fit about
    /// equally well; it grows with the logarithm up to `often`; and it halves with every half-life since the last time.
    pub access: f64,
    /// Access count at which the boost saturates.
    pub often: f64,
    /// The memory is pinned.
    pub pinned: f64,
    /// A statement. It says in one sentence what turns say in several.
    pub statement: f64,
    /// A summary. It has few words on each topic, so words and vectors find it too easily.
    pub summary: f64,
    /// Penalty for a text that nearly repeats a higher-ranked one.
    pub repeat: f64,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            vector: 1.0,
            words: 1.0,
            before: 0.4,
            after: 0.2,
            conversation: 0.6,
            best: 3,
            coverage: 2.0,
            wordless: 2.5,
            speaker: 2.0,
            own_words: 3.0,
            your_words: 1.5,
            question: 1.5,
            length: 0.6,
            when: 1.0,
            mentioned: 2.0,
            recency: 1.0,
            half_life: 30.0,
            importance: 0.5,
            confidence: -0.5,
            access: 0.3,
            often: 20.0,
            pinned: 0.5,
            statement: 0.0,
            summary: -0.5,
            repeat: -2.0,
        }
    }
}

impl Weights {
    /// Returns the weights for a question. The vector's weight falls with the share of characters that the bundled embedder
    /// cannot read.
    pub(crate) fn for_question(&self, text: &str) -> Weights {
        let letters = text.chars().filter(|c| c.is_alphanumeric()).count().max(1) as f64;
        let unread = text.chars().filter(|c| c.is_alphanumeric() && is_wide(*c)).count() as f64 / letters;
        Weights { vector: self.vector * (1.0 - UNREAD * unread), ..self.clone() }
    }

    /// Returns the default weights without each part in turn, by name.
    pub fn ablations() -> Vec<(&'static str, Weights)> {
        let all = Weights::default;
        vec![
            ("vector", Weights { vector: 0.0, ..all() }),
            ("words", Weights { words: 0.0, ..all() }),
            ("neighbours", Weights { before: 0.0, after: 0.0, ..all() }),
            ("conversation", Weights { conversation: 0.0, ..all() }),
            ("coverage", Weights { coverage: 0.0, ..all() }),
            ("wordless", Weights { wordless: 0.0, ..all() }),
            ("speaker", Weights { speaker: 0.0, ..all() }),
            ("role", Weights { own_words: 0.0, your_words: 0.0, ..all() }),
            ("question", Weights { question: 0.0, ..all() }),
            ("length", Weights { length: 0.0, ..all() }),
            ("when", Weights { when: 0.0, ..all() }),
            ("said", Weights { mentioned: 0.0, ..all() }),
            ("recency", Weights { recency: 0.0, ..all() }),
            ("importance", Weights { importance: 0.0, ..all() }),
            ("confidence", Weights { confidence: 0.0, ..all() }),
            ("access", Weights { access: 0.0, ..all() }),
            ("repeat", Weights { repeat: 0.0, ..all() }),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ablation_changes_the_weights() {
        let mut names = std::collections::HashSet::new();
        for (name, weights) in Weights::ablations() {
            assert_ne!(weights, Weights::default(), "{name}");
            assert!(names.insert(name), "{name}");
        }
    }
}
