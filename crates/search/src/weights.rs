//! What each part of a score weighs, in one place. Fixed when the program is built; nothing is tuned while it runs.
//!
//! The unit is one standard deviation of a leg over the rows of a table. Chosen on four kinds of memory, each left out in turn, and
//! kept to round numbers; `docs/recall.md` has what each is worth.

use crate::question::is_wide;

/// What the vector of a text in a wide script loses: the bundled embedder knows few of its characters.
const UNREAD: f64 = 0.6;

/// The weights of the ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Similarity of vectors.
    pub vector: f64,
    /// Relevance of words.
    pub words: f64,
    /// Share of the score of the turn right before: a question is before its answer, and shares its words with ours.
    pub before: f64,
    /// Share of the score of the turn right after.
    pub after: f64,
    /// Share of the mean of the best turns of the conversation.
    pub conversation: f64,
    /// How many turns are its best.
    pub best: usize,
    /// How many of the question's words stand close together in the conversation, each by how few conversations have it: a part
    /// of the conversation's score, and half as much of what its turns share in.
    pub coverage: f64,
    /// In a conversation's score, the mean of what its best turns come to without words. Coverage counts these once, where every
    /// turn that repeats a word counts it again.
    pub wordless: f64,
    /// The question names who speaks.
    pub speaker: f64,
    /// The question is asked by "I": somebody's own words beat those of an assistant who explains.
    pub own_words: f64,
    /// The question is about what "you" said: the assistant's words beat those of who asked it.
    pub your_words: f64,
    /// A turn that only asks seldom answers; the more it says besides, the less this takes away.
    pub question: f64,
    /// Each doubling of the length of a turn beyond what is usual in its role: longer ones hold more, but less than in proportion.
    pub length: f64,
    /// The question asks when, and the memory says a time.
    pub when: f64,
    /// It was said in the days that the question speaks of, or in the week after: things are told after they happened. It cannot
    /// hide what was said on other days, for most answers are.
    pub said: f64,
    /// A question about the present: what was said just now, halved with every half-life.
    pub recency: f64,
    /// Days in which recency halves, and what having been given counts.
    pub half_life: f64,
    /// A statement that will matter as much as any can, as a model judged.
    pub importance: f64,
    /// A statement of which the model was not sure at all. Turns are verbatim, and there is nothing to doubt.
    pub confidence: f64,
    /// It was often among what the agent was given, and lately. What was found before is found more easily, so this is bounded
    /// three times over: the whole of it is less than a third of a standard deviation, which decides between memories that fit
    /// about as well and between no others; it grows with the logarithm and ends at `often`; and it halves with every half-life
    /// since it was given last.
    pub access: f64,
    /// So often is often: more adds nothing.
    pub often: f64,
    /// Somebody pinned it.
    pub pinned: f64,
    /// A statement says in one sentence what turns say in several.
    pub statement: f64,
    /// A summary has few words on each thing, so that words and vectors find it easily.
    pub summary: f64,
    /// The same again, in other words or none, tells nothing new.
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
            said: 2.0,
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
    /// The same for a question: what it has of scripts that the bundled embedder cannot read is left to words.
    pub(crate) fn for_question(&self, text: &str) -> Weights {
        let letters = text.chars().filter(|c| c.is_alphanumeric()).count().max(1) as f64;
        let unread = text.chars().filter(|c| c.is_alphanumeric() && is_wide(*c)).count() as f64 / letters;
        Weights { vector: self.vector * (1.0 - UNREAD * unread), ..self.clone() }
    }

    /// The ranking without each of its parts in turn, by name.
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
            ("said", Weights { said: 0.0, ..all() }),
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
    fn each_ablation_takes_something_away() {
        let mut names = std::collections::HashSet::new();
        for (name, weights) in Weights::ablations() {
            assert_ne!(weights, Weights::default(), "{name}");
            assert!(names.insert(name), "{name}");
        }
    }
}
