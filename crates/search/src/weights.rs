//! The weight of each part of a score, in one place. They are constants, except that the weight of vectors falls for a question
//! in a wide script.
//!
//! The unit is one standard deviation of a leg over the rows of a table. The weights were chosen on four kinds of memory, by
//! measuring the ranking without each weight in turn, and are round numbers. `docs/recall.md` has the effect of each.

use annals_core::is_wide;

/// Share by which the weight of vectors falls for text in a wide script, because the vocabulary of the bundled embedder has few
/// of its characters.
const UNREAD: f64 = 0.6;

/// The weights of the ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Weight of the similarity of vectors.
    pub vector: f64,
    /// Weight of the relevance of words (BM25).
    pub words: f64,
    /// Exponent of the share of the question's words that a row has, by which the relevance of words is multiplied. 0 counts a row
    /// with one rare word of a long question as much as if the question were that word.
    pub share: f64,
    /// Share of the previous turn's score that is added. A question comes before its answer and shares words with the query.
    pub before: f64,
    /// Share of the next turn's score that is added.
    pub after: f64,
    /// Share of the best score of the three turns before the previous one that is added, if it is positive: an answer often comes
    /// after a remark of somebody else, or after a thread of another topic.
    pub earlier: f64,
    /// Share of the conversation's score that is added: the mean score of its best turns, and half its coverage.
    pub conversation: f64,
    /// Number of best turns of a conversation that count in the conversation's score.
    pub best: usize,
    /// Weight of the coverage: how many of the question's words occur close together in the conversation, each weighted by its
    /// rarity among conversations. Added to the conversation's score; half of it counts in the share that the conversation's
    /// turns get.
    pub coverage: f64,
    /// Weight of the mean score of the conversation's best turns in the conversation's score. The mean leaves out the parts for
    /// words: coverage counts each word once, while every turn that repeats a word would count it again.
    pub wordless: f64,
    /// Bonus if the question names the speaker.
    pub speaker: f64,
    /// Bonus for turns of users if the question says "I": the user's own words are a better answer than an assistant's
    /// explanations.
    pub own_words: f64,
    /// Bonus for turns of users if neither pronouns nor names of the question show a speaker, and an assistant's turns are among
    /// the results.
    pub told_words: f64,
    /// Penalty for turns of users if the question is about what "you" said: then the assistant's words are the better answer.
    pub your_words: f64,
    /// Penalty for a turn that ends with a question, because it seldom answers. The more the turn says besides, the smaller the
    /// penalty.
    pub question: f64,
    /// Bonus per doubling of a turn's length beyond the usual length of its role. Longer turns hold more information, but less
    /// than in proportion to their length.
    pub length: f64,
    /// Bonus if the question asks when, and the memory contains a time.
    pub when: f64,
    /// Bonus if the memory was said in the days that the question names; half of it in the week after, because people tell of
    /// events later. This is a bonus and no filter, because most answers were said on other days.
    pub mentioned: f64,
    /// Bonus for recent memories in a question about the present; it halves with every half-life.
    pub recency: f64,
    /// Number of days in which the bonuses `recency` and `access` halve.
    pub half_life: f64,
    /// Bonus for a statement, scaled by the importance that a model gave it.
    pub importance: f64,
    /// Penalty, as a negative number, for a statement that a model was not sure of, scaled by 1 minus its confidence. Turns are
    /// verbatim and get no penalty.
    pub confidence: f64,
    /// Bonus for a memory that was returned often and recently. The bonus makes a returned memory come back more easily, so it
    /// is limited in three ways: its maximum is less than a third of a standard deviation, so it only decides between memories
    /// that fit about equally well; it grows with the logarithm of the access count up to `often`; and it halves with every
    /// half-life since the last access.
    pub access: f64,
    /// Access count at which the bonus `access` reaches its maximum.
    pub often: f64,
    /// Bonus for a pinned memory.
    pub pinned: f64,
    /// Bonus for a statement, which says in one sentence what turns say in several.
    pub statement: f64,
    /// Change for a summary; negative by default. A summary has a few words on each of many topics, so words and vectors find
    /// it too easily.
    pub summary: f64,
    /// Penalty, as a negative number, for a text that nearly repeats a higher-ranked one.
    pub repeat: f64,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            vector: 1.0,
            words: 1.0,
            share: 0.35,
            before: 0.4,
            after: 0.2,
            earlier: 0.2,
            conversation: 0.6,
            best: 3,
            coverage: 2.0,
            wordless: 2.5,
            speaker: 2.0,
            own_words: 3.0,
            told_words: 2.0,
            your_words: 1.5,
            question: 1.5,
            length: 0.6,
            when: 1.0,
            mentioned: 5.0,
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
    /// Returns the weights for a question. The weight of vectors falls with the share of its letters that are of a wide script.
    pub(crate) fn for_question(&self, text: &str) -> Weights {
        let letters = text.chars().filter(|c| c.is_alphanumeric()).count().max(1) as f64;
        let unread = text.chars().filter(|c| c.is_alphanumeric() && is_wide(*c)).count() as f64 / letters;
        Weights { vector: self.vector * (1.0 - UNREAD * unread), ..self.clone() }
    }

    /// Returns the default weights with one weight, or one group of weights, set to 0, each with the name of what is left out.
    /// Does not cover the weights for pinned memories, statements and summaries.
    pub fn ablations() -> Vec<(&'static str, Weights)> {
        let all = Weights::default;
        vec![
            ("vector", Weights { vector: 0.0, ..all() }),
            ("words", Weights { words: 0.0, ..all() }),
            ("share", Weights { share: 0.0, ..all() }),
            ("neighbours", Weights { before: 0.0, after: 0.0, earlier: 0.0, ..all() }),
            ("earlier", Weights { earlier: 0.0, ..all() }),
            ("conversation", Weights { conversation: 0.0, ..all() }),
            ("coverage", Weights { coverage: 0.0, ..all() }),
            ("wordless", Weights { wordless: 0.0, ..all() }),
            ("speaker", Weights { speaker: 0.0, ..all() }),
            ("role", Weights { own_words: 0.0, told_words: 0.0, your_words: 0.0, ..all() }),
            ("told", Weights { told_words: 0.0, ..all() }),
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
